// Every seeded fault in streams, places and order is caught, with the right kind and rank.
#include "verify/faults.h"

namespace allport::verify {
namespace {

TEST(Mutations, LostStream) {
  expect_caught_at(
      is_receive,
      [](Place& here) -> std::optional<Fault> {
        if (!broadcasts(here.s)) return {};
        auto const op = here.op();
        spoil::remove_op(here.all[static_cast<std::size_t>(here.p.rank)], here.p.op);
        auto& parent = here.all[static_cast<std::size_t>(op.peer)];
        spoil::remove_op(parent, find_op(parent, OpKind::send, here.p.rank, op.channel));
        return here.fault({here.p.rank, op.peer}, {Kind::missing}, {here.p.rank});
      },
      true, 300);
}

TEST(Mutations, LostSend) {
  expect_caught_at(
      is_send,
      [](Place& here) -> std::optional<Fault> {
        auto const to = here.op().peer;
        spoil::remove_op(here.all[static_cast<std::size_t>(here.p.rank)], here.p.op);
        // In a reduction, the combine that no longer waits for the send may also overrun its ring.
        return here.fault({here.p.rank}, {Kind::unmatched}, {to});
      },
      true, 500);
}

TEST(Mutations, LostReceive) {
  expect_caught_at(
      is_receive,
      [](Place& here) -> std::optional<Fault> {
        auto const from = here.op().peer;
        spoil::remove_op(here.all[static_cast<std::size_t>(here.p.rank)], here.p.op);
        return here.fault({here.p.rank}, {Kind::unmatched}, {from});
      },
      true, 500);
}

TEST(Mutations, LostInBothEndsOfAReduction) {
  expect_caught_at(
      is_receive,
      [](Place& here) -> std::optional<Fault> {
        if (broadcasts(here.s)) return {};
        auto const op = here.op();
        spoil::remove_op(here.all[static_cast<std::size_t>(here.p.rank)], here.p.op);
        auto& child = here.all[static_cast<std::size_t>(op.peer)];
        spoil::remove_op(child, find_op(child, OpKind::send, here.p.rank, op.channel));
        // The parent combines what never came. The child's sums may be written over where they used to wait for the
        // send.
        return here.fault({here.p.rank, op.peer}, {Kind::missing, Kind::race, Kind::ring_overflow},
                          {here.p.rank, op.peer});
      },
      true, 200);
}

TEST(Mutations, Doubled) {
  expect_caught_at(
      is_receive,
      [](Place& here) -> std::optional<Fault> {
        if (!broadcasts(here.s)) return {};
        // The same stream again on another channel of the same tree, after all that the rank does with the first one.
        auto again = here.op();
        again.channel += here.s.schedule.trees();
        auto& mine = here.all[static_cast<std::size_t>(here.p.rank)];
        for (std::size_t i = 0; i < mine.ops.size(); ++i) {
          auto const& op = mine.ops[i];
          if (op.channel + here.s.schedule.trees() != again.channel) continue;
          if (again.after.size() < Dependences::capacity) again.after.add(static_cast<int>(i), Dependence::whole);
        }
        if (mine.ops.size() > 6 && again.after.size() == Dependences::capacity) return {};
        auto& parent = here.all[static_cast<std::size_t>(again.peer)];
        auto send = parent.ops[static_cast<std::size_t>(
            find_op(parent, OpKind::send, here.p.rank, again.channel - here.s.schedule.trees()))];
        send.channel = again.channel;
        mine.ops.push_back(again);
        parent.ops.push_back(send);
        return here.fault({here.p.rank, again.peer}, {Kind::doubled}, {here.p.rank});
      },
      false, 300);
}

TEST(Mutations, WrongPlaceOfAReceive) {
  expect_caught_at(
      is_receive,
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        auto const shift = static_cast<std::int64_t>(1 + here.random() % 8) * here.s.schedule.contract().element;
        op.into.offset += op.into.offset >= shift && here.random() % 2 == 0 ? -shift : shift;
        return here.fault({here.p.rank}, {Kind::program, Kind::race, Kind::ring_overflow, Kind::missing, Kind::wrong},
                          {here.p.rank});
      },
      false, 500);
}

TEST(Mutations, WrongPlaceOfASend) {
  expect_caught_at(
      is_send,
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        auto const shift = static_cast<std::int64_t>(1 + here.random() % 8) * here.s.schedule.contract().element;
        op.from.offset += op.from.offset >= shift && here.random() % 2 == 0 ? -shift : shift;
        return here.fault({here.p.rank}, {Kind::program, Kind::race, Kind::ring_overflow, Kind::missing, Kind::wrong},
                          {here.p.rank});
      },
      false, 500);
}

TEST(Mutations, WrongIntervalOnOneEnd) {
  expect_caught_at(
      is_send,
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        auto const to = op.peer;
        auto const shift = here.s.schedule.contract().element;
        auto const sign = op.piece.bytes.begin >= shift ? -1 : 1;
        op.piece.bytes.begin += sign * shift;
        op.piece.bytes.end += sign * shift;
        return here.fault({here.p.rank}, {Kind::mismatch, Kind::program}, {to, here.p.rank});
      },
      false, 500);
}

