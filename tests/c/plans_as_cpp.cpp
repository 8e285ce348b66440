// What the C interface says of machines, schedules and plans is what C++'s says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "allport/allport.h"
#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/qr_plan.h"
#include "allport/schedule/json.h"
#include "allport/select/mpi_price.h"
#include "allport/select/select.h"
#include "allport/sim.h"
#include "on_machine.h"

namespace allport {
namespace {

TEST(PlansAsCpp, Machines) {
  for (auto const& spec : {"torus:4x3m/ppn=2", "bgp:2x2x2", "xe6", "mesh:5"}) {
    SCOPED_TRACE(spec);
    OnMachine const handle(spec);
    auto const machine = Machine::parse(spec);
    EXPECT_EQ(allport_machine_text(handle, "name"), machine.name());
    EXPECT_EQ(allport_machine_text(handle, "json"), machine.to_json());
    EXPECT_EQ(allport_machine_text(handle, "toml"), machine.to_toml());
    int links = 0;
    for (int node = 0; node < machine.nodes() && node < 40; ++node) {
      for (int p = 0; p < 2 * machine.axes(); ++p) {
        int neighbour = 0, works = 0;
        double bandwidth = 0, latency = 0;
        ASSERT_EQ(allport_machine_link(handle, node, p, &neighbour, &bandwidth, &latency, &works), ALLPORT_SUCCESS);
        auto const link = machine.link(node, static_cast<Port>(p));
        EXPECT_EQ(neighbour, machine.neighbour(node, static_cast<Port>(p)).value_or(-1));
        if (neighbour < 0) continue;
        EXPECT_EQ(bandwidth, machine.bandwidth(link).value());
        EXPECT_EQ(latency, machine.latency(link).value());
        EXPECT_EQ(works, 1);
        ++links;
      }
    }
    if (machine.nodes() <= 40) EXPECT_EQ(links, machine.links());
  }
  std::vector<std::string> presets;
  for (char const* name;
       (name = allport_algorithm_text("machine", static_cast<int>(presets.size()), "name")) != nullptr;) {
    presets.emplace_back(name);
  }
  EXPECT_EQ(presets, preset_names());
}

TEST(PlansAsCpp, Algorithms) {
  auto const listed = [](char const* of) {
    std::vector<std::pair<std::string, std::string>> all;
    for (char const* name; (name = allport_algorithm_text(of, static_cast<int>(all.size()), "name")) != nullptr;) {
      all.emplace_back(name, allport_algorithm_text(of, static_cast<int>(all.size()), "summary"));
    }
    return all;
  };
  std::size_t count = 0;
  for (auto const* of :
       {"bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "allreduce", "alltoall", "barrier"}) {
    std::vector<std::pair<std::string, std::string>> wanted;
    for (auto const* a : algorithms()) {
      if (name(a->what) == of) wanted.emplace_back(a->name, a->summary);
    }
    EXPECT_EQ(listed(of), wanted) << of;
    count += wanted.size();
  }
  EXPECT_EQ(count, algorithms().size());
  auto const texts = [](std::vector<GemmAlgorithmName> const& names) {
    std::vector<std::pair<std::string, std::string>> all;
    for (auto const& one : names) all.emplace_back(one.name, one.summary);
    return all;
  };
  EXPECT_EQ(listed("gemm"), texts(gemm_algorithms()));
  EXPECT_EQ(listed("lu"), texts(lu_algorithms()));
}

void expect_schedule(std::string const& spec, std::vector<int> const& places, Contract const& contract,
                     std::string const& options, SelectOptions select) {
  SCOPED_TRACE(spec + " " + std::string(name(contract.what)) + " " + options);
  OnMachine const handle(spec, places);
  auto const machine = Machine::parse(spec);
  if (!places.empty()) select.mapping = Mapping::from_list(places);
  auto choice = choose(machine, contract, select);
  choice.mpi = mpi_price_of(machine, contract, select.mapping);
  choice.bound = lower_bound(machine, select.mapping ? at_places(contract, *select.mapping) : contract);
  auto const schedule = make_schedule(machine, choice);

  allport_schedule made = nullptr;
  ASSERT_EQ(allport_schedule_create(handle, std::string(name(contract.what)).c_str(), contract.bytes, nullptr,
                                    contract.root, options.c_str(), &made),
            ALLPORT_SUCCESS)
      << allport_error();
  EXPECT_EQ(allport_schedule_text(made, "algorithm"), schedule.algorithm());
  EXPECT_EQ(allport_schedule_text(made, "reason"), explain(choice));
  EXPECT_EQ(allport_schedule_text(made, "choice"), to_json(choice));
  EXPECT_EQ(allport_schedule_text(made, "json"), to_json(schedule));
  double simulated = 0;
  allport_schedule_info info;
  EXPECT_EQ(allport_schedule_query(made, -1, &info), ALLPORT_SUCCESS);
  EXPECT_EQ(info.messages_sent, 0);
  EXPECT_EQ(info.seconds, choice.best.priced() ? choice.best.predicted.value() : -1.0);
  EXPECT_EQ(info.bound, choice.bound ? choice.bound->value() : -1.0);
  EXPECT_EQ(info.mpi, choice.mpi->time.value());
  EXPECT_EQ(allport_schedule_simulate(made, nullptr, nullptr, &simulated), ALLPORT_SUCCESS) << allport_error();
  EXPECT_EQ(simulated, sim::simulate(schedule, machine).seconds);
  EXPECT_EQ(allport_schedule_verify(made, nullptr), ALLPORT_SUCCESS) << allport_error();
  for (Rank r = 0; r < contract.ranks; ++r) {
    EXPECT_EQ(allport_schedule_query(made, r, &info), ALLPORT_SUCCESS);
    auto const wanted = traffic(schedule.program(select.mapping ? select.mapping->place(r) : r));
    EXPECT_EQ(info.messages_sent, wanted.messages_sent) << r;
    EXPECT_EQ(info.bytes_sent, wanted.bytes_sent) << r;
    EXPECT_EQ(info.messages_received, wanted.messages_received) << r;
    EXPECT_EQ(info.bytes_received, wanted.bytes_received) << r;
  }
  EXPECT_EQ(allport_schedule_free(&made), ALLPORT_SUCCESS);
}

TEST(PlansAsCpp, Schedules) {
  std::vector<int> backwards;
  for (int r = 0; r < 12; ++r) backwards.push_back(11 - r);
  for (auto const what :
       {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather, Collective::allgather,
        Collective::reduce_scatter, Collective::allreduce, Collective::alltoall, Collective::barrier}) {
    auto const root = has_root(what) ? 5 : 0;
    auto const bytes = what == Collective::barrier ? 0 : 9600;
    Contract const plain{what, 12, root, bytes, 1};
    Contract const doubles{what, 12, root, bytes, 8};
    expect_schedule("bgp:3x2x2", {}, plain, "", {});
    expect_schedule("torus:3x4", {}, doubles, "element=8 segment=2400 window=3", {.segments = {2400}, .window = 3});
    expect_schedule("torus:6/ppn=2", backwards, doubles, "element=8", {});
  }
  expect_schedule("torus:3x4", {}, {Collective::broadcast, 12, 7, 5000, 1}, "algorithm=binomial",
                  {.algorithm = "binomial"});
}

TEST(PlansAsCpp, SeveralThreadsAskOneHandle) {
  OnMachine const machine("bgp:4x4x2");
  allport_schedule schedule = nullptr;
  allport_plan plan = nullptr;
  ASSERT_EQ(allport_schedule_create(machine, "allgather", 4096, nullptr, 0, nullptr, &schedule), ALLPORT_SUCCESS);
  ASSERT_EQ(allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "NN", 99, 88, 77, nullptr, nullptr, &plan),
            ALLPORT_SUCCESS);
  struct Asked {
    std::array<char const*, 6> texts{};
    double seconds = 0;
    std::string error;
  };
  std::vector<Asked> asked(8);
  std::vector<std::thread> threads;
  for (auto& mine : asked) {
    threads.emplace_back([&] {
      mine.texts = {allport_schedule_text(schedule, "json"),   allport_schedule_text(schedule, "reason"),
                    allport_schedule_text(schedule, "choice"), allport_plan_text(plan, "json"),
                    allport_machine_text(machine, "json"),     allport_machine_text(machine, "toml")};
      allport_schedule_simulate(schedule, nullptr, nullptr, &mine.seconds);
      allport_algorithm_text(&mine == &asked[0] ? "osmosis" : "diffusion", 0, "name");
      mine.error = allport_error();
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto const& mine : asked) {
    EXPECT_EQ(mine.texts, asked[0].texts);
    EXPECT_EQ(std::ranges::count(mine.texts, nullptr), 0);
    EXPECT_EQ(mine.seconds, asked[0].seconds);
    EXPECT_NE(mine.error.find(&mine == &asked[0] ? "osmosis" : "diffusion"), std::string::npos) << mine.error;
  }
  EXPECT_EQ(allport_plan_free(&plan), ALLPORT_SUCCESS);
  EXPECT_EQ(allport_schedule_free(&schedule), ALLPORT_SUCCESS);
}

struct Said {
  std::string algorithm, json;
  double seconds = 0, bound = 0;
  int rows = 0, cols = 0, layers = 0;
  std::int64_t panel = 0, words = 0, messages = 0, memory = 0, a_rows = 0, a_cols = 0;

  friend bool operator==(Said const&, Said const&) = default;
};

/// What a plan says; it is freed.
Said said(allport_plan plan) {
  EXPECT_NE(plan, nullptr) << allport_error();
  Said s;
  s.algorithm = allport_plan_text(plan, "algorithm");
  s.json = allport_plan_text(plan, "json");
  allport_distribution a = nullptr;
  allport_plan_info info;
  EXPECT_EQ(allport_plan_query(plan, &info), ALLPORT_SUCCESS);
  s.seconds = info.seconds;
  s.bound = info.bound_words;
  s.rows = info.rows;
  s.cols = info.cols;
  s.layers = info.layers;
  s.panel = info.panel;
  s.words = info.words;
  s.messages = info.messages;
  s.memory = info.memory;
  EXPECT_EQ(allport_plan_distribution(plan, 'A', &a), ALLPORT_SUCCESS);
  EXPECT_EQ(allport_distribution_local(a, 1, &s.a_rows, &s.a_cols), ALLPORT_SUCCESS);
  EXPECT_EQ(allport_distribution_free(&a), ALLPORT_SUCCESS);
  EXPECT_EQ(allport_plan_free(&plan), ALLPORT_SUCCESS);
  return s;
}

template <class Plan>
Said wanted(Plan const& p, Distribution const& a, Index panel) {
  auto const& c = p.chosen;
  return {c.algorithm, p.to_json(), c.total.value(), c.bound_words,    c.grid.rows,     c.grid.cols,    c.grid.layers,
          panel,       c.words,     c.messages,      c.memory.value(), a.local_rows(1), a.local_cols(1)};
}

template <class Plan>
Said wanted_tiles(Plan const& p, double bound) {
  Said s{"tiles", p.to_json(), p.chosen.total.value(), bound, p.chosen.grid.rows, p.chosen.grid.cols, 1, p.chosen.nb};
  for (auto const& rank : p.counts) {
    s.words = std::max({s.words, rank.traffic.bytes_sent, rank.traffic.bytes_received});
    s.messages = std::max({s.messages, rank.traffic.messages_sent, rank.traffic.messages_received});
  }
  s.words /= bytes_of(p.problem.type);
  s.memory = p.chosen.memory.value();
  s.a_rows = p.distribution.local_rows(1);
  s.a_cols = p.distribution.local_cols(1);
  return s;
}

TEST(PlansAsCpp, Products) {
  auto const machine = Machine::parse("bgp:4x4x1");
  OnMachine const handle("bgp:4x4x1");
  allport_plan plan = nullptr;
  allport_plan_create(handle, "gemm", ALLPORT_DOUBLE, "NN", 300, 200, 100, nullptr, nullptr, &plan);
  auto const chosen = plan_gemm({300, 200, 100}, machine);
  EXPECT_EQ(said(plan), wanted(chosen, chosen.a, chosen.chosen.panel));

  allport_plan_create(handle, "gemm", ALLPORT_DOUBLE_COMPLEX, "TC", 300, 200, 100, nullptr,
                      "algorithm=summa grid=8x2x1 order=jil panel=40", &plan);
  auto const named = plan_gemm({300, 200, 100, Scalar::z, Trans::transpose, Trans::conjugate}, machine,
                               {.algorithm = "summa", .grid = {8, 2, 1}, .order = "jil", .panel = 40});
  EXPECT_EQ(said(plan), wanted(named, named.a, 40));

  allport_plan_create(handle, "gemm", ALLPORT_DOUBLE, "NN", 300, 200, 100, nullptr, "grid=4x4x1 tree=binomial", &plan);
  auto const trees = plan_gemm({300, 200, 100}, machine, {.grid = {4, 4, 1}, .tree = MulticastTree::binomial});
  EXPECT_EQ(said(plan), wanted(trees, trees.a, trees.chosen.panel));

  std::vector<int> places;
  for (int r = 0; r < 16; ++r) places.push_back((r + 4) % 16);
  OnMachine const elsewhere("bgp:4x4x1", places);
  allport_plan_create(elsewhere, "gemm", ALLPORT_FLOAT, "NN", 200, 200, 200, nullptr, "memory=400000", &plan);
  GemmOptions moved;
  moved.memory = Bytes(400000);
  moved.mapping = Mapping::from_list(places);
  auto const there = plan_gemm({200, 200, 200, Scalar::s}, machine, moved);
  EXPECT_EQ(said(plan), wanted(there, there.a, there.chosen.panel));
}

TEST(PlansAsCpp, Factorizations) {
  auto const machine = Machine::parse("bgp:4x2x2");
  OnMachine const handle("bgp:4x2x2");
  allport_plan plan = nullptr;
  allport_plan_create(handle, "getrf", ALLPORT_DOUBLE, nullptr, 2000, 1500, 0, nullptr, nullptr, &plan);
  auto const chosen = plan_lu({2000, 1500}, machine);
  EXPECT_EQ(said(plan), wanted(chosen, chosen.distribution, chosen.chosen.panel));

  allport_plan_create(handle, "getrf", ALLPORT_FLOAT_COMPLEX, nullptr, 1024, 1024, 0, nullptr,
                      "algorithm=2.5d grid=2x2x4 order=lji panel=32 outer_panel=64 pivoting=partial", &plan);
  LuOptions options;
  options.algorithm = "2.5d";
  options.grid = {2, 2, 4};
  options.order = "lji";
  options.panel = 32;
  options.outer_panel = 64;
  auto const named = plan_lu({1024, 1024, Scalar::c, Pivoting::partial}, machine, options);
  EXPECT_EQ(said(plan), wanted(named, named.distribution, 32));
  options.tree = MulticastTree::binomial;
  allport_plan_create(handle, "getrf", ALLPORT_FLOAT_COMPLEX, nullptr, 1024, 1024, 0, nullptr,
                      "tree=binomial algorithm=2.5d grid=2x2x4 order=lji panel=32 outer_panel=64 pivoting=partial",
                      &plan);
  auto const trees = plan_lu({1024, 1024, Scalar::c, Pivoting::partial}, machine, options);
  EXPECT_EQ(said(plan), wanted(trees, trees.distribution, 32));
  EXPECT_NE(trees.chosen.total, named.chosen.total);

  Distribution const given(AxisDistribution::cyclic(900, 4, 50), AxisDistribution::cyclic(900, 4, 50),
                           ProcessGrid::column_major(4, 4));
  allport_distribution lies = nullptr;
  ASSERT_EQ(allport_distribution_cyclic(900, 900, 50, 50, 4, 4, 0, 0, 'C', &lies), ALLPORT_SUCCESS);
  allport_plan_create(handle, "getrf", ALLPORT_DOUBLE, nullptr, 900, 900, 0, lies, nullptr, &plan);
  LuOptions in_place;
  in_place.given = given;
  auto const there = plan_lu({900, 900}, machine, in_place);
  EXPECT_EQ(said(plan), wanted(there, there.distribution, there.chosen.panel));

  allport_plan_create(handle, "potrf", ALLPORT_DOUBLE, "U", 900, 900, 0, lies, nullptr, &plan);
  TiledPlanOptions lying;
  lying.given = given;
  auto const lain = plan_cholesky({900, Scalar::d, Uplo::upper}, machine, lying);
  EXPECT_EQ(said(plan), wanted_tiles(lain, lain.chosen.bound_words));
  allport_plan_create(handle, "potrf", ALLPORT_DOUBLE, "L", 1200, 1200, 0, nullptr,
                      "grid=8x2 order=ji nb=128 workers=2", &plan);
  TiledPlanOptions fixed;
  fixed.grid = {8, 2, 1};
  fixed.order = "ji";
  fixed.nb = 128;
  fixed.workers = 2;
  auto const tiles = plan_cholesky({1200}, machine, fixed);
  EXPECT_EQ(said(plan), wanted_tiles(tiles, tiles.chosen.bound_words));

  allport_plan_create(handle, "geqrf", ALLPORT_DOUBLE_COMPLEX, nullptr, 900, 900, 0, lies, nullptr, &plan);
  TiledPlanOptions qr_lying;
  qr_lying.given = given;
  EXPECT_EQ(said(plan), wanted_tiles(plan_qr({900, 900, Scalar::z}, machine, qr_lying), 0));
  allport_plan_create(handle, "geqrf", ALLPORT_DOUBLE, nullptr, 1500, 600, 0, nullptr, nullptr, &plan);
  EXPECT_EQ(said(plan), wanted_tiles(plan_qr({1500, 600}, machine), 0));
  EXPECT_EQ(allport_distribution_free(&lies), ALLPORT_SUCCESS);
}

}  // namespace
}  // namespace allport
