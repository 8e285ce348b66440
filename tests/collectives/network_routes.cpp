// Routes of all shares to a root and from it: proven link by link, as fast as the worst cut allows.
#include "allport/collectives/network_routes.h"

#include <gtest/gtest.h>

#include <random>

#include "allport/base/error.h"

namespace allport {
namespace {

Topology one_way_network(std::mt19937& random) {
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto const compute = 2 + below(4), all = compute + below(4);
  std::vector<TopologyLink> links;
  for (Vertex a = 0; a < all; ++a)
    for (Vertex b = 0; b < all; ++b)
      if (a != b && below(3) > 0) links.push_back({a, b, BytesPerSecond(1 + below(9)), Seconds{}});
  return {"one way", compute, all - compute, std::move(links)};
}

TEST(NetworkRoutes, ReachTheOptimum) {
  std::mt19937 random(8);
  int compared = 0;
  for (int n = 0; n < 400; ++n) {
    auto const topology = one_way_network(random);
    for (auto const what : {Collective::gather, Collective::scatter}) {
      try {
        static_cast<void>(model::gather_bound(what == Collective::scatter ? topology.reversed() : topology, 1));
      } catch (Error const&) {
        continue;  // a node without a route
      }
      auto const packing = pack_routes(topology, what, 1);
      auto const proof = check_routes(packing);
      EXPECT_EQ(proof.problem, "");
      EXPECT_EQ(proof.reached, packing.report.bound.optimum);
      EXPECT_EQ(proof.height, packing.report.height);
      EXPECT_EQ(packing.report.ratio, 1);
      ++compared;
    }
  }
  EXPECT_GT(compared, 400);
}

TEST(NetworkRoutes, AreRefusedWhereTheyAreWrong) {
  auto const good = pack_routes(Topology::parse("ring:5"), Collective::gather, 0);
  EXPECT_EQ(check_routes(good).problem, "");
  auto const refused = [&](auto const& change) {
    auto bad = good;
    change(bad.routes.back());
    return check_routes(bad).problem;
  };
  EXPECT_NE(refused([](ShareRoute& r) { r.links.pop_back(); }).find("ends elsewhere"), std::string::npos);
  EXPECT_NE(refused([](ShareRoute& r) { r.links.front() = 99; }).find("no link 99"), std::string::npos);
  EXPECT_NE(refused([](ShareRoute& r) { r.parts += 1; }).find("parts of node"), std::string::npos);
  EXPECT_NE(refused([](ShareRoute& r) { r.links.push_back(r.links.front()); }).find("follow"), std::string::npos);
  EXPECT_THROW(static_cast<void>(pack_routes(Topology::parse("ring:5"), Collective::allgather, 0)), Error);
  EXPECT_THROW(static_cast<void>(pack_routes(Topology::parse("ring:5"), Collective::gather, 5)), Error);
}

}  // namespace
}  // namespace allport
