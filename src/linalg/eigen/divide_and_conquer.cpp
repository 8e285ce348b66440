#include "divide_and_conquer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>

#include "eigen_kernels.h"
#include "linalg/matrix/checks.h"
#include "rank_one_update.h"

namespace allport::detail {

namespace {

constexpr Index least_leaf = 16;        ///< rows of a rank's own problem
constexpr Index columns_at_once = 128;  ///< of a product that joins two matrices

/// Two neighbouring matrices that are joined: rows and columns lo..mid-1 and mid..hi-1, of ranks begin..middle-1 and
/// middle..end-1.
struct Join {
  Index lo, mid, hi;
  Rank begin, middle, end;
};

/// The joins of each level, from the smallest; an odd one waits for the next level.
std::vector<std::vector<Join>> levels(std::vector<Index> const& cuts, Rank leaves) {
  std::vector<Rank> begins(static_cast<std::size_t>(leaves));
  std::iota(begins.begin(), begins.end(), 0);
  std::vector<std::vector<Join>> all;
  auto const cut = [&](Rank r) { return cuts[static_cast<std::size_t>(r)]; };
  while (begins.size() > 1) {
    auto& level = all.emplace_back();
    std::vector<Rank> next;
    for (std::size_t q = 0; q < begins.size(); q += 2) {
      next.push_back(begins[q]);
      if (q + 1 == begins.size()) break;
      auto const end = q + 2 < begins.size() ? begins[q + 2] : leaves;
      level.push_back({cut(begins[q]), cut(begins[q + 1]), cut(end), begins[q], begins[q + 1], end});
    }
    begins = std::move(next);
  }
  return all;
}

template <class R>
class Solver {
 public:
  Solver(Communicator const& comm, std::vector<R> d, std::vector<R> e, Index first, Index count)
      : comm_(comm),
        d_(std::move(d)),
        e_(std::move(e)),
        n_(static_cast<Index>(d_.size())),
        first_(first),
        count_(count),
        leaves_(static_cast<Rank>(std::clamp<Index>(n_ / least_leaf, 1, comm.size()))) {
    for (Rank r = 0; r <= comm.size(); ++r) cuts_.push_back(std::min<Rank>(r, leaves_) * n_ / leaves_);
    rows_ = cut(comm.rank() + 1) - cut(comm.rank());
    on_all(comm, [&] {
      slab_.assign(static_cast<std::size_t>(rows_ * n_), R(0));
      if (leaves_ > 1) beside_.resize(slab_.size());
    });
  }

  TridiagonalEigen<R> solve() {
    auto const scale = scale_down();
    leaf();
    auto const all = levels(cuts_, leaves_);
    for (auto const& level : all) join_all(level, &level == &all.back());
    for (auto& x : d_) x *= scale;
    std::vector<Index> const columns{0, count_};
    Distribution const rows(AxisDistribution::cuts(cuts_), AxisDistribution::cuts(columns),
                            ProcessGrid::column_major(comm_.size(), 1));
    auto vectors = allocate_on_all<R>(comm_, rows);
    std::copy_n(slab_.data() + first_ * rows_, rows_ * count_, vectors.data());
    return {std::move(d_), std::move(vectors)};
  }

 private:
  [[nodiscard]] Index cut(Rank r) const { return cuts_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] R* column(std::vector<R>& of, Index j) const { return of.data() + j * rows_; }
  [[nodiscard]] bool has(Join const& join) const { return join.begin <= comm_.rank() && comm_.rank() < join.end; }

  /// Divides by the largest element, so that nothing overflows.
  R scale_down() {
    R most(0);
    for (auto const x : d_) most = std::max(most, std::abs(x));
    for (auto const x : e_) most = std::max(most, std::abs(x));
    if (most == 0) return R(1);
    for (auto& x : d_) x /= most;
    for (auto& x : e_) x /= most;
    return most;
  }

