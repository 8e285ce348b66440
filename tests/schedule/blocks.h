// Hand-written schedules of the block collectives on a line of ranks: every kind of Contract once.
#pragma once

#include <algorithm>

#include "allport/schedule/schedule.h"

namespace allport::hand {

/// Adds an operation to a program; fields that an operation does not have stay empty.
class Writer {
 public:
  Writer(Program& program, std::int64_t segment) : program_(program), segment_(segment) {}

  std::int32_t receive(Rank from, int channel, Piece const& piece, std::int64_t length, Slot into) {
    message(OpKind::receive, from, channel, piece, length).into = into;
    return last();
  }
  std::int32_t send(Rank to, int channel, Piece const& piece, std::int64_t length, Slot from) {
    message(OpKind::send, to, channel, piece, length).from = from;
    return last();
  }
  std::int32_t copy(Piece const& piece, std::int64_t length, Slot from, Slot into) {
    auto& op = add(OpKind::copy, piece, length);
    op.from = from;
    op.into = into;
    return last();
  }
  std::int32_t combine(Piece const& piece, std::int64_t length, Slot with, Slot from, Slot into) {
    auto& op = add(OpKind::combine, piece, length);
    op.with = with;
    op.from = from;
    op.into = into;
    return last();
  }
  /// The operation added last waits for `op`.
  Writer& after(std::int32_t op, std::int32_t lag = 0) {
    program_.ops.back().after.add(op, lag);
    return *this;
  }
  [[nodiscard]] std::int32_t last() const { return static_cast<std::int32_t>(program_.ops.size()) - 1; }

 private:
  Op& add(OpKind kind, Piece const& piece, std::int64_t length) {
    Op op;
    op.kind = kind;
    op.piece = piece;
    op.length = length;
    op.segment = std::min(segment_, length);
    program_.ops.push_back(op);
    return program_.ops.back();
  }
  Op& message(OpKind kind, Rank peer, int channel, Piece const& piece, std::int64_t length) {
    auto& op = add(kind, piece, length);
    op.peer = peer;
    op.channel = channel;
    return op;
  }

  Program& program_;
  std::int64_t segment_;
};

inline Slot in(std::int64_t offset) { return {Buffer::input, 0, offset}; }
inline Slot out(std::int64_t offset) { return {Buffer::output, 0, offset}; }
inline Slot scratch(std::int64_t offset) { return {Buffer::scratch, 0, offset}; }

/// Rank r gets the blocks of ranks r.. from r - 1, keeps its own and passes on the rest.
inline Schedule scatter_chain(Rank ranks, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::scatter, ranks, 0, bytes, 1};
  return {"chain", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Writer w(p, segment);
            auto const blocks = [&](Rank first, Rank last) { return Piece{{0, 0}, {first, last}, {0, bytes}, false}; };
            auto const home = r == 0 ? in(0) : scratch(0);
            if (r > 0) {
              p.scratch = (ranks - r) * bytes;
              w.receive(r - 1, 0, blocks(r, ranks - 1), (ranks - r) * bytes, home);
            }
            w.copy(blocks(r, r), bytes, home, out(0));
            if (r > 0) w.after(0, Dependence::whole);
            if (r + 1 == ranks) return;
            auto rest = home;
            rest.offset += bytes;
            w.send(r + 1, 0, blocks(r + 1, ranks - 1), (ranks - r - 1) * bytes, rest);
            if (r > 0) w.after(0, Dependence::whole);
          }};
}

/// Rank r adds its block in front of those of ranks r + 1.. and passes all on to r - 1.
inline Schedule gather_chain(Rank ranks, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::gather, ranks, 0, bytes, 1};
  return {"chain", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Writer w(p, segment);
            auto const blocks = [&](Rank first, Rank last) { return Piece{{first, last}, {0, 0}, {0, bytes}, false}; };
            if (r > 0) p.scratch = (ranks - r) * bytes;
            auto home = r == 0 ? out(0) : scratch(0);
            auto const all = home;
            w.copy(blocks(r, r), bytes, in(0), home);
            home.offset += bytes;
            if (r + 1 < ranks) w.receive(r + 1, 0, blocks(r + 1, ranks - 1), (ranks - r - 1) * bytes, home);
            if (r == 0) return;
            auto const before = w.last();
            w.send(r - 1, 0, blocks(r, ranks - 1), (ranks - r) * bytes, all);
            for (std::int32_t i = 0; i <= before; ++i) w.after(i, Dependence::whole);
          }};
}

