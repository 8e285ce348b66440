// A program of several ranks that a Selector configures, with a simulated clock.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "allport/select/selector.h"

namespace allport {

/// Ranks in step whose iterations take what `seconds` says, scattered; the last rank is the slowest.
class TunedProgram {
 public:
  TunedProgram(std::vector<Configuration> const& configurations, SelectorOptions const& options, unsigned seed,
               int ranks = 3)
      : random_(seed) {
    for (int r = 0; r < ranks; ++r) ranks_.emplace_back(configurations, options);
  }

  /// @param seconds  an iteration's, by configuration
  void run(int iterations, std::vector<double> const& seconds, double scatter = 0.02) {
    for (int i = 0; i < iterations; ++i) {
      auto const now = ranks_.front().current();
      for (auto const& rank : ranks_) ASSERT_EQ(rank.current(), now);
      auto const time = seconds[now] * std::exp(scatter * std::normal_distribution<>()(random_));
      taken_ += time;
      ran_.push_back(now);
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        ranks_[r].record(Seconds(r + 1 == ranks_.size() ? time : 0.8 * time));
      if (ranks_.front().due()) agree();
    }
  }

  [[nodiscard]] Selector& rank(std::size_t r) { return ranks_[r]; }
  [[nodiscard]] double taken() const { return taken_; }
  [[nodiscard]] int agreements() const { return agreements_; }
  [[nodiscard]] std::vector<std::size_t> const& ran() const { return ran_; }

 private:
  void agree() {
    ++agreements_;
    std::vector<double> slowest;
    auto const look = [&](std::span<double> mine) {
      slowest.resize(mine.size(), 0.0);
      for (std::size_t i = 0; i < mine.size(); ++i) slowest[i] = std::max(slowest[i], mine[i]);
    };
    for (auto const& rank : ranks_) {
      auto copy = rank;
      copy.decide(look);
    }
    for (auto& rank : ranks_) {
      rank.decide([&](std::span<double> mine) { std::ranges::copy(slowest, mine.begin()); });
    }
  }

  std::mt19937 random_;
  std::vector<Selector> ranks_;
  double taken_ = 0;
  int agreements_ = 0;
  std::vector<std::size_t> ran_;
};

inline std::vector<Configuration> tuned_configurations(std::vector<double> const& predicted) {
  std::vector<Configuration> all;
  for (std::size_t i = 0; i < predicted.size(); ++i) all.push_back({"c" + std::to_string(i), Seconds(predicted[i])});
  return all;
}

}  // namespace allport
