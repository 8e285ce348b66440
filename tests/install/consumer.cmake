# Installs the built library into BUILD/install-test/prefix, then configures, builds and runs tests/install against that
# tree; once with find_package, once with pkg-config's file where pkg-config is there.
set(work ${BUILD}/install-test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    string(JOIN " " command ${ARGV})
    message(FATAL_ERROR "${command}\nexit code ${code}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${work}/prefix --component library)
foreach(file ${LIBDIR}/liballport.so ${LIBDIR}/pkgconfig/allport.pc ${INCLUDEDIR}/allport/allport.hpp)
  if(NOT EXISTS ${work}/prefix/${file})
    message(FATAL_ERROR "the installed tree lacks ${file}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${work}/prefix -DMPI_C_COMPILER=${MPI_C_COMPILER} -DMPI_CXX_COMPILER=${MPI_CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${work}/build)
foreach(ranks 1 3)
  run(${CMAKE_CURRENT_LIST_DIR}/../../tools/mpirun ${MPIEXEC} ${ranks} ${work}/build/consumer)
endforeach()

# The examples are a foreign project too; each checks its own result.
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/../../examples -B ${work}/examples -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${work}/prefix -DMPI_C_COMPILER=${MPI_C_COMPILER}
    -DMPI_CXX_COMPILER=${MPI_CXX_COMPILER} -DMPI_Fortran_COMPILER=${MPI_Fortran_COMPILER}
    -DMPIEXEC_EXECUTABLE=${MPIEXEC})
run(${CMAKE_COMMAND} --build ${work}/examples)
foreach(example gemm_c plan_c gemm_cpp custom_bcast_cpp task_graph_cpp jacobi_cpp gemm_fortran plan_fortran)
  if(EXISTS ${work}/examples/${example})
    foreach(ranks 1 3 4)
      run(${CMAKE_CURRENT_LIST_DIR}/../../tools/mpirun ${MPIEXEC} ${ranks} ${work}/examples/${example} torus:${ranks})
    endforeach()
  else()
    message(STATUS "${example} was not built: no compiler for it")
  endif()
endforeach()

find_program(pkg_config pkg-config)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${work}/prefix/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${pkg_config} --cflags --libs allport RESULT_VARIABLE code OUTPUT_VARIABLE flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "pkg-config does not find allport")
  endif()
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${MPI_CXX_COMPILER} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/consumer.cpp -o ${work}/consumer-pc ${flags}
      -Wl,-rpath,${work}/prefix/${LIBDIR})
  run(${CMAKE_CURRENT_LIST_DIR}/../../tools/mpirun ${MPIEXEC} 1 ${work}/consumer-pc)
endif()
message(STATUS "an installed Allport was found, linked and run")
