#include "allport/select/selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "allport/base/error.h"
#include "base/words.h"

namespace allport {

namespace {

/// Expected time of a configuration without a prediction, relative to the standard one.
constexpr double unknown = 1.5;
/// Maximum fraction of time for agreements while nothing is tried.
constexpr double watching = 0.01;
/// A first iteration includes start-up. One that takes this multiple of the hopeless limit ends its tuning run.
constexpr double start_up = 2.0;
constexpr double longest_wait = 1e6;  // iterations
/// The standard configuration and another are not timed again if they differ by more.
constexpr double surely = 4.0;
/// Nor is a configuration that takes this much more, if the standard's time includes no start-up.
constexpr double surely_dearer = 1.25;
/// Fraction of the cost bound that is planned for; the rest is for tuning runs that cost more than expected.
constexpr double planned = 0.6;
/// Minimum iterations of the best configuration between two checks of its time: fewer mostly measure disturbances.
constexpr int shortest_watch = 8;
}  // namespace

Selector::Selector(std::vector<Configuration> configurations, SelectorOptions options)
    : options_(std::move(options)), best_(options_.standard), agreement_(options_.agreement.value()) {
  auto const& o = options_;
  ensure(!configurations.empty(), "configurations", configurations.size(), "at least one");
  ensure(o.standard < configurations.size(), "standard", o.standard, "one of the configurations");
  ensure(o.iterations >= 1, "iterations", o.iterations, "at least 1");
  ensure(o.blind >= 0, "blind", o.blind, "at least 0");
  ensure(o.blind_to >= 1, "blind_to", o.blind_to, "at least 1, times what the model says of the standard");
  ensure(o.confirm >= 0, "confirm", o.confirm, "at least 0");
  ensure(o.starts_up >= 0, "starts_up", o.starts_up, "at least 0");
  ensure(o.doubt >= 1, "doubt", o.doubt, "at least 1, times the standard's time");
  ensure(o.clearly > 0 && o.clearly <= 1, "clearly", o.clearly, "a share of the best one's time, above 0, at most 1");
  ensure(o.loss >= 0, "loss", o.loss, "a share of the standard's time, at least 0");
  ensure(o.allowance >= Seconds{}, "allowance", o.allowance, "at least 0 seconds");
  ensure(o.agreement >= Seconds{}, "agreement", o.agreement, "at least 0 seconds");
  ensure(o.hopeless >= 1, "hopeless", o.hopeless, "at least 1, times the best one's time");
  ensure(o.drift > 0, "drift", o.drift, "a share above 0");
  std::set<std::string> names;
  for (auto& configuration : configurations) {
    ensure(names.insert(configuration.name).second, "configurations", configuration.name, "names that differ");
    ensure(configuration.predicted >= Seconds{}, "predicted", configuration.predicted, "at least 0 seconds");
    ensure(configuration.lasting >= Seconds{}, "lasting", configuration.lasting, "at least 0 seconds");
    arms_.push_back({.configuration = std::move(configuration)});
  }
  plan_first();
}

void Selector::report(std::string const& text) const {
  if (options_.report) options_.report(text);
}

Selector::Run Selector::tuning_run(std::size_t arm) const {
  return {.arm = arm, .iterations = options_.iterations + 1};
}

/// Plans the standard configuration and, before the first agreement, those that the model predicts to be about as fast.
void Selector::plan_first() {
  runs_ = {tuning_run(options_.standard)};
  if (options_.starts_up > 0) runs_.front().drops = options_.starts_up;
  runs_.front().iterations = runs_.front().drops + options_.iterations;
  auto const by_model = [&](std::size_t arm) { return arms_[arm].configuration.predicted; };
  auto const standard = by_model(options_.standard);
  auto const may_win = [&](std::size_t arm) {
    if (arm == options_.standard || by_model(arm) == Seconds{}) return false;
    return by_model(arm) < standard || (options_.blind_to > 1 && by_model(arm) <= options_.blind_to * standard);
  };
  std::vector<std::size_t> better;
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (may_win(a)) better.push_back(a);
  }
  std::ranges::stable_sort(better, {}, by_model);
  auto const blind = std::min(better.size(), static_cast<std::size_t>(options_.blind));
  for (std::size_t b = 0; b < blind; ++b) runs_.push_back(tuning_run(better[b]));
}

void Selector::learn(Run const& run, double mean) {
  auto& arm = arms_[run.arm];
  iterations_ += run.done;
  if (run.untimed) return;
  if (run.watches) {
    watch(mean);
    return;
  }
  if (run.confirms) {
    // No gain from tuning in case of doubt.
    confirmed_ = run.arm;
    best_ = options_.standard;
    settled_at_ = standard_seconds();
  }
  if (!run.lasts) mean = std::max(mean, arm.configuration.lasting.value());
  arm.seconds = run.again ? std::min(arm.seconds, mean) : mean;
  arm.open = false;
  if (run.arm == best_) settled_at_ = arm.seconds;
}

