// The way into a call: ours, or the real ScaLAPACK's.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>

#include "blacs.h"
#include "original.h"
#include "report.h"

namespace allport::scalapack {

/// What became of a call that we looked at.
struct Outcome {
  std::string how;      ///< taken, by what
  std::string why_not;  ///< not empty: to be handed back, and nothing of the caller's was changed
  Int info = 0;         ///< handed back for a wrong argument: ScaLAPACK's INFO
};

[[nodiscard]] inline Outcome taken(std::string how) { return {std::move(how), {}, 0}; }
[[nodiscard]] inline Outcome handed_back(std::string why, Int info = 0) { return {{}, std::move(why), info}; }

inline constexpr auto never_wanted = "ALLPORT_SCALAPACK is 'never'";

/// Outcome of a call on a process outside of the context of the descriptor at `desc_at`, or without BLACS; else
/// nothing.
[[nodiscard]] inline std::optional<Outcome> why_no_grid(Grid const& grid, int desc_at) {
  if (!what_blacs_lacks().empty()) return handed_back(what_blacs_lacks() + " of BLACS was not found");
  if (!grid.has_me()) return handed_back("a context that this process is not in", -(100 * desc_at + 2));
  return std::nullopt;
}

/// There is no ScaLAPACK to hand the call to, and nothing wrong with its arguments.
[[noreturn]] inline void refuse(Original const& original, Grid const& grid, std::string const& why) {
  fmt::print(stderr,
             "allport: {}: {}; no ScaLAPACK is loaded to hand the call to: link or load one behind this library\n",
             original.name(), why);
  abort_job(grid.context, 1);
  std::terminate();
}

/// @param desc      the first descriptor: its context is the call's
/// @param original  the real routine
/// @param take      Grid -> Outcome
/// @param back      calls the original with the caller's arguments
/// @param tell      (Grid, INFO): what ScaLAPACK does about a wrong argument, where there is no original to do it
template <class Take, class Back, class Tell>
void enter(Original const& original, Int const* desc, void const* caller, Take const& take, Back const& back,
           Tell const& tell) {
  if (Within::now() || original.is_home_of(caller)) {
    count_inner(original.name(), desc);
    back();
    return;
  }
  auto const begin = now();
  auto const grid = what_blacs_lacks().empty() ? grid_of(desc[1]) : Grid{desc[1]};
  Outcome outcome;
  try {
    outcome = take(grid);
  } catch (std::exception const& e) {
    fmt::print(stderr, "allport: {}: {}\n", original.name(), e.what());
    abort_job(grid.context, 1);
    return;
  }
  if (outcome.why_not.empty()) {
    count_taken(original.name(), grid, outcome.how, now() - begin);
    return;
  }
  if (original.there()) {
    back();
  } else if (outcome.info != 0) {
    tell(grid, outcome.info);
  } else {
    refuse(original, grid, outcome.why_not);
  }
  count_returned(original.name(), grid, outcome.why_not, now() - begin);
}

/// As above for routines that tell what is wrong in INFO.
template <class Take, class Back>
void enter(Original const& original, Int const* desc, void const* caller, Int* info, Take const& take,
           Back const& back) {
  enter(original, desc, caller, take, back, [&](Grid const& grid, Int wrong) {
    *info = wrong;
    tell_wrong_argument(grid.context, original.name(), wrong);
  });
}

}  // namespace allport::scalapack
