// ONNX's generated header, whose code is not clean under the project's warnings.
#ifndef TW_COMPILER_IMPORT_ONNX_H
#define TW_COMPILER_IMPORT_ONNX_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "onnx/onnx_pb.h"
#pragma GCC diagnostic pop

#endif
