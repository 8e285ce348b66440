// Plans a multiply, shows the plan's choice, runs it in the plan's own distributions, and compares what moved with the
// plan. Run: mpirun -n 4 ./gemm_cpp [MACHINE]
#include <allport/linalg.h>
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

int run(char const* spec) {
  auto const comm =
      spec == nullptr ? allport::Communicator(MPI_COMM_WORLD) : allport::Communicator(MPI_COMM_WORLD, spec);
  allport::GemmProblem const problem{.m = 500, .n = 400, .k = 300};
  auto const plan = allport::plan_gemm(problem, comm.machine());

  // Each rank has memory for its own part; all entries of A are 2, of B 3, so C must be 6 k.
  using Matrix = allport::Matrix<double>;
  auto const a = Matrix::allocate(comm, plan.a), b = Matrix::allocate(comm, plan.b), c = Matrix::zeros(comm, plan.c);
  a.for_each([](auto, auto, double& x) { x = 2; });
  b.for_each([](auto, auto, double& x) { x = 3; });
  auto const report = allport::gemm(plan, 1.0, a, b, 0.0, c);

  int wrong = 0;
  c.for_each([&](auto, auto, double x) { wrong += x != 6.0 * 300; });
  if (comm.rank() == 0) {
    std::printf("%s on %d x %d x %d, traffic as planned: %s\n", plan.chosen.algorithm.c_str(), plan.chosen.grid.rows,
                plan.chosen.grid.cols, plan.chosen.grid.layers, report.measured == plan.traffic ? "yes" : "no");
  }
  comm.ensure_all_well(wrong == 0 ? "" : "wrong elements: " + std::to_string(wrong));
  return report.measured == plan.traffic ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = run(argc > 1 ? argv[1] : nullptr);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  MPI_Finalize();
  return code;
}
