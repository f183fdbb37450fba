# Registers tests with ctest: one entry for each lit file and each GoogleTest case.
include(GoogleTest)
set(TW_LIT /usr/lib/llvm-22/bin/lit CACHE FILEPATH "LLVM's test driver")

# tw_add_googletests(area folders...): each test/<area>/**/*_test.cpp becomes one executable over the libraries of
# `folders`. A file that ends in _mpi_test.cpp runs as a whole on two ranks under mpirun.
function(tw_add_googletests area)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${area}/*_test.cpp)
  file(GLOB_RECURSE helpers CONFIGURE_DEPENDS ${area}/support/*.cpp)
  set(libraries)
  foreach(folder ${ARGN})
    tw_libraries_below(${folder} more)
    list(APPEND libraries ${more})
  endforeach()
  if(helpers)
    add_library(tw_${area}_test_support STATIC ${helpers})
    target_include_directories(tw_${area}_test_support PUBLIC ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    target_link_libraries(tw_${area}_test_support PUBLIC ${libraries} GTest::gtest)
    list(PREPEND libraries tw_${area}_test_support)
  endif()
  foreach(source ${sources})
    tw_add_googletest(${source} ${libraries})
  endforeach()
endfunction()

function(tw_add_googletest source)
  string(REGEX REPLACE "\\.cpp$" "" path ${source})
  string(REPLACE "/" "-" target ${path})
  add_executable(${target} ${source})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/bin)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  target_compile_definitions(${target} PRIVATE TW_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TW_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_compile_options(${target} PRIVATE -UNDEBUG)
  target_link_libraries(${target} PRIVATE ${ARGN} GTest::gtest_main)
  if(path MATCHES "^(compiler|passes)/")
    target_link_libraries(${target} PRIVATE tw_mlir)
  endif()
  if(path MATCHES "_mpi_test$")
    add_test(NAME gtest/${path}
      COMMAND mpirun --oversubscribe --bind-to none -n 2 $<TARGET_FILE:${target}>)
    # Open MPI unloads its plug-ins before LeakSanitizer looks, so that what they leak cannot be told apart.
    set_tests_properties(gtest/${path} PROPERTIES TIMEOUT 300 PROCESSORS 2
      ENVIRONMENT "${TW_TEST_ENVIRONMENT};ASAN_OPTIONS=detect_leaks=0:halt_on_error=1")
  else()
    # gtest_discover_tests cannot pass on a list of variables, hence `env` as what starts the program.
    set_target_properties(${target} PROPERTIES CROSSCOMPILING_EMULATOR "/usr/bin/env;${TW_TEST_ENVIRONMENT}")
    # Cases are listed when ctest starts, so that building does not run instrumented programs.
    gtest_discover_tests(${target} TEST_PREFIX "gtest/${path}/" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 600)
  endif()
endfunction()

# tw_add_lit_tests(folders...): each .mlir and .test file of test/<folder>.
function(tw_add_lit_tests)
  set(patterns)
  foreach(folder ${ARGN})
    list(APPEND patterns ${folder}/*.mlir ${folder}/*.test)
  endforeach()
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  list(FILTER files EXCLUDE REGEX "/Inputs/")
  foreach(file ${files})
    # Times are not recorded: parallel runs would write one file, and a half-written one ends every later run.
    add_test(NAME lit/${file}
      COMMAND ${TW_LIT} -v --no-progress-bar --skip-test-time-recording --param build_dir=${CMAKE_BINARY_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    # lit succeeds when it skips: ctest shall say "skipped", not "passed".
    set_tests_properties(lit/${file} PROPERTIES TIMEOUT 900 SKIP_REGULAR_EXPRESSION "UNSUPPORTED: trainwright")
  endforeach()
endfunction()

# tw_add_script_test(name script): a Python script of this folder that exits with 0 when all is well.
function(tw_add_script_test name script)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

# Tests share the cores: threads that wait shall sleep. Open MPI as any user and on any number of cores; sanitizers that
# stop at the first finding.
set(TW_TEST_ENVIRONMENT OMP_WAIT_POLICY=passive
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none)
if(TW_SANITIZER)
  list(APPEND TW_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_leaks=1:halt_on_error=1" "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
    "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/test/sanitizers/leaks.txt"
    "TSAN_OPTIONS=halt_on_error=1:suppressions=${CMAKE_SOURCE_DIR}/test/sanitizers/threads.txt")
endif()
