// Chooses how many masters and drones run a program's loops, and how these are dealt, while it runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/model/spread_cost.h"
#include "allport/select/selector.h"
#include "allport/tasks/loop_advice.h"
#include "allport/tasks/teams.h"

namespace allport::tasks {

struct LoopConfiguration {
  TeamsShape shape;
  LoopOptions loop{};
};
/// "4 x (1 + 6), static", "... dynamic by 16"
[[nodiscard]] std::string name(LoopConfiguration const& configuration);

/// Threads that shapes use: all, or also three quarters and half of them, for loops that memory limits.
enum class Threads : std::uint8_t { all, fewer_too };
/// All shapes whose masters x (1 + drones) is `threads`, each with each way to deal a loop; then those of fewer, where
/// these are asked for. Teams of one thread run their loops whole: they come with the first way alone.
/// @pre threads >= 1, ways is not empty
[[nodiscard]] std::vector<LoopConfiguration> loop_configurations(int threads,
                                                                 std::vector<LoopOptions> const& schedules = {{}},
                                                                 Threads used = Threads::all);

struct LoopSelectorOptions {
  std::size_t standard = 0;                   ///< what runs where nobody tunes
  std::optional<model::SpreadTerms> terms{};  ///< of this rank's node and one step; without, nothing is predicted
  std::string site{};                         ///< remembered under this name in ALLPORT_SELECT_FILE; empty: it is not
  SelectorOptions selecting{
      .confirm = 3, .undisturbed = true, .clearly = 0.95};  ///< but standard and agreement, which are set here
};

/// The Selector of loops. A step is what runs between two moments at which a program may change: some iterations, or
/// all between two balancings.
///
///     LoopSelector selector(comm, teams, loop_configurations(teams.threads()), {.site = "jacobi 4096"});
///     for (...) {
///       selector.step([&](LoopConfiguration const& now) { blocks.iterate(10, ...now.loop...); });
///       blocks.balance();
///     }
///
/// What is remembered is also how the program was started: loop_advice() compares starts, and `allport doctor` tells.
/// ALLPORT_SELECT=off keeps the standard; ALLPORT_EXPLAIN=1 tells on rank 0 what was tried and why. Every rank calls
/// alike.
class LoopSelector {
 public:
  /// Collective.
  /// @pre configurations fit the teams' threads and differ; options.standard is one of them
  /// @throws Error on every rank when ranks differ in their configurations
  LoopSelector(Communicator const& comm, Teams& teams, std::vector<LoopConfiguration> configurations,
               LoopSelectorOptions options = {});
  /// Remembers, on rank 0.
  ~LoopSelector();
  LoopSelector(LoopSelector const&) = delete;
  LoopSelector& operator=(LoopSelector const&) = delete;

  /// Gives the teams the shape to try, runs run(configuration) and takes its time; decides where all ranks have what
  /// they need for it. Collective.
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

}  // namespace allport::tasks
