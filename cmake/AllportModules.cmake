# A module is include/allport/MODULE.h, include/allport/MODULE/, src/MODULE/ and tests/MODULE/. This file turns one line of
# the top CMakeLists.txt into its library `allport_MODULE`, its tests and its place in the installed library.

include(GNUInstallDirs)
include(AllportMerge)

add_library(allport_settings INTERFACE)
# Public headers are "allport/MODULE/...", and internal ones, which are not installed, "MODULE/...".
target_include_directories(allport_settings INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_features(allport_settings INTERFACE cxx_std_20)
target_compile_options(allport_settings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wno-unused-parameter>)
# The MPI libraries' old C++ bindings are never used.
target_compile_definitions(allport_settings INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
# What is not ours but runs in one process with us (foreign programs of the tests) needs the same sanitizers.
add_library(allport_sanitizers INTERFACE)
target_link_libraries(allport_settings INTERFACE allport_sanitizers)
# Targets with the property ALLPORT_AS_RELEASED are compiled without: where that is sound, their objects are those of preset
# release, which the compiler cache has. -Og compiles in half the time of -O1, and runs nearly as fast.
if(ALLPORT_SANITIZE)
  set(flags -Og -g1 -UNDEBUG -fsanitize=${ALLPORT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_compile_options(allport_sanitizers INTERFACE
    "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:ALLPORT_AS_RELEASED>>>:${flags}>")
  target_link_options(allport_sanitizers INTERFACE -fsanitize=${ALLPORT_SANITIZE})
endif()

set(ALLPORT_UNTESTED_MODULES "" CACHE STRING "Modules whose tests are not built")
option(ALLPORT_SECOND_MPI "Test beside a build with another MPI library: leaves out what does not call MPI, and labels more tests long" OFF)
set(ALLPORT_AS_RELEASED "" CACHE STRING "Modules, or tests, that ALLPORT_SANITIZE leaves as they are released")
set_property(GLOBAL PROPERTY ALLPORT_MODULES "")
set_property(GLOBAL PROPERTY ALLPORT_EXTERNAL "")

# allport_module(NAME [DEPENDS module ...] [EXTERNAL target ...])
function(allport_module module)
  cmake_parse_arguments(ARG "" "" "DEPENDS;EXTERNAL" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${module}/*.cpp)
  if(NOT sources)
    # A module that waits for its first file still has its place in the order of layers.
    add_library(allport_${module} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(allport_${module} STATIC ${sources})
    set(scope PUBLIC)
    set_property(GLOBAL APPEND PROPERTY ALLPORT_MODULES ${module})
    if(module IN_LIST ALLPORT_AS_RELEASED)
      set_property(TARGET allport_${module} PROPERTY ALLPORT_AS_RELEASED ON)
    endif()
  endif()
  target_link_libraries(allport_${module} ${scope} allport_settings fmt::fmt ${ARG_EXTERNAL})
  if(sources)
    target_link_libraries(allport_${module} PRIVATE nlohmann_json::nlohmann_json tomlplusplus::tomlplusplus)
    allport_merge(allport_${module} BY_FOLDER)
  endif()
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(allport_${module} ${scope} allport_${dependency})
    get_property(below GLOBAL PROPERTY ALLPORT_BELOW_${dependency})
    list(APPEND ARG_DEPENDS ${below})
  endforeach()
  list(REMOVE_DUPLICATES ARG_DEPENDS)
  set_property(GLOBAL PROPERTY ALLPORT_BELOW_${module} ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY ALLPORT_EXTERNAL ${ARG_EXTERNAL})
  if(ALLPORT_TESTS AND module IN_LIST ALLPORT_UNTESTED_MODULES)
    message(STATUS "tests of module ${module} left out: ALLPORT_UNTESTED_MODULES")
  elseif(ALLPORT_TESTS)
    allport_module_tests(${module})
  endif()
endfunction()

# allport_mpi_test(NAME): what every test that starts ranks with tools/mpirun has in common.
function(allport_mpi_test name)
  if(NOT TARGET mpich_yield)
    add_library(mpich_yield MODULE ${PROJECT_SOURCE_DIR}/tests/mpich_yield.c)
    target_link_libraries(mpich_yield PRIVATE ${CMAKE_DL_LIBS})
  endif()
  set(labels mpi)
  if(name MATCHES "\\.(7|16)$")
    list(APPEND labels long)  # minutes on two cores; 5 is odd and prime, too: in make test-suites
  endif()
  set(processors 2)
  if(name MATCHES "\\.1$")
    set(processors 1)
  endif()
  # The launcher gives up before ctest does, so that a hanging job takes its ranks with it.
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 PROCESSORS ${processors} LABELS "${labels}"
    ENVIRONMENT "ALLPORT_MPIRUN_TIMEOUT=280;ALLPORT_MPICH_YIELD=$<TARGET_FILE:mpich_yield>")
  if(ALLPORT_SANITIZE)
    if(NOT TARGET keep_loaded)
      add_library(keep_loaded MODULE ${PROJECT_SOURCE_DIR}/tests/keep_loaded.c)
    endif()
    # What MPI keeps until the end is named in tests/lsan.supp.
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "ALLPORT_MPIRUN_PRELOAD=$<TARGET_FILE:keep_loaded>")
  endif()
endfunction()

# allport_mpi_test_on(MODULE RANKS): test_MODULE_mpi on so many ranks.
function(allport_mpi_test_on module ranks)
  add_test(NAME ${module}.mpi.${ranks}
           COMMAND ${PROJECT_SOURCE_DIR}/tools/mpirun ${MPIEXEC_EXECUTABLE} ${ranks} $<TARGET_FILE:test_${module}_mpi>)
  allport_mpi_test(${module}.mpi.${ranks})
endfunction()

# What is tested is optimised as it is installed; the tests themselves need not be, and compile in half the time.
# As released under a sanitizer, they call modules that have it: of inline functions in both, the linker takes a module's.
function(allport_test_settings target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  allport_merge(${target})
  if(ALLPORT_SANITIZE MATCHES address)
    target_compile_definitions(${target} PRIVATE ALLPORT_TEST_SANITIZED)  # what takes minutes there is shorter
  endif()
  if(ALLPORT_SANITIZE AND tests IN_LIST ALLPORT_AS_RELEASED)
    set_property(TARGET ${target} PROPERTY ALLPORT_AS_RELEASED ON)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:allport_\\1>")
    target_link_options(${target} PRIVATE LINKER:--whole-archive ${ARGN} LINKER:--no-whole-archive)
  endif()
endfunction()

# Every *.cpp of tests/MODULE/ is one program, test_MODULE. Files named mpi_*.cpp are a second one, test_MODULE_mpi, which is
# run at each rank count of ALLPORT_TEST_RANKS.
set(ALLPORT_TEST_RANKS 1 2 3 4 5 7 8 16 CACHE STRING "Rank counts at which every MPI test runs")
function(allport_module_tests module)
  get_property(below GLOBAL PROPERTY ALLPORT_BELOW_${module})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${module}/*.cpp)
  set(mpi_sources ${sources})
  list(FILTER sources EXCLUDE REGEX "/mpi_[^/]*$")
  list(FILTER mpi_sources INCLUDE REGEX "/mpi_[^/]*$")
  if(sources AND NOT ALLPORT_SECOND_MPI)
    add_executable(test_${module} ${sources})
    allport_test_settings(test_${module} ${module} ${below})
    target_link_libraries(test_${module} PRIVATE allport_${module} GTest::gtest GTest::gtest_main
                          nlohmann_json::nlohmann_json)
    target_include_directories(test_${module} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(test_${module} PRIVATE ALLPORT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    add_test(NAME ${module} COMMAND test_${module} --gtest_brief=1)
    set_tests_properties(${module} PROPERTIES TIMEOUT 600 LABELS local)
  endif()
  if(mpi_sources)
    add_executable(test_${module}_mpi ${mpi_sources} ${PROJECT_SOURCE_DIR}/tests/mpi_main.cpp)
    allport_test_settings(test_${module}_mpi ${module} ${below})
    target_link_libraries(test_${module}_mpi PRIVATE allport_${module} GTest::gtest MPI::MPI_CXX)
    target_include_directories(test_${module}_mpi PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_compile_definitions(test_${module}_mpi PRIVATE ALLPORT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    foreach(ranks IN LISTS ALLPORT_TEST_RANKS)
      allport_mpi_test_on(${module} ${ranks})
    endforeach()
  endif()
endfunction()

# The installed library: all modules in one shared object, found by find_package(allport) as allport::allport.
function(allport_library)
  get_property(modules GLOBAL PROPERTY ALLPORT_MODULES)
  get_property(external GLOBAL PROPERTY ALLPORT_EXTERNAL)
  list(REMOVE_DUPLICATES external)
  list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:allport_\\1>")
  file(GLOB c_interface CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/c/*.cpp)
  add_library(allport SHARED ${modules} ${c_interface})
  add_library(allport::allport ALIAS allport)
  set_target_properties(allport PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_link_libraries(allport PRIVATE allport_settings fmt::fmt nlohmann_json::nlohmann_json
                        tomlplusplus::tomlplusplus ${external})
  target_link_libraries(allport PUBLIC MPI::MPI_CXX)
  target_include_directories(allport PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(allport PUBLIC cxx_std_20)
  target_compile_definitions(allport PRIVATE ALLPORT_VERSION="${PROJECT_VERSION}")
  if(ALLPORT_PYTHON AND NOT ALLPORT_TESTS)
    set_target_properties(allport PROPERTIES EXCLUDE_FROM_ALL ON)  # the package has a module of the modules, and not this
  endif()
  # Nothing of the libraries that are linked in is shown, so that a program's own copies of them are other ones.
  target_link_options(allport PRIVATE LINKER:--version-script,${PROJECT_SOURCE_DIR}/cmake/allport.map)
  set_property(TARGET allport PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/allport.map)
  # What make setup builds: all that is installed, and no tests.
  add_custom_target(core DEPENDS allport)
endfunction()
