# ONNX's C++ library as `tw_onnx`, from where tools/setup/onnx puts it.
set(TW_DEPS_DIR ${CMAKE_SOURCE_DIR}/.deps CACHE PATH "Folder of the libraries that tools/setup builds")
set(TW_ONNX_PREFIX ${TW_DEPS_DIR}/onnx-1.23.2)
if(EXISTS ${TW_ONNX_PREFIX}/lib/libonnx.a)
  add_library(tw_onnx INTERFACE)
  target_include_directories(tw_onnx SYSTEM INTERFACE ${TW_ONNX_PREFIX}/include)
  # The same values as tools/setup/onnx built the library with: they change its namespace and its messages.
  target_compile_definitions(tw_onnx INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
  target_link_libraries(tw_onnx INTERFACE
    ${TW_ONNX_PREFIX}/lib/libonnx.a ${TW_ONNX_PREFIX}/lib/libonnx_proto.a protobuf::libprotobuf)
  set(TW_HAVE_ONNX ON)
else()
  message(WARNING "ONNX 1.23.2 is not in ${TW_DEPS_DIR}: run tools/setup/onnx, or name its folder by -DTW_DEPS_DIR=. "
                  "Until then the target tw_onnx is missing and the ONNX importer is not built.")
  set(TW_HAVE_ONNX OFF)
endif()
