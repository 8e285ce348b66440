#include "allport/collectives/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "families.h"

namespace allport {
namespace {

std::optional<std::string> nothing_against(Machine const&, Contract const&) { return std::nullopt; }

/// The families one after the other; their order, then that of a table's rows, breaks ties in price.
AlgorithmTable all_families() {
  AlgorithmTable all;
  for (auto* family : {rectangular_family, line_and_ring_family, binomial_family, packed_family, bucket_family,
                       barrier_family, alltoall_family, mst_family, scatter_allgather_family, packed_stand_ins}) {
    for (auto& row : family()) all.push_back(std::move(row));
  }
  std::ranges::stable_sort(all, {}, &Algorithm::what);
  for (auto& row : all) {
    if (!row.why_not) row.why_not = nothing_against;
  }
  return all;
}

/// The library's rows, and what was added. Never freed: who asks while the process ends still finds it.
struct Registry {
  AlgorithmTable const rows = all_families();
  AlgorithmList library;
  std::mutex mutex;
  std::deque<Algorithm> added;  // guarded, as `all` is; its elements stay where they are
  AlgorithmList all;

  Registry() {
    for (auto const& row : rows) library.push_back(&row);
    all = library;
  }
};

Registry& registry() {
  static auto& only = *new Registry;
  return only;
}

std::string quoted(std::string_view name) { return fmt::format("'{}'", name); }

}  // namespace

std::optional<std::string> reason_against(Algorithm const& algorithm, Machine const& machine,
                                          Contract const& contract) {
  if (contract.targets && !algorithm.to_some) return "it reaches all ranks, and the message is for some of them";
  return algorithm.why_not ? algorithm.why_not(machine, contract) : std::nullopt;
}

AlgorithmList algorithms() {
  std::scoped_lock const hold(registry().mutex);
  return registry().all;
}

AlgorithmList library_algorithms() { return registry().library; }

std::string registered_text(AlgorithmList const& among) {
  std::string text;
  auto const& library = registry().library;
  for (auto const* a : among) {
    if (std::ranges::find(library, a) != library.end()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(a->what), a->name);
  }
  return text.empty() ? "none" : text;
}

void register_algorithm(Algorithm added) {
  ensure(added.what != Collective::none, "what", "none", "the collective that the algorithm does");
  ensure(!added.name.empty(), "name", "", "a name for the algorithm");
  ensure(static_cast<bool>(added.make), "make", "nothing", "a function that makes the schedule of " + added.name);
  if (!added.why_not) added.why_not = nothing_against;
  auto& known = registry();
  std::scoped_lock const hold(known.mutex);
  for (auto const* a : known.all) {
    ensure(a->what != added.what || a->name != added.name, "name", added.name,
           fmt::format("one that no algorithm of {} has yet", name(added.what)), "take another name");
  }
  auto const& kept = known.added.emplace_back(std::move(added));
  known.all.insert(std::ranges::upper_bound(known.all, kept.what, {}, &Algorithm::what), &kept);
}

Algorithm const& algorithm(Collective what, std::string_view name) { return algorithm(what, name, algorithms()); }

Algorithm const& algorithm(Collective what, std::string_view name, AlgorithmList const& among) {
  std::string known;
  for (auto const* candidate : among) {
    if (candidate->what != what) continue;
    if (candidate->name == name) return *candidate;
    known += (known.empty() ? "" : ", ") + candidate->name;
  }
  auto const collective = std::string(allport::name(what));
  if (known.empty()) {
    throw Error::argument("algorithm", quoted(name), "an algorithm of " + collective, "none is registered for it yet",
                          ErrorKind::unsupported);
  }
  throw Error::argument("algorithm", quoted(name), "an algorithm of " + collective, "choose one of: " + known);
}

Schedule make_schedule(Machine const& machine, Contract const& contract, std::string_view name, Cut cut) {
  return make_schedule(machine, contract, algorithm(contract.what, name), cut);
}

Schedule make_schedule(Machine const& machine, Contract const& contract, Algorithm const& chosen, Cut cut) {
  contract.check();
  ensure(contract.ranks == machine.ranks(), "ranks", contract.ranks,
         std::to_string(machine.ranks()) + ", the ranks of machine " + machine.name(),
         "name a machine of that size, or Machine::flat(ranks)");
  ensure(cut.segment >= contract.element, "segment", cut.segment,
         "at least one element (" + std::to_string(contract.element) + " bytes)", "ask for longer segments");
  ensure(cut.window >= 1, "window", cut.window, "at least 1 segment in flight");
  if (auto const reason = reason_against(chosen, machine, contract)) {
    throw Error::argument("algorithm", quoted(chosen.name), "one that can serve this machine", *reason,
                          ErrorKind::unsupported);
  }
  auto made = chosen.make(machine, contract, cut);
  ensure(made.contract() == contract, "algorithm", chosen.name, "a schedule for the contract that it was given",
         "keep the contract in make()", ErrorKind::schedule);
  return made;
}

std::optional<std::string> needs_all_links(Machine const& machine, Contract const&) {
  if (!machine.has_dead_links()) return std::nullopt;
  return "machine " + machine.name() + " has dead links, and these trees follow fixed links; binomial is routed";
}

}  // namespace allport
