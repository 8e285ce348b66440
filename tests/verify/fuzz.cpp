// The verifier rejects every schedule that the interpreter cannot run or runs to a wrong result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "allport/verify/verify.h"
#include "schedule/judge.h"
#include "verify/samples.h"
#include "verify/spoil.h"

namespace allport::verify {
namespace {

std::int64_t near(std::int64_t x, std::mt19937_64& random) {
  constexpr std::int64_t steps[] = {-64, -24, -8, -1, 1, 8, 24, 64};
  return x + steps[random() % 8];
}

Slot& some_slot(Op& op, std::mt19937_64& random) {
  switch (op.kind) {
    case OpKind::receive:
      return op.into;
    case OpKind::send:
      return op.from;
    case OpKind::copy:
      return random() % 2 == 0 ? op.from : op.into;
    default:
      return random() % 3 == 0 ? op.from : random() % 2 == 0 ? op.with : op.into;
  }
}

// One random change of one operation, sensible or not.
void twist(Program& p, Rank ranks, std::mt19937_64& random) {
  auto const index = static_cast<std::int32_t>(random() % p.ops.size());
  auto& op = p.ops[static_cast<std::size_t>(index)];
  switch (random() % 14) {
    case 0:
      some_slot(op, random).offset = near(some_slot(op, random).offset, random);
      break;
    case 1:
      some_slot(op, random).ring = static_cast<std::int32_t>(random() % 4);
      break;
    case 2:
      some_slot(op, random).buffer = static_cast<Buffer>(random() % 4);
      break;
    case 3:
      op.length = near(op.length, random);
      break;
    case 4:
      op.segment = near(op.segment, random);
      break;
    case 5:
      op.peer = static_cast<Rank>(random() % static_cast<std::uint64_t>(ranks + 1)) - 1;
      break;
    case 6:
      op.channel = static_cast<std::int32_t>(random() % 3);
      break;
    case 7:
      if (!op.after.empty()) op.after.erase(random() % op.after.size());
      break;
    case 8:
      if (op.after.size() < Dependences::capacity) {
        op.after.add(static_cast<std::int32_t>(random() % p.ops.size()), static_cast<std::int32_t>(random() % 4) - 1);
      }
      break;
    case 9:
      if (!op.after.empty())
        (op.after.begin() + random() % op.after.size())->lag = static_cast<std::int32_t>(random() % 5) - 1;
      break;
    case 10:
      spoil::remove_op(p, index);
      break;
    case 11:
      op.piece.bytes = {near(op.piece.bytes.begin, random), near(op.piece.bytes.end, random)};
      break;
    case 12:
      op.kind = static_cast<OpKind>(random() % 4);
      break;
    case 13:
      p.scratch = near(p.scratch, random);
      break;
  }
}

struct Tally {
  int rejected = 0;
  int accepted = 0;
  int wrong = 0;  // of those rejected: the interpreter fails as well
};

void judge(samples::Sample const& s, std::uint64_t seed, Tally& tally) {
  std::mt19937_64 random(seed);
  auto all = spoil::programs(s.schedule);
  std::map<Rank, Program> changed;
  for (auto twists = 1 + random() % 2; twists > 0; --twists) {
    auto const r = static_cast<Rank>(random() % all.size());
    auto& program = all[static_cast<std::size_t>(r)];
    if (program.ops.empty()) continue;
    twist(program, s.schedule.ranks(), random);
    changed[r] = program;
  }
  auto const spoiled = spoil::replaced(s.schedule, changed);
  auto const report = prove(spoiled, s.machine);
  std::optional<std::string> failure;
  for (std::uint64_t order = 0; order < 4 && !failure; ++order) failure = hand::failure(spoiled, order);
  ASSERT_TRUE(!failure || !report.ok) << s.text() << " seed " << seed << ": accepted, but " << *failure;
  ASSERT_TRUE(report.ok || !report.findings.front().message.empty());
  ++(report.ok ? tally.accepted : tally.rejected);
  if (failure) ++tally.wrong;
}

#ifdef ALLPORT_TEST_SANITIZED
constexpr int changes = 15;
#else
constexpr int changes = 60;
#endif

// ALLPORT_FUZZ_ROUNDS=n tries n times as many changes.
TEST(Fuzz, NothingWrongIsAccepted) {
  Tally tally;
  std::uint64_t seed = 0;
  auto const* const asked = std::getenv("ALLPORT_FUZZ_ROUNDS");
  int const rounds = asked != nullptr ? std::max(1, std::atoi(asked)) : 1;
  for (auto const* spec :
       {"torus:2", "torus:4", "torus:2x2", "torus:3x2", "mesh:3x3", "torus:2x2/ppn=2", "torus:2x2x2"}) {
    auto const m = Machine::parse(spec);
    for (auto const& s : samples::registered(m, m.ranks() / 3, 832, 64, 2)) {
      for (int i = 0; i < changes * rounds; ++i) {
        judge(s, ++seed, tally);
        if (HasFatalFailure()) return;
      }
    }
  }
  for (Rank ranks : {2, 3, 5}) {
    for (auto const& s : samples::by_hand(ranks, 104, 24)) {
      for (int i = 0; i < 3 * changes * rounds; ++i) {
        judge(s, ++seed, tally);
        if (HasFatalFailure()) return;
      }
    }
  }
  // Most changes break something that shows on real bytes; some break only what timing may show; some are harmless.
  EXPECT_GT(tally.wrong, tally.rejected / 2);
  EXPECT_GT(tally.accepted, 100);
  RecordProperty("rejected", tally.rejected);
  RecordProperty("accepted", tally.accepted);
  RecordProperty("wrong", tally.wrong);
  printf("[ fuzz     ] %d rejected (%d of them wrong on real bytes), %d accepted\n", tally.rejected, tally.wrong,
         tally.accepted);
}

}  // namespace
}  // namespace allport::verify