  /// This rank's own rows and columns, after the elements that join it to others are taken away. All values of d_
  /// become known to all ranks.
  void leaf() {
    for (Rank r = 1; r < leaves_; ++r) {
      auto const at = static_cast<std::size_t>(cut(r));
      d_[at - 1] -= std::abs(e_[at - 1]);
      d_[at] -= std::abs(e_[at - 1]);
    }
    auto const lo = cut(comm_.rank());
    std::vector<R> mine(d_.begin() + lo, d_.begin() + lo + rows_);
    on_all(comm_, [&] {
      std::vector<R> below(e_.begin() + std::min(lo, n_ - 1), e_.begin() + std::min(lo + rows_, n_ - 1));
      below.resize(static_cast<std::size_t>(std::max<Index>(rows_, 1)));
      auto const info = blas::stedc(rows_, mine.data(), below.data(), column(slab_, lo), std::max<Index>(rows_, 1));
      ensure(info == 0, "matrix", "one whose eigenvalues LAPACK's stedc does not find", "one that converges", "",
             ErrorKind::unsupported);
    });
    share<R>(std::span<R const>(mine), d_, [&](Rank r) { return std::pair(cut(r), cut(r + 1)); });
  }

  /// Every rank's interval of `all` on every rank.
  template <class X, class Interval>
  void share(std::span<X const> mine, std::vector<X>& all, Interval const& interval) const {
    std::vector<std::int64_t> bytes, begins;
    for (Rank r = 0; r < comm_.size(); ++r) {
      auto const [from, to] = interval(r);
      bytes.push_back((to - from) * static_cast<std::int64_t>(sizeof(X)));
      begins.push_back(from * static_cast<std::int64_t>(sizeof(X)));
    }
    comm_.allgatherv(std::as_bytes(mine), std::as_writable_bytes(std::span(all)), {bytes, begins});
  }

  /// The part of a join's `count` things that a rank computes, shifted to the join's place; empty for other ranks.
  struct Share {
    Index from = 0;
    Index to = 0;
  };
  static Share share_of(Join const& join, Index count, Rank r) {
    auto const members = join.end - join.begin;
    if (r < join.begin || r >= join.end) return {};
    auto const q = r - join.begin;
    return {count * q / members, count * (q + 1) / members};
  }
  /// As share(), where rank r computes its share of the `count(join)` things of its join with make(join number, i).
  template <class X, class Count, class Make>
  std::vector<X> share_joins(std::vector<Join> const& joins, Count const& count, Make const& make) const {
    std::vector<X> mine;
    std::vector<X> all(static_cast<std::size_t>(n_));
    on_all(comm_, [&] {
      for (std::size_t q = 0; q < joins.size(); ++q) {
        auto const part = share_of(joins[q], count(q), comm_.rank());
        for (auto i = part.from; i < part.to; ++i) mine.push_back(make(q, i));
      }
    });
    share<X>(std::span<X const>(mine), all, [&](Rank r) {
      for (std::size_t q = 0; q < joins.size(); ++q) {
        if (joins[q].begin > r || r >= joins[q].end) continue;
        auto const part = share_of(joins[q], count(q), r);
        return std::pair(joins[q].lo + part.from, joins[q].lo + part.to);
      }
      return std::pair(Index(0), Index(0));
    });
    return all;
  }

  /// Rows of Z that meet at a join: the last one above, the first one below.
  [[nodiscard]] std::vector<R> meeting_rows(std::vector<Join> const& joins) {
    std::vector<R> mine;
    auto const columns_of = [&](Rank r) {
      for (auto const& join : joins) {
        if (r + 1 == join.middle) return std::pair(join.lo, join.mid);
        if (r == join.middle) return std::pair(join.mid, join.hi);
      }
      return std::pair(Index(0), Index(0));
    };
    auto const me = comm_.rank();
    bool const is_above = std::any_of(joins.begin(), joins.end(), [&](Join const& j) { return j.middle == me + 1; });
    auto const [from, to] = columns_of(me);
    for (auto j = from; j < to; ++j) mine.push_back(column(slab_, j)[is_above ? rows_ - 1 : 0]);
    std::vector<R> all(static_cast<std::size_t>(n_));
    share<R>(std::span<R const>(mine), all, columns_of);
    return all;
  }

