#include "allport/collectives/registry.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::vector<Algorithm const*> algorithms() {
  static auto const& all = *new AlgorithmTable const(all_families());  // outlives whoever asks while the process ends
  std::vector<Algorithm const*> list;
  for (auto const& row : all) list.push_back(&row);
  return list;
}

Algorithm const& algorithm(Collective what, std::string_view name) {
  std::string known;
  for (auto const* candidate : algorithms()) {
    if (candidate->what != what) continue;
    if (candidate->name == name) return *candidate;
    known += (known.empty() ? "" : ", ") + candidate->name;
  }
  auto const collective = std::string(allport::name(what));
  if (known.empty()) {
    throw Error::argument("algorithm", fmt::format("'{}'", name), "an algorithm of " + collective,
                          "none is registered for it yet", ErrorKind::unsupported);
  }
  throw Error::argument("algorithm", fmt::format("'{}'", name), "an algorithm of " + collective,
                        "choose one of: " + known);
}

Schedule make_schedule(Machine const& machine, Contract const& contract, std::string_view name, Cut cut) {
  auto const& chosen = algorithm(contract.what, name);
  contract.check();
  ensure(contract.ranks == machine.ranks(), "ranks", contract.ranks,
         std::to_string(machine.ranks()) + ", the ranks of machine " + machine.name(),
         "name a machine of that size, or Machine::flat(ranks)");
  ensure(cut.segment >= contract.element, "segment", cut.segment,
         "at least one element (" + std::to_string(contract.element) + " bytes)", "ask for longer segments");
  ensure(cut.window >= 1, "window", cut.window, "at least 1 segment in flight");
  if (auto const reason = chosen.why_not(machine, contract)) {
    throw Error::argument("algorithm", fmt::format("'{}'", name), "one that can serve this machine", *reason,
                          ErrorKind::unsupported);
  }
  return chosen.make(machine, contract, cut);
}

std::optional<std::string> needs_all_links(Machine const& machine, Contract const&) {
  if (!machine.has_dead_links()) return std::nullopt;
  return "machine " + machine.name() + " has dead links, and these trees follow fixed links; binomial is routed";
}

}  // namespace allport
