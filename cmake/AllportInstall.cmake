# cmake --install: headers, liballport.so, the CMake package `allport` and allport.pc. The consumer test builds a small
# foreign project against such a tree.

include(CMakePackageConfigHelpers)

install(TARGETS allport EXPORT allportTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/allport DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
set(allport_package ${CMAKE_INSTALL_LIBDIR}/cmake/allport)
install(EXPORT allportTargets NAMESPACE allport:: DESTINATION ${allport_package} COMPONENT library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/allportConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/allportConfig.cmake INSTALL_DESTINATION ${allport_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/allportConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/allportConfig.cmake ${PROJECT_BINARY_DIR}/allportConfigVersion.cmake
        DESTINATION ${allport_package} COMPONENT library)
# The way from LIBDIR/pkgconfig up to the prefix, so that an installed tree can be moved.
file(RELATIVE_PATH allport_pc_up /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${PROJECT_SOURCE_DIR}/cmake/allport.pc.in ${PROJECT_BINARY_DIR}/allport.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/allport.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# A sanitized library needs a sanitized program, which a foreign project is not.
if(ALLPORT_TESTS AND NOT ALLPORT_SANITIZE)
  add_test(NAME install.consumer
           COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -DCONFIG=$<CONFIG>
                   -DGENERATOR=${CMAKE_GENERATOR} -DMPI_C_COMPILER=${MPI_C_COMPILER}
                   -DMPI_CXX_COMPILER=${MPI_CXX_COMPILER}
                   -DMPI_Fortran_COMPILER=${MPI_Fortran_COMPILER} -DMPIEXEC=${MPIEXEC_EXECUTABLE}
                   -DLIBDIR=${CMAKE_INSTALL_LIBDIR} -DINCLUDEDIR=${CMAKE_INSTALL_INCLUDEDIR}
                   -P ${PROJECT_SOURCE_DIR}/tests/install/consumer.cmake)
  allport_mpi_test(install.consumer)
  set_tests_properties(install.consumer PROPERTIES TIMEOUT 600 LABELS install)
  if(ALLPORT_SECOND_MPI)
    set_tests_properties(install.consumer PROPERTIES LABELS "install;long")
  endif()
endif()

# What the shared libraries show: sanitizers add names of their own.
if(ALLPORT_TESTS AND CMAKE_NM AND NOT ALLPORT_SANITIZE)
  function(allport_symbols_test target allowed)
    if(NOT TARGET ${target})
      return()
    endif()
    add_test(NAME symbols.${target}
             COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=$<TARGET_FILE:${target}> "-DALLOWED=${allowed}"
                     "-DWANTED=${ARGN}" -P ${PROJECT_SOURCE_DIR}/tests/install/symbols.cmake)
    set_tests_properties(symbols.${target} PROPERTIES LABELS install)
  endfunction()
  allport_symbols_test(allport "^(allport_|_Z(GV|Z|GVZ|TI|TS|TV|TT|TW|TH|Thn[0-9]+_|Tv[0-9_n]+)?NK?7allport)"
                       allport_version allport_bcast allport_gemm allport_graph_run allport_machine_create
                       allport_schedule_simulate allport_plan_create allport_geqrf)
  allport_symbols_test(allport_mpi "^(MPIX?_|mpix?_|ucp_worker_progress$|PMIx_)" MPI_Bcast)
  allport_symbols_test(allport_scalapack "^(p[sdcz]|C?blacs_grid(init|map)_?$|MPI_Finalize$|mpi_finalize_)" pdgesv_)
  allport_symbols_test(_native "^PyInit_" PyInit__native)
endif()
