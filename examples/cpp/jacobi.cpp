// Jacobi on a grid in blocks, more of them than cores, spread over teams of threads (Robson18). A block goes on as soon
// as its neighbours' faces are there. Run: mpirun -n 4 ./jacobi_cpp [MACHINE]
#include <allport/loops.h>
#include <mpi.h>

#include <cmath>
#include <cstdio>

using namespace allport;
using namespace allport::loops;

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Communicator const comm(MPI_COMM_WORLD, argc > 1 ? Machine::parse(argv[1]) : Machine::flat(ranks));
    Teams teams(cores_of_rank(comm));
    Blocks<2> blocks(comm, {.grid = {300, 200}, .block = {32, 50}}, teams);

    // A plate that is warm along one edge.
    blocks.fill([](auto i, auto j) { return i < 0 ? 1.0 : 0.0; });
    double before = 0, heat = 0;
    for (int step = 0; step < 10; ++step) {
      // Another spread in each step: from a team a core to one team of all.
      auto const shapes = shapes_of(teams.threads());
      auto const shape = shapes[static_cast<std::size_t>(step) % shapes.size()];
      teams.configure(shape.leaders, shape.members);
      blocks.iterate(20, [](Block<2, double> const& b, Team& team) {
        team.parallel_for({{0, b.size(0)}, {0, b.size(1)}}, [&](auto i, auto j) {
          b.out(i, j) = 0.2 * (b.in(i, j) + b.in(i - 1, j) + b.in(i + 1, j) + b.in(i, j - 1) + b.in(i, j + 1));
        });
      });
      blocks.balance();
      double mine = 0;
      blocks.each([&](Block<2, double> const& b) {
        for (std::int64_t i = 0; i < b.size(0); ++i) {
          for (std::int64_t j = 0; j < b.size(1); ++j) mine += b.in(i, j);
        }
      });
      before = heat;
      MPI_Allreduce(&mine, &heat, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (comm.rank() == 0) {
      std::printf("after %lld iterations the plate holds %.6f, %.6f more than 20 before\n",
                  static_cast<long long>(blocks.iteration()), heat, heat - before);
    }
    // As a serial program has it, on any number of ranks and threads.
    if (std::abs(heat - 1286.2324633) > 1e-9 * heat) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
