// The registered algorithms: one line each in registry.def, which feeds select, verify's tests, the command line and
// the reference pages.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// One way to do a collective. Ranks are the machine's, x-fastest.
struct Algorithm {
  Collective what;
  std::string_view name;
  std::string_view summary;  ///< one sentence with its source, for the reference pages
  /// Number of trees or other parallel parts that it would use (before small messages use fewer).
  int (*parts)(Machine const&);
  /// @pre contract.ranks == machine.ranks(), !why_not(machine, contract)
  Schedule (*make)(Machine const&, Contract const&, Cut);
  /// Predicted time of make's schedule on an otherwise idle machine, from the closed forms of room model.
  Seconds (*price)(Machine const&, Contract const&, Cut);
  /// Why it cannot serve this machine and contract, or nothing when it can.
  std::optional<std::string> (*why_not)(Machine const&, Contract const&);
};

[[nodiscard]] std::span<Algorithm const* const> algorithms();
/// @throws Error that lists the registered names
[[nodiscard]] Algorithm const& algorithm(Collective what, std::string_view name);

/// make() behind all its preconditions, each with its message.
[[nodiscard]] Schedule make_schedule(Machine const& machine, Contract const& contract, std::string_view algorithm,
                                     Cut cut = {});

}  // namespace allport
