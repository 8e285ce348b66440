// Every contribution that is seeded twice or left out is found, with the rank to blame.
#include "verify/faults.h"

namespace allport::verify {
namespace {

bool sums_a_child(Rank, std::int32_t, Op const& op) { return op.kind == OpKind::combine; }

TEST(Mutations, OwnContributionTwice) {
  expect_caught_at(
      sums_a_child,
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        if (op.from.buffer == Buffer::input) {
          op.with = op.from;
        } else if (here.s.schedule.contract().what != Collective::reduce_scatter) {
          op.from = {Buffer::input, 0, op.piece.bytes.begin};
        } else {
          return {};
        }
        return here.fault({here.p.rank}, {Kind::contribution}, {here.p.rank});
      },
      true, 200);
}

TEST(Mutations, ChildTwice) {
  expect_caught_at(
      sums_a_child,
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        op.with = op.from;
        return here.fault({here.p.rank}, {Kind::contribution}, {here.p.rank});
      },
      true, 200);
}

TEST(Mutations, ContributionLeftOut) {
  expect_caught_at(
      sums_a_child,
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        // Drops what was summed so far (the rank's own input, and earlier children), or the child.
        bool const child = here.random() % 2 == 0;
        std::set<Rank> culprits{here.p.rank};
        if (child) op.from = op.with;
        op.kind = OpKind::copy;
        op.with = {};
        if (child && op.from == op.into) return {};  // a copy onto itself: nothing written, also left out, but by name
        // An allreduce that starts with what a neighbour already has also delivers that twice.
        if (here.s.schedule.contract().what == Collective::allreduce) {
          return here.fault({here.p.rank}, {Kind::contribution, Kind::doubled}, {here.p.rank, here.p.rank + 1});
        }
        return here.fault({here.p.rank}, {Kind::contribution}, culprits);
      },
      true, 150);
}

}  // namespace
}  // namespace allport::verify
