#include "rank_one_update.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "allport/base/error.h"
#include "eigen_kernels.h"

namespace allport::detail {

namespace {

template <class R>
R largest_magnitude(std::vector<R> const& values) {
  R most(0);
  for (auto const x : values) most = std::max(most, std::abs(x));
  return most;
}

/// Adds column i, whose element of z is not negligible, to what is left.
template <class R>
void keep(RankOneUpdate<R>& update, std::vector<R> const& d, std::vector<R> const& z, std::vector<Half> const& half,
          std::size_t i) {
  update.d.push_back(d[i]);
  update.z.push_back(z[i]);
  update.half.push_back(half[i]);
  update.column.push_back(static_cast<Index>(i));
}

}  // namespace

template <class R>
RankOneUpdate<R> deflated(std::vector<R> d, std::vector<R> z, Index upper, R joint) {
  auto const n = d.size();
  auto const first = static_cast<std::size_t>(upper);
  RankOneUpdate<R> update;
  auto const scale = 1 / std::sqrt(R(2));
  for (std::size_t i = 0; i < n; ++i) z[i] *= joint < 0 && i >= first ? -scale : scale;
  update.rho = std::abs(2 * joint);

  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::inplace_merge(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                     [&](std::size_t a, std::size_t b) { return d[a] < d[b]; });
  std::vector<Half> half(n, Half::upper);
  std::fill(half.begin() + static_cast<std::ptrdiff_t>(first), half.end(), Half::lower);

  auto const rounding = std::numeric_limits<R>::epsilon() / 2;
  auto const most = largest_magnitude(z);
  auto const negligible = 8 * rounding * std::max(largest_magnitude(d), most);
  bool const nothing_left = update.rho * most <= negligible;
  auto const give = [&](std::size_t i) {
    update.found.push_back(d[i]);
    update.found_column.push_back(static_cast<Index>(i));
  };
  auto before = n;  // the last one that is not negligible
  for (auto const i : order) {
    if (nothing_left || update.rho * std::abs(z[i]) <= negligible) {
      give(i);
      continue;
    }
    if (before == n) {
      before = i;
      continue;
    }
    auto const length = std::hypot(z[i], z[before]);
    auto const difference = d[i] - d[before];
    auto const c = z[i] / length;
    auto const s = -z[before] / length;
    if (std::abs(difference * c * s) <= negligible) {  // nearly equal: a rotation makes one element of z zero
      z[i] = length;
      z[before] = 0;
      if (half[i] != half[before]) half[i] = Half::both;
      update.rotations.push_back({static_cast<Index>(before), static_cast<Index>(i), c, s});
      auto const low = d[before] * (c * c) + d[i] * (s * s);
      d[i] = d[before] * (s * s) + d[i] * (c * c);
      d[before] = low;
      give(before);
    } else {
      keep(update, d, z, half, before);
    }
    before = i;
  }
  if (before != n) keep(update, d, z, half, before);
  return update;
}

template <class R>
Root<R> secular_root(RankOneUpdate<R> const& update, Index j) {
  auto const k = update.size();
  thread_local std::vector<R> delta;
  delta.resize(static_cast<std::size_t>(k));
  R eigenvalue(0);
  auto const info = blas::laed4(k, j, update.d.data(), update.z.data(), delta.data(), update.rho, eigenvalue);
  ensure(info == 0, "eigenvalue", j, "one that LAPACK's laed4 finds", "", ErrorKind::unsupported);
  auto pole = static_cast<std::size_t>(j);
  if (j + 1 < k && std::abs(delta[pole + 1]) < std::abs(delta[pole])) ++pole;
  return {update.d[pole], -delta[pole]};
}

template <class R>
R exact_z(RankOneUpdate<R> const& update, std::vector<Root<R>> const& roots, Index i) {
  auto const at = static_cast<std::size_t>(i);
  auto const d = update.d[at];
  auto square = -roots[at].from(d);
  for (std::size_t j = 0; j < roots.size(); ++j) {
    if (j != at) square *= roots[j].from(d) / (d - update.d[j]);
  }
  return std::copysign(std::sqrt(std::abs(square)), update.z[at]);
}

#define ALLPORT_RANK_ONE_UPDATE(R)                                              \
  template RankOneUpdate<R> deflated(std::vector<R>, std::vector<R>, Index, R); \
  template Root<R> secular_root(RankOneUpdate<R> const&, Index);                \
  template R exact_z(RankOneUpdate<R> const&, std::vector<Root<R>> const&, Index);
ALLPORT_RANK_ONE_UPDATE(float)
ALLPORT_RANK_ONE_UPDATE(double)

}  // namespace allport::detail
