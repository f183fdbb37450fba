#include "compiler/Dialect/Plan/KernelLibrary.h"

#include "compiler/Dialect/Plan/Plan.h"

using namespace mlir;
using namespace tw::plan;

namespace {
struct KernelLibraryExtension : DialectExtension<KernelLibraryExtension, PlanDialect> {
  explicit KernelLibraryExtension(KernelLibrary::Find find) : find(find) {}
  void apply(MLIRContext *, PlanDialect *dialect) const override { dialect->addInterface<KernelLibrary>(find); }
  KernelLibrary::Find find;
};
} // namespace

const KernelLibrary *KernelLibrary::get(MLIRContext *context) {
  auto *dialect = context->getLoadedDialect<PlanDialect>();
  return dialect ? dialect->getRegisteredInterface<KernelLibrary>() : nullptr;
}

void tw::plan::attachKernelLibrary(DialectRegistry &registry, KernelLibrary::Find find) {
  registry.addExtension(TypeID::get<KernelLibraryExtension>(), std::make_unique<KernelLibraryExtension>(find));
}
