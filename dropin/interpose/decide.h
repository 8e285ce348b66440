// Whether a call is ours: what we would do beside what the library is expected to take.
#pragma once

#include <optional>
#include <string>

#include "allport/base/error.h"
#include "settings.h"

namespace allport::interpose {

/// What we would do, or why the library does the call.
template <class Plan>
struct Decision {
  std::optional<Plan> plan;
  std::string why_not;  ///< not empty: the call is passed on, for this reason
};

/// Decided from nothing that may differ between the ranks that make the call, so that all of them decide alike.
/// @param hopeless  () -> std::string: why nothing needs to be planned; asked under `auto` only, as `loses`
/// @param plan      () -> Plan; throws Error where we cannot
/// @param loses     (Plan const&) -> std::string: why the library is expected to be faster; empty: it is not
/// @pre policy is not `never`
template <class Hopeless, class MakePlan, class Loses>
auto decide(Policy policy, Hopeless const& hopeless, MakePlan const& plan, Loses const& loses) {
  Decision<decltype(plan())> made;
  bool const automatic = policy == Policy::automatic;
  if (automatic) made.why_not = hopeless();
  if (!made.why_not.empty()) return made;
  try {
    made.plan = plan();
  } catch (Error const& e) {
    made.why_not = e.what();
    return made;
  }
  if (automatic) made.why_not = loses(*made.plan);
  if (!made.why_not.empty()) made.plan.reset();
  return made;
}

}  // namespace allport::interpose