/// In step k, rank r passes the block of rank r - k on to r + 1.
inline Schedule allgather_ring(Rank ranks, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::allgather, ranks, 0, bytes, 1};
  return {"ring", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Writer w(p, segment);
            auto const block = [&](Rank s) { return Piece{{s, s}, {0, ranks - 1}, {0, bytes}, false}; };
            w.copy(block(r), bytes, in(0), out(r * bytes));
            for (Rank k = 0; k + 1 < ranks; ++k) {
              auto const mine = (r - k + ranks) % ranks;
              auto const next = (r - k - 1 + ranks) % ranks;
              auto const holds = w.last();  // the copy, or the receive of the step before
              w.send((r + 1) % ranks, k, block(mine), bytes, out(mine * bytes));
              w.after(holds);
              w.receive((r - 1 + ranks) % ranks, k, block(next), bytes, out(next * bytes));
            }
          }};
}

/// Everyone sends everyone its block.
inline Schedule alltoall_direct(Rank ranks, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::alltoall, ranks, 0, bytes, 1};
  return {"direct", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Writer w(p, segment);
            auto const block = [&](Rank s, Rank d) { return Piece{{s, s}, {d, d}, {0, bytes}, false}; };
            w.copy(block(r, r), bytes, in(r * bytes), out(r * bytes));
            for (Rank k = 1; k < ranks; ++k) {
              auto const to = (r + k) % ranks;
              auto const from = (r - k + ranks) % ranks;
              w.send(to, 0, block(r, to), bytes, in(to * bytes));
              w.receive(from, 0, block(from, r), bytes, out(from * bytes));
            }
          }};
}

/// Block d starts at rank d + 1, goes round and gathers contributions; rank d adds the last one.
inline Schedule reduce_scatter_ring(Rank ranks, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::reduce_scatter, ranks, 0, bytes, 8};
  return {"ring", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Writer w(p, segment);
            auto const sum = [&](Rank d) { return Piece{{0, ranks - 1}, {d, d}, {0, bytes}, true}; };
            if (ranks == 1) {
              w.copy(sum(0), bytes, in(0), out(0));
              return;
            }
            p.scratch = (ranks - 1) * bytes;
            auto const next = (r + 1) % ranks;
            auto const previous = (r - 1 + ranks) % ranks;
            for (Rank k = 0; k + 1 < ranks; ++k) {  // step k passes on block r - 1 - k and takes block r - 2 - k
              auto const given = (r - 1 - k + 2 * ranks) % ranks;
              auto const taken = (given - 1 + ranks) % ranks;
              auto const summed = w.last();
              w.send(next, k, sum(given), bytes, k == 0 ? in(given * bytes) : scratch((k - 1) * bytes));
              if (k > 0) w.after(summed);
              auto const arrived = w.receive(previous, k, sum(taken), bytes, scratch(k * bytes));
              auto const into = taken == r ? out(0) : scratch(k * bytes);
              w.combine(sum(taken), bytes, scratch(k * bytes), in(taken * bytes), into);
              w.after(arrived);
            }
          }};
}

/// A reduction down the line to rank 0 and a broadcast back up, segment by segment, all in output.
inline Schedule allreduce_line(Rank ranks, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::allreduce, ranks, 0, bytes, 8};
  return {"line", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Writer w(p, segment);
            Piece const sum{{0, ranks - 1}, {0, ranks - 1}, {0, bytes}, true};
            bool const last = r + 1 == ranks;
            auto home = in(0);
            std::int32_t summed = -1;
            if (!last) {
              p.scratch = bytes;
              w.receive(r + 1, 0, sum, bytes, scratch(0));
              summed = w.combine(sum, bytes, in(0), scratch(0), out(0));
              w.after(0);
              home = out(0);
            } else if (r == 0) {
              w.copy(sum, bytes, in(0), out(0));
              return;
            }
            auto ready = summed;
            if (r > 0) {
              auto const gone = w.send(r - 1, 0, sum, bytes, home);
              if (summed >= 0) w.after(summed);
              ready = w.receive(r - 1, 1, sum, bytes, out(0));
              w.after(gone);
            }
            if (last) return;
            w.send(r + 1, 1, sum, bytes, out(0));
            w.after(ready);
          }};
}

}  // namespace allport::hand
