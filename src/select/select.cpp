#include "allport/select/select.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport {
namespace {

void check(Machine const& machine, Contract const& contract, SelectOptions const& options) {
  contract.check();
  ensure(contract.ranks == machine.ranks(), "ranks", contract.ranks,
         fmt::format("{}, the ranks of machine {}", machine.ranks(), machine.name()),
         "name a machine of that size, or Machine::flat(ranks)");
  ensure(options.window >= 1, "window", options.window, "at least 1 segment in flight");
  for (auto const segment : options.segments) {
    ensure(segment >= contract.element, "segments", segment,
           fmt::format("at least one element ({} bytes)", contract.element), "ask for longer segments");
  }
  if (!options.algorithm.empty()) static_cast<void>(algorithm(contract.what, options.algorithm));
}

[[noreturn]] void nobody_can(Machine const& machine, Choice const& choice) {
  auto reasons = std::string();
  for (auto const& c : choice.candidates) reasons += fmt::format("; {}: {}", c.algorithm->name, c.reason);
  throw Error::argument("machine", fmt::format("'{}'", machine.name()),
                        fmt::format("one that some algorithm of {} can serve", name(choice.contract.what)),
                        reasons.empty() ? "none is registered yet" : reasons.substr(2), ErrorKind::unsupported);
}

}  // namespace

std::vector<std::int64_t> segment_ladder(std::int64_t bytes, std::int64_t element) {
  constexpr std::int64_t shortest = 1 << 10;
  constexpr std::int64_t longest = 4 << 20;
  std::vector<std::int64_t> ladder;
  for (auto segment = shortest; segment <= longest; segment *= 2) {
    auto const whole = std::max(segment / element, std::int64_t{1}) * element;
    if (ladder.empty() || ladder.back() != whole) ladder.push_back(whole);
    if (segment >= bytes) break;
  }
  return ladder;
}

Choice choose(Machine const& machine, Contract const& contract, SelectOptions const& options) {
  check(machine, contract, options);
  auto const segments = options.segments.empty() ? segment_ladder(contract.bytes, contract.element) : options.segments;
  Choice choice{machine.name(), contract, {}, {}, {}};
  for (auto const* candidate : algorithms()) {
    if (candidate->what != contract.what) continue;
    if (!options.algorithm.empty() && candidate->name != options.algorithm) continue;
    if (auto const reason = candidate->why_not(machine, contract)) {
      choice.candidates.push_back({candidate, {segments.front(), options.window}, {}, *reason});
      continue;
    }
    for (auto const segment : segments) {
      auto const cut = Cut{segment, options.window};
      auto const& tried =
          choice.candidates.emplace_back(Candidate{candidate, cut, candidate->price(machine, contract, cut), {}});
      auto const first = choice.best.algorithm == nullptr;
      if (first || tried.predicted < choice.best.predicted) choice.best = tried;
    }
  }
  if (choice.best.algorithm == nullptr) nobody_can(machine, choice);
  return choice;
}

Schedule make_schedule(Machine const& machine, Choice const& choice) {
  ensure(choice.best.algorithm != nullptr, "choice", 0, "the result of choose()");
  return make_schedule(machine, choice.contract, choice.best.algorithm->name, choice.best.cut);
}

}  // namespace allport
