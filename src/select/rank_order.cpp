#include "allport/select/rank_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "allport/base/words.h"

namespace allport {

namespace {

/// Less is better. Times that differ in their last bits are one.
bool better(OrderCandidate const& a, OrderCandidate const& b) {
  constexpr double equal = 1e-9;
  bool const a_runs = a.why_not.empty() && a.score.bytes_over_dead == 0;
  bool const b_runs = b.why_not.empty() && b.score.bytes_over_dead == 0;
  if (a_runs != b_runs) return a_runs;
  auto const x = a.score.predicted.value();
  auto const y = b.score.predicted.value();
  if (x < y * (1.0 - equal)) return true;
  if (y < x * (1.0 - equal)) return false;
  return a.score.hop_bytes < b.score.hop_bytes * (1.0 - equal);
}

std::string busiest(Machine const& machine, OrderCandidate const& c) {
  if (c.score.busiest.link < 0) return "no link carries anything";
  return fmt::format("{} carries {} bytes", machine.link_name(c.score.busiest.link), c.score.busiest.bytes);
}

OrderCandidate tried(MappingTask const& task, Order const& order) {
  auto made = order.make(task);
  OrderCandidate c{order.name, std::move(made.places), {}, std::move(made.why_not)};
  if (c.why_not.empty()) c.score = score(task.machine(), task.pattern(), c.places);
  return c;
}

std::string reason(MappingTask const& task, OrderChoice const& choice, OrderOptions const& options) {
  auto const& given = choice.candidates.front();
  auto const& fastest = choice.candidates[choice.fastest];
  auto const side = [&](OrderCandidate const& c) {
    return fmt::format("'{}' takes {} ({})", c.order, seconds_in_words(c.score.predicted), busiest(task.machine(), c));
  };
  if (choice.fastest == 0) return fmt::format("no order is faster than the given one: {}", side(given));
  auto const text = fmt::format("{}, {}", side(fastest), side(given));
  if (!choice.declined) return text;
  return fmt::format("{}: less than {:.3g} % to gain, so ranks stay where they are", text, 100.0 * options.least_gain);
}

}  // namespace

OrderChoice choose_order(MappingTask const& task, OrderOptions const& options) {
  ensure(options.least_gain >= 0.0 && options.least_gain <= 1.0, "least_gain", options.least_gain, "a share in 0..1");
  ensure(options.refined >= 0, "refined", options.refined, "a number >= 0");
  for (auto const& name : options.among) (void)order(name);
  OrderChoice choice;
  for (auto const& o : orders()) {
    if (o.name != "given" && !options.among.empty() && std::ranges::find(options.among, o.name) == options.among.end())
      continue;
    choice.candidates.push_back(tried(task, o));
  }
  std::vector<std::size_t> by_merit(choice.candidates.size());
  std::iota(by_merit.begin(), by_merit.end(), std::size_t{0});
  std::ranges::stable_sort(by_merit,
                           [&](auto a, auto b) { return better(choice.candidates[a], choice.candidates[b]); });
  int left = options.refined;
  for (auto const i : by_merit) {
    if (left-- == 0 || !choice.candidates[i].why_not.empty()) break;
    auto c = choice.candidates[i];
    c.places = refine(task.machine(), task.pattern(), std::move(c.places), options.refine);
    if (c.places == choice.candidates[i].places) continue;
    c.order += ", refined";
    c.score = score(task.machine(), task.pattern(), c.places);
    choice.candidates.push_back(std::move(c));
  }
  for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
    if (better(choice.candidates[i], choice.candidates[choice.fastest])) choice.fastest = i;
  }
  auto const& given = choice.candidates.front().score;
  auto const& fastest = choice.candidates[choice.fastest].score;
  bool const cannot_stay = given.bytes_over_dead > 0 && fastest.bytes_over_dead == 0;
  choice.declined = choice.fastest != 0 && !cannot_stay &&
                    fastest.predicted.value() > (1.0 - options.least_gain) * given.predicted.value();
  choice.best = choice.declined ? 0 : choice.fastest;
  choice.reason = reason(task, choice, options);
  return choice;
}

}  // namespace allport