void Selector::account(Run const& run, double total) {
  allowed_ += options_.loss * standard_seconds() * run.done;
  auto const took = run.untimed ? arms_[run.arm].seconds * run.done : total;
  if (run.arm != options_.standard) spent_ += took - standard_seconds() * run.done;
}

/// A change must be seen twice in a row; once may be a disturbance.
void Selector::watch(double mean) {
  auto& best = arms_[best_];
  auto const change = mean / settled_at_;
  if (std::abs(change - 1) <= options_.drift) {
    drifted_ = 0;
    best.seconds = mean;
    return;
  }
  if (++drifted_ < 2) return;
  drifted_ = 0;
  confirmed_.reset();
  settled_at_ = best.seconds = mean;
  report(fmt::format("iteration {}: {} takes {:.2f} times what it took: all are tried again", iterations_,
                     best.configuration.name, change));
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    auto& arm = arms_[a];
    if (a == best_) continue;
    arm.open = true;
    arm.probed = false;
    if (arm.seconds == 0) continue;
    arm.expected = arm.seconds * std::min(change, 1.0);
    // The standard configuration remains the reference until it has run again.
    arm.seconds = a == options_.standard ? arm.seconds * change : 0;
  }
}

void Selector::choose_best() {
  auto quickest = best_;
  auto const limit = [&] {
    return quickest == best_ ? options_.clearly * arms_[best_].seconds : arms_[quickest].seconds;
  };
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].seconds > 0 && arms_[a].seconds < limit()) quickest = a;
  }
  if (quickest == best_) return;
  report(fmt::format("iteration {}: {} takes {}, {:.2f} of {}: chosen", iterations_, arms_[quickest].configuration.name,
                     seconds_in_words(Seconds(arms_[quickest].seconds)), arms_[quickest].seconds / arms_[best_].seconds,
                     arms_[best_].configuration.name));
  best_ = quickest;
  settled_at_ = arms_[best_].seconds;
  drifted_ = 0;
}

/// The prediction, corrected by its error for the same family, else for any.
double Selector::expected(Arm const& arm) const {
  if (arm.expected > 0) return arm.expected;
  auto const predicted = arm.configuration.predicted.value();
  if (predicted == 0) return unknown * standard_seconds();
  double error = 1;
  double nearest = INFINITY;
  for (auto const& other : arms_) {
    auto const theirs = other.configuration.predicted.value();
    if (other.seconds == 0 || theirs == 0) continue;
    bool const akin = other.configuration.family == arm.configuration.family;
    auto const distance = std::abs(std::log(theirs / predicted)) + (akin ? 0 : 1e3);
    if (distance < nearest) {
      nearest = distance;
      error = other.seconds / theirs;
    }
  }
  return predicted * error;
}

/// A configuration without a known time may be the best.
bool Selector::is_hopeless(Arm const& arm) const {
  bool const says = arm.expected > 0 || arm.configuration.predicted > Seconds{};
  return says && expected(arm) > (arm.probed ? start_up : 1) * options_.hopeless * arms_[best_].seconds;
}

std::vector<std::size_t> Selector::worth_trying() const {
  std::vector<std::size_t> open;
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (arms_[a].open && !is_hopeless(arms_[a])) open.push_back(a);
  }
  // Probed and delayed configurations leave the budget to those of which less is known.
  std::ranges::stable_sort(open, {}, [&](std::size_t a) { return std::pair(arms_[a].probed, expected(arms_[a])); });
  return open;
}

/// The amount by which the budget is too small for `iterations` iterations of `seconds` each.
double Selector::missing(int iterations, double seconds) const {
  auto const standard = standard_seconds();
  auto const loss = std::max(seconds - standard, 0.0);
  auto const cost = iterations * (loss - options_.loss * standard) + 2 * agreement_;
  // A run without expected cost is allowed even if the budget is exceeded.
  return cost <= 0 ? cost : cost - (options_.allowance.value() + planned * allowed_ - spent_);
}

/// The rest of a tuning run after a probe that was neither hopeless nor too expensive.
std::optional<Selector::Run> Selector::remaining_run() {
  auto const& last = runs_.back();
  auto& arm = arms_[last.arm];
  if (!last.probes || arm.seconds > start_up * options_.hopeless * arms_[best_].seconds) return std::nullopt;
  if (missing(options_.iterations, arm.seconds) <= 0) {
    return Run{.arm = last.arm, .iterations = options_.iterations, .drops = 0};
  }
  arm.expected = std::exchange(arm.seconds, 0.0);
  arm.open = arm.probed = true;
  return std::nullopt;
}

/// The best tried configuration other than the standard one.
std::optional<std::size_t> Selector::best_other() const {
  std::optional<std::size_t> other;
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    if (a == options_.standard || arms_[a].seconds == 0) continue;
    if (!other || arms_[a].seconds < arms_[*other].seconds) other = a;
  }
  return other;
}

