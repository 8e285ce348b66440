// The drop-ins' report on several ranks, as text and as JSON.
#include "interpose/report.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "interpose/decide.h"
#include "interpose/enter.h"

namespace allport::interpose {
namespace {

int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int ranks() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks;
}

TEST(Report, SumsOverRanksOnRankZero) {
  Report report;
  // Rank r: r + 1 calls of 100 bytes in 2 s, of which the bound is 0.5 s; one more without a bound.
  for (int i = 0; i <= rank(); ++i) report.count_taken("PDGEMM", {"summa", 100, Seconds(0.5)}, 2.0);
  report.count_taken("PDGEMM", {"scaling", 10, {}}, 1.0);
  report.count_passed_on("PDGEMM", rank() % 2 == 0 ? "too small" : "a wrong argument", 0.25);
  report.count_growth("PDGESV", 3.0 + rank());
  report.count_growth("PDGESV", std::numeric_limits<double>::infinity());
  report.count_inner("PDGESV");
  auto const table = report.sum(MPI_COMM_WORLD);
  if (rank() != 0) {
    EXPECT_TRUE(table.empty());
    return;
  }
  auto const n = ranks();
  auto const calls = n * (n + 1) / 2;
  auto const json = to_json(table);
  auto const& gemm = json.at("PDGEMM");
  EXPECT_EQ(gemm["taken"], calls + n);
  EXPECT_EQ(gemm["how"]["summa"], calls);
  EXPECT_EQ(gemm["how"]["scaling"], n);
  EXPECT_EQ(gemm["bytes"], 100 * calls + 10 * n);
  EXPECT_DOUBLE_EQ(gemm["seconds"], 2.0 * calls + n);
  EXPECT_EQ(gemm["passed_on"], n);
  EXPECT_EQ(gemm["reasons"]["too small"], (n + 1) / 2);
  EXPECT_DOUBLE_EQ(gemm["passed_on_seconds"], 0.25 * n);
  EXPECT_EQ(gemm["bounded_calls"], calls);
  EXPECT_DOUBLE_EQ(gemm["bound_seconds"], 0.5 * calls);
  EXPECT_DOUBLE_EQ(gemm["of_bound"], 0.25) << "of the calls whose bound is known";
  EXPECT_FALSE(gemm.contains("largest_growth"));
  EXPECT_EQ(json.at("PDGESV")["largest_growth"], 2.0 + n);
  EXPECT_EQ(json.at("PDGESV")["inside_scalapack"], n);
  EXPECT_FALSE(json.at("PDGESV").contains("of_bound"));
  auto const all = total(table);
  EXPECT_EQ(all.taken, calls + n);
  EXPECT_EQ(all.passed_on(), n);
  EXPECT_EQ(all.inner, n);
}

TEST(Report, TellsInWordsWhatItKnows) {
  Report report;
  report.count_taken("MPI_Bcast", {{}, 800, Seconds(0.001)}, 0.004);
  EXPECT_NE(in_words(report.sum(MPI_COMM_SELF)).find("lower bound 0.001000 s: 0.25 of the bound"), std::string::npos);
  report.count_taken("MPI_Bcast", {{}, 8, {}}, 1.0);
  report.count_passed_on("MPI_Bcast", "a reason", 0.5);
  auto const words = in_words(report.sum(MPI_COMM_SELF));
  EXPECT_NE(words.find("lower bound for 1 of them 0.001000 s: 0.25 of the bound"), std::string::npos) << words;
  EXPECT_NE(words.find("1 x passed on: a reason"), std::string::npos) << words;
  EXPECT_EQ(words.find("inside"), std::string::npos) << words;
  report.count_taken("MPI_Gather", {{}, 800, Seconds(0.001)}, 0.5);
  EXPECT_NE(in_words(report.sum(MPI_COMM_SELF)).find("lower bound 0.001000 s: less than 0.05 of the bound"),
            std::string::npos);
}

TEST(Enter, TakesCountsAndPassesOn) {
  Report report;
  std::string seen;
  auto const call = [&](Outcome const& outcome, bool counts) {
    seen.clear();
    enter(
        {report, "F", counts}, [&] { return outcome; }, [&](Outcome const& o) { seen = "passed on: " + o.why_not; },
        [&](char const* text) { seen = text; });
    return seen;
  };
  EXPECT_EQ(call({{}, {"line", 4, {}}, false}, true), "");
  EXPECT_EQ(call({{}, {}, true}, true), "") << "counted later";
  EXPECT_EQ(call(passed_on("slow"), true), "passed on: slow");
  EXPECT_EQ(call(passed_on("slow"), false), "passed on: slow") << "by another process";
  enter(
      {report, "F", true}, []() -> Outcome { throw Error(ErrorKind::memory, "no memory"); },
      [&](Outcome const&) { seen = "passed on"; }, [&](char const* text) { seen = text; });
  EXPECT_EQ(seen, "no memory");
  auto const table = report.sum(MPI_COMM_SELF);
  EXPECT_EQ(table.at("F").taken, 1);
  EXPECT_EQ(table.at("F").passed_on(), 1);
}

TEST(Decide, AsksOnlyWhatThePolicyAsks) {
  std::string asked;
  auto const decided = [&](Policy policy, bool hopeless, bool loses) {
    asked.clear();
    auto const made = decide(
        policy, [&] { return asked += "h", std::string(hopeless ? "hopeless" : ""); }, [&] { return asked += "p", 7; },
        [&](int) { return asked += "l", std::string(loses ? "slower" : ""); });
    EXPECT_EQ(made.plan.has_value(), made.why_not.empty());
    return asked + " " + made.why_not;
  };
  EXPECT_EQ(decided(Policy::automatic, false, false), "hpl ");
  EXPECT_EQ(decided(Policy::automatic, false, true), "hpl slower");
  EXPECT_EQ(decided(Policy::automatic, true, true), "h hopeless");
  EXPECT_EQ(decided(Policy::always, true, true), "p ");
  auto const cannot = decide(
      Policy::always, [] { return std::string(); }, []() -> int { throw Error(ErrorKind::memory, "no memory"); },
      [](int) { return std::string(); });
  EXPECT_EQ(cannot.why_not, "no memory");
  EXPECT_FALSE(cannot.plan);
}

}  // namespace
}  // namespace allport::interpose
