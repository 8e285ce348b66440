# The Fortran module `allport` (src/fortran/allport.f90) over the C interface: target allport::fortran.
add_library(allport_fortran STATIC ${PROJECT_SOURCE_DIR}/src/fortran/allport.f90)
add_library(allport::fortran ALIAS allport_fortran)
set(allport_modules ${PROJECT_BINARY_DIR}/modules)
set_target_properties(allport_fortran PROPERTIES EXPORT_NAME fortran Fortran_MODULE_DIRECTORY ${allport_modules})
target_link_libraries(allport_fortran PUBLIC allport)
target_include_directories(allport_fortran PUBLIC $<BUILD_INTERFACE:${allport_modules}>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/allport/fortran>)
add_dependencies(core allport_fortran)
install(TARGETS allport_fortran EXPORT allportTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES ${allport_modules}/allport.mod DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/allport/fortran COMPONENT library)