  void join_all(std::vector<Join> const& joins, bool is_last) {
    auto const meeting = meeting_rows(joins);
    std::vector<RankOneUpdate<R>> updates;
    for (auto const& join : joins) {
      auto const part = [&](std::vector<R> const& of) {
        return std::vector<R>(of.begin() + join.lo, of.begin() + join.hi);
      };
      updates.push_back(
          deflated(part(d_), part(meeting), join.mid - join.lo, e_[static_cast<std::size_t>(join.mid - 1)]));
    }
    auto const size = [&](std::size_t q) { return updates[q].size() > 2 ? updates[q].size() : 0; };
    auto const roots = share_joins<Root<R>>(joins, size, [&](auto q, Index i) { return secular_root(updates[q], i); });
    auto const of_join = [&](auto const& all, std::size_t q) {
      auto const begin = all.begin() + joins[q].lo;
      return std::vector(begin, begin + size(q));
    };
    std::vector<std::vector<Root<R>>> roots_of;
    for (std::size_t q = 0; q < joins.size(); ++q) roots_of.push_back(of_join(roots, q));
    auto const exact =
        share_joins<R>(joins, size, [&](auto q, Index i) { return exact_z(updates[q], roots_of[q], i); });
    for (std::size_t q = 0; q < joins.size(); ++q) {
      updates[q].z = size(q) > 0 ? of_join(exact, q) : updates[q].z;
      finish(joins[q], updates[q], roots_of[q], is_last);
    }
  }

  /// Sorts the eigenvalues of a join into d_ and makes this rank's rows of its vectors.
  void finish(Join const& join, RankOneUpdate<R> const& update, std::vector<Root<R>> const& roots, bool is_last) {
    auto const k = static_cast<std::size_t>(update.size());
    std::vector<R> small(k * k);  // for k <= 2 the vectors are computed directly
    std::vector<R> values;
    for (std::size_t j = 0; j < k; ++j) {
      if (k > 2) {
        values.push_back(roots[j].value());
        continue;
      }
      R value(0);
      auto const info = blas::laed4(update.size(), static_cast<Index>(j), update.d.data(), update.z.data(),
                                    small.data() + j * k, update.rho, value);
      ensure(info == 0, "eigenvalue", static_cast<Index>(j), "one that LAPACK's laed4 finds", "",
             ErrorKind::unsupported);
      values.push_back(value);
    }
    values.insert(values.end(), update.found.begin(), update.found.end());
    std::vector<Index> order(values.size());
    std::iota(order.begin(), order.end(), Index(0));
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
      return values[static_cast<std::size_t>(a)] < values[static_cast<std::size_t>(b)];
    });
    std::vector<Index> position(values.size());
    for (std::size_t at = 0; at < order.size(); ++at) {
      auto const from = static_cast<std::size_t>(order[at]);
      position[from] = join.lo + static_cast<Index>(at);
      d_[static_cast<std::size_t>(position[from])] = values[from];
    }
    if (!has(join) || rows_ == 0) return;
    auto const wanted = [&](Index j) { return !is_last || (first_ <= j && j < first_ + count_); };
    vectors_of(join, update, roots, small, position, wanted);
  }

  template <class Wanted>
  void vectors_of(Join const& join, RankOneUpdate<R> const& update, std::vector<Root<R>> const& roots,
                  std::vector<R> const& small, std::vector<Index> const& position, Wanted const& wanted) {
    for (auto const& r : update.rotations) {
      auto* const x = column(slab_, join.lo + r.x);
      auto* const y = column(slab_, join.lo + r.y);
      for (Index i = 0; i < rows_; ++i) {
        auto const turned = r.c * x[i] + r.s * y[i];
        y[i] = r.c * y[i] - r.s * x[i];
        x[i] = turned;
      }
    }
    // Columns that have no elements in this rank's half take no part in its product.
    auto const absent = comm_.rank() < join.middle ? Half::lower : Half::upper;
    auto const k = update.size();
    std::vector<std::size_t> present;
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      if (update.half[i] != absent) present.push_back(i);
    }
    auto next = join.lo;
    for (auto const i : present) std::copy_n(column(slab_, join.lo + update.column[i]), rows_, column(beside_, next++));
    auto const found = next;
    for (auto const j : update.found_column) std::copy_n(column(slab_, join.lo + j), rows_, column(beside_, next++));

