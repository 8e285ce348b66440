// Small machines of round numbers, and schedules of single messages, for tests of the simulator.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "allport/sim.h"

namespace allport::sim {

inline Machine machine_of(std::string const& axes, std::string const& more = "") {
  return Machine::from_toml("name = \"test\"\n" + more + "axes = [ " + axes + " ]");
}

inline Machine ring(int n, std::string const& more = "") {
  return machine_of("{ length = " + std::to_string(n) + ", wraps = true, bandwidth = \"1 MB/s\", latency = \"10 us\" }",
                    more);
}

inline Machine torus(std::vector<int> const& lengths, std::string const& more = "", bool wraps = true) {
  std::string axes;
  for (auto const n : lengths) {
    axes += "{ length = " + std::to_string(n) + ", wraps = " + (wraps ? "true" : "false") +
            ", bandwidth = \"1 MB/s\", latency = \"10 us\" },";
  }
  return machine_of(axes, more);
}

struct Send {
  Rank from;
  Rank to;
  std::int64_t bytes;
  std::int64_t segment = 1 << 30;
  Rank after = -1;  // waits for this rank's message to `from`
};

/// One end of message `i`.
inline Op operation(OpKind kind, std::int32_t i, Send const& s) {
  Op op;
  op.kind = kind;
  op.channel = i;
  op.length = s.bytes;
  op.segment = s.segment;
  return op;
}

/// Messages without a promise.
inline Schedule messages(Rank ranks, std::vector<Send> const& sends, std::int32_t window = 2) {
  Contract none;
  none.what = Collective::none;
  none.ranks = ranks;
  return {"test", none, {1 << 20, window}, 1, [sends](Rank r, Program& p) {
            std::vector<std::int32_t> received(64, -1);
            for (std::int32_t i = 0; i < static_cast<std::int32_t>(sends.size()); ++i) {
              auto const& s = sends[static_cast<std::size_t>(i)];
              if (s.to != r) continue;
              received[static_cast<std::size_t>(s.from)] = static_cast<std::int32_t>(p.ops.size());
              auto op = operation(OpKind::receive, i, s);
              op.peer = s.from;
              op.into = {Buffer::scratch, 0, 0};
              p.ops.push_back(op);
              p.scratch = std::max(p.scratch, op.length);
            }
            for (std::int32_t i = 0; i < static_cast<std::int32_t>(sends.size()); ++i) {
              auto const& s = sends[static_cast<std::size_t>(i)];
              if (s.from != r) continue;
              auto op = operation(OpKind::send, i, s);
              op.peer = s.to;
              op.from = {Buffer::scratch, 0, 0};
              if (s.after >= 0) op.after.add(received[static_cast<std::size_t>(s.after)]);
              p.ops.push_back(op);
              p.scratch = std::max(p.scratch, op.length);
            }
          }};
}

inline double run(Schedule const& s, Machine const& m, Options const& o = {}) { return simulate(s, m, o).seconds; }

inline Options fair() {
  Options o;
  o.sharing = Sharing::fair;
  return o;
}

// 1 MB/s: a byte is a microsecond, a hop 10.
inline constexpr double us = 1e-6;

}  // namespace allport::sim
