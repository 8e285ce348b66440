#include "allport/collectives/registry.h"

#include <fmt/format.h>

#include <array>

#include "algorithms.h"
#include "allport/collectives/trees.h"

namespace allport {

std::span<Algorithm const* const> algorithms() {
  static constexpr auto all = std::to_array<Algorithm const*>({
#define ALLPORT_ALGORITHM(NAME) &NAME,
#include "registry.def"
#undef ALLPORT_ALGORITHM
  });
  return all;
}

Algorithm const& algorithm(Collective what, std::string_view name) {
  std::string known;
  for (auto const* candidate : algorithms()) {
    if (candidate->what != what) continue;
    if (candidate->name == name) return *candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate->name);
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

std::optional<std::string> nothing_against(Machine const&, Contract const&) { return std::nullopt; }

std::optional<std::string> needs_all_links(Machine const& machine, Contract const&) {
  if (!machine.has_dead_links()) return std::nullopt;
  return "machine " + machine.name() + " has dead links, and these trees follow fixed links; binomial is routed";
}

std::optional<std::string> needs_few_roots(Machine const& machine, Contract const& contract) {
  if (machine.ranks() > all_roots_ranks) {
    return fmt::format("machine {} has {} ranks, and a program over all roots' trees serves at most {}", machine.name(),
                       machine.ranks(), all_roots_ranks);
  }
  return needs_all_links(machine, contract);
}

}  // namespace allport
