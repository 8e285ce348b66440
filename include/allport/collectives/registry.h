// The registered algorithms: the rows of the families' tables (src/collectives), which feed select, verify's tests, the
// command line and the reference pages; and those that a program adds while it runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// One way to do a collective: a row of its family's table, or a program's own. Ranks are the machine's, x-fastest. Its
/// functions may be called from several threads at once, and give the same for the same arguments on every rank.
struct Algorithm {
  Collective what = Collective::none;
  std::string name{};
  std::string summary{};  ///< one sentence with its source, for the reference pages
  /// @pre contract.ranks == machine.ranks(), !reason_against(*this, machine, contract)
  std::function<Schedule(Machine const&, Contract const&, Cut)> make{};
  /// Predicted time of make's schedule on an otherwise idle machine, from the closed forms of room model. An algorithm
  /// without it is never chosen by price: who wants it names it.
  std::function<Seconds(Machine const&, Contract const&, Cut)> price{};
  /// Why it cannot serve this machine and contract, or nothing when it can. A row without it serves all.
  std::function<std::optional<std::string>(Machine const&, Contract const&)> why_not{};
  bool to_some = false;  ///< serves broadcasts that are for some of the ranks only (Contract::targets)
};

/// why_not(), and whether it serves the contract's targets.
[[nodiscard]] std::optional<std::string> reason_against(Algorithm const& algorithm, Machine const& machine,
                                                        Contract const& contract);

using AlgorithmList = std::vector<Algorithm const*>;

/// Adds an algorithm of the program's own. It is verified, simulated, priced, explained and run as the library's are,
/// to the end of the process. Every rank must add the same ones in the same order, before it makes the Communicators
/// that shall know them: making one is an error on all ranks where they differ, and one that was made before goes on
/// without. May be called from any thread.
/// @pre what is a collective, name is not empty and not taken for this collective, make is there
void register_algorithm(Algorithm added);

/// All, collective by collective: the library's, then those of register_algorithm(). Where prices are equal, what comes
/// first is chosen. The algorithms stay where they are; a list does not grow when another is registered.
[[nodiscard]] AlgorithmList algorithms();
/// The library's alone: what is the same on all ranks without asking.
[[nodiscard]] AlgorithmList library_algorithms();
/// Of those that were added, in words that are the same on ranks that added the same: "bcast my_tree, reduce my_tree".
[[nodiscard]] std::string registered_text(AlgorithmList const& among);

/// @throws Error that lists the names that it knows
[[nodiscard]] Algorithm const& algorithm(Collective what, std::string_view name);
[[nodiscard]] Algorithm const& algorithm(Collective what, std::string_view name, AlgorithmList const& among);

/// make() behind all its preconditions, each with its message.
[[nodiscard]] Schedule make_schedule(Machine const& machine, Contract const& contract, Algorithm const& algorithm,
                                     Cut cut = {});
[[nodiscard]] Schedule make_schedule(Machine const& machine, Contract const& contract, std::string_view algorithm,
                                     Cut cut = {});

}  // namespace allport
