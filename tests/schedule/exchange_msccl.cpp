// Schedules as MSCCL XML: the contents of the files. tests/python/test_exchange.py runs them.
#include <gtest/gtest.h>

#include <sstream>

#include "allport/schedule/exchange.h"
#include "schedule/hand.h"

namespace allport {
namespace {

std::string msccl_of(Schedule const& schedule, MscclLimits const& limits = {}) {
  std::ostringstream out;
  export_msccl(schedule, out, limits);
  return out.str();
}

std::string error_of(Schedule const& schedule, MscclLimits const& limits = {},
                     ErrorKind kind = ErrorKind::unsupported) {
  std::ostringstream out;
  try {
    export_msccl(schedule, out, limits);
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    EXPECT_TRUE(out.str().empty());
    return e.what();
  }
  return "nothing was thrown";
}

bool says(std::string const& text, std::string_view what) { return text.find(what) != std::string::npos; }

TEST(Msccl, SaysWhatAProgramSays) {
  EXPECT_EQ(msccl_of(hand::chain_broadcast(3, 1, 40, 16)),
            R"(<algo name="allport_bcast_chain_root1" proto="Simple" nchannels="1" nchunksperloop="5" ngpus="3" )"
            R"(coll="broadcast" inplace="1" outofplace="0" minBytes="0" maxBytes="0">)"
            "\n"
            R"(  <gpu id="0" i_chunks="5" o_chunks="5" s_chunks="0">
    <tb id="0" send="-1" recv="2" chan="0">
      <step s="0" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="o" srcoff="2" dstbuf="o" dstoff="2" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="r" srcbuf="o" srcoff="4" dstbuf="o" dstoff="4" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="5" o_chunks="5" s_chunks="0">
    <tb id="0" send="2" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="s" srcbuf="o" srcoff="2" dstbuf="o" dstoff="2" cnt="2" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="s" srcbuf="o" srcoff="4" dstbuf="o" dstoff="4" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="2" i_chunks="5" o_chunks="5" s_chunks="0">
    <tb id="0" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="2" depid="-1" deps="-1" hasdep="1"/>
      <step s="1" type="r" srcbuf="o" srcoff="2" dstbuf="o" dstoff="2" cnt="2" depid="-1" deps="-1" hasdep="1"/>
      <step s="2" type="r" srcbuf="o" srcoff="4" dstbuf="o" dstoff="4" cnt="1" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="0" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="o" srcoff="0" dstbuf="o" dstoff="0" cnt="2" depid="0" deps="0" hasdep="0"/>
      <step s="1" type="s" srcbuf="o" srcoff="2" dstbuf="o" dstoff="2" cnt="2" depid="0" deps="1" hasdep="0"/>
      <step s="2" type="s" srcbuf="o" srcoff="4" dstbuf="o" dstoff="4" cnt="1" depid="0" deps="2" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)");
}

TEST(Msccl, SeveralDependencesTakeNops) {
  auto const text = msccl_of(hand::line_reduce(3, 72, 24, 2));
  // Rank 1 combines into a ring: it waits for what arrived and, from the third segment on, for room.
  EXPECT_TRUE(says(text, R"(type="nop" srcbuf="i" srcoff="-1" dstbuf="i" dstoff="-1" cnt="0" depid="0" deps="2")"));
  EXPECT_TRUE(
      says(text, R"(<step s="5" type="cpy" srcbuf="s" srcoff="0" dstbuf="s" dstoff="2" cnt="1" depid="2" deps="0")"))
      << text;
  EXPECT_TRUE(says(text, R"(<step s="6" type="re" srcbuf="i" srcoff="2" dstbuf="s" dstoff="2" cnt="1" depid="-1")"));
  EXPECT_TRUE(says(text, R"(coll="reduce" inplace="0" outofplace="1")"));
}

TEST(Msccl, RefusesWhatItCannotSay) {
  auto const with_contract = [](Contract const& c) { return Schedule("s", c, {8, 2}, 1, [](Rank, Program&) {}); };
  EXPECT_TRUE(says(error_of(with_contract({Collective::barrier, 4, 0, 0, 1})), "barriers"));
  EXPECT_TRUE(says(error_of(with_contract({Collective::none, 4, 0, 0, 1})), "no contract"));
  EXPECT_TRUE(says(error_of(with_contract({Collective::broadcast, 4, 0, 0, 1})), "no bytes"));
  auto const uneven = with_blocks(Collective::scatter, 2, 0, BlockTable::per_rank({3, 4}));
  EXPECT_TRUE(says(error_of(with_contract(uneven)), "differ in length"));
  auto const star = hand::star_broadcast(9, 0, 128, 8);
  EXPECT_TRUE(says(error_of(star, {.blocks = 7}), "threadblocks = 8: expected at most 7"));
  EXPECT_TRUE(says(error_of(star, {.channels = 2, .peers = 3}), "more than 2 channels of 3 peers"));
  EXPECT_TRUE(says(error_of(star, {.steps = 15}), "steps of one threadblock = 16: expected at most 15"));
  EXPECT_TRUE(says(error_of(star, {.chunks = 15}), "chunks of one buffer = 16: expected at most 15"));
  EXPECT_TRUE(says(error_of(star, {.count = 0}, ErrorKind::argument), "count = 0"));
  EXPECT_FALSE(msccl_of(star, {.channels = 2, .peers = 4, .blocks = 8, .steps = 16, .chunks = 16}).empty());
  EXPECT_TRUE(says(msccl_of(star, {.channels = 2, .peers = 4}), "chan=\"1\""));
  // Elements of 8 cut by a scratch offset of 4, and a receive without its send.
  auto const shifted = Schedule("s", {Collective::reduce, 1, 0, 8, 8}, {8, 2}, 1, [](Rank, Program& p) {
    hand::line_reduce(1, 8, 8, 2).program(0, p);
    p.ops[0].into = {Buffer::scratch, 0, 4};
    p.scratch = 12;
  });
  EXPECT_TRUE(says(error_of(shifted), "cuts elements of 8"));
  auto const deaf = Schedule("s", {Collective::broadcast, 2, 0, 8, 1}, {8, 2}, 1, [](Rank r, Program& p) {
    if (r == 1) hand::chain_broadcast(2, 0, 8, 8).program(1, p);
  });
  EXPECT_TRUE(says(error_of(deaf, {}, ErrorKind::schedule), "by nobody"));
}

}  // namespace
}  // namespace allport
