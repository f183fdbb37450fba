// All ops of the graph dialect, by family.
include "compiler/Dialect/Graph/StateOps.td"
include "compiler/Dialect/Graph/ContractionOps.td"
include "compiler/Dialect/Graph/NormalizationOps.td"
include "compiler/Dialect/Graph/AttentionOps.td"
include "compiler/Dialect/Graph/StructureOps.td"
include "compiler/Dialect/Graph/LossOps.td"
include "compiler/Dialect/Graph/FusedOps.td"
