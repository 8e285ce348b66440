#include "allport/model/at_once.h"

#include <algorithm>

namespace allport::model {

Seconds t_at_once(Machine const& machine, AtOnce const& counted) {
  auto const o = machine.rates().overhead.value();
  auto const busy = std::max(
      {counted.link_seconds, counted.leaving_seconds, counted.inside_seconds, static_cast<double>(counted.ends) * o});
  return Seconds(busy + static_cast<double>(counted.chain) * (2.0 * o + counted.path.value()));
}

}  // namespace allport::model
