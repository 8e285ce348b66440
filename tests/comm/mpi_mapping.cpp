// Communicators whose ranks are not at the places of their numbers: what they say of themselves, all collectives, and
// what their parts know of the machine.
#include <algorithm>
#include <numeric>
#include <random>

#include "allport/select/select.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

constexpr Collective all_collectives[] = {Collective::broadcast, Collective::reduce,    Collective::scatter,
                                          Collective::gather,    Collective::allgather, Collective::reduce_scatter,
                                          Collective::allreduce, Collective::alltoall};

/// The places of the world's ranks, another permutation for every seed; the same on all ranks.
Mapping shuffled(unsigned seed) {
  std::vector<Rank> places(static_cast<std::size_t>(world_size()));
  std::iota(places.begin(), places.end(), 0);
  std::ranges::shuffle(places, std::mt19937(seed));
  return Mapping::from_list(places);
}

TEST(MpiMapping, RanksAreWhereTheMappingSays) {
  auto const mapping = shuffled(1);
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec), mapping);
    EXPECT_TRUE(comm.is_box());
    EXPECT_EQ(comm.rank(), world_rank());
    EXPECT_EQ(comm.mapping(), mapping);
    EXPECT_EQ(comm.machine(), Machine::parse(spec));
    for (Rank r = 0; r < comm.size(); ++r) {
      EXPECT_EQ(comm.position(r), mapping.place(r));
      EXPECT_EQ(comm.at_position(mapping.place(r)), r);
    }
  }
  EXPECT_TRUE(flat().mapping().is_identity());
}

TEST(MpiMapping, EveryCollectiveByEveryAlgorithmThatServesIt) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec), shuffled(2));
    auto const me = comm.position(comm.rank());
    for (auto const what : all_collectives) {
      Contract const contract{what, comm.size(), comm.position(comm.size() - 1), 1200, combines(what) ? 8 : 1};
      for (auto const& candidate : choose(comm.machine(), contract).candidates) {
        if (!candidate.applicable()) continue;
        auto own = filled(contract, me);
        comm.run(comm.schedule_for(contract, candidate.algorithm->name), spans(own), add_bytes());
        EXPECT_TRUE(same_bytes(own.output, expected_output(contract, me)))
            << spec << ' ' << name(what) << ' ' << candidate.algorithm->name;
      }
    }
  }
}

TEST(MpiMapping, RootsAndMessagesGoByRank) {
  auto const mapping = shuffled(3);
  Communicator const comm(MPI_COMM_WORLD, Machine::parse(fitting_specs().front()), mapping);
  for (Rank root = 0; root < comm.size(); ++root) {
    std::vector<std::byte> data(3000);
    for (std::size_t i = 0; i < data.size() && comm.rank() == root; ++i) data[i] = pattern(root, i);
    comm.start_broadcast(data, root).wait();
    for (std::size_t i = 0; i < data.size(); i += 777) EXPECT_EQ(data[i], pattern(root, i)) << root;
    std::uint8_t const mine = 1;
    std::uint8_t sum = 0;
    comm.start_reduce(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&sum, 1)), 1, add_bytes(),
                      root)
        .wait();
    if (comm.rank() == root) EXPECT_EQ(sum, comm.size());
  }
  auto const next = (comm.rank() + 1) % comm.size();
  auto const before = (comm.rank() + comm.size() - 1) % comm.size();
  std::vector<std::byte> const out(100, static_cast<std::byte>(comm.rank()));
  std::vector<std::byte> in(100);
  auto sent = comm.start_send(out, next, 7);
  auto taken = comm.start_receive(in, before, 7);
  sent.wait();
  taken.wait();
  EXPECT_EQ(in.front(), static_cast<std::byte>(before));
}

