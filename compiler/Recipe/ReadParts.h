// The parts of a recipe, one function each.
#ifndef TW_COMPILER_RECIPE_READPARTS_H
#define TW_COMPILER_RECIPE_READPARTS_H

#include "compiler/Recipe/ObjectReader.h"
#include "compiler/Recipe/Recipe.h"

namespace tw::recipe {

/// Whose definition holds, and with it the defaults, is read before: see readTrainwright.
void readOptimizer(ObjectReader &top, Optimizer &optimizer);
void readScheduler(ObjectReader &top, Scheduler &scheduler);
/// The "trainwright" object.
void readTrainwright(ObjectReader &top, Recipe &recipe);
/// Keys of DeepSpeed that are known: refused when they switch on what is not there yet.
void refuseLaterWork(ObjectReader &top);

} // namespace tw::recipe
#endif
