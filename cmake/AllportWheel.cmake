# What stands in for find_package where a part of the wheel is built (tools/wheel). ALLPORT_WHEEL: the binary interface of
# MPI that this part is for: openmpi, mpich or mpiabi (MPI 5's standard one). No MPI library is linked: which one it is, and
# where it lies, is known when the package is imported (python/allport/abi.py) or the program starts that a drop-in is
# preloaded into.
set(ALLPORT_MPI_INCLUDE "" CACHE PATH "Folder of the mpi.h of this binary interface")
set(ALLPORT_BLAS_LIBRARY "" CACHE FILEPATH "libscipy_openblas.so of the wheel scipy-openblas32")

# Compiled as for the shared libraries, so that ccache has these objects from other builds, and linked without them.
find_package(nlohmann_json REQUIRED)
find_path(ALLPORT_FMT_INCLUDE fmt/format.h REQUIRED)
find_path(ALLPORT_TOML_INCLUDE toml++/toml.h REQUIRED)
add_library(fmt_here OBJECT ${PROJECT_SOURCE_DIR}/cmake/wheel/fmt.cpp)
target_compile_definitions(fmt_here PUBLIC FMT_SHARED)
add_library(toml_here OBJECT ${PROJECT_SOURCE_DIR}/cmake/wheel/toml.cpp)
target_compile_definitions(toml_here PUBLIC TOML_HEADER_ONLY=0 TOML_SHARED_LIB=1)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_compile_definitions(fmt::fmt INTERFACE FMT_SHARED)
add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED GLOBAL)
target_compile_definitions(tomlplusplus::tomlplusplus INTERFACE TOML_HEADER_ONLY=0 TOML_SHARED_LIB=1)

foreach(target MPI::MPI_C MPI::MPI_CXX)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${ALLPORT_MPI_INCLUDE}")
endforeach()
if(ALLPORT_WHEEL STREQUAL "mpiabi")
  target_compile_definitions(MPI::MPI_C INTERFACE MPI_ABI)
  target_compile_definitions(MPI::MPI_CXX INTERFACE MPI_ABI)
endif()

add_library(LAPACK::LAPACK SHARED IMPORTED GLOBAL)
set_target_properties(LAPACK::LAPACK PROPERTIES IMPORTED_LOCATION ${ALLPORT_BLAS_LIBRARY})
add_library(BLAS::BLAS ALIAS LAPACK::LAPACK)
set(BLAS_LIBRARIES scipy-openblas32)

# The C library that it is linked for: files of names and versions without code, as ziglang has them for any version. GCC's
# C++ library goes in with it, whose names stay inside.
set(ALLPORT_GLIBC "" CACHE PATH "Folder of libc.so, libm.so, ... to link with; empty: this machine's")
function(allport_wheel_part target)
  set_property(GLOBAL APPEND PROPERTY ALLPORT_WHEEL_PARTS ${target})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:fmt_here> $<TARGET_OBJECTS:toml_here>)
  target_link_options(${target} PRIVATE -static-libstdc++ LINKER:--exclude-libs,ALL)
  if(ALLPORT_GLIBC)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/wheel/old_glibc.c)
    target_link_options(${target} PRIVATE -L${ALLPORT_GLIBC})
  endif()
endfunction()

# Functions of MPI are bound when they are first called: an MPI library that lacks one of a later standard is no hindrance
# to programs which do not call it. BLAS lies beside the package, wherever that is.
add_link_options(-Wl,-z,lazy)
set(CMAKE_SKIP_BUILD_RPATH ON)

# allport_wheel_blas_at(TARGET UP): BLAS is seen from TARGET; UP leads from its folder to the one of all packages.
function(allport_wheel_blas_at target up)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${up}/scipy_openblas32/lib")
endfunction()

# allport_wheel_blas_names(TARGET): its calls go to the names that BLAS has in that wheel.
function(allport_wheel_blas_names target)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
                     COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DOBJCOPY=${CMAKE_OBJCOPY}
                             -DARCHIVE=$<TARGET_FILE:${target}> -P ${PROJECT_SOURCE_DIR}/cmake/AllportRenameBlas.cmake)
endfunction()

# allport_wheel_extras(): what is needed once only, in the part for MPICH; bindings/CMakeLists.txt tells of both.
function(allport_wheel_extras)
  if(NOT ALLPORT_WHEEL STREQUAL "mpich")
    return()
  endif()
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.c "")
  add_library(mpich_of_debian SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.c)
  set_target_properties(mpich_of_debian PROPERTIES OUTPUT_NAME mpich SOVERSION 12)
  add_library(mpich_abi_name SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.c)
  set_target_properties(mpich_abi_name PROPERTIES OUTPUT_NAME mpi SOVERSION 12 VERSION 12
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/mpich)
  target_link_libraries(mpich_abi_name PRIVATE -Wl,--no-as-needed mpich_of_debian)
  add_library(mpich_ranks MODULE ${PROJECT_SOURCE_DIR}/lab/mpich_ranks.c)
  set_target_properties(mpich_ranks PROPERTIES PREFIX "")
  target_link_libraries(mpich_ranks PRIVATE ${CMAKE_DL_LIBS})
  if(ALLPORT_GLIBC)
    target_link_options(mpich_abi_name PRIVATE -L${ALLPORT_GLIBC})
    target_link_options(mpich_ranks PRIVATE -L${ALLPORT_GLIBC})
  endif()
  set_property(GLOBAL APPEND PROPERTY ALLPORT_WHEEL_PARTS mpich_abi_name mpich_ranks)
  install(TARGETS mpich_abi_name LIBRARY DESTINATION allport/mpich COMPONENT python NAMELINK_SKIP)
  install(TARGETS mpich_ranks LIBRARY DESTINATION allport/mpich COMPONENT python)
endfunction()
