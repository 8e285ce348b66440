// Prices compared with simulated times, with message overheads of a rank one after the other: each algorithm with its
// best cut, and the chosen one against the best one.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "allport/select/select.h"
#include "allport/sim.h"

namespace allport {
namespace {

struct Tried {
  Candidate best;  // of one algorithm's cuts, by price
  double simulated = 0.0;

  [[nodiscard]] double ratio() const { return best.predicted.value() / simulated; }
};

std::map<std::string, Tried> tried(Machine const& machine, Choice const& choice) {
  std::map<std::string, Tried> all;
  for (auto const& c : choice.candidates) {
    if (!c.priced()) continue;
    auto const [known, first] = all.try_emplace(c.algorithm->name, Tried{c});
    if (!first && c.predicted < known->second.best.predicted) known->second.best = c;
  }
  sim::Options serial;
  serial.overheads = sim::Overheads::serial;
  for (auto& [name, t] : all) {
    t.simulated =
        sim::simulate(make_schedule(machine, choice.contract, *t.best.algorithm, t.best.cut), machine, serial).seconds;
  }
  return all;
}

/// What price / simulated may be.
struct Range {
  double least = 0.75;
  double most = 1.33;
};

Range range_of(Algorithm const& a) {
  bool const combines = a.what == Collective::reduce || a.what == Collective::allreduce;
  // Rounds are added up, though segments of one round go under those of the one before.
  if (a.name == "binomial") return {0.9, combines ? 2.0 : 1.4};
  if (a.name == "pairs") return {0.8, 1.5};
  if (a.name == "long") return {0.7, 1.35};
  if (a.what == Collective::allreduce) return {0.75, a.name == "bucket" ? 1.33 : 1.6};
  if (a.what == Collective::reduce && a.name == "mst") return {0.75, 1.42};
  if (a.what == Collective::reduce || a.what == Collective::broadcast) return {0.7, a.name == "mst2" ? 1.33 : 1.25};
  if (a.what == Collective::scatter && a.name == "mst") return {0.7, 1.33};
  // The shortest blocks go down the trees of all roots under each other's overheads; sums wait for one another.
  if (a.what == Collective::allgather && a.name != "bucket") return {0.75, 1.4};
  if (a.what == Collective::reduce_scatter) return {0.65, 1.4};
  return {};
}

class PricesSimulated : public testing::TestWithParam<std::string> {};

TEST_P(PricesSimulated, AreNearAndChooseWhatIsNearTheBest) {
  auto const machine = Machine::parse(GetParam());
  bool const levels = machine.ranks_per_node() > 1;
  int choices = 0;
  int poor = 0;
  for (auto const what :
       {Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather, Collective::allgather,
        Collective::reduce_scatter, Collective::allreduce, Collective::alltoall}) {
    for (std::int64_t const bytes : {8, 4096, 1 << 16, 1 << 18}) {
      auto const choice = choose(machine, {what, machine.ranks(), machine.ranks() / 3, bytes, 8});
      auto const all = tried(machine, choice);
      auto least = std::numeric_limits<double>::infinity();
      for (auto const& [name, t] : all) {
        least = std::min(least, t.simulated);
        auto const [low, high] = range_of(*t.best.algorithm);
        if (!levels) continue;
        EXPECT_GE(t.ratio(), low) << allport::name(what) << " " << name << " of " << bytes;
        EXPECT_LE(t.ratio(), high) << allport::name(what) << " " << name << " of " << bytes;
      }
      auto const loss = all.at(choice.best.algorithm->name).simulated / least;
      EXPECT_LE(loss, 1.45) << allport::name(what) << " of " << bytes << " by " << choice.best.algorithm->name;
      ++choices;
      poor += loss > 1.1 ? 1 : 0;
    }
  }
  EXPECT_LE(poor, choices / 5) << "choices that take over 1.1 times the best";
}

INSTANTIATE_TEST_SUITE_P(Levels, PricesSimulated,
                         testing::Values("gemini:2x2x2", "xe6:4x2x2", "gemini:4x1x2/ppn=4", "bgp:2x4/ppn=4",
                                         "torus:4x4/ppn=2", "mesh:3x3/ppn=3"));
INSTANTIATE_TEST_SUITE_P(Flat, PricesSimulated, testing::Values("torus:4x4", "mesh:4x4"));

}  // namespace
}  // namespace allport
