// A program's own algorithm under selection: proven, priced, explained.
#include <gtest/gtest.h>

#include <cmath>

#include "allport/select/mpi_price.h"
#include "allport/select/select.h"
#include "allport/verify/verify.h"

namespace allport {
namespace {

Machine square() { return Machine::parse("torus:4x4"); }
Contract const from_five{Collective::broadcast, 16, 5, 1 << 16, 1};

/// The line of the library under another name, so that it is right wherever it is made. Not in the registry, which
/// would keep it for the other tests of this program; selection is told of it by `among`.
Algorithm copied(std::string name) {
  Algorithm a;
  a.what = Collective::broadcast;
  a.name = std::move(name);
  a.why_not = [](Machine const&, Contract const&) { return std::nullopt; };
  a.make = [](Machine const& m, Contract const& c, Cut cut) { return make_schedule(m, c, "line", cut); };
  return a;
}

TEST(RegisteredChoice, WithoutAPriceIsTakenOnlyByName) {
  auto const machine = square();
  auto const unpriced = copied("unpriced");
  auto among = library_algorithms();
  among.push_back(&unpriced);
  auto const free = choose(machine, from_five, {.among = among});
  EXPECT_NE(free.best.algorithm->name, "unpriced");
  EXPECT_NE(explain(free).find("unpriced     cannot: it has no price"), std::string::npos) << explain(free);

  auto const asked = choose(machine, from_five, {.algorithm = "unpriced", .among = among});
  EXPECT_EQ(asked.best.algorithm->name, "unpriced");
  EXPECT_FALSE(asked.best.priced());
  EXPECT_EQ(asked.best.cut.segment, Cut{}.segment);
  EXPECT_NE(explain(asked).find("no price"), std::string::npos) << explain(asked);
  EXPECT_NE(to_json(asked).find("\"predicted_s\": null"), std::string::npos) << to_json(asked);
  EXPECT_FALSE(expect_to_win(asked, MpiPrice{Seconds(1.0), PriceSource::modelled, {}, {}}));
  auto const cut = choose(machine, from_five, {.algorithm = "unpriced", .segments = {4096, 1024}, .among = among});
  EXPECT_EQ(cut.best.cut.segment, 4096);
  EXPECT_EQ(cut.candidates.size(), 1U);

  EXPECT_TRUE(verify::prove(make_schedule(machine, asked), machine).ok);
}

TEST(RegisteredChoice, WithAPriceCompetes) {
  auto const machine = square();
  auto cheap = copied("cheap");
  cheap.price = [](Machine const&, Contract const& c, Cut) { return Seconds(c.bytes > 0 ? 1e-12 : 0.0); };
  auto among = library_algorithms();
  among.push_back(&cheap);
  EXPECT_EQ(choose(machine, from_five, {.among = among}).best.algorithm, &cheap);
  EXPECT_NE(choose(machine, from_five).best.algorithm, &cheap) << "it is not registered";
  // Of equal prices the first is taken.
  EXPECT_EQ(choose(machine, {Collective::broadcast, 16, 5, 0, 1}, {.among = among}).best.algorithm, among.front());
}

TEST(RegisteredChoice, RefusesPricesThatAreNoTimes) {
  auto const machine = square();
  for (auto const wrong : {std::nan(""), -1.0, HUGE_VAL}) {
    auto bad = copied("badly_priced");
    bad.price = [wrong](Machine const&, Contract const&, Cut) { return Seconds(wrong); };
    try {
      (void)choose(machine, from_five, {.among = AlgorithmList{&bad}});
      ADD_FAILURE() << "a price of " << wrong << " was taken";
    } catch (Error const& error) {
      EXPECT_NE(std::string(error.what()).find("badly_priced"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace allport
