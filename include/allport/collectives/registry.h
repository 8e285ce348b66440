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

/// An algorithm for a collective: a row of its family's table, or registered by a program. Ranks are the machine's,
/// x-fastest. Its functions must be thread-safe and return the same for the same arguments on every rank.
struct Algorithm {
  Collective what = Collective::none;
  std::string name{};
  std::string summary{};  ///< one sentence with its source, for the reference pages
  /// @pre contract.ranks == machine.ranks(), !reason_against(*this, machine, contract)
  std::function<Schedule(Machine const&, Contract const&, Cut)> make{};
  /// Predicted time of make's schedule on an otherwise idle machine, from the closed forms of module model. An
  /// algorithm without it is never selected by price, only by name.
  std::function<Seconds(Machine const&, Contract const&, Cut)> price{};
  /// Reason why it does not apply to this machine and contract; nothing if it does. Without it the algorithm applies
  /// always.
  std::function<std::optional<std::string>(Machine const&, Contract const&)> why_not{};
  bool to_some = false;  ///< supports broadcasts to a subset of the ranks (Contract::targets)
};

/// why_not(), and whether it supports the contract's targets.
[[nodiscard]] std::optional<std::string> reason_against(Algorithm const& algorithm, Machine const& machine,
                                                        Contract const& contract);

using AlgorithmList = std::vector<Algorithm const*>;

/// Registers an algorithm of the program. It is verified, simulated, priced, explained and run as the library's are,
/// until the process ends. Every rank must register the same algorithms in the same order before it constructs the
/// Communicators that use them: if they differ, the constructor fails on all ranks. Communicators constructed before do
/// not use it. Thread-safe.
/// @pre what is a collective, name is not empty and not registered for this collective, make is set
void register_algorithm(Algorithm added);

/// All algorithms by collective: the library's, then those of register_algorithm(). At equal prices the first one is
/// selected. Pointers remain valid; a list does not grow when another algorithm is registered.
[[nodiscard]] AlgorithmList algorithms();
/// The library's only, which are the same on all ranks.
[[nodiscard]] AlgorithmList library_algorithms();
/// The registered ones as text, equal on ranks that registered the same: "bcast my_tree, reduce my_tree".
[[nodiscard]] std::string registered_text(AlgorithmList const& among);

/// @throws Error that lists the known names
[[nodiscard]] Algorithm const& algorithm(Collective what, std::string_view name);
[[nodiscard]] Algorithm const& algorithm(Collective what, std::string_view name, AlgorithmList const& among);

/// make() after checking all its preconditions.
[[nodiscard]] Schedule make_schedule(Machine const& machine, Contract const& contract, Algorithm const& algorithm,
                                     Cut cut = {});
[[nodiscard]] Schedule make_schedule(Machine const& machine, Contract const& contract, std::string_view algorithm,
                                     Cut cut = {});

}  // namespace allport
