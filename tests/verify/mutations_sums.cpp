// Every contribution that is seeded twice or left out is found, with the rank to blame.
#include "verify/faults.h"

namespace allport::verify {
namespace {

bool sums_a_child(Rank, std::int32_t, Op const& op) { return op.kind == OpKind::combine; }

TEST(Mutations, OwnContributionTwice) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, sums_a_child);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        if (op.from.buffer == Buffer::input) {
          op.with = op.from;
        } else if (s.schedule.contract().what != Collective::reduce_scatter) {
          op.from = {Buffer::input, 0, op.piece.bytes.begin};
        } else {
          return {};
        }
        return fault(s, all, {p.rank}, {Kind::contribution}, {p.rank});
      },
      true, 200);
}

TEST(Mutations, ChildTwice) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, sums_a_child);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        op.with = op.from;
        return fault(s, all, {p.rank}, {Kind::contribution}, {p.rank});
      },
      true, 200);
}

TEST(Mutations, ContributionLeftOut) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const p = spoil::pick(all, random, sums_a_child);
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        // Drops what was summed so far (the rank's own input, and earlier children), or the child.
        bool const child = random() % 2 == 0;
        std::set<Rank> culprits{p.rank};
        if (child) op.from = op.with;
        op.kind = OpKind::copy;
        op.with = {};
        if (child && op.from == op.into) return {};  // a copy onto itself: nothing written, also left out, but by name
        // An allreduce that starts with what a neighbour already has also delivers that twice.
        if (s.schedule.contract().what == Collective::allreduce) {
          return fault(s, all, {p.rank}, {Kind::contribution, Kind::doubled}, {p.rank, p.rank + 1});
        }
        return fault(s, all, {p.rank}, {Kind::contribution}, culprits);
      },
      true, 150);
}

}  // namespace
}  // namespace allport::verify
