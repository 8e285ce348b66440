// The price of MPI's own collectives: timed where a calibration has it, modelled elsewhere.
#include "allport/select/mpi_price.h"

#include <gtest/gtest.h>

#include <cmath>

#include "allport/model/mpi_cost.h"

using namespace allport;

namespace {

Machine calibrated() {
  Calibration c;
  c.mpi = {{"bcast", {0, 1, 1024, 1 << 20}, {1e-5, 1e-5, 4e-5, 1e-2}}, {"barrier", {0}, {3e-5}}};
  auto const m = Machine::parse("torus:4x2");
  return {"mine", {m.axis(0), m.axis(1)}, m.rates(), 1, {}, c};
}

double price(Machine const& m, Collective what, std::int64_t bytes, Rank root = 0) {
  return mpi_price(m, {what, m.ranks(), root, bytes, 1}).value();
}

TEST(MpiPrice, LiesBetweenTheTimedSizes) {
  auto const m = calibrated();
  EXPECT_DOUBLE_EQ(price(m, Collective::broadcast, 0), 1e-5);
  EXPECT_DOUBLE_EQ(price(m, Collective::broadcast, 1024, 7), 4e-5);
  EXPECT_DOUBLE_EQ(price(m, Collective::broadcast, 32), 2e-5) << "half-way from 2^0 to 2^10: the geometric mean";
  EXPECT_DOUBLE_EQ(price(m, Collective::broadcast, 1 << 22), 4e-2) << "beyond the last in proportion";
  EXPECT_DOUBLE_EQ(price(m, Collective::barrier, 0), 3e-5);
  EXPECT_EQ(mpi_price_of(m, {Collective::broadcast, 8, 0, 5, 1}).source, PriceSource::calibrated);
  for (std::int64_t b = 1; b < 3 << 20; b = b * 3 / 2 + 1) {
    EXPECT_LE(price(m, Collective::broadcast, b - 1), price(m, Collective::broadcast, b)) << b;
  }
}

TEST(MpiPrice, IsModelledForPartsAndForWhatWasNotTimed) {
  auto const m = calibrated();
  auto const reduce = Contract{Collective::reduce, 8, 3, 4096, 8};
  EXPECT_EQ(mpi_price_of(m, reduce).source, PriceSource::modelled);
  EXPECT_EQ(mpi_price(m, reduce), model::mpi_reduce(m, 3, Bytes(4096)));
  auto const part = m.box({0, 0}, {1, 1});
  EXPECT_EQ(mpi_price_of(part, {Collective::broadcast, 4, 0, 4096, 1}).source, PriceSource::modelled);
}

/// By hand, on a ring of four whose links take a second for a byte.
TEST(MpiPrice, KnowsWhatLinksLetARowOfCallsTake) {
  auto const m = Machine("ring", {{.length = 4, .wraps = true, .bandwidth = BytesPerSecond(1)}}, {});
  auto const row = [&](Collective what, std::int64_t bytes) { return mpi_row(m, {what, 4, 0, bytes, 1}).value(); };
  // Half-way round the ring goes up; with the root going round all links of a direction carry the same.
  EXPECT_DOUBLE_EQ(row(Collective::broadcast, 8), 8 * 3 / 4.0) << "the chain: three messages over four links";
  EXPECT_DOUBLE_EQ(row(Collective::reduce, 8), 8 * 2 / 4.0) << "the tree: 1 -> 0 and 3 -> 2 go down";
  EXPECT_DOUBLE_EQ(row(Collective::allgather, 2), 2 * 3.0) << "the ring: three blocks over every link";
  EXPECT_DOUBLE_EQ(row(Collective::scatter, 4), 4 * 3 / 4.0) << "straight: one and two up, one down";
  EXPECT_DOUBLE_EQ(row(Collective::alltoall, 1), 3.0);
  EXPECT_EQ(row(Collective::barrier, 0), 0.0);
  for (auto const text : mpi_collectives()) {
    auto const what = parse_collective(text);
    auto const bytes = what == Collective::barrier ? 0 : 4096;
    auto const big = Machine::parse("torus:9x8");
    EXPECT_EQ(mpi_row(big, {what, 72, 0, bytes, 1}).value(), 0.0) << "nothing is said of so many ranks";
    auto const two = Machine::parse("torus:3x2m/ppn=2");
    auto const places = Mapping::from_list({7, 2, 0, 9, 11, 4, 1, 3, 10, 5, 8, 6});
    EXPECT_GE(mpi_row(two, {what, 12, 0, bytes, 1}, places).value(), 0.0);
    EXPECT_EQ(mpi_row(two, {what, 12, 5, bytes, 1}), mpi_row(two, {what, 12, 0, bytes, 1})) << "all roots count";
  }
}

TEST(MpiPrice, KnowsEveryCollective) {
  auto const m = Machine::parse("torus:3x2m/ppn=2");
  for (auto const text : mpi_collectives()) {
    auto const what = parse_collective(text);
    auto const t = price(m, what, what == Collective::barrier ? 0 : 4096);
    EXPECT_TRUE(std::isfinite(t) && t > 0.0) << text;
  }
}

TEST(MpiPrice, TiesAreMpis) {
  auto const choice = choose(calibrated(), {Collective::broadcast, 8, 0, 1 << 20, 1});
  auto const predicted = choice.best.predicted.value();
  auto const wins = [&](double mpi, std::optional<Seconds> ours) {
    return expect_to_win(choice, {Seconds(mpi), PriceSource::calibrated, ours});
  };
  EXPECT_FALSE(wins(predicted, {}));
  EXPECT_FALSE(wins(1.2 * predicted, {}));
  EXPECT_TRUE(wins(1.3 * predicted, {}));
  EXPECT_FALSE(wins(1.05, Seconds(1.0))) << "what was timed counts, not the prediction";
  EXPECT_TRUE(wins(1.2, Seconds(1.0)));
}

TEST(MpiPrice, FormulasAreTrustedWhereBytesWeigh) {
  auto const m = Machine::parse("torus:4x4");
  auto const wins = [&](std::int64_t bytes) {
    auto const choice = choose(m, {Collective::broadcast, 16, 0, bytes, 1});
    auto const mpi = mpi_price_of(m, choice.contract);
    EXPECT_GT(mpi.starts.value(), 0.0);
    return std::pair(expect_to_win(choice, mpi), choice.best.predicted < mpi.time);
  };
  EXPECT_EQ(wins(8), std::pair(false, true)) << "cheaper by the formulas, but all of it is starts";
  EXPECT_EQ(wins(4 << 20), std::pair(true, true));
  EXPECT_FALSE(wins(0).first);
}

TEST(MpiPrice, KnowsWhatOursTookBesideIt) {
  Calibration c;
  c.mpi = {{"bcast", {8, 1024, 1 << 20}, {1e-6, 4e-6, 1e-3}, {4e-6, 8e-6}}};
  auto const m = Machine("mine", {Machine::parse("torus:8").axis(0)}, {}, 1, {}, c);
  auto const ours = [&](std::int64_t bytes) { return mpi_price_of(m, {Collective::broadcast, 8, 0, bytes, 1}).ours; };
  EXPECT_DOUBLE_EQ(ours(0)->value(), 4e-6);
  EXPECT_DOUBLE_EQ(ours(1024)->value(), 8e-6);
  EXPECT_FALSE(ours(1025).has_value()) << "not timed: the prediction holds";
}

TEST(MpiPrice, BetweenTwoTimedSizesOursMustWinAtBoth) {
  Calibration c;
  c.mpi = {{"bcast", {8, 1024, 16384, 65536}, {1e-6, 4e-6, 2e-5, 8e-5}, {4e-6, 2e-6, 3e-5, 4e-5}}};
  auto const m = Machine("mine", {Machine::parse("torus:8").axis(0)}, {}, 1, {}, c);
  auto const taken = [&](std::int64_t bytes) {
    auto const choice = choose(m, {Collective::broadcast, 8, 0, bytes, 1});
    auto const mpi = mpi_price_of(m, choice.contract);
    return std::pair(expect_to_win(choice, mpi), *mpi.ours < mpi.time);
  };
  EXPECT_EQ(taken(1024), std::pair(true, true));
  EXPECT_EQ(taken(2048), std::pair(false, true)) << "the way between says so, but not its end";
  EXPECT_EQ(taken(512).first, false);
  EXPECT_EQ(taken(65536), std::pair(true, true));
  EXPECT_EQ(taken(60000), std::pair(false, true));
  EXPECT_EQ(taken(0).first, false);
}

TEST(MpiPrice, RefusesAContractOfAnotherMachine) {
  EXPECT_THROW((void)mpi_price(calibrated(), {Collective::broadcast, 7, 0, 1, 1}), Error);
  EXPECT_THROW((void)mpi_price(calibrated(), {Collective::broadcast, 8, 8, 1, 1}), Error);
}

}  // namespace
