// Named schedules through Communicator on simulated ranks: compiled with smpicxx and started by smpirun, which gives
// every rank a node of a simulated network.
//
//   driver MACHINE CASE...   CASE: COLLECTIVE,ALGORITHM,BYTES,SEGMENT,WINDOW,ROOT
//
// Each case runs as module comm measures (fresh data, every byte of the result checked; on few ranks only), and then
// from one instant of the simulated clock on all ranks, which is the time that counts. That run's buffers lie in the
// same memory on all ranks and its operator does nothing, for their values take no time. Rank 0 prints one JSON line a
// case:
// {"case", "seconds", "wrong", "checked", "wall", "rank_seconds": [...]}: seconds on the simulated clock until the
// slowest rank is done, wall on ours, for the last run.
#include <mpi.h>

#include <fmt/format.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <string>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/comm/communicator.h"
#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"
#include "case.h"
#include "comm/measure.h"

namespace {

using namespace allport;

/// Beyond these, in all buffers together, the results' bytes are not looked at: the tests of module comm do that on
/// real MPI, and here it takes the larger part of the time.
constexpr std::int64_t checked_bytes = std::int64_t{1} << 26;
constexpr Rank checked_ranks = 16;

double now() { return simgrid::s4u::Engine::get_clock(); }

/// From here all ranks go on at one instant of the simulated clock.
double start_together() {
  auto const mine = now();
  auto latest = 0.0;
  MPI_Allreduce(&mine, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  auto const start = latest + 1.0;
  simgrid::s4u::this_actor::sleep_until(start);
  return start;
}

/// Memory that all simulated ranks have in common; SMPI copies nothing in it.
struct Common {
  explicit Common(std::size_t size) : bytes(size), data(SMPI_SHARED_MALLOC(std::max<std::size_t>(size, 1))) {}
  ~Common() { SMPI_SHARED_FREE(data); }
  Common(Common const&) = delete;
  Common& operator=(Common const&) = delete;
  [[nodiscard]] std::span<std::byte> span() const { return {static_cast<std::byte*>(data), bytes}; }
  std::size_t bytes;
  void* data;
};

struct Timed {
  std::vector<double> ranks;  ///< simulated seconds until each was done; on rank 0
  double wall = 0.0;
};

Timed time(Communicator const& comm, Schedule const& schedule) {
  auto const& contract = schedule.contract();
  std::size_t longest = 0;
  for (Rank r = 0; r < contract.ranks; ++r) {
    longest = std::max({longest, static_cast<std::size_t>(contract.input_bytes(r)),
                        static_cast<std::size_t>(contract.output_bytes(r))});
  }
  auto const memory = Common(longest);  // of one size, for it is one block
  auto const input = memory.span().first(static_cast<std::size_t>(contract.input_bytes(comm.rank())));
  auto const output = memory.span().first(static_cast<std::size_t>(contract.output_bytes(comm.rank())));
  auto const nothing = [](std::byte const*, std::byte const*, std::byte*, std::int64_t) {};
  Timed result;
  result.ranks.resize(static_cast<std::size_t>(contract.ranks));
  auto const start = start_together();
  auto const wall = std::chrono::steady_clock::now();
  comm.run(schedule, {input, output}, nothing);
  auto const took = now() - start;
  MPI_Gather(&took, 1, MPI_DOUBLE, result.ranks.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  result.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  return result;
}

void run(Communicator const& comm, std::string const& text) {
  auto const c = simulated::parse_case(text, comm.size());
  auto const schedule = make_schedule(comm.machine(), c.contract, c.algorithm, c.cut);
  std::int64_t bytes = 0;
  for (Rank r = 0; r < comm.size(); ++r) bytes += c.contract.input_bytes(r) + c.contract.output_bytes(r);
  auto const checked = comm.size() <= checked_ranks && bytes <= checked_bytes;
  auto const wrong = checked ? measure(comm, schedule, 1, 0.0).wrong : 0;
  auto const timed = time(comm, schedule);
  if (comm.rank() != 0) return;
  std::string each;
  for (auto const t : timed.ranks) each += fmt::format("{}{:.9g}", each.empty() ? "" : ", ", t);
  fmt::print("{{\"case\": \"{}\", \"seconds\": {:.12g}, \"wrong\": {}, \"checked\": {}, \"wall\": {:.3f}, ", text,
             *std::max_element(timed.ranks.begin(), timed.ranks.end()), wrong, checked, timed.wall);
  fmt::print("\"rank_seconds\": [{}]}}\n", each);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  auto code = 0;
  try {
    ensure(argc >= 3, "arguments", argc - 1, "MACHINE CASE...");
    auto const comm = Communicator(MPI_COMM_WORLD, Machine::parse(argv[1]));
    for (int i = 2; i < argc; ++i) run(comm, argv[i]);
  } catch (std::exception const& e) {
    fmt::print(stderr, "driver: {}\n", e.what());
    code = 1;
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}
