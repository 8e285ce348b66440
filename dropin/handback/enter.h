// The way into a call that a drop-in looks at: ours, or the library's.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "report.h"

namespace allport::handback {

/// What became of a call that was looked at.
struct Outcome {
  std::string why_not;  ///< not empty: to be handed back, and nothing of the caller's was changed
  Taken taken{};
  bool under_way = false;  ///< taken, and counted when it has ended
};

[[nodiscard]] inline Outcome handed_back(std::string why) { return {std::move(why), {}, false}; }

/// Where a call is counted.
struct Tally {
  Report& report;
  std::string_view routine;
  bool counts = false;  ///< this process counts the call

  void taken(Taken const& call, double seconds) const {
    if (counts) report.count_taken(routine, call, seconds);
  }
  void returned(std::string const& why, double seconds) const {
    if (counts) report.count_returned(routine, why, seconds);
  }
};

/// @param take  () -> Outcome: does the call, or says why not
/// @param back  (Outcome const&): has the library do it
/// @param fail  (char const*): tells of an error of ours, after which nothing of the caller's is as it should be
template <class Take, class Back, class Fail>
void enter(Tally const& tally, Take const& take, Back const& back, Fail const& fail) {
  auto const began = now();
  decltype(take()) outcome;
  try {
    outcome = take();
  } catch (std::exception const& e) {
    fail(e.what());
    return;
  }
  if (outcome.why_not.empty()) {
    if (!outcome.under_way) tally.taken(outcome.taken, now() - began);
    return;
  }
  back(outcome);
  tally.returned(outcome.why_not, now() - began);
}

}  // namespace allport::handback
