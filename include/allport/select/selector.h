// Run-time tuning: chooses among the configurations of a running program by measured times, within a bounded loss.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allport/base/units.h"

namespace allport {

struct Configuration {
  std::string name;      ///< unique; used in reports and in the stored results
  Seconds predicted{};   ///< of one iteration, by a model; 0: unknown
  std::string family{};  ///< configurations whose predictions have similar errors
  Seconds lasting{};  ///< lower bound of the sustained time of an iteration (the first ones may take less); 0: unknown
};

struct SelectorOptions {
  std::size_t standard = 0;  ///< the configuration without tuning
  int iterations = 2;        ///< timed iterations of a tuning run, after the first one, which is discarded
  int blind = 0;          ///< maximum number of configurations, predicted to be faster than the standard one, that are
                          ///< tried before the first agreement
  double blind_to = 1.0;  ///< or predicted to take up to this multiple of its time
  int confirm = 0;        ///< > 0: the configuration that has replaced the standard one, and at the end the best of the
                          ///< others, is timed once more against the standard one, each for this many iterations
  int starts_up = 0;      ///< > 0: number of first iterations, which open connections and fill empty queues, that are
                          ///< not timed; the best configuration at the first agreement runs for `confirm` iterations
                          ///< before it is confirmed
  bool overlap = false;   ///< iterations overlap: a rank waits in some and runs ahead in others. Ranks agree on every
                          ///< iteration's time, and the mean of the middle half counts
  double doubt = 1.0;     ///< > 1: a configuration that does not replace the standard one at the first agreement, but
                          ///< takes less than this multiple of its time, gets another tuning run; the lower time counts
  bool undisturbed = false;  ///< iterations are equal, and other programs disturb some of them: the mean of the faster
                             ///< half of a tuning run counts
  double clearly = 0.97;     ///< a configuration replaces the best one if it takes less than this fraction of its time
  double loss = 0.05;        ///< bound on the cost of tuning at any moment, as a fraction of the standard one's time
  Seconds allowance{};       ///< additional bound on the cost of tuning, available from the start
  Seconds agreement{};       ///< lower bound of the time of one agreement among ranks, which is timed as well
  double hopeless = 2.0;     ///< a configuration expected to take this multiple of the best one's time is not tried
  double drift = 0.10;       ///< relative change of the best one's time after which all configurations are tried again
  std::function<void(std::string const&)> report{};  ///< called with every decision and its reason
};

/// Stored results of earlier runs at a site.
struct Remembered {
  std::string best;
  std::map<std::string, Seconds> seconds;  ///< per iteration, by name; includes the standard's and the best one's
  bool provisional = false;                ///< not confirmed yet: SelectorOptions::confirm

  friend bool operator==(Remembered const&, Remembered const&) = default;
};

/// Replaces each number by its maximum over ranks, or, if iterations overlap, by its mean. Collective.
using Agree = std::function<void(std::span<double>)>;

/// Runs the standard configuration first, then tuning runs of the configurations with the lowest predicted times, and
/// keeps the fastest. A tuning run is delayed until its expected cost plus the cost of tuning so far is within
/// allowance + loss x (the standard configuration's time so far); time saved by a faster configuration counts. So a run
/// of any length loses at most this bound plus the excess of one tuning run over its expected cost.
///
/// All ranks have equal selectors and call record() and decide() alike; choices depend only on agreed times.
///
///     Selector selector(configurations, {.standard = 2});
///     for (...) {                                    // iterations
///       apply(selector.current());
///       selector.record(timed([&] { iterate(); }));
///       if (selector.due()) selector.decide(agree);  // or at the next moment at which the program can be changed
///     }
class Selector {
 public:
  /// @pre configurations is not empty, names differ, predictions and `lasting` >= 0, options.standard one of them,
  ///      iterations >= 1, blind >= 0, blind_to >= 1, confirm >= 0, starts_up >= 0, doubt >= 1, 0 < clearly <= 1,
  ///      loss >= 0, allowance >= 0, agreement >= 0, hopeless >= 1, drift > 0
  explicit Selector(std::vector<Configuration> configurations, SelectorOptions options = {});

  /// The configuration of the next iteration.
  [[nodiscard]] std::size_t current() const { return runs_[at_].arm; }
  /// Time of an iteration with current() on this rank.
  void record(Seconds local);
  /// Whether the next iteration is the first timed one of its tuning run. Ranks that end iterations at different times
  /// may use a barrier before it, or an early rank's time would include waiting.
  [[nodiscard]] bool begins() const { return runs_[at_].done == runs_[at_].dropped(); }
  /// Whether all planned iterations have run: the next decide() may change current(). Equal on all ranks.
  [[nodiscard]] bool due() const { return at_ + 1 == runs_.size() && runs_[at_].done >= runs_[at_].iterations; }
  /// Number of following iterations whose time is not needed: record() each, or skip() them.
  [[nodiscard]] int untimed() const;
  /// Skips recording of iterations that have run. @pre 0 <= iterations <= untimed()
  void skip(int iterations);
  /// Decides on the next configurations. Collective. No effect before due().
  void decide(Agree const& agree);

