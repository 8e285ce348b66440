#include "msccl_blocks.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport::msccl {
namespace {

class Maker {
 public:
  Maker(Program const& program, Rank rank, std::int64_t chunk, MscclLimits const& limits)
      : program_(program), rank_(rank), chunk_(chunk), limits_(limits), blocks_(program.ops.size()) {}

  std::vector<Block> run() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) fill(i);
    for (auto& block : blocks_) {
      for (auto& step : block.steps) {
        if (step.block < 0) continue;
        auto& other = blocks_[static_cast<std::size_t>(step.block)];
        step.step = other.last[static_cast<std::size_t>(step.step)];  // of the segment that it held until now
        other.steps[static_cast<std::size_t>(step.step)].awaited = true;
      }
    }
    return std::move(blocks_);
  }

 private:
  void fill(std::size_t index) {
    auto const& op = program_.ops[index];
    auto& block = blocks_[index];
    std::vector<std::int64_t> seen(blocks_.size(), -1);  // segments waited for so far: a threadblock keeps its order
    seen[index] = op.segments();
    for (std::int64_t i = 0; i < op.segments(); ++i) {
      auto waits = waits_of(op, i, seen);
      // All but the last are met by steps that do nothing else.
      for (std::size_t w = 0; w + 1 < waits.size(); ++w) {
        block.steps.emplace_back();
        wait_for(waits[w], block.steps.back());
      }
      auto const first = block.steps.size();
      move(op, i, block);
      if (!waits.empty()) wait_for(waits.back(), block.steps[first]);
      block.last.push_back(static_cast<std::int64_t>(block.steps.size()) - 1);
      ensure(static_cast<std::int64_t>(block.steps.size()) <= limits_.steps, "steps of one threadblock",
             block.steps.size(),
             fmt::format("at most {} in MSCCL (rank {} operation {}, segment {} of {})", limits_.steps, rank_, index,
                         i + 1, op.segments()),
             "use longer segments, or raise the limit if your MSCCL takes more", ErrorKind::unsupported);
    }
  }

  static void wait_for(Wait wait, Step& step) {
    step.block = wait.op;
    step.step = wait.segment;
  }

  [[nodiscard]] std::vector<Wait> waits_of(Op const& op, std::int64_t i, std::vector<std::int64_t>& seen) const {
    std::vector<Wait> waits;
    for (auto const& d : op.after) {
      auto const segments = program_.ops[static_cast<std::size_t>(d.op)].segments();
      auto const target = d.lag == Dependence::whole ? segments - 1 : i - d.lag;
      auto& known = seen[static_cast<std::size_t>(d.op)];
      if (target <= known) continue;
      known = target;
      std::erase_if(waits, [&](Wait w) { return w.op == d.op; });
      waits.push_back({d.op, target});
    }
    return waits;
  }

  void move(Op const& op, std::int64_t i, Block& block) const {
    auto const from = op.position(op.from, i);
    auto const into = op.position(op.into, i);
    auto const with = op.position(op.with, i);
    auto const bytes = op.segment_bytes(i);
    auto const add = [&](Act act, Place source, Place target) { split(act, source, target, bytes, block); };
    switch (op.kind) {
      case OpKind::send:
        return add(Act::send, {op.from.buffer, from}, {op.from.buffer, from});
      case OpKind::receive:
        return add(Act::receive, {op.into.buffer, into}, {op.into.buffer, into});
      case OpKind::copy:
        return add(Act::copy, {op.from.buffer, from}, {op.into.buffer, into});
      case OpKind::combine:
        break;
    }
    // MSCCL reduces into an operand, and its operators commute.
    if (op.into.buffer == op.with.buffer && into == with) {
      return add(Act::reduce, {op.from.buffer, from}, {op.into.buffer, into});
    }
    if (op.into.buffer != op.from.buffer || into != from) {
      bool const overlaps = op.into.buffer == op.with.buffer && into < with + bytes && with < into + bytes;
      ensure(!overlaps, "into", into, "a place that does not cut across the left operand", "", ErrorKind::unsupported);
      add(Act::copy, {op.from.buffer, from}, {op.into.buffer, into});
    }
    add(Act::reduce, {op.with.buffer, with}, {op.into.buffer, into});
  }

  void split(Act act, Place source, Place target, std::int64_t bytes, Block& block) const {
    auto const chunks = bytes / chunk_;
    for (std::int64_t at = 0; at < chunks; at += limits_.count) {
      auto const place = [&](Place p) { return Place{p.buffer, p.offset / chunk_ + at}; };
      block.steps.push_back({.act = act,
                             .from = place(source),
                             .into = place(target),
                             .count = std::min<std::int64_t>(limits_.count, chunks - at)});
    }
  }

  Program const& program_;
  Rank rank_;
  std::int64_t chunk_;
  MscclLimits const& limits_;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<Block> blocks(Program const& program, Rank rank, std::int64_t chunk, MscclLimits const& limits) {
  return Maker(program, rank, chunk, limits).run();
}

}  // namespace allport::msccl
