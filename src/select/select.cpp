#include "allport/select/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace allport {
namespace {

void check(Machine const& machine, Contract const& contract, SelectOptions const& options) {
  contract.check();
  ensure(contract.ranks == machine.ranks(), "ranks", contract.ranks,
         fmt::format("{}, the ranks of machine {}", machine.ranks(), machine.name()),
         "name a machine of that size, or Machine::flat(ranks)");
  ensure(!options.mapping || options.mapping->ranks() == contract.ranks, "mapping",
         options.mapping ? options.mapping->ranks() : 0,
         fmt::format("of the {} ranks of the contract", contract.ranks));
  ensure(options.window >= 1, "window", options.window, "at least 1 segment in flight");
  for (auto const segment : options.segments) {
    ensure(segment >= contract.element, "segments", segment,
           fmt::format("at least one element ({} bytes)", contract.element), "ask for longer segments");
  }
}

/// The priced segments of an algorithm; for one without a price, its only segment.
void try_segments(Machine const& machine, Contract const& placed, Algorithm const& candidate,
                  std::vector<std::int64_t> const& segments, std::int32_t window, Choice& choice) {
  for (auto const segment : segments) {
    auto const cut = Cut{segment, window};
    auto const price = candidate.price ? candidate.price(machine, placed, cut) : Seconds{};
    ensure(std::isfinite(price.value()) && price.value() >= 0.0, "price", fmt::format("{} s", price.value()),
           fmt::format("a time of 0 s or more of algorithm '{}'", candidate.name), "mend its price()",
           ErrorKind::schedule);
    auto const& tried = choice.candidates.emplace_back(Candidate{&candidate, cut, price, {}});
    auto const first = choice.best.algorithm == nullptr;
    if (first || tried.predicted < choice.best.predicted) choice.best = tried;
  }
}

/// The segment of an algorithm without a price: the caller's, or the default Cut's, in whole elements.
std::int64_t segment_without_price(SelectOptions const& options, Contract const& contract) {
  if (!options.segments.empty()) return options.segments.front();
  return std::max(Cut{}.segment / contract.element, std::int64_t{1}) * contract.element;
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

Contract at_places(Contract const& contract, Mapping const& mapping) {
  contract.check();
  ensure(mapping.ranks() == contract.ranks, "mapping", mapping.ranks(),
         fmt::format("of the {} ranks of the contract", contract.ranks));
  auto placed = contract;
  placed.root = mapping.place(contract.root);
  if (contract.targets) {
    auto targets = *contract.targets;
    for (auto& t : targets) t = mapping.place(t);
    std::ranges::sort(targets);
    placed.targets = std::make_shared<std::vector<Rank> const>(std::move(targets));
  }
  if (contract.blocks == nullptr || mapping.is_identity()) return placed;
  auto const p = contract.ranks;
  auto const& blocks = *contract.blocks;
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(blocks.entries()));
  for (std::int64_t i = 0; i < blocks.entries(); ++i) {
    auto const source = blocks.pairs() ? std::int64_t{p} * mapping.place(static_cast<Rank>(i / p)) : 0;
    bytes[static_cast<std::size_t>(source + mapping.place(static_cast<Rank>(i % p)))] = blocks.bytes(i);
  }
  placed.blocks = blocks.pairs() ? BlockTable::per_pair(std::move(bytes), p) : BlockTable::per_rank(std::move(bytes));
  return placed;
}

Choice choose(Machine const& machine, Contract const& contract, SelectOptions const& options) {
  check(machine, contract, options);
  auto const placed = options.mapping ? at_places(contract, *options.mapping) : contract;
  auto const segments = options.segments.empty() ? segment_ladder(contract.bytes, contract.element) : options.segments;
  Choice choice{machine.name(), contract, {}, {}, {}, options.mapping};
  auto const known = options.among ? *options.among : algorithms();
  bool const named = !options.algorithm.empty();
  if (named) static_cast<void>(algorithm(contract.what, options.algorithm, known));
  for (auto const* candidate : known) {
    if (candidate->what != contract.what) continue;
    if (named && candidate->name != options.algorithm) continue;
    auto reason = reason_against(*candidate, machine, placed);
    if (!reason && !candidate->price && !named) reason = "it has no price, and is taken only where it is named";
    if (reason) {
      choice.candidates.push_back({candidate, {segments.front(), options.window}, {}, *reason});
    } else if (candidate->price) {
      try_segments(machine, placed, *candidate, segments, options.window, choice);
    } else {
      try_segments(machine, placed, *candidate, {segment_without_price(options, contract)}, options.window, choice);
    }
  }
  if (choice.best.algorithm == nullptr) nobody_can(machine, choice);
  return choice;
}

Schedule make_schedule(Machine const& machine, Choice const& choice) {
  ensure(choice.best.algorithm != nullptr, "choice", 0, "the result of choose()");
  auto const placed = choice.mapping ? at_places(choice.contract, *choice.mapping) : choice.contract;
  return make_schedule(machine, placed, *choice.best.algorithm, choice.best.cut);
}

}  // namespace allport
