// What an installed Allport gives to a program that never saw its source tree: headers, the library, its errors, a
// product and a factorization.
#include <mpi.h>
#include <allport/allport.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace allport;

bool names_what_is_wrong() {
  try {
    ensure(false, "root", 17, "a rank in 0..15", "pass one of those");
  } catch (Error const& error) {
    std::string const wanted = "root = 17: expected a rank in 0..15; pass one of those";
    if (error.what() == wanted) return true;
    std::printf("wrong message: %s\n", error.what());
    return false;
  }
  std::puts("ensure(false, ...) did not throw");
  return false;
}

/// B = A X by gemm(), and X again by lu() and lu_solve(), all of them without a plan. X is all ones.
bool finds_what_it_multiplied(Communicator const& comm) {
  Index const n = 100;
  Distribution const columns(AxisDistribution::balanced(n, 1), AxisDistribution::balanced(n, comm.size()),
                             ProcessGrid::row_major(1, comm.size()));
  auto const a = Matrix<double>::allocate(comm, columns), x = Matrix<double>::allocate(comm, columns),
             b = Matrix<double>::allocate(comm, columns);
  a.for_each(
      [](Index i, Index j, double& element) { element = i == j ? 100.0 : 1.0 / static_cast<double>(1 + i + j); });
  x.for_each([](Index, Index, double& element) { element = 1; });
  gemm(1.0, a, x, 0.0, b);
  std::vector<Index> pivots;
  if (lu(a, pivots).info != 0) return false;
  lu_solve(Trans::none, a, pivots, b);
  double most = 0;
  b.for_each([&](Index, Index, double element) { most = std::max(most, std::abs(element - 1)); });
  return most < 1e-12;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    Communicator const comm(MPI_COMM_WORLD);
    bool const good = names_what_is_wrong() && finds_what_it_multiplied(comm);
    comm.ensure_all_well(good ? "" : "wrong errors or elements");
    if (comm.rank() == 0) std::puts("ok");
    code = 0;
  } catch (Error const& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  MPI_Finalize();
  return code;
}
