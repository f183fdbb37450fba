// Attaches every gradient rule.
#include "compiler/Autodiff/Rules.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Interfaces/Models.h"

using namespace mlir;

void tw::registerDifferentiableModels(DialectRegistry &registry) {
  autodiff::registerArithRules(registry);
  autodiff::registerMathRules(registry);
  registry.addExtension(+[](MLIRContext *context, graph::GraphDialect *) {
    autodiff::registerContractionRules(context);
    autodiff::registerNormalizationRules(context);
    autodiff::registerAttentionRules(context);
    autodiff::registerStructureRules(context);
    autodiff::registerReductionRules(context);
    autodiff::registerLossRules(context);
  });
}
