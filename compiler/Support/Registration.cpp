#include "compiler/Support/Registration.h"

#include "compiler/Dialect/Check/Check.h"
#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Dialect/Plan/Plan.h"
#include "compiler/Interfaces/Models.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"

using namespace mlir;

void tw::registerAllDialects(DialectRegistry &registry) {
  registry.insert<BuiltinDialect, affine::AffineDialect, arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                  linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect, NVVM::NVVMDialect,
                  scf::SCFDialect, shard::ShardDialect, tensor::TensorDialect, vector::VectorDialect>();
  registry.insert<graph::GraphDialect>();
  registry.insert<check::CheckDialect>();
  registry.insert<plan::PlanDialect>();
  func::registerInlinerExtension(registry);
#ifdef TW_HAVE_AUTODIFF_MODELS
  registerDifferentiableModels(registry);
#endif
#ifdef TW_HAVE_SHARDING_MODELS
  registerShardableModels(registry);
#endif
#ifdef TW_HAVE_COST_MODELS
  registerCostModels(registry);
#endif
}