  /// Starts with the best configuration of an earlier run, if it is among the configurations.
  /// @pre record() was not called
  void resume(Remembered const& remembered);
  [[nodiscard]] Remembered remembered() const;

  [[nodiscard]] std::size_t best() const { return best_; }
  /// Whether a configuration other than the standard one will be tried before the next agreement.
  [[nodiscard]] bool explores() const;
  /// Whether tuning is complete, unless times change.
  [[nodiscard]] bool settled() const { return settled_; }
  /// Agreed time of an iteration; nothing if the configuration was not tried.
  [[nodiscard]] std::optional<Seconds> seconds(std::size_t configuration) const;
  /// Time of the run beyond the standard configuration's, up to the last decision; negative: saved. Agreed.
  [[nodiscard]] Seconds spent() const { return Seconds(spent_); }
  /// One line per configuration: its time, or its expected time and why it was not tried.
  [[nodiscard]] std::string explain() const;

 private:
  struct Arm {
    Configuration configuration;
    double seconds = 0;   ///< agreed; 0: not known
    double expected = 0;  ///< expected from earlier times; 0: the model's prediction
    bool open = true;     ///< to be tried
    bool probed = false;  ///< timed for one iteration, start-up included; `expected` is that time
  };
  /// Consecutive iterations of one configuration.
  struct Run {
    std::size_t arm = 0;
    int iterations = 0;     ///< planned
    int drops = 1;          ///< discarded iterations: another configuration ran before, or the program starts up
    bool probes = false;    ///< a single iteration that decides whether a tuning run is worth its time
    bool watches = false;   ///< times the best configuration again, because nothing else is to be tried
    bool again = false;     ///< a repeated tuning run; the lower time counts
    bool untimed = false;   ///< the time is not needed
    bool lasts = false;     ///< so long that the first iterations do not matter: Configuration::lasting
    bool confirms = false;  ///< the last run of a confirmation (SelectorOptions::confirm)
    int done = 0;
    double first = 0;  ///< seconds of the discarded iterations
    double total = 0;
    std::vector<double> latest{};  ///< of the others, if ranks agree on each one, or only some count

    [[nodiscard]] int dropped() const { return iterations > drops ? drops : 0; }
  };

  [[nodiscard]] double expected(Arm const& arm) const;
  [[nodiscard]] bool is_hopeless(Arm const& arm) const;
  [[nodiscard]] double standard_seconds() const { return arms_[options_.standard].seconds; }
  [[nodiscard]] std::vector<std::size_t> worth_trying() const;
  [[nodiscard]] Run tuning_run(std::size_t arm) const;
  [[nodiscard]] std::optional<Run> remaining_run();
  [[nodiscard]] double missing(int iterations, double seconds) const;
  [[nodiscard]] std::optional<std::size_t> best_other() const;
  [[nodiscard]] std::vector<double> iterations_of(Run const& run) const;
  void go_on();
  void agree_and_time(Agree const& agree, std::vector<double>& times);
  void learn(Run const& run, double mean);
  void account(Run const& run, double total);
  void watch(double mean);
  void choose_best();
  [[nodiscard]] std::vector<Run> next_runs();
  [[nodiscard]] std::vector<Run> confirming(std::size_t other) const;
  [[nodiscard]] std::optional<std::size_t> to_confirm() const;
  [[nodiscard]] std::optional<std::size_t> in_doubt() const;
  void plan_first();
  void report(std::string const& text) const;

  std::vector<Arm> arms_;
  SelectorOptions options_;
  std::vector<Run> runs_;
  std::size_t at_ = 0;
  std::size_t best_;
  bool settled_ = false;
  std::optional<std::size_t> confirmed_{};  ///< confirmed against the standard one
  double settled_at_ = 0;                   ///< time of the best configuration when it was chosen, or last changed
  int drifted_ = 0;                         ///< consecutive checks that found a changed time
  double agreement_;                        ///< expected time of an agreement
  double last_agreement_ = 0;               ///< on this rank
  double agreements_took_ = 0;              ///< agreed, all but the first
  int agreements_ = 0;
  double spent_ = 0;
  double allowed_ = 0;
  std::int64_t iterations_ = 0;
};

/// Stored results by site: the machine and the location in a program.
using Memory = std::map<std::string, Remembered>;

/// {"allport_memory": 1, "sites": {SITE: {"best": NAME, "seconds": {NAME: s}, "provisional": true}}};
/// "provisional" is left out if false.
[[nodiscard]] std::string to_json(Memory const& memory);
/// @throws Error(io) if to_json() did not write the text
[[nodiscard]] Memory memory_from_json(std::string const& text);
/// Empty if the file does not exist.
/// @throws Error(io) with the path
[[nodiscard]] Memory load_memory(std::string const& path);
/// Merges into the file, which other runs may have changed; written atomically.
/// @throws Error(io) if it cannot be written
void save_memory(std::string const& path, Memory const& memory);

}  // namespace allport
