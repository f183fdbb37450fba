# Helpers shared by kernels, runtime and tests.
find_package(Protobuf REQUIRED)
include(TrainwrightLibraries)

# The plan's Protobuf code, shared by the compiler's emitter and the runtime.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/kernels/abi)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/kernels/abi/plan.pb.cc ${CMAKE_BINARY_DIR}/kernels/abi/plan.pb.h
  COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/kernels/abi/plan.proto
  DEPENDS ${CMAKE_SOURCE_DIR}/kernels/abi/plan.proto)
add_library(tw_plan_proto STATIC ${CMAKE_BINARY_DIR}/kernels/abi/plan.pb.cc)
target_include_directories(tw_plan_proto PUBLIC ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
target_link_libraries(tw_plan_proto PUBLIC protobuf::libprotobuf)
target_compile_options(tw_plan_proto PRIVATE -w)
