// Entry of a call: performed by Allport, or passed to ScaLAPACK.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "allport/base/error.h"
#include "blacs.h"
#include "interpose/enter.h"
#include "original.h"
#include "report.h"
#include "tuning_run.h"

namespace allport::scalapack {

struct Outcome : interpose::Outcome {
  Int info = 0;  ///< ScaLAPACK's INFO if an argument is wrong
};

/// @param how    the algorithm
/// @param bound  lower bound on the time; 0: unknown
[[nodiscard]] inline Outcome taken(std::string how, Seconds bound = {}) {
  return {{{}, {std::move(how), 0, bound}, false}, 0};
}
/// The call is passed to ScaLAPACK.
[[nodiscard]] inline Outcome fall_back(std::string why, Int info = 0) {
  return {interpose::passed_on(std::move(why)), info};
}

/// The outcome of a call on a process outside the context of the descriptor at `desc_at`, or without BLACS; else
/// nothing.
[[nodiscard]] inline std::optional<Outcome> why_no_grid(Grid const& grid, int desc_at) {
  if (!what_blacs_lacks().empty()) return fall_back(what_blacs_lacks() + " of BLACS was not found");
  if (!grid.has_me()) return fall_back("a context that this process is not in", -(100 * desc_at + 2));
  return std::nullopt;
}

/// Ends the job: there is no ScaLAPACK for a call whose arguments are valid.
[[noreturn]] inline void refuse(Original const& original, Grid const& grid, std::string const& why) {
  fmt::print(stderr,
             "allport: {}: {}; no ScaLAPACK is loaded to pass the call to: link or load one behind this library\n",
             original.name(), why);
  abort_job(grid.context, 1);
  std::terminate();
}

/// Calls run(), which throws if memory is short before it changes anything: the error's text, else empty.
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
/// @param report    (Grid, INFO): reports a wrong argument as ScaLAPACK does, if there is no original
template <class Take, class Back, class Report>
void enter(Original const& original, Int const* desc, void const* caller, Take const& take, Back const& back,
           Report const& report) {
  if (Within::now() || original.is_home_of(caller)) {
    if (what_blacs_lacks().empty() && grid_of(desc[1]).is_first()) calls().count_inner(original.name());
    back();
    return;
  }
  auto const grid = what_blacs_lacks().empty() ? grid_of(desc[1]) : Grid{desc[1]};
  TimedCall call(original);
  // Without a grid each process counts its own call.
  interpose::Tally const tally{calls(), original.name(), !grid.has_me() || grid.is_first()};
  interpose::enter(
      tally, [&] { return take(grid); },
      [&](Outcome const& outcome) {
        if (original.there()) {
          back();
        } else if (outcome.info != 0) {
          report(grid, outcome.info);
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

/// ScaLAPACK's routine of a call.
template <class T, class Call>
[[nodiscard]] Original const& original_of() {
  static Original const original(symbol<T>(Call::template routine<T>));
  return original;
}

/// As above for routines that return INFO.
template <class T, class Call>
void enter(Call const& call, void const* caller) {
  auto const& original = original_of<T, Call>();
  enter(
      original, call.a.desc, caller, [&](Grid const& grid) { return take<T>(call, grid); },
      [&] { call.pass_to(original); },
      [&](Grid const& grid, Int wrong) {
        *call.info = wrong;
        report_wrong_argument(grid.context, original.name(), wrong);
      });
}

}  // namespace allport::scalapack
