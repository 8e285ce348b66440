// Hand-written schedules and every registered algorithm on MPI, against the interpreter and an independent sum.
#include "comm/world.h"

namespace allport::testing {
namespace {

/// Runs `schedule` on MPI: every output must be the independent sum, the root's also the interpreter's, and what moved
/// must be what traffic() says.
void compare(Communicator const& comm, Schedule const& schedule, std::string const& where) {
  auto const& contract = schedule.contract();
  auto const me = comm.position(comm.rank());
  auto const before = filled(contract, me);
  auto own = before;
  comm.reset_counted();
  comm.run(schedule, spans(own), add_bytes());
  EXPECT_EQ(comm.counted(), traffic(schedule.program(me))) << where;
  EXPECT_TRUE(same_bytes(own.output, expected_output(contract, me))) << where;
  EXPECT_TRUE(same_bytes(own.input, before.input)) << where << ": the input was changed";
  if (me != contract.root) return;
  auto reference = filled(contract);
  interpret(schedule, reference, add_bytes(), 1);
  EXPECT_TRUE(same_bytes(own.output, reference[static_cast<std::size_t>(me)].output))
      << where << " against the interpreter";
}

TEST(MpiSchedules, ChainsOfAnySizeAndCut) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (std::int64_t const bytes : {0, 1, 7, 1000, 300001}) {
    for (auto const cut : {Cut{1 << 16, 2}, Cut{4096, 1}, Cut{1000, 5}}) {
      for (Rank const root : {0, world_size() - 1}) {
        auto const where =
            fmt::format("{} bytes, segment {}, window {}, root {}", bytes, cut.segment, cut.window, root);
        compare(comm, chain_broadcast(world_size(), root, bytes, cut), "broadcast " + where);
        compare(comm, chain_reduce(world_size(), root, bytes, 1, cut), "reduce " + where);
      }
    }
  }
}

class MpiAlgorithms : public ::testing::TestWithParam<Algorithm const*> {};

TEST_P(MpiAlgorithms, EqualTheInterpreter) {
  auto const& a = *GetParam();
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec));
    bool const rooted = a.what == Collective::broadcast || a.what == Collective::reduce ||
                        a.what == Collective::scatter || a.what == Collective::gather;
    bool const whole = a.what == Collective::broadcast || a.what == Collective::reduce;
    for (Rank const root : {0, world_size() / 2, world_size() - 1}) {
      if (root != 0 && !rooted) break;
      for (std::int64_t const size : {0, 1, 7, 1000, 300001}) {
        auto const bytes = whole || size < 1000 ? size : size / world_size();
        for (auto const cut : {Cut{1 << 16, 2}, Cut{1 << 12, 3}}) {
          Contract const contract{a.what, comm.size(), root, bytes, 1};
          if (a.why_not(comm.machine(), contract)) continue;
          if (bytes <= (1 << 12) && cut.segment == (1 << 12)) continue;  // one segment either way
          auto const where = fmt::format("{} {} on {}, root {}, {} bytes, segment {}, window {}", name(a.what), a.name,
                                         spec, root, bytes, cut.segment, cut.window);
          compare(comm, make_schedule(comm.machine(), contract, a.name, cut), where);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, MpiAlgorithms, ::testing::ValuesIn(algorithms()), [](auto const& info) {
  auto text = fmt::format("{}_{}", name(info.param->what), info.param->name);
  for (auto& c : text) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return text;
});

template <class T>
void reduce_elements(Communicator const& comm) {
  for (auto const* a : algorithms()) {
    if (a->what != Collective::reduce) continue;
    std::int64_t const count = 10007;
    Contract const contract{Collective::reduce, comm.size(), 0, count * static_cast<std::int64_t>(sizeof(T)),
                            sizeof(T)};
    if (a->why_not(comm.machine(), contract)) continue;
    std::vector<std::byte> first;
    for (auto const cut : {Cut{1 << 16, 2}, Cut{1 << 13, 1}, Cut{1 << 14, 6}}) {
      auto const prepared = [&](Rank r) {
        auto b = filled(contract, r);
        auto* const values = reinterpret_cast<T*>(b.input.data());
        for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<T>(1000.0 / (1.0 + r * 17 + i % 1013));
        return b;
      };
      auto own = prepared(comm.rank());
      auto const schedule = make_schedule(comm.machine(), contract, a->name, cut);
      comm.run(schedule, spans(own), sum_of<T>());
      if (comm.rank() != 0) continue;
      std::vector<RankBuffers> all;
      for (Rank r = 0; r < contract.ranks; ++r) all.push_back(prepared(r));
      interpret(schedule, all, sum_of<T>(), 7);
      EXPECT_TRUE(same_bytes(own.output, all[0].output)) << a->name << " segment " << cut.segment;
      if (first.empty()) first = own.output;
      EXPECT_TRUE(same_bytes(own.output, first)) << a->name << ": bits depend on the segment " << cut.segment;
    }
  }
}

TEST(MpiReduce, SumsAreBitwiseTheInterpretersForAnyCut) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec));
    reduce_elements<double>(comm);
    reduce_elements<float>(comm);
    reduce_elements<std::int32_t>(comm);
    reduce_elements<std::int64_t>(comm);
  }
}

TEST(MpiSchedules, SelectionServesBroadcastAndReduce) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, Machine::parse(spec));
    for (std::size_t const bytes : {0U, 5U, 4096U, 1000000U}) {
      Rank const root = comm.size() - 1;
      std::vector<std::byte> data(bytes);
      for (std::size_t i = 0; i < bytes && comm.rank() == root; ++i) data[i] = pattern(root, i);
      comm.start_broadcast(data, root).wait();
      std::vector<std::byte> wanted(bytes);
      for (std::size_t i = 0; i < bytes; ++i) wanted[i] = pattern(root, i);
      EXPECT_TRUE(same_bytes(data, wanted)) << spec;
      Contract const contract{Collective::reduce, comm.size(), comm.position(root), static_cast<std::int64_t>(bytes),
                              1};
      auto own = filled(contract, comm.position(comm.rank()));
      comm.start_reduce(own.input, own.output, 1, add_bytes(), root).wait();
      EXPECT_TRUE(same_bytes(own.output, expected_output(contract, comm.position(comm.rank())))) << spec;
    }
  }
}

}  // namespace
}  // namespace allport::testing
