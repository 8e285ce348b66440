// A broadcast of its own, a binary heap: proven, simulated, explained, run. mpirun -n 4 ./custom_bcast_cpp [MACHINE]
#include <allport/collectives.h>
#include <allport/comm.h>
#include <allport/select.h>
#include <allport/sim.h>
#include <allport/verify.h>
#include <mpi.h>
#include <algorithm>
#include <cstdio>

using namespace allport;

/// Rank v from the root hangs below (v - 1) / 2; the network routes.
Schedule heap(Machine const& machine, Contract const& contract, Cut cut) {
  auto const place = [n = machine.ranks(), root = contract.root](int, Rank rank, TreePlace& into) {
    into.clear();
    auto const v = (rank - root + n) % n;
    if (v > 0) into.parent.rank = ((v - 1) / 2 + root) % n;
    for (Rank child = 2 * v + 1; child <= std::min(2 * v + 2, n - 1); ++child) into.add((child + root) % n, any_port);
  };
  return broadcast_down({1, place}, "heap", contract, cut);
}

int main(int argc, char** argv) try {
  MPI_Init(&argc, &argv);
  register_algorithm({.what = Collective::broadcast, .name = "heap", .summary = "A binary heap.", .make = heap});
  auto const comm = argc > 1 ? Communicator(MPI_COMM_WORLD, argv[1]) : Communicator(MPI_COMM_WORLD);
  std::vector<std::byte> data(1 << 16, comm.rank() == 0 ? std::byte{42} : std::byte{});
  auto const schedule = comm.schedule_for(Collective::broadcast, 0, Bytes(1 << 16), 1, "heap");
  bool const proven = verify::prove(schedule, comm.machine()).ok;
  auto const simulated = sim::simulate(schedule, comm.machine()).seconds;
  auto const choice = choose(comm.machine(), {Collective::broadcast, comm.size(), 0, 1 << 16});
  if (comm.rank() == 0) std::printf("%ssimulated: %g s\n", explain(choice).c_str(), simulated);
  comm.start_broadcast(data, 0, "heap").wait();
  comm.ensure_all_well(proven && std::ranges::count(data, std::byte{42}) == std::ssize(data) ? "" : "it is wrong");
  return MPI_Finalize();
} catch (Error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return MPI_Abort(MPI_COMM_WORLD, 1);
}
