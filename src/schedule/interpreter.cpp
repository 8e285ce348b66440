#include "allport/schedule/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>

namespace allport {
namespace {

[[noreturn]] void fail(std::string const& what) { throw Error(ErrorKind::schedule, what); }

/// One operation while it runs. Streams of two ranks share a unit: its send and its receive advance together.
struct Running {
  Rank rank = 0;
  std::int32_t index = 0;
  Op op;
  std::int64_t done = 0;
  std::int32_t partner = -1;  // the other end of a stream, or none
  std::vector<std::int32_t> waiters;
};

std::string describe(Running const& r) {
  return fmt::format("rank {} operation {} ({})", r.rank, r.index, describe(r.op));
}

class Interpreter {
 public:
  Interpreter(Schedule const& schedule, std::span<RankBuffers> ranks, Combine const& combine, std::uint64_t seed)
      : schedule_(schedule), buffers_(ranks), combine_(combine), random_(seed) {}

  void run() {
    load();
    match();
    for (std::size_t i = 0; i < ops_.size(); ++i) offer(static_cast<std::int32_t>(i));
    while (!ready_.empty()) step();
    for (auto const& r : ops_) {
      if (r.done < r.op.segments()) stalled(r);
    }
  }

 private:
  void load() {
    schedule_.contract().check();
    ensure(static_cast<Rank>(buffers_.size()) == schedule_.ranks(), "ranks", buffers_.size(),
           "one pair of buffers for each of the schedule's " + std::to_string(schedule_.ranks()) + " ranks");
    Program program;
    for (Rank r = 0; r < schedule_.ranks(); ++r) {
      auto const& b = buffers_[static_cast<std::size_t>(r)];
      ensure(static_cast<std::int64_t>(b.input.size()) >= schedule_.contract().input_bytes(r), "input", b.input.size(),
             fmt::format("at least {} bytes on rank {}", schedule_.contract().input_bytes(r), r));
      ensure(static_cast<std::int64_t>(b.output.size()) >= schedule_.contract().output_bytes(r), "output",
             b.output.size(), fmt::format("at least {} bytes on rank {}", schedule_.contract().output_bytes(r), r));
      schedule_.program(r, program);
      if (program.scratch < 0) fail(fmt::format("rank {} asks for {} bytes of scratch", r, program.scratch));
      scratch_.emplace_back(static_cast<std::size_t>(program.scratch));
      load(r, program);
    }
  }

  void load(Rank r, Program const& program) {
    auto const first = static_cast<std::int32_t>(ops_.size());
    auto const count = static_cast<std::int32_t>(program.ops.size());
    for (std::int32_t i = 0; i < count; ++i) {
      ops_.push_back({r, i, program.ops[static_cast<std::size_t>(i)], 0, -1, {}});
      auto& now = ops_.back();
      if (now.op.length <= 0 || now.op.segment <= 0) {
        fail(describe(now) + fmt::format(" has length {} in segments of {}", now.op.length, now.op.segment));
      }
      for (auto& d : now.op.after) {
        if (d.op < 0 || d.op >= count) fail(describe(now) + fmt::format(" waits for operation {}, absent", d.op));
        d.op += first;
      }
    }
    for (auto i = first; i < first + count; ++i) {
      for (auto const& d : ops_[static_cast<std::size_t>(i)].op.after) {
        auto& other = ops_[static_cast<std::size_t>(d.op)];
        if (d.lag != Dependence::whole &&
            (d.lag < 0 || other.op.segments() != ops_[static_cast<std::size_t>(i)].op.segments())) {
          fail(describe(ops_[static_cast<std::size_t>(i)]) + " follows, segment by segment, " + describe(other) +
               fmt::format(" with lag {} but another number of segments", d.lag));
        }
        other.waiters.push_back(i);
      }
    }
  }

  void match() {
    // (sender, receiver, channel) -> the send; every receive takes one.
    std::map<std::tuple<Rank, Rank, std::int32_t>, std::int32_t> sends;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      auto const& r = ops_[i];
      if (r.op.kind != OpKind::send) continue;
      if (!sends.emplace(std::tuple(r.rank, r.op.peer, r.op.channel), static_cast<std::int32_t>(i)).second) {
        fail(describe(r) + " is not the only one of its channel");
      }
    }
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      auto& r = ops_[i];
      if (r.op.kind != OpKind::receive) continue;
      auto const found = sends.find({r.op.peer, r.rank, r.op.channel});
      if (found == sends.end()) fail(describe(r) + " has no send at the other end");
      auto& s = ops_[static_cast<std::size_t>(found->second)];
      if (s.op.length != r.op.length || s.op.segment != r.op.segment) {
        fail(fmt::format("{} takes {} bytes by {}, but {} gives {} by {}", describe(r), r.op.length, r.op.segment,
                         describe(s), s.op.length, s.op.segment));
      }
      r.partner = found->second;
      s.partner = static_cast<std::int32_t>(i);
      sends.erase(found);
    }
    if (!sends.empty())
      fail(describe(ops_[static_cast<std::size_t>(sends.begin()->second)]) + " has no receive at the other end");
  }

