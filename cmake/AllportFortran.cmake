# The Fortran module `allport` over the C interface, written from its headers: target allport::fortran.
# A source tarball has it in ALLPORT_FORTRAN_SOURCE.
if(NOT ALLPORT_FORTRAN_SOURCE)
  set(ALLPORT_FORTRAN_SOURCE ${PROJECT_BINARY_DIR}/fortran/allport.f90)
  set(tools ${PROJECT_SOURCE_DIR}/tools)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/allport/allport*.h)
  add_custom_command(OUTPUT ${ALLPORT_FORTRAN_SOURCE} VERBATIM
                     DEPENDS ${headers} ${tools}/make_fortran.py ${tools}/fortran_frame.py
                     COMMAND ${Python3_EXECUTABLE} -B ${tools}/make_fortran.py ${ALLPORT_FORTRAN_SOURCE})
endif()
add_library(allport_fortran STATIC ${ALLPORT_FORTRAN_SOURCE})
add_library(allport::fortran ALIAS allport_fortran)
set(allport_modules ${PROJECT_BINARY_DIR}/modules)
set_target_properties(allport_fortran PROPERTIES EXPORT_NAME fortran Fortran_MODULE_DIRECTORY ${allport_modules})
target_link_libraries(allport_fortran PUBLIC allport)
target_include_directories(allport_fortran PUBLIC $<BUILD_INTERFACE:${allport_modules}>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/allport/fortran>)
add_dependencies(core allport_fortran)
install(TARGETS allport_fortran EXPORT allportTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES ${allport_modules}/allport.mod DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/allport/fortran COMPONENT library)

# Fortran's main programs keep their arrays: leaks of theirs. CMake's own way through the preprocessor, which looks for
# modules, breaks the lines that macros make.
if(ALLPORT_TESTS AND MPI_Fortran_COMPILER AND NOT ALLPORT_SANITIZE)
  set(program ${PROJECT_BINARY_DIR}/test_fortran)
  set(sources ${PROJECT_SOURCE_DIR}/tests/fortran)
  add_custom_command(OUTPUT ${program} VERBATIM
                     DEPENDS ${sources}/module.F90 ${sources}/gemm_of_type.F90 ${sources}/factors_of_type.F90
                             ${sources}/plans.F90
                             allport_fortran allport
                     COMMAND ${MPI_Fortran_COMPILER} -cpp -ffree-line-length-none -O1 -I${allport_modules} -I${sources}
                             ${sources}/module.F90 $<TARGET_FILE:allport_fortran> $<TARGET_FILE:allport>
                             -Wl,-rpath,$<TARGET_FILE_DIR:allport> -o ${program})
  add_custom_target(test_fortran_built ALL DEPENDS ${program})
  foreach(ranks IN LISTS ALLPORT_TEST_RANKS)
    add_test(NAME fortran.${ranks}
             COMMAND ${PROJECT_SOURCE_DIR}/tools/mpirun ${MPIEXEC_EXECUTABLE} ${ranks} ${program})
    allport_mpi_test(fortran.${ranks})
  endforeach()
endif()
