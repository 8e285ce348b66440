// What the C interface says of schedules of some ranks, of blocks of different lengths, and of plans that it simulates
// is what C++'s says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "allport/allport.h"
#include "allport/graph/simulate.h"
#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/graphs.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/qr_plan.h"
#include "allport/schedule/json.h"
#include "allport/select/machine_part.h"
#include "allport/sim.h"
#include "allport/tasks/transport.h"
#include "on_machine.h"

namespace allport {
namespace {

/// A handle of some ranks of a machine.
allport_machine part_of(allport_machine machine, std::vector<int> const& members) {
  allport_machine part = nullptr;
  EXPECT_EQ(allport_machine_part(machine, static_cast<int>(members.size()), members.data(), &part), ALLPORT_SUCCESS)
      << allport_error();
  return part;
}

TEST(PartsAsCpp, SchedulesOfSomeRanks) {
  OnMachine const handle("bgp:4x4x1");
  auto const machine = Machine::parse("bgp:4x4x1");
  std::vector<Rank> const scattered = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3};
  std::vector<Rank> const ring = {13, 12, 15, 14};  // the last row of the first axis, beginning elsewhere
  for (auto const& members : {scattered, ring}) {
    SCOPED_TRACE(members.size());
    MachinePart const part(machine, members);
    auto* on = part_of(handle, members);
    for (auto const what : {Collective::broadcast, Collective::reduce, Collective::allgather, Collective::alltoall}) {
      Contract const contract{what, part.ranks(), has_root(what) ? 2 : 0, 4096, 8};
      auto const choice = part.choose(contract);
      auto const schedule = part.schedule(choice);
      allport_schedule made = nullptr;
      ASSERT_EQ(allport_schedule_create(on, std::string(name(what)).c_str(), 4096, nullptr, contract.root, "element=8",
                                        &made),
                ALLPORT_SUCCESS)
          << allport_error();
      EXPECT_EQ(allport_schedule_text(made, "choice"), to_json(choice));
      EXPECT_EQ(allport_schedule_text(made, "json"), to_json(schedule));
      double simulated = 0, elsewhere = 0;
      allport_schedule_info info;
      EXPECT_EQ(allport_schedule_query(made, -1, &info), ALLPORT_SUCCESS);
      EXPECT_EQ(info.bound, choice.bound->value());
      EXPECT_EQ(info.mpi, choice.mpi->time.value());
      EXPECT_EQ(info.ranks, part.ranks());
      EXPECT_EQ(info.root, contract.root);
      EXPECT_EQ(allport_schedule_simulate(made, nullptr, nullptr, &simulated), ALLPORT_SUCCESS) << allport_error();
      EXPECT_EQ(allport_schedule_simulate(made, on, nullptr, &elsewhere), ALLPORT_SUCCESS) << allport_error();
      EXPECT_EQ(simulated, sim::simulate(schedule, part.machine(), {.places = part.places()}).seconds);
      EXPECT_EQ(simulated, elsewhere);
      EXPECT_GE(simulated, info.bound * (1 - 1e-9)) << name(what);
      EXPECT_EQ(allport_schedule_verify(made, nullptr), ALLPORT_SUCCESS) << allport_error();
      EXPECT_EQ(allport_schedule_verify(made, on), ALLPORT_SUCCESS) << allport_error();
      EXPECT_EQ(allport_schedule_verify(made, handle), ALLPORT_ERR_ARGUMENT) << "16 ranks have another schedule";
      EXPECT_EQ(allport_schedule_free(&made), ALLPORT_SUCCESS);
    }
    EXPECT_EQ(allport_machine_free(&on), ALLPORT_SUCCESS);
  }
  // Of ranks that are placed elsewhere the places count: all in one row here, and so in a ring.
  std::vector<int> places;
  for (int r = 0; r < 16; ++r) places.push_back(r / 4 + r % 4 * 4);
  OnMachine const transposed("bgp:4x4x1", places);
  auto* column = part_of(transposed, {0, 4, 8, 12});
  auto* row = part_of(handle, {0, 1, 2, 3});
  allport_schedule there = nullptr, here = nullptr;
  ASSERT_EQ(allport_schedule_create(column, "bcast", 9999, nullptr, 1, nullptr, &there), ALLPORT_SUCCESS)
      << allport_error();
  ASSERT_EQ(allport_schedule_create(row, "bcast", 9999, nullptr, 1, nullptr, &here), ALLPORT_SUCCESS)
      << allport_error();
  EXPECT_STREQ(allport_schedule_text(there, "json"), allport_schedule_text(here, "json"));
  EXPECT_EQ(allport_schedule_free(&there), ALLPORT_SUCCESS);
  EXPECT_EQ(allport_schedule_free(&here), ALLPORT_SUCCESS);
  EXPECT_EQ(allport_machine_free(&row), ALLPORT_SUCCESS);
  EXPECT_EQ(allport_machine_free(&column), ALLPORT_SUCCESS);
}

void expect_varying(std::string const& spec, Collective what, std::vector<std::int64_t> const& lengths) {
  SCOPED_TRACE(spec + " " + std::string(name(what)));
  OnMachine const handle(spec);
  auto const machine = Machine::parse(spec);
  auto const ranks = machine.ranks();
  auto blocks = what == Collective::alltoall ? BlockTable::per_pair(lengths, ranks) : BlockTable::per_rank(lengths);
  auto const contract = with_blocks(what, ranks, has_root(what) ? 2 : 0, std::move(blocks), 8);
  auto const choice = choose(machine, contract);
  auto const schedule = make_schedule(machine, choice);
  allport_schedule made = nullptr;
  ASSERT_EQ(allport_schedule_create(handle, std::string(name(what)).c_str(), 0, lengths.data(), contract.root,
                                    "element=8", &made),
            ALLPORT_SUCCESS)
      << allport_error();
  EXPECT_EQ(allport_schedule_text(made, "json"), to_json(schedule));
  EXPECT_EQ(allport_schedule_text(made, "algorithm"), schedule.algorithm());
  double simulated = 0;
  EXPECT_EQ(allport_schedule_simulate(made, nullptr, nullptr, &simulated), ALLPORT_SUCCESS) << allport_error();
  EXPECT_EQ(simulated, sim::simulate(schedule, machine).seconds);
  EXPECT_EQ(allport_schedule_verify(made, nullptr), ALLPORT_SUCCESS) << allport_error();
  allport_schedule_info info;
  EXPECT_EQ(allport_schedule_query(made, -1, &info), ALLPORT_SUCCESS);
  EXPECT_EQ(info.bytes, *std::ranges::max_element(lengths));
  EXPECT_EQ(allport_schedule_free(&made), ALLPORT_SUCCESS);
}

TEST(PartsAsCpp, SchedulesOfBlocksOfDifferentLengths) {
  std::vector<std::int64_t> of_ranks, of_pairs;
  for (int r = 0; r < 12; ++r) of_ranks.push_back(r % 5 * 808);
  for (int pair = 0; pair < 144; ++pair) of_pairs.push_back(pair * 7 % 11 * 160);
  for (auto const* spec : {"torus:3x4", "bgp:3x2x2"}) {
    for (auto const what :
         {Collective::scatter, Collective::gather, Collective::allgather, Collective::reduce_scatter}) {
      expect_varying(spec, what, of_ranks);
    }
    expect_varying(spec, Collective::alltoall, of_pairs);
  }
}

double simulated(allport_plan plan, char const* options = nullptr) {
  double seconds = 0;
  EXPECT_EQ(allport_plan_simulate(plan, options, &seconds), ALLPORT_SUCCESS) << allport_error();
  EXPECT_EQ(allport_plan_free(&plan), ALLPORT_SUCCESS);
  return seconds;
}

TEST(PartsAsCpp, PlansSimulated) {
  auto const machine = Machine::parse("bgp:4x2x1");
  OnMachine const handle("bgp:4x2x1");
  graph::SimulateOptions options;
  options.segment = tasks::default_segment(machine).value();
  allport_plan plan = nullptr;

  allport_plan_create(handle, "gemm", ALLPORT_DOUBLE, "NN", 500, 400, 300, nullptr,
                      "algorithm=summa25 grid=2x2x2 panel=32", &plan);
  auto const product = plan_gemm({500, 400, 300}, machine, {.algorithm = "summa25", .grid = {2, 2, 2}, .panel = 32});
  EXPECT_EQ(simulated(plan), graph::simulate(*plan_graph(product), machine, *plan_transport(product), options).seconds);

  allport_plan_create(handle, "getrf", ALLPORT_DOUBLE, nullptr, 600, 500, 0, nullptr, "algorithm=2d pivoting=partial",
                      &plan);
  LuOptions two;
  two.algorithm = "2d";
  auto const lu = plan_lu({600, 500, Scalar::d, Pivoting::partial}, machine, two);
  EXPECT_EQ(simulated(plan), graph::simulate(*plan_graph(lu), machine, *plan_transport(lu), options).seconds);

  auto const carrier = tasks::transport(machine);
  options.factor = 0.25;  // complex
  options.workers = 2;
  allport_plan_create(handle, "geqrf", ALLPORT_DOUBLE_COMPLEX, nullptr, 500, 300, 0, nullptr, "nb=64 workers=2", &plan);
  auto const qr = plan_qr({500, 300, Scalar::z}, machine, {.nb = 64, .workers = 2});
  auto const graph_of_qr = qr_graph(qr.distribution, Scalar::z);
  EXPECT_EQ(simulated(plan), graph::simulate(*graph_of_qr, machine, *carrier, options).seconds);

  options.workers = 1;
  options.factor = 2;  // single precision
  options.segment = 1 << 20;
  allport_plan_create(handle, "potrf", ALLPORT_FLOAT, "U", 600, 600, 0, nullptr, "grid=4x2 nb=64 workers=2", &plan);
  auto const tiles = plan_cholesky({600, Scalar::s, Uplo::upper}, machine, {.grid = {4, 2, 1}, .nb = 64});
  auto const graph_of_tiles = cholesky_graph(tiles.distribution, Uplo::upper, Scalar::s, 64);
  EXPECT_EQ(simulated(plan, "workers=1 segment=1048576"),
            graph::simulate(*graph_of_tiles, machine, *carrier, options).seconds);
}

}  // namespace
}  // namespace allport
