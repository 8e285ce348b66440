// Registers a broadcast of its own (a binary heap of ranks), proves it, asks what it would cost, and runs it.
// Run: mpirun -n 4 ./custom_bcast_cpp [MACHINE]
#include <allport/collectives/trees.h>
#include <allport/comm/communicator.h>
#include <allport/select/select.h>
#include <allport/verify/verify.h>

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
  auto const report =
      verify::prove(comm.schedule_for(Collective::broadcast, 0, Bytes(1 << 16), 1, "heap"), comm.machine());
  comm.start_broadcast(data, 0, "heap").wait();
  bool const good = report.ok && std::ranges::count(data, std::byte{42}) == std::ssize(data);
  if (comm.rank() == 0)
    std::puts(explain(choose(comm.machine(), {Collective::broadcast, comm.size(), 0, 1 << 16})).c_str());
  comm.ensure_all_well(good ? "" : "the broadcast is wrong");
  return MPI_Finalize();
} catch (Error const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return MPI_Abort(MPI_COMM_WORLD, 1);
}
