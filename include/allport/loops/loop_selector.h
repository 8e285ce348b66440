// Tunes the number of team leaders and members, the schedule and the size of blocks of a program's loops while it runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/loops/loop_advice.h"
#include "allport/loops/teams.h"
#include "allport/model/spread_cost.h"
#include "allport/select/selector.h"

namespace allport::loops {

struct LoopConfiguration {
  TeamsShape shape;
  LoopOptions loop{};
  std::vector<std::int64_t> block{};  ///< size of blocks, for Blocks::recut(); empty: is not changed
};
/// "4 x (1 + 6), static", "... dynamic by 16", "..., blocks of 256 x 256"
[[nodiscard]] std::string name(LoopConfiguration const& configuration);

/// Threads that shapes use: all, or also three quarters and half of them, for memory-bound loops.
enum class Threads : std::uint8_t { all, fewer_too };
/// All shapes with leaders * (1 + members) == threads, combined with each schedule; then shapes of fewer threads, if
/// requested. Teams of one thread run their loops whole: they are combined with the first schedule only. All of these
/// with each size of blocks, if there are any.
/// @pre threads >= 1, schedules is not empty
[[nodiscard]] std::vector<LoopConfiguration> loop_configurations(
    int threads, std::vector<LoopOptions> const& schedules = {{}}, Threads used = Threads::all,
    std::vector<std::vector<std::int64_t>> const& blocks = {});

struct LoopSelectorOptions {
  std::size_t standard = 0;                   ///< the configuration without tuning
  std::optional<model::SpreadTerms> terms{};  ///< of this rank's node and one step; none: times are not predicted
  std::string site{};                         ///< name in ALLPORT_SELECT_FILE; empty: results are not stored
  SelectorOptions selecting{
      .confirm = 3, .undisturbed = true, .clearly = 0.95};  ///< but standard and agreement, which are set here
};

/// The Selector of loops. A step is the part of a program between two points at which the configuration may change:
/// some iterations, or all between two load balancing calls.
///
///     LoopSelector selector(comm, teams, loop_configurations(teams.threads()), {.site = "jacobi 4096"});
///     for (...) {
///       selector.step([&](LoopConfiguration const& now) {
///         if (!now.block.empty()) blocks.recut(now.block);  // timed too, in an iteration that tuning runs discard
///         blocks.iterate(10, ...now.loop...);
///       });
///       blocks.balance();
///     }
///
/// Stored results include how the program was launched: loop_advice() compares launches, and `allport doctor` reports.
/// ALLPORT_SELECT=off keeps the standard configuration; ALLPORT_EXPLAIN=1 makes rank 0 report what was tried and why.
/// All functions are collective.
class LoopSelector {
 public:
  /// Collective.
  /// @pre configurations fit the teams' threads and differ; options.standard is one of them
  /// @throws Error on every rank when ranks differ in their configurations
  LoopSelector(Communicator const& comm, Teams& teams, std::vector<LoopConfiguration> configurations,
               LoopSelectorOptions options = {});
  /// Stores the result, on rank 0.
  ~LoopSelector();
  LoopSelector(LoopSelector const&) = delete;
  LoopSelector& operator=(LoopSelector const&) = delete;

  /// Configures the teams, runs run(configuration) and times it; decides when the tuning run is complete. Collective.
  template <class Run>
  void step(Run&& run) {
    auto const& now = apply();
    auto const begin = std::chrono::steady_clock::now();
    run(now);
    record(Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
  }

  /// step() by hand.
  LoopConfiguration const& apply();
  void record(Seconds took);

  [[nodiscard]] LoopConfiguration const& best() const;
  [[nodiscard]] Selector const& selector() const { return *selector_; }

 private:
  void remembered();
  void report_other_launches(Memory const& memory) const;

  Communicator comm_;
  Teams& teams_;
  std::vector<LoopConfiguration> configurations_;
  std::string site_;
  Launch launch_;
  bool fixed_ = false;  ///< ALLPORT_SELECT=off
  std::size_t standard_ = 0;
  std::unique_ptr<Selector> selector_;
};

}  // namespace allport::loops
