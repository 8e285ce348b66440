// The way into a call: ours, or the real ScaLAPACK's.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "allport/base/error.h"
#include "blacs.h"
#include "handback/enter.h"
#include "original.h"
#include "report.h"
#include "trial.h"

namespace allport::scalapack {

struct Outcome : handback::Outcome {
  Int info = 0;  ///< handed back for a wrong argument: ScaLAPACK's INFO
};

/// @param how    by what: an algorithm
/// @param bound  no way to do it takes less; 0: none is known
[[nodiscard]] inline Outcome taken(std::string how, Seconds bound = {}) {
  return {{{}, {std::move(how), 0, bound}, false}, 0};
}
[[nodiscard]] inline Outcome handed_back(std::string why, Int info = 0) {
  return {handback::handed_back(std::move(why)), info};
}

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

/// Runs what says before it touches anything that memory is short: what it said then, else empty.
template <class Run>
std::string short_of_memory(Run const& run) {
  try {
    run();
  } catch (Error const& e) {
    if (e.kind() == ErrorKind::memory) return e.what();
    throw;
  }
  return {};
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
    if (what_blacs_lacks().empty() && grid_of(desc[1]).is_first()) calls().count_inner(original.name());
    back();
    return;
  }
  auto const grid = what_blacs_lacks().empty() ? grid_of(desc[1]) : Grid{desc[1]};
  UnderWay call(original);
  // Where there is no grid, the call is one process's own.
  handback::Tally const tally{calls(), original.name(), !grid.has_me() || grid.is_first()};
  handback::enter(
      tally, [&] { return take(grid); },
      [&](Outcome const& outcome) {
        if (original.there()) {
          back();
        } else if (outcome.info != 0) {
          tell(grid, outcome.info);
        } else {
          refuse(original, grid, outcome.why_not);
        }
      },
      [&](char const* text) {
        fmt::print(stderr, "allport: {}: {}\n", original.name(), text);
        abort_job(grid.context, 1);
      });
  call.end();
}

/// The real routine of a call.
template <class T, class Call>
[[nodiscard]] Original const& original_of() {
  static Original const original(symbol<T>(Call::template routine<T>));
  return original;
}

/// As above for routines that tell in INFO what is wrong.
template <class T, class Call>
void enter(Call const& call, void const* caller) {
  auto const& original = original_of<T, Call>();
  enter(
      original, call.a.desc, caller, [&](Grid const& grid) { return take<T>(call, grid); },
      [&] { call.pass_to(original); },
      [&](Grid const& grid, Int wrong) {
        *call.info = wrong;
        tell_wrong_argument(grid.context, original.name(), wrong);
      });
}

}  // namespace allport::scalapack
