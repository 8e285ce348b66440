// Seeds faults into correct schedules and checks that the verifier reports them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>

#include "allport/verify/verify.h"
#include "schedule/judge.h"
#include "verify/samples.h"
#include "verify/spoil.h"

namespace allport::verify {

using spoil::find_op;
using spoil::Pick;

/// A spoiled schedule and what the first finding must say.
struct Fault {
  Schedule schedule;
  std::set<Kind> kinds;
  std::set<Rank> ranks;
  Machine machine;
};

/// Places in each schedule at which a fault is sown: one, and more in the long suite.
inline int seeds() {
  auto const* const asked = std::getenv("ALLPORT_TEST_SEEDS");
  return asked != nullptr ? std::max(1, std::atoi(asked)) : 1;
}

/// Whether nothing can be left out unnoticed. A long broadcast sends the root again what it has, and the tokens of a
/// barrier are all alike, so a fault there may do no harm.
inline bool all_counts(samples::Sample const& s) {
  auto const& name = s.schedule.algorithm();
  return s.schedule.contract().what != Collective::barrier && name != "long" && name != "scatter_allgather";
}

/// @param sow  (Sample, random) -> one fault; nothing where the schedule has no place for it
/// @param real the interpreter must fail as well (a race only may)
template <class Sow>
void expect_caught(Sow const& sow, bool real, int at_least) {
  int sown = 0;
  auto const places = static_cast<std::uint64_t>(seeds());
  for (auto const& m : samples::machines()) {
    for (Rank root : {0, m.ranks() / 2}) {
      for (auto const& [bytes, segment] : {std::pair<std::int64_t, std::int64_t>{4096, 136}, {960, 4096}}) {
        auto all = samples::registered(m, root, bytes, segment, 2);
        if (root == 0) {
          for (auto const& by_hand : samples::by_hand(m.ranks(), bytes, segment)) all.push_back(by_hand);
        }
        for (auto const& sample : all) {
          if (!all_counts(sample)) continue;
          for (std::uint64_t seed = 0; seed < places; ++seed) {
            std::mt19937_64 random(seed * 7919 + static_cast<std::uint64_t>(root));
            auto const fault = sow(sample, random);
            if (!fault) continue;
            ++sown;
            auto const report = prove(fault->schedule, fault->machine, {.disjoint = sample.schedule.trees() > 1});
            ASSERT_FALSE(report.ok) << sample.text() << " seed " << seed;
            auto const& first = report.findings.front();
            ASSERT_TRUE(fault->kinds.contains(first.kind)) << sample.text() << "\n" << to_text(report);
            ASSERT_TRUE(fault->ranks.contains(first.rank)) << sample.text() << "\n" << to_text(report);
            ASSERT_TRUE(!real || hand::failure(fault->schedule, seed).has_value()) << sample.text();
          }
        }
      }
    }
  }
  EXPECT_GE(sown, at_least * seeds() / 2);  // at_least is of two
  ::testing::Test::RecordProperty("sown", sown);
}

inline bool broadcasts(samples::Sample const& s) { return s.schedule.contract().what == Collective::broadcast; }

inline bool is_receive(Rank, std::int32_t, Op const& op) { return op.kind == OpKind::receive; }
inline bool is_send(Rank, std::int32_t, Op const& op) { return op.kind == OpKind::send; }

/// A schedule with the programs of `changed` taken from `all`.
inline Fault fault(samples::Sample const& s, std::vector<Program> const& all, std::set<Rank> const& changed,
                   std::set<Kind> kinds, std::set<Rank> ranks) {
  std::map<Rank, Program> programs;
  for (auto const r : changed) programs[r] = all[static_cast<std::size_t>(r)];
  return {spoil::replaced(s.schedule, programs), std::move(kinds), std::move(ranks), s.machine};
}

inline Op& at(std::vector<Program>& all, Pick p) {
  return all[static_cast<std::size_t>(p.rank)].ops[static_cast<std::size_t>(p.op)];
}

/// An operation of a schedule that is to be spoiled.
struct Place {
  samples::Sample const& s;
  std::mt19937_64& random;
  std::vector<Program> all;
  Pick p;

  [[nodiscard]] Op& op() { return at(all, p); }
  [[nodiscard]] Fault fault(std::set<Rank> const& changed, std::set<Kind> kinds, std::set<Rank> ranks) const {
    return verify::fault(s, all, changed, std::move(kinds), std::move(ranks));
  }
};

/// Sows at one operation of those that `wanted` picks: sow(Place&).
template <class Wanted, class Sow>
void expect_caught_at(Wanted const& wanted, Sow const& sow, bool real, int at_least) {
  expect_caught(
      [&](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        Place here{s, random, spoil::programs(s.schedule), {}};
        here.p = spoil::pick(here.all, random, wanted);
        if (here.p.rank < 0) return {};
        return sow(here);
      },
      real, at_least);
}

}  // namespace allport::verify
