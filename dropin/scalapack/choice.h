// How `auto` decides: our plan and its price beside what ScaLAPACK is expected to take.
#pragma once

#include <optional>
#include <string>

#include "price.h"
#include "settings.h"

namespace allport::scalapack {

inline constexpr auto too_small = "too small to gain anything";
inline constexpr auto theirs_is_faster = "ScaLAPACK's own is expected to be faster";

/// A plan and whether it is expected to win.
template <class Plan>
struct Choice {
  std::optional<Plan> plan;
  std::string why_not;  ///< not empty: handed back, and why
};

/// @param theirs  what ScaLAPACK is expected to take
/// @param plan    () -> Plan; may find that memory is short
/// @param ours    Plan const& -> Seconds
template <class MakePlan, class Price>
auto choose(Policy policy, Seconds theirs, MakePlan const& plan, Price const& ours) {
  using Plan = decltype(plan());
  bool const automatic = policy == Policy::automatic;
  if (automatic && theirs < too_short) return Choice<Plan>{{}, too_small};
  Choice<Plan> choice;
  try {
    choice.plan = plan();
  } catch (Error const& e) {
    return Choice<Plan>{{}, e.what()};
  }
  if (automatic && ours(*choice.plan) > theirs) return Choice<Plan>{{}, theirs_is_faster};
  return choice;
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

}  // namespace allport::scalapack
