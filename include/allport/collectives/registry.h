// The registered algorithms: the rows of the families' tables (src/collectives), which feed select, verify's tests, the
// command line and the reference pages.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// One way to do a collective: a row of its family's table. Ranks are the machine's, x-fastest.
struct Algorithm {
  Collective what = Collective::none;
  std::string name{};
  std::string summary{};  ///< one sentence with its source, for the reference pages
  /// @pre contract.ranks == machine.ranks(), !why_not(machine, contract)
  std::function<Schedule(Machine const&, Contract const&, Cut)> make{};
  /// Predicted time of make's schedule on an otherwise idle machine, from the closed forms of room model.
  std::function<Seconds(Machine const&, Contract const&, Cut)> price{};
  /// Why it cannot serve this machine and contract, or nothing when it can. A row without it serves all.
  std::function<std::optional<std::string>(Machine const&, Contract const&)> why_not{};
};

/// Collective by collective; the order in which equal prices are settled, earlier ones first.
[[nodiscard]] std::vector<Algorithm const*> algorithms();
/// @throws Error that lists the registered names
[[nodiscard]] Algorithm const& algorithm(Collective what, std::string_view name);

/// make() behind all its preconditions, each with its message.
[[nodiscard]] Schedule make_schedule(Machine const& machine, Contract const& contract, std::string_view algorithm,
                                     Cut cut = {});

}  // namespace allport