TEST(MpiMapping, ChoicesArePricedAtThePlacesOfTheRanks) {
  auto const mapping = shuffled(4);
  auto const machine = Machine::parse(fmt::format("mesh:{}", world_size()));
  Communicator const comm(MPI_COMM_WORLD, machine, mapping);
  for (auto const what : {Collective::broadcast, Collective::reduce, Collective::gather}) {
    for (Rank root = 0; root < comm.size(); ++root) {
      Contract const contract{what, comm.size(), root, 1 << 20, 1};
      auto const choice = choose(machine, contract, {.mapping = mapping});
      auto const runs = comm.schedule_for(what, root, Bytes(1 << 20));
      EXPECT_EQ(runs.algorithm(), choice.best.algorithm->name) << name(what) << " root " << root;
      EXPECT_EQ(runs.cut().segment, choice.best.cut.segment) << name(what) << " root " << root;
      EXPECT_EQ(runs.contract().root, mapping.place(root));
    }
  }
}

TEST(MpiMapping, PartsAreFoundAmongThePlaces) {
  auto const n = world_size();
  auto const mapping = shuffled(5);
  Communicator const comm(MPI_COMM_WORLD, Machine::parse(fmt::format("mesh:{}", n)), mapping);
  // The ranks in the first half of the line, in the order of their numbers.
  auto const half = std::max(1, n / 2);
  auto const part = comm.split(comm.position(comm.rank()) < half ? 0 : -1, 0);
  if (!part) return;
  EXPECT_TRUE(part->is_box());
  EXPECT_EQ(part->machine().nodes(), half);
  std::vector<Rank> members;
  for (Rank r = 0; r < n; ++r) {
    if (mapping.place(r) < half) members.push_back(r);
  }
  for (Rank i = 0; i < part->size(); ++i)
    EXPECT_EQ(part->position(i), mapping.place(members[static_cast<std::size_t>(i)]));
}

TEST(MpiMapping, PositionsAsThePlanHasThem) {
  Communicator const comm(MPI_COMM_WORLD, Machine::parse(fmt::format("torus:{}", world_size())), shuffled(6));
  std::vector<Rank> members(static_cast<std::size_t>(comm.size()));
  std::iota(members.begin(), members.end(), 0);
  auto const planned = shuffled(7);
  auto const sub = comm.sub(members, Machine::parse(fmt::format("mesh:{}", comm.size())), planned);
  EXPECT_EQ(sub.mapping(), planned);
  std::vector<std::byte> data(500, static_cast<std::byte>(comm.rank()));
  sub.start_broadcast(data, sub.size() - 1).wait();
  EXPECT_EQ(data.back(), static_cast<std::byte>(sub.size() - 1));
  EXPECT_NE(error_of([&] { (void)comm.sub(members, Machine::flat(comm.size() + 1), planned); }).find("machine"),
            std::string::npos);
}

TEST(MpiMapping, WhatIsWrongIsAnErrorOnAllRanks) {
  auto const n = world_size();
  auto const machine = Machine::flat(n);
  auto const made = [&](std::vector<Rank> const& places) {
    return error_of([&] { Communicator const comm(MPI_COMM_WORLD, machine, places); });
  };
  std::vector<Rank> places(static_cast<std::size_t>(n));
  std::iota(places.begin(), places.end(), 0);
  EXPECT_EQ(made(places), "");
  auto longer = places;
  longer.push_back(n);
  EXPECT_NE(made(longer).find(fmt::format("mapping = {} places: expected {}", n + 1, n)), std::string::npos)
      << made(longer);
  if (n == 1) return;
  auto twice = places;
  if (world_rank() == n - 1) twice[0] = twice[1];
  EXPECT_NE(made(twice), "") << "on the last rank only";
  auto turned = places;
  if (world_rank() == 0) std::ranges::reverse(turned);
  auto const differ = made(turned);
  EXPECT_NE(differ.find("mapping: "), std::string::npos) << differ;
  EXPECT_NE(differ.find("pass the same on all ranks"), std::string::npos) << differ;
  Communicator const after(MPI_COMM_WORLD, machine, places);
  after.barrier();
}

}  // namespace
}  // namespace allport::testing
