// What each phase is told, from the recipe.
#ifndef TW_PASSES_PIPELINES_FROMRECIPE_H
#define TW_PASSES_PIPELINES_FROMRECIPE_H

#include "compiler/Recipe/Recipe.h"
#include "passes/Adapt/Options.h"
#include "passes/Differentiate/Options.h"
#include "passes/Partition/Options.h"

namespace tw::pipelines {

/// `wholeInputs`: names of inputs without a batch dimension.
adapt::AdaptOptions adaptOptions(const recipe::Recipe &recipe, const std::vector<std::string> &wholeInputs);
differentiate::DifferentiateOptions differentiateOptions(const recipe::Recipe &recipe);
partition::PartitionOptions partitionOptions(const recipe::Recipe &recipe, const std::vector<std::string> &wholeInputs);

} // namespace tw::pipelines
#endif
