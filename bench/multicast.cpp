// Multicasts from rank 0 to some of the ranks: Multicasts by each way, Channel by the way that it chooses (until no
// rank has anything to forward), the schedule that selection chooses, and MPI_Bcast on a communicator of exactly those
// ranks, in turns within one run, every byte checked. Usage: mpirun -n RANKS bench_multicast BYTES ROUNDS TARGETS;
// prints one JSON object of seconds, round by round, until the last target has all. The machine is ALLPORT_MACHINE's.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "allport/comm/channel.h"
#include "allport/select/multicast.h"
#include "comm/multicasts.h"
#include "under_mpi.h"

namespace {

using namespace allport;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Contender {
  std::string name;
  std::function<void(std::vector<std::byte>&)> run;  ///< from rank 0's bytes to the targets'
  std::vector<double> seconds;
};

Contender by_tree(Communicator const& comm, MulticastTree tree, std::vector<Rank> const& targets) {
  TopologyIds const ids(comm.machine(), TopologyIds::default_bits(comm.size()));
  auto const all = std::make_shared<Multicasts>(comm, ids);
  auto const run = [=, &comm](std::vector<std::byte>& data) {
    auto const m = multicast_by(tree, ids, comm.position(0), DestinationSet::of(ids, targets));
    if (comm.rank() == 0) all->send(m, {}, data);
    while (!all->finish()) {
      all->poll([&](Multicasts::Message&& message) { std::copy_n(message.data.get(), message.bytes, data.begin()); });
    }
  };
  return {std::string(name(tree)), run, {}};
}

Contender chosen(Communicator const& comm, std::vector<Rank> const& targets, std::int64_t bytes) {
  auto const contract = multicast_contract(comm.size(), comm.position(0), bytes, targets);
  auto const choice = choose_multicast(comm.machine(), contract);
  auto const schedule = std::make_shared<Schedule>(make_schedule(comm.machine(), choice));
  auto const run = [=, &comm](std::vector<std::byte>& data) {
    auto const wanted = static_cast<std::size_t>(contract.output_bytes(comm.position(comm.rank())));
    comm.run(*schedule, {{}, std::span(data).first(wanted)});
  };
  return {fmt::format("chosen: {}", choice.best.algorithm->name), run, {}};
}

Contender by_channel(Communicator const& comm, std::vector<Rank> const& targets) {
  auto const channel = std::make_shared<Channel>(comm);
  auto const run = [=, &comm](std::vector<std::byte>& data) {
    if (comm.rank() == 0) channel->send(targets, 0, data);
    if (std::ranges::find(targets, comm.rank()) != targets.end()) static_cast<void>(channel->receive(data));
    auto all = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    for (int over = 0; over == 0;) {
      channel->progress();
      MPI_Test(&all, &over, MPI_STATUS_IGNORE);
    }
  };
  return {"channel", run, {}};
}

Contender mpi(bool takes_part) {
  auto group = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, 0, &group);
  auto const run = [=](std::vector<std::byte>& data) {
    if (group != MPI_COMM_NULL) MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_BYTE, 0, group);
  };
  return {"MPI_Bcast", run, {}};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::under_mpi("bench_multicast", &argc, &argv, MPI_THREAD_SERIALIZED, [&] {
    bench::Arguments given(argc, argv);
    auto const bytes = given.long_number("BYTES", 1'000'000, 1);
    auto const rounds = given.number("ROUNDS", 5);
    auto const count = given.number("TARGETS", 1);
    given.end();
    Communicator const comm(MPI_COMM_WORLD);
    ensure(count < comm.size(), "TARGETS", count, fmt::format("fewer than the {} ranks", comm.size()));
    std::vector<Rank> targets;  // ranks and positions are one on a machine that all ranks are
    for (int t = 0; t < count; ++t)
      targets.push_back(1 + static_cast<Rank>(std::int64_t{t} * (comm.size() - 1) / count));
    bool const takes_part = comm.rank() == 0 || std::ranges::find(targets, comm.rank()) != targets.end();
    std::vector<Contender> contenders;
    for (auto const tree : {MulticastTree::flat, MulticastTree::chain, MulticastTree::binomial, MulticastTree::prefix,
                            MulticastTree::axes}) {
      contenders.push_back(by_tree(comm, tree, targets));
    }
    contenders.push_back(by_channel(comm, targets));
    contenders.push_back(chosen(comm, targets, bytes));
    contenders.push_back(mpi(takes_part));
    std::vector<std::byte> data(static_cast<std::size_t>(bytes));
    auto const byte = [](std::size_t i, int round) {
      return static_cast<std::byte>(i * 7 % 251 + static_cast<std::size_t>(round));
    };
    for (int round = 0; round < rounds; ++round) {
      for (auto& one : contenders) {
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = comm.rank() == 0 ? byte(i, round) : std::byte{};
        MPI_Barrier(MPI_COMM_WORLD);
        auto const begin = now();
        one.run(data);
        double const mine = now() - begin;
        double slowest = 0;
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        one.seconds.push_back(slowest);
        for (std::size_t i = 0; takes_part && i < data.size(); ++i) {
          if (data[i] == byte(i, round)) continue;
          std::fprintf(stderr, "%s: rank %d has another byte %zu\n", one.name.c_str(), comm.rank(), i);
          MPI_Abort(MPI_COMM_WORLD, 1);
        }
      }
    }
    if (comm.rank() == 0) {
      std::printf("{\"bytes\": %lld, \"targets\": %d", static_cast<long long>(bytes), count);
      for (auto const& one : contenders) {
        std::printf(", \"%s\": [", one.name.c_str());
        for (std::size_t s = 0; s < one.seconds.size(); ++s) std::printf("%s%.9f", s > 0 ? ", " : "", one.seconds[s]);
        std::printf("]");
      }
      std::printf("}\n");
    }
  });
}
