// Small schedules written by hand, for the tests of schedule and verify.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "allport/schedule/schedule.h"

namespace allport::hand {

inline Piece whole_message(Contract const& c, Interval bytes) {
  return {{c.root, c.root}, {0, c.ranks - 1}, bytes, false};
}

/// Broadcast along the ranks root, root + 1, ..., one stream per hop, forwarded segment by segment.
inline Schedule chain_broadcast(Rank ranks, Rank root, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::broadcast, ranks, root, bytes, 1};
  return {"chain", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            auto const at = (r - root + ranks) % ranks;
            if (bytes == 0) return;
            Op op;
            op.length = bytes;
            op.segment = segment;
            op.piece = whole_message(c, {0, bytes});
            if (at > 0) {
              op.kind = OpKind::receive;
              op.peer = (r + ranks - 1) % ranks;
              op.into = {Buffer::output, 0, 0};
              p.ops.push_back(op);
            }
            if (at + 1 < ranks) {
              op.kind = OpKind::send;
              op.peer = (r + 1) % ranks;
              op.into = {};
              op.from = {Buffer::output, 0, 0};
              if (at > 0) op.after.add(0);
              p.ops.push_back(op);
            }
          }};
}

/// Broadcast in which the root sends everything to everyone.
inline Schedule star_broadcast(Rank ranks, Rank root, std::int64_t bytes, std::int64_t segment) {
  Contract const c{Collective::broadcast, ranks, root, bytes, 1};
  return {"star", c, {segment, 2}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Op op;
            op.length = bytes;
            op.segment = segment;
            op.piece = whole_message(c, {0, bytes});
            if (r != root) {
              op.kind = OpKind::receive;
              op.peer = root;
              op.into = {Buffer::output, 0, 0};
              p.ops.push_back(op);
              return;
            }
            op.kind = OpKind::send;
            op.from = {Buffer::output, 0, 0};
            for (Rank other = 0; other < ranks; ++other) {
              op.peer = other;
              if (other != root) p.ops.push_back(op);
            }
          }};
}

/// Reduction up a line to rank 0: every rank receives into a ring of `window` segments, combines its own input with it
/// into a second ring and sends that on; rank 0 combines into its output. The operands are in rank order.
inline Schedule line_reduce(Rank ranks, std::int64_t bytes, std::int64_t segment, int window,
                            std::int64_t element = 8) {
  Contract const c{Collective::reduce, ranks, 0, bytes, element};
  return {"line", c, {segment, window}, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            Op op;
            op.length = bytes;
            op.segment = segment;
            auto const sum = [&](Rank from) { return Piece{{from, ranks - 1}, {0, 0}, {0, bytes}, true}; };
            bool const last = r + 1 == ranks;
            p.scratch = last ? 0 : segment * window * (r > 0 ? 2 : 1);
            Slot const arrived{Buffer::scratch, window, 0};
            Slot const combined = r > 0 ? Slot{Buffer::scratch, window, segment * window} : Slot{Buffer::output, 0, 0};
            if (last) {
              op.kind = r > 0 ? OpKind::send : OpKind::copy;
              op.piece = sum(r);
              op.from = {Buffer::input, 0, 0};
              op.peer = r - 1;
              if (r == 0) op.into = {Buffer::output, 0, 0};
              p.ops.push_back(op);
              return;
            }
            op.kind = OpKind::receive;  // 0
            op.peer = r + 1;
            op.piece = sum(r + 1);
            op.into = arrived;
            op.after.add(1, window);
            p.ops.push_back(op);
            op.after.clear();
            op.kind = OpKind::combine;  // 1
            op.peer = -1;
            op.piece = sum(r);
            op.with = {Buffer::input, 0, 0};
            op.from = arrived;
            op.into = combined;
            op.after.add(0);
            if (r > 0) op.after.add(2, window);
            p.ops.push_back(op);
            if (r == 0) return;
            op.after.clear();
            op.kind = OpKind::send;  // 2
            op.peer = r - 1;
            op.with = op.into = {};
            op.from = combined;
            op.after.add(1);
            p.ops.push_back(op);
          }};
}

}  // namespace allport::hand
