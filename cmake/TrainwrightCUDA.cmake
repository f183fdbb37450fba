# CUDA's runtime, cuBLASLt, cuDNN and NCCL as `tw_cuda`, not libcuda: without a driver, a program can still say so. CUDA
# sources need only be listed in a target: nvcc compiles *.cu.
if(NOT CMAKE_CUDA_COMPILER)
  find_program(TW_NVCC NAMES nvcc PATHS /usr/local/cuda/bin)
  set(CMAKE_CUDA_COMPILER ${TW_NVCC})
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90)
endif()
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
find_package(CUDAToolkit REQUIRED)

find_library(TW_CUDNN_LIBRARY NAMES cudnn PATHS ${CUDAToolkit_LIBRARY_DIR})
find_path(TW_CUDNN_INCLUDE NAMES cudnn.h PATHS ${CUDAToolkit_INCLUDE_DIRS})
find_library(TW_NCCL_LIBRARY NAMES nccl PATHS ${CUDAToolkit_LIBRARY_DIR})
find_path(TW_NCCL_INCLUDE NAMES nccl.h PATHS ${CUDAToolkit_INCLUDE_DIRS})
foreach(part CUDNN NCCL)
  if(NOT TW_${part}_LIBRARY OR NOT TW_${part}_INCLUDE)
    message(FATAL_ERROR "CUDA was asked for, but ${part} is missing: install it, or configure with -DTW_CUDA=OFF.")
  endif()
endforeach()

add_library(tw_cuda INTERFACE)
target_include_directories(tw_cuda SYSTEM INTERFACE ${TW_CUDNN_INCLUDE} ${TW_NCCL_INCLUDE})
target_link_libraries(tw_cuda INTERFACE
  CUDA::cudart CUDA::cublasLt ${TW_CUDNN_LIBRARY} ${TW_NCCL_LIBRARY})
target_compile_definitions(tw_cuda INTERFACE TW_CUDA=1)
