#include "allport/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <unordered_map>

#include "barrier.h"
#include "delivery.h"
#include "execution.h"
#include "loads.h"
#include "operations.h"
#include "races.h"
#include "stall.h"
#include "table.h"

namespace allport::verify {
namespace {

/// One proof, from the programs to the report.
class Proof {
 public:
  Proof(Schedule const& schedule, Machine const& machine, Options const& options)
      : schedule_(schedule),
        options_(options),
        space_(schedule.contract(), options.placement.empty() ? machine : Machine::flat(schedule.ranks())),
        findings_(options.max_findings),
        table_(schedule, space_),
        loads_(machine, schedule, options, findings_),
        operations_(space_, machine, findings_),
        races_(space_, findings_) {
    report_.algorithm = schedule.algorithm();
    report_.machine = machine.name();
    report_.contract = schedule.contract();
    report_.cut = schedule.cut();
    report_.trees = schedule.trees();
  }

  Report run() {
    load();
    table_.finish(findings_);
    count_streams();
    loads_.finish(report_);
    report_progress("execution", 0);
    Execution execution(table_, findings_);
    execution.run(options_.progress);
    report_.counts.depth = execution.depth();
    report_progress("delivery", 0);
    if (!execution.finished()) Stall(table_, findings_).report();
    Delivery delivery(table_, execution, findings_);
    delivery.check();
    if (schedule_.contract().what == Collective::barrier && execution.finished()) check_barrier(table_, findings_);
    report_.rank_ordered = delivery.rank_ordered();
    // An execution that stops early must not count as proven if no reason was found.
    if (!execution.finished() && findings_.empty()) {
      findings_.add({Kind::deadlock, 0, 0, 0, -1}, [] { return Finding{{}, 0, -1, 0, {}, "the schedule never ends"}; });
    }
    report_.found = findings_.found();
    report_.findings = findings_.take();
    report_.ok = report_.found == 0;
    return std::move(report_);
  }

 private:
  void load() {
    Program program;
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      if (rank % 16384 == 0) report_progress("programs", static_cast<double>(rank) / schedule_.ranks());
      schedule_.program(rank, program);
      auto& counts = report_.counts;
      counts.operations += static_cast<std::int64_t>(program.ops.size());
      counts.scratch = std::max(counts.scratch, program.scratch);
      ensure(counts.operations <= options_.max_operations, "operations", counts.operations,
             fmt::format("at most {} in one proof (rank {} of {})", options_.max_operations, rank, schedule_.ranks()),
             "prove the algorithm on a smaller machine of the same shape, or raise max_operations", ErrorKind::memory);
      auto const& broken = operations_.check(rank, program);
      bool const sound = std::ranges::none_of(broken, [](bool b) { return b; });
      if (sound) races_.check(rank, program);
      for (std::size_t i = 0; i < program.ops.size(); ++i) {
        if (!broken[i] && program.ops[i].kind == OpKind::send)
          count_send(rank, static_cast<std::int32_t>(i), program.ops[i]);
      }
      table_.add(rank, program, broken);
    }
  }

  void count_send(Rank rank, std::int32_t index, Op const& op) {
    loads_.add(rank, index, op);
    report_.counts.messages += op.segments();
    report_.counts.bytes_moved += op.length;
    auto& longest = channels_[op.channel];
    longest = std::max(longest, op.segments());
  }

  void count_streams() {
    for (auto const& op : table_.linked().ops()) {
      if (op.kind == OpKind::receive && op.partner != no_op) ++report_.counts.streams;
    }
    for (auto const& [channel, segments] : channels_) report_.counts.segments += segments;
  }

  void report_progress(std::string_view phase, double fraction) const {
    if (options_.progress) options_.progress(phase, fraction);
  }

  Schedule const& schedule_;
  Options const& options_;
  Space space_;
  Findings findings_;
  Table table_;
  Loads loads_;
  Operations operations_;
  Races races_;
  Report report_;
  std::unordered_map<std::int32_t, std::int64_t> channels_;
};

}  // namespace

std::string_view name(Kind kind) {
  constexpr std::array<std::string_view, 13> names{"program", "unmatched",     "mismatch",   "no_link", "dead_link",
                                                   "race",    "ring_overflow", "deadlock",   "missing", "wrong",
                                                   "doubled", "contribution",  "shared_link"};
  return names[static_cast<std::size_t>(kind)];
}

Report prove(Schedule const& schedule, Machine const& machine, Options const& options) {
  schedule.contract().check();
  ensure(schedule.contract().what != Collective::none, "schedule", schedule.algorithm(), "one with a contract",
         "this one has none, so there is nothing to prove; interpret, simulate or run it");
  auto const& placement = options.placement;
  ensure(schedule.ranks() == machine.ranks() || !placement.empty(), "schedule.ranks", schedule.ranks(),
         fmt::format("the machine's {} ranks", machine.ranks()),
         "make the schedule for this machine, or pass a placement");
  ensure(placement.empty() || placement.size() == static_cast<std::size_t>(schedule.ranks()), "placement",
         placement.size(), fmt::format("a node for each of {} ranks", schedule.ranks()));
  for (auto const n : placement) ensure(n >= 0 && n < machine.nodes(), "placement", n, "nodes of the machine");
  ensure(options.max_findings >= 1, "max_findings", options.max_findings, "at least 1");
  ensure(options.max_operations >= 1, "max_operations", options.max_operations, "at least 1");
  auto const start = std::chrono::steady_clock::now();
  auto report = Proof(schedule, machine, options).run();
  report.elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace allport::verify
