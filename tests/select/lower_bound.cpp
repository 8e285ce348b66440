// No price below the lower bound: every algorithm of the library, at every cut that is tried, on boxes of all small
// shapes, machines whose axes or links differ, machines with levels, and ranks that form no box.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "allport/select/scattered.h"
#include "allport/select/select.h"
#include "allport/verify/bound.h"
#include "collectives/machines.h"

namespace allport {
namespace {

constexpr Collective every_collective[] = {Collective::broadcast, Collective::reduce,    Collective::scatter,
                                           Collective::gather,    Collective::allgather, Collective::reduce_scatter,
                                           Collective::allreduce, Collective::alltoall,  Collective::barrier};
constexpr std::int64_t sizes[] = {0, 1, 8, 1000, 64 << 10, 1 << 20, 64 << 20};

/// The worst price of each algorithm, as a share of its bound, with the case that gave it.
class Worst {
 public:
  void meet(Choice const& choice, Seconds bound, std::string const& where) {
    for (auto const& c : choice.candidates) {
      if (!c.priced()) continue;
      ++met_;
      auto const share = c.predicted.value() / bound.value();
      if (share >= 1.0 - 1e-9) continue;
      auto& [least, text] = below_[fmt::format("{} {}", name(choice.contract.what), c.algorithm->name)];
      if (!text.empty() && share >= least) continue;
      least = share;
      text = fmt::format("{:.3f} of the bound on {}, {} bytes, root {}, segment {}", share, where,
                         choice.contract.bytes, choice.contract.root, c.cut.segment);
    }
  }
  void expect_none() const {
    EXPECT_GT(met_, 0);
    for (auto const& [what, worst] : below_) ADD_FAILURE() << what << " is priced at " << worst.second;
  }

 private:
  std::int64_t met_ = 0;
  std::map<std::string, std::pair<double, std::string>> below_;
};

std::vector<Contract> contracts(Rank ranks) {
  std::vector<Contract> all;
  for (auto const what : every_collective) {
    for (auto const bytes : sizes) {
      auto const element = combines(what) && bytes % 8 == 0 ? 8 : 1;
      if ((what == Collective::barrier) != (bytes == 0)) continue;
      if (std::int64_t{bytes} * ranks > std::int64_t{1} << 40) continue;
      bool const rooted = what != Collective::barrier;
      for (Rank const root : {0, ranks / 3, ranks - 1}) {
        if (root == 0 || (rooted && ranks > 1)) all.push_back({what, ranks, root, bytes, element});
      }
    }
  }
  return all;
}

void meet_all(Machine const& machine, std::string const& where, Worst& worst) {
  for (auto const& contract : contracts(machine.ranks())) {
    if (auto const bound = lower_bound(machine, contract)) worst.meet(choose(machine, contract), *bound, where);
  }
}

/// All boxes of one to three axes of lengths 1 to 4, every axis open or wrapped.
std::vector<std::string> boxes() {
  std::vector<std::string> axes;
  for (int length = 1; length <= 4; ++length) {
    axes.push_back(fmt::format("{}", length));
    if (length > 1) axes.push_back(fmt::format("{}m", length));
  }
  std::vector<std::string> all;
  for (auto const& x : axes) {
    all.push_back("torus:" + x);
    for (auto const& y : axes) {
      all.push_back(fmt::format("bgp:{}x{}x1", x, y));
      for (auto const& z : axes) all.push_back(fmt::format("gemini:{}x{}x{}/ppn=1", x, y, z));
    }
  }
  return all;
}

TEST(LowerBound, OfNoPriceIsHigherOnSmallBoxes) {
  Worst worst;
  for (auto const& spec : boxes()) meet_all(Machine::parse(spec), spec, worst);
  worst.expect_none();
}

class PricesOn : public testing::TestWithParam<std::string> {};

TEST_P(PricesOn, AreNotBelowTheLowerBound) {
  Worst worst;
  meet_all(Machine::parse(GetParam()), GetParam(), worst);
  worst.expect_none();
}

INSTANTIATE_TEST_SUITE_P(Small, PricesOn, testing::ValuesIn([] {
                           std::vector<std::string> some;
                           for (auto const& spec : test::small_machines()) {
                             if (Machine::parse(spec).nodes() > 1) some.push_back(spec);
                           }
                           return some;
                         }()));
INSTANTIATE_TEST_SUITE_P(Large, PricesOn, testing::ValuesIn(test::large_machines()));
INSTANTIATE_TEST_SUITE_P(Presets, PricesOn,
                         testing::Values("bgp:8x8x8", "xe6:4x4x4", "gemini:4x3x5", "gemini:3x2x4/ppn=8", "exascale",
                                         "laptop"));

/// Rates in which something other than the links may bind.
std::vector<Machine> machines_with_other_limits() {
  auto const sound = Machine::parse("torus:4x3");
  std::vector<Axis> const axes = {sound.axis(0), sound.axis(1)};
  auto const with = [&](auto&& change) {
    auto rates = sound.rates();
    change(rates);
    return rates;
  };
  auto const link = sound.axis(0).bandwidth;
  auto const capped = with([&](NodeRates& r) { r.injection = 1.5 * link; });
  Levels const hosts({{"host", 2, 0.5 * link, Seconds(3e-6), 0.75 * link}, {"core", 3, {}, {}, {}}});
  return {Machine("one port", axes, with([](NodeRates& r) { r.ports = 1; })),
          Machine("two ports", axes, with([](NodeRates& r) { r.ports = 2; })),
          Machine("injection", axes, capped),
          Machine("injection of hosts", axes, capped, hosts),
          Machine("serial", axes, with([](NodeRates& r) { r.tau = 1.0; })),
          Machine("one slow link", axes, sound.rates(), 1,
                  {{.node = 5, .out = port(0, 1), .bandwidth = 0.1 * link, .latency = Seconds(9e-6)}}),
          Machine("one fast link", axes, sound.rates(), 1,
                  {{.node = 5, .out = port(0, 1), .bandwidth = 10.0 * link, .latency = Seconds(1e-9)}}),
          Machine("one dead link", axes, sound.rates(), 2, {{.node = 5, .out = port(0, 1), .dead = true}}),
          Machine("a dead node's link", axes, capped, 2,
                  {{.node = 0, .out = port(0, 1), .dead = true}, {.node = 1, .out = port(0, -1), .dead = true}})};
}

TEST(LowerBound, OfNoPriceIsHigherWhereLinksDifferOrNodesAreLimited) {
  Worst worst;
  for (auto const& machine : machines_with_other_limits()) meet_all(machine, machine.name(), worst);
  worst.expect_none();
}

}  // namespace
}  // namespace allport
