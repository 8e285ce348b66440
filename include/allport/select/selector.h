// Chooses among the configurations of a running program by what they take, within a bounded loss.
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
  std::string name;      ///< tells it from the others, in reports and in what is remembered
  Seconds predicted{};   ///< of one iteration, by a model; 0: no model says
  std::string family{};  ///< configurations whose predictions err alike
  Seconds lasting{};     ///< a run's first iterations may take less, but no long row of them does; 0: nothing is known
};

struct SelectorOptions {
  std::size_t standard = 0;  ///< the configuration that runs where nobody tunes
  int iterations = 2;        ///< of a trial, after the first, which is dropped
  int blind = 0;          ///< configurations predicted to beat the standard that are tried before the first agreement
  double blind_to = 1.0;  ///< or to take up to so many times its time: where a model cannot tell them apart
  int confirm = 0;        ///< > 0: what has taken the standard's place, and at the end the best of the others, is tried
                          ///< once more beside the standard, each for so many iterations after the first
  int starts_up = 0;      ///< > 0: a run's first iterations open connections, and leave what they send to queues that
                          ///< are empty yet: so many of the standard's do not count; and what is best by the first
                          ///< agreement runs for `confirm` iterations before it is tried once more
  bool overlap = false;   ///< iterations follow each other too closely to take a time each: a rank waits in some and
                          ///< runs ahead in others. Ranks agree on every one, and the middle half's mean counts
  double doubt = 1.0;     ///< > 1: what by the first agreement does not take the standard's place, but less than so
                          ///< many times its time, goes on for another trial, of which the lesser time counts
  bool undisturbed = false;  ///< iterations are alike, and what else runs on the computer disturbs some: the mean of
                             ///< the lesser half of a trial's counts, not of all
  double clearly = 0.97;     ///< another one takes the best one's place when it takes less than so much of its time
  double loss = 0.05;        ///< of the time that the standard would have taken, which exploring may cost at any moment
  Seconds allowance{};       ///< and so much beside, from the start
  Seconds agreement{};       ///< what it takes the ranks to agree, at least: it is timed as well
  double hopeless = 2.0;     ///< expected to take so many times the best one's time: not tried
  double drift = 0.10;       ///< the best one's time changes by so much: all are open again
  std::function<void(std::string const&)> report{};  ///< hears what was decided, and why
};

/// What earlier runs found out at a site.
struct Remembered {
  std::string best;
  std::map<std::string, Seconds> seconds;  ///< an iteration, by name; the standard's and the best one's among them
  bool provisional = false;                ///< not confirmed yet: SelectorOptions::confirm

  friend bool operator==(Remembered const&, Remembered const&) = default;
};

/// Replaces each number by the largest that any rank has, or, where iterations overlap, by the mean of all. Collective.
using Agree = std::function<void(std::span<double>)>;

