#include "allport/select/rank_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/words.h"

namespace allport {

namespace {

bool serves(OrderCandidate const& c) { return c.why_not.empty() && c.score.bytes_over_dead == 0; }

/// Lower is better. Times that differ only by rounding are equal.
bool better(OrderCandidate const& a, OrderCandidate const& b) {
  constexpr double equal = 1e-9;
  if (serves(a) != serves(b)) return serves(a);
  auto const x = a.score.predicted.value();
  auto const y = b.score.predicted.value();
  if (x < y * (1.0 - equal)) return true;
  if (y < x * (1.0 - equal)) return false;
  auto const u = a.score.busiest.seconds;
  auto const v = b.score.busiest.seconds;
  if (u < v * (1.0 - equal)) return true;
  if (v < u * (1.0 - equal)) return false;
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

/// The minimum over valid orders; infinite if there is none.
double fewest_hop_bytes(OrderChoice const& choice) {
  auto fewest = std::numeric_limits<double>::infinity();
  for (auto const& c : choice.candidates) {
    if (serves(c)) fewest = std::min(fewest, c.score.hop_bytes);
  }
  return fewest;
}

/// Refines the orders that are best by time, and the one with the fewest hop-bytes.
void refine_best(MappingTask const& task, OrderChoice& choice, OrderOptions const& options) {
  if (options.refined == 0) return;
  std::vector<std::size_t> by_merit(choice.candidates.size());
  std::iota(by_merit.begin(), by_merit.end(), std::size_t{0});
  std::ranges::stable_sort(by_merit,
                           [&](auto a, auto b) { return better(choice.candidates[a], choice.candidates[b]); });
  auto const fewest = fewest_hop_bytes(choice);
  auto limits = options.refine;
  if (std::isfinite(fewest)) limits.most_hop_bytes = (1.0 + options.most_hops) * fewest;
  std::vector<std::size_t> starts;
  for (auto const i : by_merit) {
    auto const& c = choice.candidates[i];
    auto const same = [&](auto s) { return choice.candidates[s].places == c.places; };
    if (!c.why_not.empty() || std::ranges::any_of(starts, same)) continue;
    bool const nearest = c.score.hop_bytes <= fewest && std::ranges::none_of(starts, [&](auto s) {
                           return choice.candidates[s].score.hop_bytes <= fewest;
                         });
    if (static_cast<int>(starts.size()) < options.refined || nearest) starts.push_back(i);
  }
  for (auto const i : starts) {
    auto c = choice.candidates[i];
    c.places = refine(task.machine(), task.pattern(), std::move(c.places), limits);
    if (c.places == choice.candidates[i].places) continue;
    c.order += ", refined";
    c.score = score(task.machine(), task.pattern(), c.places);
    choice.candidates.push_back(std::move(c));
  }
}

/// Times within this factor of the minimum are equal, and the load of the busiest link decides.
constexpr double same_time = 0.01;

/// The best order except those with too many hop-bytes; never slower than the given one, which is always allowed.
std::size_t fastest_of(OrderChoice const& choice, double most_hops) {
  auto const most = (1.0 + most_hops) * fewest_hop_bytes(choice);
  auto const allowed = [&](std::size_t i) { return i == 0 || choice.candidates[i].score.hop_bytes <= most; };
  std::size_t fastest = 0;
  for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
    if (allowed(i) && better(choice.candidates[i], choice.candidates[fastest])) fastest = i;
  }
  auto const time = [&](std::size_t i) { return choice.candidates[i].score.predicted.value(); };
  auto const latest = std::min((1.0 + same_time) * time(fastest), time(0));
  auto best = fastest;
  for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
    auto const& c = choice.candidates[i];
    if (!allowed(i) || !serves(c) || !serves(choice.candidates[fastest]) || time(i) > latest) continue;
    auto const& b = choice.candidates[best].score;
    if (std::pair(c.score.busiest.seconds, c.score.hop_bytes) < std::pair(b.busiest.seconds, b.hop_bytes)) best = i;
  }
  return best;
}

}  // namespace

OrderChoice choose_order(MappingTask const& task, OrderOptions const& options) {
  ensure(options.least_gain >= 0.0 && options.least_gain <= 1.0, "least_gain", options.least_gain, "a share in 0..1");
  ensure(options.refined >= 0, "refined", options.refined, "a number >= 0");
  ensure(options.most_hops >= 0.0, "most_hops", options.most_hops, "a number >= 0");
  for (auto const& name : options.among) (void)order(name);
  OrderChoice choice;
  for (auto const& o : orders()) {
    if (o.name != "given" && !options.among.empty() && std::ranges::find(options.among, o.name) == options.among.end())
      continue;
    choice.candidates.push_back(tried(task, o));
  }
  refine_best(task, choice, options);
  choice.fastest = fastest_of(choice, options.most_hops);
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
