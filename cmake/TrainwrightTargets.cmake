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

# All libraries that `folder` and the folders below it define, so that a test links what it may use.
function(tw_libraries_below folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(libraries)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
    if(type MATCHES "STATIC_LIBRARY|SHARED_LIBRARY" AND NOT excluded)
      list(APPEND libraries ${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(below ${folders})
    tw_libraries_below(${below} more)
    list(APPEND libraries ${more})
  endforeach()
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()
