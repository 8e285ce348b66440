#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "allport/schedule/linked.h"
#include "goal_write.h"

namespace allport {
namespace goal {
namespace {

/// Segments in flight: an executor's window for messages; one for what a rank computes itself.
std::int64_t in_flight(Op const& op, Cut const& cut) {
  return op.kind == OpKind::send || op.kind == OpKind::receive ? cut.window : 1;
}

class Writer {
 public:
  Writer(Schedule const& schedule, GoalCosts const& costs, Lines const& lines)
      : schedule_(schedule), costs_(costs), lines_(lines) {}

  void run() {
    line(
        "// GOAL text for LogGOPSim's txt2bin: sizes in bytes, calc in nanoseconds, tags are channels, nics are "
        "ports.");
    comment(note(Head{schedule_.algorithm(), schedule_.contract(), schedule_.cut(), schedule_.trees(), costs_}));
    line(fmt::format("num_ranks {}", schedule_.ranks()));
    Program program;
    for (Rank r = 0; r < schedule_.ranks(); ++r) {
      schedule_.program(r, program);
      check_program(program, r, schedule_.ranks(), extents(schedule_.contract(), r));
      line("");
      line(fmt::format("rank {} {{", r));
      comment(note(r, program));
      for (std::size_t i = 0; i < program.ops.size(); ++i) operations(i, program.ops[i]);
      for (std::size_t i = 0; i < program.ops.size(); ++i) requirements(i, program);
      line("}");
    }
  }

 private:
  void line(std::string_view text) { lines_(text); }
  void comment(std::string_view text) { lines_(fmt::format("{}{}", mark, text)); }

  void operations(std::size_t index, Op const& op) {
    comment(note(op));
    auto const segments = op.segments();
    for (std::int64_t i = 0; i < segments; ++i) {
      auto const bytes = op.segment_bytes(i);
      switch (op.kind) {
        case OpKind::send:
          if (op.port >= 0) {
            line(fmt::format("o{}s{}: send {}b to {} tag {} nic {}", index, i, bytes, op.peer, op.channel, op.port));
          } else {
            line(fmt::format("o{}s{}: send {}b to {} tag {}", index, i, bytes, op.peer, op.channel));
          }
          break;
        case OpKind::receive:
          line(fmt::format("o{}s{}: recv {}b from {} tag {}", index, i, bytes, op.peer, op.channel));
          break;
        case OpKind::combine:
          line(fmt::format("o{}s{}: calc {}", index, i, nanoseconds(bytes, costs_.operator_seconds_per_byte)));
          break;
        case OpKind::copy:
          line(fmt::format("o{}s{}: calc {}", index, i, nanoseconds(bytes, costs_.copy_seconds_per_byte)));
          break;
      }
    }
  }

  static std::int64_t nanoseconds(std::int64_t bytes, double seconds_per_byte) {
    auto const ns = static_cast<double>(bytes) * seconds_per_byte * 1e9;
    ensure(ns < 9e18, "seconds_per_byte", seconds_per_byte, "a segment's time below 2^63 nanoseconds");
    return std::llround(ns);
  }

  // A segment begins after the one before it has begun, and after the one a window before it is done. By induction all
  // segments up to that one are done, which is what an executor's counter of completed segments says; the same holds
  // for the segments of another operation that it waits for.
  void requirements(std::size_t index, Program const& program) {
    auto const& op = program.ops[index];
    auto const window = in_flight(op, schedule_.cut());
    auto const segments = op.segments();
    for (std::int64_t i = 0; i < segments; ++i) {
      if (i > 0 && window > 1) line(fmt::format("o{0}s{1} irequires o{0}s{2}", index, i, i - 1));
      if (i >= window) line(fmt::format("o{0}s{1} requires o{0}s{2}", index, i, i - window));
      for (auto const& d : op.after) {
        if (d.lag == Dependence::whole) {
          if (i == 0) all_of(index, d.op, program);
        } else if (i >= d.lag) {
          line(fmt::format("o{}s{} requires o{}s{}", index, i, d.op, i - d.lag));
        }
      }
    }
  }

  // The last segments of the other one may be done in any order; those before them are done when they begin.
  void all_of(std::size_t index, std::int32_t other, Program const& program) {
    auto const& op = program.ops[static_cast<std::size_t>(other)];
    auto const segments = op.segments();
    for (auto j = std::max<std::int64_t>(0, segments - in_flight(op, schedule_.cut())); j < segments; ++j) {
      line(fmt::format("o{}s0 requires o{}s{}", index, other, j));
    }
  }

  Schedule const& schedule_;
  GoalCosts const& costs_;
  Lines const& lines_;
};

}  // namespace

void write(Schedule const& schedule, GoalCosts const& costs, Lines const& lines) {
  Writer(schedule, costs, lines).run();
}

}  // namespace goal

void export_goal(Schedule const& schedule, std::ostream& out, GoalCosts const& costs, std::int64_t most_segments) {
  schedule.contract().check();
  goal::check(costs);
  ensure(schedule.cut().window >= 1, "window", schedule.cut().window, "at least 1", "", ErrorKind::schedule);
  ensure(schedule.ranks() <= goal::most_ranks, "ranks", schedule.ranks(), fmt::format("at most {}", goal::most_ranks));
  std::int64_t segments = 0;
  Program program;
  for (Rank r = 0; r < schedule.ranks(); ++r) {
    schedule.program(r, program);
    check_program(program, r, schedule.ranks(), extents(schedule.contract(), r));
    for (auto const& op : program.ops) segments += op.segments();
    ensure(segments <= most_segments, "segments", segments,
           fmt::format("at most {} in one GOAL file (rank {} of {})", most_segments, r, schedule.ranks()),
           "GOAL names every segment: use longer ones, or fewer ranks", ErrorKind::memory);
  }
  goal::write(schedule, costs, [&out](std::string_view line) { out << line << '\n'; });
}

}  // namespace allport