/// Runs the standard first, then tries what the model expects to be quick, cheapest first, and keeps what was quickest.
/// A trial is put off until what exploring has cost, and the trial is expected to cost, is within
/// floor + loss x (what the standard would have taken so far); where a better one has been found, what it saves counts.
/// So a run of any length loses no more than that, and by how much one trial was dearer than expected.
///
/// All ranks hold equal selectors and call record() and decide() alike; choices follow from agreed times alone.
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
  ///      loss >= 0, floor >= 0, agreement >= 0, hopeless >= 1, drift > 0
  explicit Selector(std::vector<Configuration> configurations, SelectorOptions options = {});

  /// The configuration that the next iteration is to run with.
  [[nodiscard]] std::size_t current() const { return runs_[at_].arm; }
  /// What an iteration with current() took on this rank.
  void record(Seconds local);
  /// The next iteration is the first of its trial that counts. Ranks that leave an iteration at different moments may
  /// want to meet before it, or whoever left the one before early has too much on its clock.
  [[nodiscard]] bool begins() const { return runs_[at_].done == runs_[at_].dropped(); }
  /// All that was planned has run: the next decide() may change current(). Equal on all ranks.
  [[nodiscard]] bool due() const { return at_ + 1 == runs_.size() && runs_[at_].done >= runs_[at_].iterations; }
  /// Of so many iterations from here on nobody needs the time: record() each, or skip() them.
  [[nodiscard]] int untimed() const;
  /// So many of these have run. @pre 0 <= iterations <= resting()
  void skip(int iterations);
  /// Collective. Before due() only what is due counts: nothing changes.
  void decide(Agree const& agree);

  /// Begins with what an earlier run found to be best, if that is among the configurations.
  /// @pre nothing was recorded
  void resume(Remembered const& remembered);
  [[nodiscard]] Remembered remembered() const;

  [[nodiscard]] std::size_t best() const { return best_; }
  /// Something else than the standard will be tried before the next agreement.
  [[nodiscard]] bool explores() const;
  /// Nothing more is to be tried, unless times change.
  [[nodiscard]] bool settled() const { return settled_; }
  /// An iteration, agreed; nothing where it was not tried.
  [[nodiscard]] std::optional<Seconds> seconds(std::size_t configuration) const;
  /// What the run has taken beyond the standard's time; negative: saved. Agreed, up to the last decision.
  [[nodiscard]] Seconds spent() const { return Seconds(spent_); }
  /// A line a configuration: its time, or what is expected of it and why it was not tried.
  [[nodiscard]] std::string explain() const;

 private:
  struct Arm {
    Configuration configuration;
    double seconds = 0;   ///< agreed; 0: not known
    double expected = 0;  ///< what earlier times let expect of it; 0: the model's
    bool open = true;     ///< to be tried
    bool probed = false;  ///< by one iteration, with start-up in it: `expected` is what it took
  };
  /// Iterations of one configuration in a row.
  struct Run {
    std::size_t arm = 0;
    int iterations = 0;     ///< planned
    int drops = 1;          ///< do not count: another configuration ran before, or the program starts up
    bool probes = false;    ///< one iteration, to see whether a trial is worth its time
    bool watches = false;   ///< of the best one, for want of anything to try
    bool again = false;     ///< ran in this row before, which counts if it took less
    bool untimed = false;   ///< nobody needs what they take
    bool lasts = false;     ///< so long that a row's beginning is no matter: Configuration::lasting
    bool confirms = false;  ///< ends what SelectorOptions::confirm asks for
    int done = 0;
    double first = 0;  ///< of those that do not count
    double total = 0;
    std::vector<double> latest{};  ///< of those that do, where they are told one by one or only some count

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
  std::optional<std::size_t> confirmed_{};  ///< tried once more beside the standard
  double settled_at_ = 0;                   ///< the best one's time when it was chosen, or last changed
  int drifted_ = 0;                         ///< watches in a row that found it changed
  double agreement_;                        ///< what one is expected to take
  double last_agreement_ = 0;               ///< on this rank
  double agreements_took_ = 0;              ///< agreed, all but the first
  int agreements_ = 0;
  double spent_ = 0;
  double allowed_ = 0;
  std::int64_t iterations_ = 0;
};

/// What is remembered, by site: which machine, which place in which program.
using Memory = std::map<std::string, Remembered>;

/// {"allport_memory": 1, "sites": {SITE: {"best": NAME, "seconds": {NAME: s}, "provisional": true}}}; the last where it
/// is
[[nodiscard]] std::string to_json(Memory const& memory);
/// @throws Error(io) for what to_json() did not write
[[nodiscard]] Memory memory_from_json(std::string const& text);
/// Empty where there is no such file.
/// @throws Error(io) with the path
[[nodiscard]] Memory load_memory(std::string const& path);
/// Adds to what stands in the file, which other runs may have written meanwhile; all or nothing is written.
/// @throws Error(io) where it cannot be written
void save_memory(std::string const& path, Memory const& memory);

}  // namespace allport
