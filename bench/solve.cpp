// lu_solve against ScaLAPACK's pdgetrs at several block sizes and on all grids of the ranks, in turns within one run,
// every result checked. Usage: mpirun -n RANKS bench_solve N NRHS ROUNDS [--blocks 32,64,128] [--trans N|T];
// prints one JSON object. The machine is ALLPORT_MACHINE's. Every contender has factors from its own kind and B where
// it wants it; "given" is lu_solve on ScaLAPACK's factors and B as they lie.
#include <cmath>
#include <memory>

#include "allport/linalg/solve.h"
#include "contenders.h"
#include "scalapack.h"
#include "under_mpi.h"

extern "C" {
void pdgetrs_(char const*, int const*, int const*, double const*, int const*, int const*, int const*, int const*,
              double*, int const*, int const*, int const*, int*);
}

namespace {

using namespace allport;
using namespace allport::bench;

struct Problem {
  int n = 0;
  int nrhs = 0;
  Trans trans = Trans::none;
};

/// norm1(B - op(A) X) / (n norm1(A) norm1(X) eps).
double residual_of(Problem const& p, Matrix<double> const& x) {
  auto const& comm = x.comm();
  auto const a = filled(comm, cyclic(p.n, p.n, 64, comm.size(), 1));
  auto const b = filled(comm, x.distribution());
  GemmProblem const product{.m = p.n, .n = p.nrhs, .k = p.n, .trans_a = p.trans};
  gemm(plan_gemm(product, comm.machine()), -1.0, a, x, 1.0, b);
  auto const size = [](Matrix<double> const& m) { return norm<double>(Norm::one, m); };
  return size(b) / (p.n * size(a) * size(x) * std::ldexp(1.0, -53));
}

/// pdgetrs, and lu_solve on the same data.
void add_scalapack(std::vector<Contender>& to, Communicator const& comm, Problem const& p, int nb, int r, int c) {
  auto const context = context_of(r, c);
  auto const a = filled(comm, cyclic(p.n, p.n, nb, r, c));
  auto const b = filled(comm, cyclic(p.n, p.nrhs, nb, r, c));
  auto const a_desc = describe(a, context, p.n, p.n, nb);
  auto const b_desc = describe(b, context, p.n, p.nrhs, nb);
  auto local = std::make_shared<std::vector<int>>(static_cast<std::size_t>(a.ld() + nb));
  int const one = 1;
  int info = 0;
  pdgetrf_(&p.n, &p.n, a.data(), &one, &one, a_desc.data(), local->data(), &info);
  auto const pivots = gather_pivots(comm, a.distribution(), *local);
  auto const run = [=] {
    int info_of_run = 0;
    auto const trans = static_cast<char>(p.trans);
    pdgetrs_(&trans, &p.n, &p.nrhs, a.data(), &one, &one, a_desc.data(), local->data(), b.data(), &one, &one,
             b_desc.data(), &info_of_run);
  };
  auto const ours = [=] { lu_solve(p.trans, a, pivots, b); };
  auto const check = [=] { return residual_of(p, b); };
  auto const where = " nb=" + std::to_string(nb) + " " + std::to_string(r) + "x" + std::to_string(c);
  to.push_back({"pdgetrs" + where, [=] { fill(b); }, run, check, {}});
  to.push_back({"allport given" + where, [=] { fill(b); }, ours, check, {}});
}

Contender ours(Communicator const& comm, Problem const& p) {
  auto const plan = plan_lu({.m = p.n, .n = p.n}, comm.machine());
  auto const a = filled(comm, plan.distribution);
  auto pivots = std::make_shared<std::vector<Index>>();
  lu(plan, a, *pivots);
  auto const& g = plan.chosen.grid;
  std::vector<Rank> const ranks(plan.distribution.grid().ranks());
  auto const b =
      filled(comm, Distribution(plan.distribution.rows(), AxisDistribution::balanced(p.nrhs, g.cols), ranks));
  auto const run = [=] { lu_solve(p.trans, a, *pivots, b); };
  auto const name = "allport " + plan.chosen.algorithm + " " + std::to_string(g.rows) + "x" + std::to_string(g.cols) +
                    " b=" + std::to_string(plan.chosen.panel);
  return {name, [=] { fill(b); }, run, [=] { return residual_of(p, b); }, {}};
}

}  // namespace

int main(int argc, char** argv) {
  return under_mpi("bench_solve", &argc, &argv, MPI_THREAD_SINGLE, [&] {
    Arguments given(argc, argv, {}, {"--blocks", "--trans"});
    Problem p;
    p.n = given.number("N", 2000);
    p.nrhs = given.number("NRHS", 2000);
    auto const rounds = given.number("ROUNDS", 5);
    given.end();
    auto const blocks = small_numbers("--blocks", given.value("--blocks", "32,64,128"), 1);
    auto const trans = given.value("--trans", "N");
    ensure(trans == "N" || trans == "T", "--trans", trans, "N or T");
    p.trans = static_cast<Trans>(trans[0]);
    Communicator const comm(MPI_COMM_WORLD);
    std::vector<Contender> contenders;
    for (int r = 1; r <= comm.size(); ++r) {
      for (auto const nb : blocks) {
        if (comm.size() % r == 0) add_scalapack(contenders, comm, p, nb, r, comm.size() / r);
      }
    }
    contenders.push_back(ours(comm, p));
    run_in_turns(contenders, rounds, 1.0);
    if (comm.rank() == 0) {
      std::printf("{\"n\": %d, \"nrhs\": %d, \"trans\": \"%c\", \"ranks\": %d, \"contenders\": ", p.n, p.nrhs,
                  static_cast<char>(p.trans), comm.size());
      print(contenders, 2.0 * p.n * static_cast<double>(p.n) * p.nrhs);
      std::printf("}\n");
    }
  });
}
