// How what a plan's graph sends to several ranks travels.
#pragma once

#include "allport/tasks/transport.h"

namespace allport {

template <class Plan>
[[nodiscard]] MulticastTree way_of(Plan const& plan) {
  return plan.options.way.value_or(tasks::default_tree(plan.machine));
}

}  // namespace allport
