# bench_jacobi, which both the benchmarks and the Python package have. OpenMP was found.
add_executable(bench_jacobi ${PROJECT_SOURCE_DIR}/bench/jacobi.cpp)
target_link_libraries(bench_jacobi PRIVATE allport_loops OpenMP::OpenMP_CXX)
