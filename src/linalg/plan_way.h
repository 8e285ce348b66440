// The multicast tree of a plan.
#pragma once

#include "allport/tasks/transport.h"

namespace allport {

template <class Plan>
[[nodiscard]] MulticastTree tree_of(Plan const& plan) {
  return plan.options.tree.value_or(tasks::default_tree(plan.machine));
}

}  // namespace allport
