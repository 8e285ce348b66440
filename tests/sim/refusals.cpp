// The simulator's errors and their messages.
#include <gtest/gtest.h>

#include <string>

#include "allport/collectives/registry.h"
#include "allport/sim.h"
#include "sim/messages.h"

namespace allport::sim {
namespace {

TEST(Refusals, OfBadSchedulesAndOptionsSayWhatIsWrong) {
  auto const m = ring(8);
  auto const expect = [&](Schedule const& s, Options const& o, std::string const& words) {
    try {
      (void)simulate(s, m, o);
      ADD_FAILURE() << "no error: " << words;
    } catch (Error const& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  };
  Contract none;
  none.what = Collective::none;
  none.ranks = 8;
  auto const alone = Schedule("test", none, {}, 1, [](Rank r, Program& p) {
    if (r != 0) return;
    Op op;
    op.kind = OpKind::send;
    op.peer = 1;
    op.length = op.segment = p.scratch = 8;
    op.from = {Buffer::scratch, 0, 0};
    p.ops.push_back(op);
  });
  expect(alone, {}, "received by nobody");
  auto const circle = Schedule("test", none, {}, 1, [](Rank r, Program& p) {
    if (r > 1) return;
    for (auto const kind : {OpKind::receive, OpKind::send}) {
      Op op;
      op.kind = kind;
      op.peer = 1 - r;
      op.length = op.segment = p.scratch = 8;
      op.from = op.into = {Buffer::scratch, 0, 0};
      if (kind == OpKind::send) op.after.add(0);
      p.ops.push_back(op);
    }
  });
  Options events;
  events.engine = Engine::events;
  expect(circle, events, "stops");
  expect(circle, {}, "waits for itself");
  Options o;
  o.placement = {0, 1};
  expect(messages(8, {{0, 1, 8}}), o, "placement");
  o.places = {0, 1};
  expect(messages(2, {{0, 1, 8}}), o, "places");
  o.placement.clear();
  expect(messages(8, {{0, 1, 8}}), o, "places");
  o.places = {0, 8};
  expect(messages(2, {{0, 1, 8}}), o, "places");
  o = {};
  o.eager = -1;
  expect(messages(8, {{0, 1, 8}}), o, "eager");
  expect(messages(4, {{0, 1, 8}}), {}, "schedule.ranks()");
}

TEST(Refusals, WhatWouldTakeTooLongIsRefusedWithTheSegmentsThatWouldNot) {
  auto const m = torus({16, 16, 16});
  Contract c;
  c.ranks = m.ranks();
  c.bytes = 64 << 20;
  Options o;
  o.most_seconds = 0.5;
  auto const refused = [&](char const* algorithm, std::int64_t segment) {
    try {
      (void)simulate(make_schedule(m, c, algorithm, {segment, 2}), m, o);
    } catch (Error const& e) {
      EXPECT_EQ(e.kind(), ErrorKind::unsupported);
      return std::string(e.what());
    }
    return std::string();
  };
  auto const text = refused("binomial", 1024);
  // 4095 sends of 65536 segments, over 2.1 links each on average.
  for (auto const* part : {"segment = 1KiB", "573 million segment hops", "pass --segment ", "--force"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  auto const found = text.find("--segment ") + 10;
  auto const kib = std::stol(text.substr(found)) *
                   (text.compare(text.find_first_not_of("0123456789", found), 3, "MiB") == 0 ? 1024 : 1);
  EXPECT_EQ(refused("binomial", kib * 1024), "");
  EXPECT_NE(refused("binomial", kib * 512), "");
  EXPECT_NE(refused("rectangular", 512), "");
  o.most_seconds = 1e-9;
  EXPECT_NE(refused("binomial", c.bytes).find("whole messages still are"), std::string::npos);
}

}  // namespace
}  // namespace allport::sim
