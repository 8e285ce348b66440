// Iteration times of a Selector, and their agreement among ranks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "allport/base/error.h"
#include "allport/select/selector.h"

namespace allport {

namespace {

/// In a longer run only this many of the latest iterations count.
constexpr std::size_t most_kept = 64;

/// Trimmed mean.
double mean_within(std::vector<double> times, std::size_t least, std::size_t largest) {
  std::ranges::sort(times);
  auto const within = std::span(times).subspan(least, times.size() - least - largest);
  return std::accumulate(within.begin(), within.end(), 0.0) / static_cast<double>(within.size());
}

/// Equal iterations can only be delayed by disturbances.
double mean_of_lesser_half(std::vector<double> const& times) { return mean_within(times, 0, times.size() / 2); }

/// Overlapping iterations can be too fast as well as too slow.
double mean_of_middle_half(std::vector<double> const& times) {
  auto const quarter = (times.size() + 1) / 4;
  return times.size() < 3 ? mean_within(times, 0, 0) : mean_within(times, quarter, quarter);
}

}  // namespace

void Selector::record(Seconds local) {
  auto& run = runs_[at_];
  run.total += local.value();
  auto const counted = run.done++ - run.dropped();
  if (counted < 0) {
    run.first += local.value();
  } else if (options_.undisturbed || options_.overlap) {
    if (run.latest.size() < most_kept) {
      run.latest.push_back(local.value());
    } else {
      run.latest[static_cast<std::size_t>(counted) % most_kept] = local.value();
    }
  }
  go_on();
}

/// Proceeds to the next run if this one has ended.
void Selector::go_on() {
  auto const& run = runs_[at_];
  if (run.done >= run.iterations && at_ + 1 < runs_.size()) ++at_;
}

int Selector::untimed() const {
  auto const& run = runs_[at_];
  return run.untimed ? run.iterations - run.done : 0;
}

void Selector::skip(int iterations) {
  ensure(iterations >= 0 && iterations <= untimed(), "iterations", iterations,
         fmt::format("0 to {}, the untimed iterations", untimed()));
  runs_[at_].done += iterations;
  go_on();
}

/// This rank's times of a run: the mean of an iteration, or each one's.
std::vector<double> Selector::iterations_of(Run const& run) const {
  if (run.untimed) return {};
  if (options_.overlap) return run.latest;
  if (options_.undisturbed) return {mean_of_lesser_half(run.latest)};
  return {(run.total - run.first) / (run.done - run.dropped())};
}

void Selector::decide(Agree const& agree) {
  if (!due()) return;
  std::vector<double> times;
  std::vector<std::size_t> ends;
  for (auto const& run : runs_) {
    auto const iterations = iterations_of(run);
    times.insert(times.end(), iterations.begin(), iterations.end());
    ends.push_back(times.size());
  }
  for (auto const& run : runs_) times.push_back(run.untimed ? 0.0 : run.total);
  agree_and_time(agree, times);
  spent_ += agreement_;
  auto from = times.begin();
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    auto const end = times.begin() + static_cast<std::ptrdiff_t>(ends[r]);
    learn(runs_[r], from == end ? 0.0 : mean_of_middle_half({from, end}));
    from = end;
  }
  for (std::size_t r = 0; r < runs_.size(); ++r) account(runs_[r], times[ends.back() + r]);
  at_ = 0;
  if (auto const rest = remaining_run()) {
    runs_ = {*rest};
  } else {
    choose_best();
    runs_ = next_runs();
  }
}

/// The time of an agreement is agreed on with the next one, since models are inaccurate for ranks that share cores. The
/// first one opens connections and is ignored.
void Selector::agree_and_time(Agree const& agree, std::vector<double>& times) {
  times.push_back(last_agreement_);
  auto const begin = std::chrono::steady_clock::now();
  agree(times);
  last_agreement_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++agreements_;
  if (agreements_ < 3) return;
  agreements_took_ += times.back();
  agreement_ = std::max(options_.agreement.value(), agreements_took_ / (agreements_ - 2));
}

}  // namespace allport
