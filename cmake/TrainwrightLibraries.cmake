# The libraries that kernels and the runtime call: OpenMP, OpenBLAS, oneDNN, MPI. All of them share GCC's OpenMP
# runtime (libgomp), so that one pool of threads serves them all.
find_package(OpenMP REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)

# OpenBLAS as `tw_blas`. Named by its own folder: the plain libopenblas.so may be the variant with a pool of its own.
find_library(TW_OPENBLAS_LIBRARY NAMES libopenblas.so.0 openblas NO_DEFAULT_PATH
  PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
find_path(TW_OPENBLAS_INCLUDE NAMES cblas.h NO_DEFAULT_PATH
  PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp)
if(NOT TW_OPENBLAS_LIBRARY OR NOT TW_OPENBLAS_INCLUDE)
  message(FATAL_ERROR "OpenBLAS's OpenMP variant is missing: run tools/setup/debian-packages (libopenblas-openmp-dev).")
endif()
add_library(tw_blas INTERFACE)
target_include_directories(tw_blas SYSTEM INTERFACE ${TW_OPENBLAS_INCLUDE})
target_link_libraries(tw_blas INTERFACE ${TW_OPENBLAS_LIBRARY} OpenMP::OpenMP_CXX)

# oneDNN as `tw_onednn`.
find_library(TW_ONEDNN_LIBRARY NAMES dnnl)
find_path(TW_ONEDNN_INCLUDE NAMES dnnl.h)
if(NOT TW_ONEDNN_LIBRARY OR NOT TW_ONEDNN_INCLUDE)
  message(FATAL_ERROR "oneDNN is missing: run tools/setup/debian-packages (libdnnl-dev).")
endif()
add_library(tw_onednn INTERFACE)
target_include_directories(tw_onednn SYSTEM INTERFACE ${TW_ONEDNN_INCLUDE})
target_link_libraries(tw_onednn INTERFACE ${TW_ONEDNN_LIBRARY} OpenMP::OpenMP_CXX)

# MPI's C interface as `tw_mpi`.
find_package(MPI REQUIRED COMPONENTS C)
add_library(tw_mpi INTERFACE)
target_link_libraries(tw_mpi INTERFACE MPI::MPI_C)

find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
