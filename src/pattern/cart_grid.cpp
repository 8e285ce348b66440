#include "allport/pattern/cart_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace allport {

void CartGrid::check() const {
  ensure(axes() >= 1 && axes() <= max_grid_axes, "grid", axes(), fmt::format("1 to {} axes", max_grid_axes));
  ensure(periodic.empty() || periodic.size() == lengths.size(), "periodic", periodic.size(),
         fmt::format("true or false for each of {} axes, or none", axes()));
  std::int64_t ranks = 1;
  for (int a = 0; a < axes(); ++a) {
    ensure(length(a) >= 1, fmt::format("grid length {}", a), length(a), "a number >= 1");
    ranks *= length(a);
    ensure(ranks <= std::numeric_limits<Rank>::max(), "grid", ranks, "fewer than 2^31 ranks");
  }
}

Rank CartGrid::ranks() const {
  Rank ranks = 1;
  for (auto const n : lengths) ranks *= n;
  return ranks;
}

Rank CartGrid::stride(int a) const {
  Rank stride = 1;
  if (last_fastest) {
    for (int b = a + 1; b < axes(); ++b) stride *= length(b);
  } else {
    for (int b = 0; b < a; ++b) stride *= length(b);
  }
  return stride;
}

Rank CartGrid::rank(std::span<std::int32_t const> coords) const {
  Rank r = 0;
  for (int a = 0; a < axes(); ++a) r += coords[static_cast<std::size_t>(a)] * stride(a);
  return r;
}

std::string CartGrid::text() const { return fmt::format("{}", fmt::join(lengths, "x")); }

}  // namespace allport
