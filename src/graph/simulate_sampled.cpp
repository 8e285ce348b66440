// Estimates a graph's time from simulations of some of its steps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allport/graph/simulate.h"

namespace allport::graph {

namespace {

class Sampler {
 public:
  Sampler(TaskGraph const& graph, Machine const& machine, Transport const& transport, SimulateOptions const& options)
      : graph_(graph), machine_(machine), transport_(transport), options_(options) {
    options_.trace = false;
    whole_.ranks.resize(static_cast<std::size_t>(graph.ranks()));
    whole_.link_busy.assign(static_cast<std::size_t>(machine.link_ids()), 0.0);
  }

  [[nodiscard]] SimulateResult window(std::int64_t first, std::int64_t end) {
    options_.first = first;
    options_.end = end;
    simulated_ += end - first;
    return simulate(graph_, machine_, transport_, options_);
  }
  /// Extrapolates the steps `first` to `end` - 1 of a window to the number of steps that they represent.
  void add(SimulateResult const& part, double steps, std::int64_t first, std::int64_t end) {
    double all = 0;
    double own = 0;
    for (std::int64_t s = 0; s < std::ssize(part.step_work); ++s) {
      all += part.step_work[static_cast<std::size_t>(s)];
      if (s >= first && s < end) own += part.step_work[static_cast<std::size_t>(s)];
    }
    auto const share =
        all > 0 ? own / all : static_cast<double>(end - first) / static_cast<double>(part.step_ends.size());
    auto const times = steps / static_cast<double>(end - first) * share;
    auto const even = steps / static_cast<double>(part.step_ends.size());
    for (std::size_t r = 0; r < whole_.ranks.size(); ++r) {
      whole_.ranks[r].compute += times * part.ranks[r].compute;
      whole_.ranks[r].communicate += times * part.ranks[r].communicate;
      whole_.ranks[r].idle += times * part.ranks[r].idle;
    }
    for (std::size_t l = 0; l < whole_.link_busy.size(); ++l) whole_.link_busy[l] += times * part.link_busy[l];
    tasks_ += even * static_cast<double>(part.tasks);
    hops_ += even * static_cast<double>(part.hops);
    longest_tasks_ += even * static_cast<double>(part.longest_tasks);
    whole_.longest_work += times * part.longest_work;
    whole_.most_waiting = std::max(whole_.most_waiting, part.most_waiting);
  }
  /// After `seconds` is known: waiting times in windows, where all ranks start at the same time, are not
  /// representative.
  [[nodiscard]] SimulateResult finish(double seconds) {
    whole_.seconds = seconds;
    whole_.tasks = static_cast<std::int64_t>(tasks_ + 0.5);
    whole_.hops = static_cast<std::int64_t>(hops_ + 0.5);
    whole_.longest_tasks = static_cast<std::int64_t>(longest_tasks_ + 0.5);
    for (auto& r : whole_.ranks) {
      auto const waits = std::max(seconds * options_.workers - r.compute, 0.0);
      auto const found = r.communicate + r.idle;
      r.communicate = found > 0 ? waits * r.communicate / found : 0;
      r.idle = waits - r.communicate;
    }
    return std::move(whole_);
  }
  [[nodiscard]] std::int64_t simulated() const { return simulated_; }

 private:
  TaskGraph const& graph_;
  Machine const& machine_;
  Transport const& transport_;
  SimulateOptions options_;
  SimulateResult whole_;
  std::int64_t simulated_ = 0;
  double tasks_ = 0;
  double hops_ = 0;
  double longest_tasks_ = 0;
};

/// The windows of two neighbouring parts are at the two Gauss points, which integrates step times that are cubic in the
/// step number exactly (the work of a factorization is quadratic).
double aside(int window, int windows) {
  bool const is_alone = window + 1 == windows && windows % 2 != 0;
  auto const from_middle = 1 / std::sqrt(3.0) - 0.5;
  return is_alone ? 0 : window % 2 == 0 ? -from_middle : from_middle;
}

}  // namespace

Sampled simulate_sampled(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                         SimulateOptions const& options, Sampling const& sampling) {
  ensure(graph.steps() > 0, "graph", "without steps", "one with steps, which can be sampled");
  ensure(sampling.windows >= 1 && sampling.span >= 1 && sampling.warm >= 1 && sampling.tail >= 0, "sampling",
         fmt::format("{} windows of {} + {} + {} steps", sampling.windows, sampling.warm, sampling.span, sampling.tail),
         "at least 1 window, of 1 or more timed steps, after 1 or more warm-up steps");
  Sampled sampled{.result = {}, .steps = graph.steps(), .simulated = 0, .step_seconds = {}};
  auto const length = sampling.warm + sampling.span + sampling.tail;
  auto const last = sampling.warm + 1;  // the steps of which the end is taken, and those before them
  if (graph.steps() < sampling.windows * std::int64_t{length} + last + 1) {
    sampled.result = simulate(graph, machine, transport, options);
    sampled.simulated = sampled.steps;
    return sampled;
  }
  Sampler sampler(graph, machine, transport, options);
  auto const start = sampler.window(0, 1);
  auto seconds = start.step_ends[0];
  sampler.add(start, 1, 0, 1);
  auto const part = static_cast<double>(sampled.steps - 2) / sampling.windows;
  for (int w = 0; w < sampling.windows; ++w) {
    auto const middle = static_cast<std::int64_t>(1 + (w + 0.5 + aside(w, sampling.windows)) * part);
    auto const from = std::clamp<std::int64_t>(middle - sampling.warm - sampling.span / 2, 0, sampled.steps - length);
    auto const found = sampler.window(from, from + length);
    auto const before = found.step_ends[static_cast<std::size_t>(sampling.warm) - 1];
    auto const behind = found.step_ends[static_cast<std::size_t>(sampling.warm + sampling.span) - 1];
    sampled.step_seconds.push_back((behind - before) / sampling.span);
    seconds += part * sampled.step_seconds.back();
    sampler.add(found, part, sampling.warm, sampling.warm + sampling.span);
  }
  auto const end = sampler.window(sampled.steps - last, sampled.steps);
  seconds += end.seconds - end.step_ends[static_cast<std::size_t>(last) - 2];
  sampler.add(end, 1, last - 1, last);
  sampled.result = sampler.finish(seconds);
  sampled.simulated = sampler.simulated();
  return sampled;
}

}  // namespace allport::graph