/// The configuration to be confirmed against the standard one.
std::optional<std::size_t> Selector::to_confirm() const {
  auto const other = best_other();
  if (options_.confirm == 0 || !other || confirmed_ == other) return std::nullopt;
  auto const ratio = arms_[*other].seconds / standard_seconds();
  auto const dearer = options_.starts_up > 0 ? surely : surely_dearer;
  return ratio > dearer || ratio < 1 / surely ? std::nullopt : other;
}

/// A run that follows another one starts with full queues and ranks that are not synchronised.
std::optional<std::size_t> Selector::in_doubt() const {
  auto const other = best_other();
  if (options_.doubt == 1 || agreements_ > 1 || best_ != options_.standard || !other) return std::nullopt;
  auto const time = arms_[*other].seconds;
  bool const near = time < options_.doubt * standard_seconds();
  return near && missing(options_.iterations, time) <= 0 ? other : std::nullopt;
}

/// Confirms against the standard one after a run of the best; alternating single iterations if disturbances, which come
/// in bursts, are the main difference.
std::vector<Selector::Run> Selector::confirming(std::size_t other) const {
  auto const& standard = arms_[options_.standard];
  report(fmt::format("iteration {}: {} ({}) and {} ({}) will be timed once more", iterations_,
                     standard.configuration.name, seconds_in_words(Seconds(standard.seconds)),
                     arms_[other].configuration.name, seconds_in_words(Seconds(arms_[other].seconds))));
  std::vector<Run> runs;
  if (options_.undisturbed) {
    for (int turn = 0; turn < options_.confirm; ++turn) {
      for (auto const arm : {options_.standard, other}) {
        runs.push_back({.arm = arm, .iterations = 2, .again = turn > 0});
      }
    }
    runs.front().drops = options_.standard != runs_.back().arm ? 1 : 0;
  } else {
    auto const iterations = options_.confirm + 1;
    runs = {{.arm = best_, .iterations = options_.confirm, .drops = 0, .untimed = true},
            {.arm = options_.standard, .iterations = iterations, .lasts = true},
            {.arm = other, .iterations = iterations, .lasts = true}};
  }
  runs.back().confirms = true;
  return runs;
}

std::vector<Selector::Run> Selector::next_runs() {
  if (auto const other = in_doubt()) {
    auto const drops = *other != runs_.back().arm ? 1 : 0;
    return {{.arm = *other, .iterations = options_.iterations + drops, .drops = drops, .again = true}};
  }
  auto const open = worth_trying();
  // A program's first iterations are not representative: a configuration that was faster than these is compared with
  // the standard one again before it becomes the reference.
  bool const took_over = best_ != options_.standard && options_.starts_up == 0;
  std::optional<std::size_t> again;
  if (open.empty() || took_over) again = to_confirm();
  settled_ = open.empty() && !again;
  auto const agreement = agreement_;
  auto const standard = standard_seconds();
  auto next = Run{.arm = best_, .watches = true};
  auto const look = std::max<double>(shortest_watch, std::ceil(agreement / (watching * arms_[best_].seconds)));
  auto wait = look;
  if (!settled_) {
    auto tried =
        again ? Run{.arm = *again, .iterations = options_.confirm + 1, .confirms = true} : tuning_run(open.front());
    tried.probes = !again && !arms_[tried.arm].probed && agreement <= watching * standard;
    if (tried.probes) tried.iterations = 1;
    auto const expects = again ? arms_[*again].seconds : expected(arms_[tried.arm]);
    auto const missing = this->missing(tried.iterations, expects);
    if (missing > 0) {
      auto const saved = options_.loss * standard + std::max(standard - arms_[best_].seconds, 0.0);
      // A configuration that replaced the standard one during a lull is watched meanwhile.
      wait = saved > 0 ? std::min((missing + agreement) / saved, look) : look;
    } else if (again) {
      return confirming(*again);
    } else {
      next = tried;
      report(fmt::format("iteration {}: {} is tried, expected to take {}, {:.2f} of {}", iterations_,
                         arms_[next.arm].configuration.name, seconds_in_words(Seconds(expects)),
                         expects / arms_[best_].seconds, arms_[best_].configuration.name));
    }
  }
  if (next.iterations == 0) {
    next.iterations = static_cast<int>(std::clamp<double>(std::ceil(wait), options_.iterations, longest_wait));
  }
  next.drops = next.arm != runs_.back().arm ? 1 : 0;
  if (options_.overlap && next.watches && next.iterations > shortest_watch) {
    auto const rest = std::exchange(next.iterations, shortest_watch) - shortest_watch;
    next.drops = 0;
    return {{.arm = best_, .iterations = rest, .drops = 0, .untimed = true}, next};
  }
  return {next};
}

std::optional<Seconds> Selector::seconds(std::size_t configuration) const {
  ensure(configuration < arms_.size(), "configuration", configuration, fmt::format("below {}", arms_.size()));
  auto const& arm = arms_[configuration];
  return arm.seconds > 0 ? std::optional(Seconds(arm.seconds)) : std::nullopt;
}

}  // namespace allport
