// Rank 0's environment applies to all ranks.
#include "interpose/settings.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <string>

#include "allport/machine/machine.h"
#include "interpose/world_ranks.h"

namespace allport::interpose {
namespace {

constexpr auto variables = {"ALLPORT_MACHINE", "ALLPORT_DROPIN", "ALLPORT_PIVOT", "ALLPORT_REPORT"};

class OnRanks : public testing::Test {
 protected:
  void SetUp() override {
    for (auto const* variable : variables) unsetenv(variable);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  void TearDown() override {
    for (auto const* variable : variables) unsetenv(variable);
  }

  /// Sets a variable on rank 0, and to something else on the others.
  void set(char const* variable, std::string const& value, std::string const& elsewhere) const {
    setenv(variable, (rank == 0 ? value : elsewhere).c_str(), 1);
  }

  int rank = 0;
  int ranks = 1;
};

TEST_F(OnRanks, NothingIsSet) {
  Settings const s(MPI_COMM_WORLD, variables);
  EXPECT_EQ(s.policy("ALLPORT_DROPIN"), Policy::automatic);
  EXPECT_EQ(s.report(), "");
  EXPECT_EQ(s.machine(), "");
  EXPECT_EQ(s.trouble(), "");
}

TEST_F(OnRanks, RankZerosValuesCount) {
  set("ALLPORT_DROPIN", "never", "always");
  set("ALLPORT_REPORT", "/tmp/\"quoted\"", "1");
  set("ALLPORT_MACHINE", "mesh:" + std::to_string(ranks), "torus:99");
  set("ALLPORT_PIVOT", "none", "");
  Settings const s(MPI_COMM_WORLD, variables);
  constexpr std::array<std::string_view, 3> words{"partial", "tournament", "none"};
  EXPECT_EQ(s.policy("ALLPORT_DROPIN"), Policy::never);
  EXPECT_EQ(s.word("ALLPORT_PIVOT", words), 2);
  EXPECT_EQ(s.report(), "/tmp/\"quoted\"");
  EXPECT_EQ(Machine::from_toml(s.machine()), Machine::parse("mesh:" + std::to_string(ranks)));
  EXPECT_FALSE(s.rates_are_given());
  EXPECT_EQ(s.trouble(), "");
}

TEST_F(OnRanks, WhatIsWrongIsTheDefaultOrTrouble) {
  set("ALLPORT_DROPIN", "perhaps", "never");
  set("ALLPORT_REPORT", "0", "1");
  set("ALLPORT_MACHINE", "torus:" + std::to_string(ranks + 1), "mesh:" + std::to_string(ranks));
  Settings const s(MPI_COMM_WORLD, variables);
  testing::internal::CaptureStderr();
  EXPECT_EQ(s.policy("ALLPORT_DROPIN"), Policy::automatic);
  EXPECT_EQ(s.policy("ALLPORT_DROPIN"), Policy::automatic);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            rank == 0
                ? "allport: warning: ALLPORT_DROPIN = 'perhaps': expected one of auto, always, never; auto is taken\n"
                : "");
  EXPECT_EQ(s.report(), "");
  EXPECT_EQ(s.machine(), "");
  EXPECT_NE(s.trouble().find("but MPI_COMM_WORLD has " + std::to_string(ranks)), std::string::npos) << s.trouble();
}

TEST_F(OnRanks, OfAPartItIsThePartsRankZero) {
  // The ranks in reverse: the world's last one is first.
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  setenv("ALLPORT_DROPIN", rank == ranks - 1 ? "always" : "never", 1);
  Settings const s(reversed, variables);
  EXPECT_EQ(s.policy("ALLPORT_DROPIN"), Policy::always);
  auto const whole = world_ranks(reversed);
  ASSERT_EQ(whole.size(), static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) EXPECT_EQ(whole[static_cast<std::size_t>(r)], ranks - 1 - r);
  MPI_Comm_free(&reversed);
}

}  // namespace
}  // namespace allport::interpose
