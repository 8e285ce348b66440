#include "allport/schedule/interpreter.h"

#include <gtest/gtest.h>

#include "schedule/hand.h"

namespace allport {
namespace {

std::byte pattern(Rank r, std::int64_t i) { return static_cast<std::byte>((r * 131 + i * 7 + i / 256) & 0xff); }

void add_words(std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += 8) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::memcpy(&a, left + i, 8);
    std::memcpy(&b, right + i, 8);
    a += b;
    std::memcpy(out + i, &a, 8);
  }
}

std::vector<RankBuffers> buffers(Contract const& c) {
  std::vector<RankBuffers> all(static_cast<std::size_t>(c.ranks));
  for (Rank r = 0; r < c.ranks; ++r) {
    auto& b = all[static_cast<std::size_t>(r)];
    b.input.resize(static_cast<std::size_t>(c.input_bytes(r)));
    b.output.resize(static_cast<std::size_t>(c.output_bytes(r)), std::byte{0xEE});
    for (std::size_t i = 0; i < b.input.size(); ++i) b.input[i] = pattern(r, static_cast<std::int64_t>(i));
  }
  return all;
}

void check_broadcast(Schedule const& s, std::uint64_t seed) {
  auto const& c = s.contract();
  auto all = buffers(c);
  auto& root = all[static_cast<std::size_t>(c.root)].output;
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = pattern(c.root, static_cast<std::int64_t>(i));
  auto const expected = root;
  interpret(s, all, {}, seed);
  for (auto const& b : all) ASSERT_EQ(b.output, expected) << s.algorithm() << " " << c.ranks << " root " << c.root;
}

TEST(Interpreter, BroadcastsArriveForAnyRanksRootSizeAndOrder) {
  for (Rank ranks : {1, 2, 3, 5, 7, 12, 16}) {
    for (Rank root : {0, ranks / 2, ranks - 1}) {
      for (std::int64_t bytes : {0, 1, 63, 64, 65, 1000}) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
          check_broadcast(hand::chain_broadcast(ranks, root, bytes, 64), seed);
          check_broadcast(hand::star_broadcast(ranks, root, bytes, 64), seed);
        }
      }
    }
  }
}

TEST(Interpreter, LineReductionThroughRings) {
  for (Rank ranks : {1, 2, 3, 7, 16}) {
    for (int window : {1, 2, 3}) {
      for (std::int64_t elements : {0, 1, 8, 9, 100}) {
        auto const s = hand::line_reduce(ranks, 8 * elements, 64, window);
        auto all = buffers(s.contract());
        std::vector<std::uint64_t> expected(static_cast<std::size_t>(elements), 0);
        for (auto const& b : all) {
          for (std::int64_t i = 0; i < elements; ++i) {
            std::uint64_t x = 0;
            std::memcpy(&x, b.input.data() + 8 * i, 8);
            expected[static_cast<std::size_t>(i)] += x;
          }
        }
        interpret(s, all, add_words, static_cast<std::uint64_t>(ranks));
        ASSERT_TRUE(elements == 0 ||
                    std::memcmp(all[0].output.data(), expected.data(), static_cast<std::size_t>(8 * elements)) == 0);
      }
    }
  }
}

// Breaks one thing of rank 1's program and expects an Error whose text holds all the given words.
void expect_failure(Schedule const& good, std::function<void(Program&)> const& spoil, std::vector<std::string> words) {
  Schedule const bad("spoiled", good.contract(), good.cut(), 1, [&](Rank r, Program& p) {
    good.program(r, p);
    if (r == 1) spoil(p);
  });
  auto all = buffers(good.contract());
  try {
    interpret(bad, all, add_words);
    FAIL() << "expected an error with " << words.front();
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::schedule);
    for (auto const& w : words) EXPECT_NE(std::string(e.what()).find(w), std::string::npos) << e.what();
  }
}

TEST(Interpreter, NamesWhatIsWrong) {
  auto const chain = hand::chain_broadcast(4, 0, 1000, 64);
  expect_failure(chain, [](Program& p) { p.ops[1].peer = 3; }, {"rank 2 operation 0", "no send at the other end"});
  expect_failure(chain, [](Program& p) { p.ops[1].after.add(1, 0); }, {"rank 1", "stalls at segment 0", "waits for"});
  expect_failure(chain, [](Program& p) { p.ops[0].into.offset = 8; },
                 {"rank 1", "[968, 1008) of output, which has 1000"});
  expect_failure(chain, [](Program& p) { p.ops[0].segment = p.ops[1].segment = 32; }, {"rank 1", "by 32", "by 64"});
  expect_failure(chain, [](Program& p) { p.ops[1].after.add(9, 0); }, {"waits for operation 9"});
  expect_failure(chain, [](Program& p) { p.ops[1].from.buffer = Buffer::none; }, {"no buffer"});
  expect_failure(chain, [](Program& p) { p.ops.clear(); }, {"no send at the other end"});
  expect_failure(chain, [](Program& p) { p.ops[0].length = 0; }, {"has length 0"});
  auto const line = hand::line_reduce(4, 640, 64, 2);
  expect_failure(line, [](Program& p) { p.ops[1].into.buffer = Buffer::input; },
                 {"rank 1", "writes the caller's input"});
}

TEST(Interpreter, ChecksBuffers) {
  auto const s = hand::chain_broadcast(3, 0, 100, 64);
  std::vector<RankBuffers> few(2);
  EXPECT_THROW(interpret(s, few), Error);
  std::vector<RankBuffers> small(3);
  EXPECT_THROW(interpret(s, small), Error);
}

TEST(Schedule, HasProgramsOfItsRanksOnly) {
  auto const s = hand::chain_broadcast(3, 0, 100, 64);
  Program program;
  EXPECT_THROW(s.program(-1, program), Error);
  EXPECT_THROW(s.program(3, program), Error);
}

}  // namespace
}  // namespace allport