    for (std::size_t q = 0; q < update.found.size(); ++q) {
      auto const to = position[static_cast<std::size_t>(k) + q];
      if (wanted(to)) std::copy_n(column(beside_, found + static_cast<Index>(q)), rows_, column(slab_, to));
    }
    auto const inner = static_cast<Index>(present.size());
    std::vector<R> whole(static_cast<std::size_t>(k));
    std::vector<R> factor(static_cast<std::size_t>(inner * std::min(k, columns_at_once)));
    std::vector<R> product(static_cast<std::size_t>(rows_ * std::min(k, columns_at_once)));
    std::vector<Index> targets;
    auto const multiply = [&] {
      auto const columns = static_cast<Index>(targets.size());
      blas::gemm(Trans::none, Trans::none, rows_, columns, inner, R(1), column(beside_, join.lo), rows_, factor.data(),
                 std::max<Index>(inner, 1), R(0), product.data(), rows_);
      for (Index c = 0; c < columns; ++c) {
        std::copy_n(product.data() + c * rows_, rows_, column(slab_, targets[static_cast<std::size_t>(c)]));
      }
      targets.clear();
    };
    for (Index j = 0; j < k; ++j) {
      auto const to = position[static_cast<std::size_t>(j)];
      if (!wanted(to)) continue;
      vector_of(update, roots, small, j, whole);
      auto* const into = factor.data() + static_cast<Index>(targets.size()) * inner;
      for (std::size_t i = 0; i < present.size(); ++i) into[i] = whole[present[i]];
      targets.push_back(to);
      if (static_cast<Index>(targets.size()) == columns_at_once) multiply();
    }
    if (!targets.empty()) multiply();
  }

  /// Vector j of diag(d) + rho z z^T, of norm 1.
  static void vector_of(RankOneUpdate<R> const& update, std::vector<Root<R>> const& roots, std::vector<R> const& small,
                        Index j, std::vector<R>& into) {
    auto const k = into.size();
    auto const at = static_cast<std::size_t>(j);
    if (k <= 2) {
      std::copy_n(small.begin() + static_cast<std::ptrdiff_t>(at * k), k, into.begin());
      return;
    }
    auto const root = roots[at];
    R square(0);
    for (std::size_t i = 0; i < k; ++i) {
      into[i] = update.z[i] / root.from(update.d[i]);
      square += into[i] * into[i];
    }
    auto const scale = 1 / std::sqrt(square);
    for (auto& x : into) x *= scale;
  }

  Communicator const& comm_;
  std::vector<R> d_, e_;
  Index n_;
  Index first_, count_;
  Rank leaves_;
  std::vector<Index> cuts_;  // rows and leaf columns of each rank
  Index rows_ = 0;
  std::vector<R> slab_, beside_;  // [rows_ x n_], columns as those of Z
};

}  // namespace

template <class R>
TridiagonalEigen<R> divide_and_conquer(Communicator const& comm, std::vector<R> d, std::vector<R> e, Index first,
                                       Index count) {
  return Solver<R>(comm, std::move(d), std::move(e), first, count).solve();
}

template <class R>
std::vector<R> tridiagonal_values(Communicator const& comm, std::vector<R> d, std::vector<R> e) {
  e.resize(std::max<std::size_t>(e.size(), 1));
  on_all(comm, [&] {
    if (comm.rank() != 0) return;
    auto const info = blas::sterf(static_cast<Index>(d.size()), d.data(), e.data());
    ensure(info == 0, "matrix", "one whose eigenvalues LAPACK's sterf does not find", "one that converges", "",
           ErrorKind::unsupported);
  });
  comm.broadcast(std::as_writable_bytes(std::span(d)), 0);
  return d;
}

#define ALLPORT_DIVIDE_AND_CONQUER(R)                                                                                 \
  template TridiagonalEigen<R> divide_and_conquer(Communicator const&, std::vector<R>, std::vector<R>, Index, Index); \
  template std::vector<R> tridiagonal_values(Communicator const&, std::vector<R>, std::vector<R>);
ALLPORT_DIVIDE_AND_CONQUER(float)
ALLPORT_DIVIDE_AND_CONQUER(double)

}  // namespace allport::detail
