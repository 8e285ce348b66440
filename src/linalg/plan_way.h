// How what a plan's graph sends to several ranks travels.
#pragma once

#include "allport/tasks/carrier.h"

namespace allport {

template <class Plan>
[[nodiscard]] MulticastWay way_of(Plan const& plan) {
  return plan.options.way.value_or(tasks::usual_way(plan.machine));
}

}  // namespace allport