TEST(Mutations, WrongIntervalOnBothEnds) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const shift = s.schedule.contract().element;
        auto const p = spoil::pick(all, random, [&](Rank, std::int32_t, Op const& op) {
          return op.kind == OpKind::send && op.piece.bytes.begin >= shift;
        });
        if (p.rank < 0) return {};
        auto& op = at(all, p);
        auto& receiver = all[static_cast<std::size_t>(op.peer)];
        auto& other = receiver.ops[static_cast<std::size_t>(find_op(receiver, OpKind::receive, p.rank, op.channel))];
        op.piece.bytes = other.piece.bytes = {op.piece.bytes.begin - shift, op.piece.bytes.end - shift};
        return fault(s, all, {p.rank, op.peer}, {Kind::wrong}, {p.rank});
      },
      false, 200);
}

TEST(Mutations, LostDependenceOfASend) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        // The data flow; ring dependences come later in the list. What waits for another send keeps its turn, and may
        // have learnt from it that the data are there.
        auto const p = spoil::pick(all, random, [&all](Rank rank, std::int32_t, Op const& op) {
          if ((op.kind != OpKind::send && op.kind != OpKind::combine) || op.after.empty()) return false;
          if (op.after.begin()->lag > 0) return false;  // no data: it only keeps step with what comes from there
          return std::none_of(op.after.begin(), op.after.end(), [&](Dependence d) {
            return d.lag <= 0 && at(all, {rank, d.op}).kind == OpKind::send;
          });
        });
        if (p.rank < 0) return {};
        at(all, p).after.erase(0);
        return fault(s, all, {p.rank}, {Kind::race, Kind::ring_overflow}, {p.rank});
      },
      false, 300);
}

TEST(Mutations, RingWithoutRoom) {
  expect_caught_at(
      [](Rank, std::int32_t, Op const& op) {
        return op.into.ring > 0 && op.segments() > op.into.ring &&
               std::any_of(op.after.begin(), op.after.end(), [](Dependence d) { return d.lag > 0; });
      },
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        for (std::size_t i = 0; i < op.after.size(); ++i) {
          auto& d = *(op.after.begin() + i);
          if (d.lag <= 0) continue;
          if (here.random() % 2 == 0) {
            ++d.lag;  // one segment more in flight than the ring has slots
          } else {
            op.after.erase(i);
          }
          break;
        }
        return here.fault({here.p.rank}, {Kind::ring_overflow}, {here.p.rank});
      },
      false, 60);
}

TEST(Mutations, CycleWithinARank) {
  expect_caught_at(
      [](Rank, std::int32_t, Op const& op) {
        return std::any_of(op.after.begin(), op.after.end(), [](Dependence d) { return d.lag == 0; });
      },
      [](Place& here) -> std::optional<Fault> {
        auto const d = *std::ranges::find(here.op().after, 0, &Dependence::lag);
        at(here.all, {here.p.rank, d.op}).after.add(here.p.op, 0);
        return here.fault({here.p.rank}, {Kind::deadlock}, {here.p.rank});
      },
      true, 300);
}

// Two neighbours that send to each other in two trees: each holds its send back until it has received.
TEST(Mutations, CycleAcrossRanks) {
  expect_caught(
      [](samples::Sample const& s, std::mt19937_64& random) -> std::optional<Fault> {
        auto all = spoil::programs(s.schedule);
        auto const back = [&](Rank r, Op const& op) {
          auto const& peer = all[static_cast<std::size_t>(op.peer)];
          for (std::size_t i = 0; i < peer.ops.size(); ++i) {
            auto const& other = peer.ops[i];
            if (other.kind == OpKind::send && other.peer == r) return static_cast<std::int32_t>(i);
          }
          return -1;
        };
        auto const p = spoil::pick(all, random, [&](Rank r, std::int32_t, Op const& op) {
          return op.kind == OpKind::send && back(r, op) >= 0;
        });
        if (p.rank < 0) return {};
        auto& send = at(all, p);
        auto const peer = send.peer;
        auto& other = at(all, {peer, back(p.rank, send)});
        send.after.add(find_op(all[static_cast<std::size_t>(p.rank)], OpKind::receive, peer, other.channel),
                       Dependence::whole);
        other.after.add(find_op(all[static_cast<std::size_t>(peer)], OpKind::receive, p.rank, send.channel),
                        Dependence::whole);
        return fault(s, all, {p.rank, peer}, {Kind::deadlock}, {p.rank, peer});
      },
      true, 100);
}

TEST(Mutations, OtherSegmentsAtOneEnd) {
  expect_caught_at([](Rank, std::int32_t, Op const& op) { return op.kind == OpKind::receive && op.segment % 16 == 0; },
                   [](Place& here) -> std::optional<Fault> {
                     here.op().segment /= 2;
                     return here.fault({here.p.rank}, {Kind::mismatch, Kind::program}, {here.p.rank});
                   },
                   true, 50);
}

TEST(Mutations, WrongPeer) {
  expect_caught_at(
      is_send,
      [](Place& here) -> std::optional<Fault> {
        auto& op = here.op();
        auto const meant = op.peer;
        auto const ranks = here.s.schedule.ranks();
        op.peer = static_cast<Rank>((op.peer + 1 + here.random() % static_cast<std::uint64_t>(ranks)) % ranks);
        if (op.peer == meant) return {};
        if (op.peer != here.p.rank &&
            find_op(here.all[static_cast<std::size_t>(op.peer)], OpKind::receive, here.p.rank, op.channel) >= 0)
          return {};
        if (op.peer == here.p.rank) return here.fault({here.p.rank}, {Kind::program}, {here.p.rank});
        return here.fault({here.p.rank}, {Kind::unmatched}, {meant});
      },
      true, 300);
}

}  // namespace
}  // namespace allport::verify
