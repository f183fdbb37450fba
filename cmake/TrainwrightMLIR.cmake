# MLIR and LLVM 22 as shared libraries, ONNX from its pinned archive, and the precompiled MLIR headers.
find_package(LLVM 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
include(TrainwrightONNX)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(TW_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

add_library(tw_mlir INTERFACE)
target_include_directories(tw_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(tw_mlir INTERFACE ${TW_LLVM_DEFINITIONS})
target_link_libraries(tw_mlir INTERFACE MLIR LLVM)

# One precompiled header for all compiler code: a file then compiles in 2 to 4 seconds instead of 10.
add_library(tw_mlir_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/MLIRHeaders.cpp)
target_link_libraries(tw_mlir_pch PUBLIC tw_mlir)
target_precompile_headers(tw_mlir_pch PRIVATE
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/PatternMatch.h> <mlir/IR/OpImplementation.h>
  <mlir/Pass/Pass.h> <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <map> <set> <string> <vector> <functional> <optional>)

# tw_compiler_library(name LINK libs...): every .cpp of the current folder, over the precompiled headers.
function(tw_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_link_libraries(${name} PUBLIC tw_mlir ${ARG_LINK})
  target_precompile_headers(${name} REUSE_FROM tw_mlir_pch)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tw_pass_library(LINK libs...): in passes/<Phase>, makes passes/<Phase>/Passes.h.inc from Passes.td and the library
# tw_passes_<phase> from every .cpp of the folder.
function(tw_pass_library)
  get_filename_component(phase ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  string(TOLOWER ${phase} name)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name=${phase} EXTRA_INCLUDES ${CMAKE_SOURCE_DIR} ${MLIR_INCLUDE_DIRS})
  add_public_tablegen_target(tw_passes_${name}_tablegen)
  tw_compiler_library(tw_passes_${name} DEPENDS tw_passes_${name}_tablegen ${ARGN})
endfunction()