  [[nodiscard]] bool free(Running const& r) const {
    if (r.done >= r.op.segments()) return false;
    return std::ranges::all_of(r.op.after, [&](Dependence d) {
      auto const& other = ops_[static_cast<std::size_t>(d.op)];
      if (d.lag == Dependence::whole) return other.done == other.op.segments();
      return r.done < d.lag || other.done > r.done - d.lag;
    });
  }

  void offer(std::int32_t i) {
    auto const& r = ops_[static_cast<std::size_t>(i)];
    if (!free(r)) return;
    if (r.partner >= 0 && !free(ops_[static_cast<std::size_t>(r.partner)])) return;
    ready_.push_back(r.op.kind == OpKind::send ? r.partner : i);
  }

  // Entries of ready_ may be stale (offered twice); a stale one is dropped here.
  void step() {
    std::swap(ready_[random_() % ready_.size()], ready_.back());
    auto const i = ready_.back();
    ready_.pop_back();
    auto& r = ops_[static_cast<std::size_t>(i)];
    auto* const other = r.partner >= 0 ? &ops_[static_cast<std::size_t>(r.partner)] : nullptr;
    if (!free(r) || (other != nullptr && !free(*other))) return;
    move(r, other);
    ++r.done;
    if (other != nullptr) {
      ++other->done;
      wake(r.partner);
    }
    wake(i);
  }

  void wake(std::int32_t i) {
    offer(i);
    for (auto w : ops_[static_cast<std::size_t>(i)].waiters) offer(w);
  }

  void move(Running const& r, Running const* sender) {
    auto const bytes = r.op.segment_bytes(r.done);
    switch (r.op.kind) {
      case OpKind::receive:
        std::copy_n(place(*sender, sender->op.from, false), bytes, place(r, r.op.into, true));
        break;
      case OpKind::copy:
        std::copy_n(place(r, r.op.from, false), bytes, place(r, r.op.into, true));
        break;
      case OpKind::combine:
        if (!combine_) fail(describe(r) + " needs an operator, but none was given");
        combine_(place(r, r.op.with, false), place(r, r.op.from, false), place(r, r.op.into, true), bytes);
        break;
      case OpKind::send:
        fail(describe(r) + " has no receive at the other end");
    }
  }

  std::byte* place(Running const& r, Slot const& slot, bool write) {
    auto const begin = r.op.position(slot, r.done);
    auto const bytes = r.op.segment_bytes(r.done);
    auto& b = buffers_[static_cast<std::size_t>(r.rank)];
    std::span<std::byte> all;
    std::string_view which = "no buffer";
    if (slot.buffer == Buffer::input) {
      if (write) fail(describe(r) + " writes the caller's input");
      all = std::span(b.input).first(static_cast<std::size_t>(schedule_.contract().input_bytes(r.rank)));
      which = "input";
    } else if (slot.buffer == Buffer::output) {
      all = std::span(b.output).first(static_cast<std::size_t>(schedule_.contract().output_bytes(r.rank)));
      which = "output";
    } else if (slot.buffer == Buffer::scratch) {
      all = scratch_[static_cast<std::size_t>(r.rank)];
      which = "scratch";
    }
    if (begin < 0 || begin + bytes > static_cast<std::int64_t>(all.size())) {
      fail(fmt::format("{} segment {} touches bytes [{}, {}) of {}, which has {}", describe(r), r.done, begin,
                       begin + bytes, which, all.size()));
    }
    return all.data() + begin;
  }

  [[noreturn]] void stalled(Running const& r) const {
    std::string why = "its peer is not ready";
    auto const blocked = [&](Running const& end) {
      for (auto const& d : end.op.after) {
        auto const& other = ops_[static_cast<std::size_t>(d.op)];
        bool const whole = d.lag == Dependence::whole;
        if (whole ? other.done < other.op.segments() : end.done >= d.lag && other.done <= end.done - d.lag) {
          why = fmt::format("{} waits for {}, which has done {} segments", describe(end), describe(other), other.done);
        }
      }
    };
    if (r.partner >= 0) blocked(ops_[static_cast<std::size_t>(r.partner)]);
    blocked(r);
    fail(fmt::format("{} stalls at segment {} of {}: {}", describe(r), r.done, r.op.segments(), why));
  }

  Schedule const& schedule_;
  std::span<RankBuffers> buffers_;
  Combine const& combine_;
  std::mt19937_64 random_;
  std::vector<std::vector<std::byte>> scratch_;
  std::vector<Running> ops_;
  std::vector<std::int32_t> ready_;
};

}  // namespace

void interpret(Schedule const& schedule, std::span<RankBuffers> ranks, Combine const& combine, std::uint64_t seed) {
  Interpreter(schedule, ranks, combine, seed).run();
}

}  // namespace allport
