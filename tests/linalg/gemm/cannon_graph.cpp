// Cannon's algorithm as a graph: the shifts of blocks and their directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "allport/graph/count.h"
#include "allport/graph/simulate.h"
#include "allport/linalg/graphs.h"

namespace allport {
namespace {

GemmOptions cannon(int q, std::string order) {
  GemmOptions options;
  options.algorithm = "cannon";
  options.grid = {q, q, 1};
  options.order = std::move(order);
  return options;
}

Index part(Index extent, int parts, int p) { return extent * (p + 1) / parts - extent * p / parts; }

/// What a place of a q x q grid gets in Cannon's algorithm, one block after the other: its skewed blocks, unless they
/// are its own, and then one of A from the right and one of B from below for each further product.
Traffic cannon_brings(GemmProblem const& problem, int q, int i, int j) {
  Traffic traffic;
  auto const element = bytes_of(problem.type);
  auto const get = [&](Index elements) {
    if (elements > 0) traffic += Traffic{0, 1, 0, elements * element};
  };
  for (int t = 0; t < q; ++t) {
    auto const depth = part(problem.k, q, (i + j + t) % q);
    if (t > 0 || i > 0) get(part(problem.m, q, i) * depth);
    if (t > 0 || j > 0) get(part(problem.n, q, j) * depth);
  }
  return traffic;
}

TEST(CannonGraph, BlocksGoRoundOnce) {
  for (GemmProblem const& problem : {GemmProblem{100, 90, 110}, {57, 200, 31, Scalar::z}, {7, 5, 3, Scalar::s}}) {
    for (int const q : {1, 2, 3, 5}) {
      auto const plan = plan_gemm(problem, Machine::parse("mesh:5x5"), cannon(q, "ijl"));
      auto const counts = graph::count(*plan_graph(plan), *graph::flat());
      for (int r = 0; r < q * q; ++r) {
        auto const& found = counts[static_cast<std::size_t>(r)].traffic;
        auto const wanted = cannon_brings(problem, q, r % q, r / q);
        EXPECT_EQ(found.messages_received, wanted.messages_received) << q << ", rank " << r;
        EXPECT_EQ(found.bytes_received, wanted.bytes_received) << q << ", rank " << r;
      }
    }
  }
}

TEST(CannonGraph, HalvesGoRoundARingInOppositeDirections) {
  auto const torus = Machine::parse("torus:5x5");
  auto const plan = plan_gemm({50, 50, 100}, torus, cannon(5, "jil"));  // rows are rings of consecutive ranks
  auto const made = plan_graph(plan);
  std::array<std::int64_t, 2> bytes{};  // of A, forth and back
  for (auto const& span : graph::simulate(*made, torus, *plan_transport(plan), {.trace = true}).spans) {
    if (span.to < 0 || !made->name(span.task).starts_with("A(")) continue;
    ASSERT_EQ(span.rank / 5, span.to / 5);
    bytes[(span.to + 5 - span.rank) % 5 == 1 ? 0 : 1] += span.bytes;
  }
  EXPECT_EQ(bytes[0], 4 * 50 * 100 * 8 / 2);  // each block in four hops, one half in each direction
  EXPECT_EQ(bytes[1], bytes[0]);
}

/// Skewing takes two halves over a link at most, where halves that go half-way round take both directions, and each of
/// the q - 1 shifts one.
TEST(CannonGraph, NoLinkHasMoreThanOneHalfAShiftAndTwoOfTheSkew) {
  for (auto const* const order : {"ijl", "jil"}) {
    auto const torus = Machine::parse("torus:4x4");
    auto const plan = plan_gemm({256, 256, 256}, torus, cannon(4, order));
    auto const transport = plan_transport(plan);
    auto const run = graph::simulate(*plan_graph(plan), torus, *transport);
    auto const half = 64 * 64 * 8 / 2 / torus.axis(0).bandwidth.value();
    EXPECT_NEAR(*std::ranges::max_element(run.link_busy), 5 * half, 1e-6 * half) << order;
  }
}

/// A block's halves take different routes to the layers, too: with one route for both the busiest link has 4.75 halves.
TEST(CannonGraph, HalvesOfCopiesForTheLayersTakeDifferentRoutes) {
  auto const torus = Machine::parse("bgp:4x4x4");
  GemmOptions options;
  options.algorithm = "cannon25";
  options.grid = {4, 4, 4};
  auto const plan = plan_gemm({2048, 2048, 2048}, torus, options);
  auto const run = graph::simulate(*plan_graph(plan), torus, *plan_transport(plan));
  auto const half = 512 * 512 * 8 / 2 / torus.axis(0).bandwidth.value();
  EXPECT_LE(*std::ranges::max_element(run.link_busy), 3 * half);
}

}  // namespace
}  // namespace allport
