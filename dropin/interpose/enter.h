// Entry of an intercepted call: performed by Allport, or passed on to the library.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "report.h"

namespace allport::interpose {

/// Outcome of an intercepted call.
struct Outcome {
  std::string why_not;  ///< not empty: the call is passed on, and nothing of the caller's was changed
  Taken taken{};
  bool under_way = false;  ///< taken, and counted when it has ended
};

[[nodiscard]] inline Outcome passed_on(std::string why) { return {std::move(why), {}, false}; }

/// Where a call is counted.
struct Tally {
  Report& report;
  std::string_view routine;
  bool counts = false;  ///< this process counts the call

  void taken(Taken const& call, double seconds) const {
    if (counts) report.count_taken(routine, call, seconds);
  }
  void passed_on(std::string const& why, double seconds) const {
    if (counts) report.count_passed_on(routine, why, seconds);
  }
};

/// @param take  () -> Outcome: performs the call, or returns the reason why not
/// @param pass_on  (Outcome const&): calls the library
/// @param fail  (char const*): reports an error of Allport's, after which the caller's buffers are undefined
template <class Take, class PassOn, class Fail>
void enter(Tally const& tally, Take const& take, PassOn const& pass_on, Fail const& fail) {
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
  pass_on(outcome);
  tally.passed_on(outcome.why_not, now() - began);
}

}  // namespace allport::interpose
