#include "gemm_relabel.h"

#include "linalg/cholesky/cholesky_tiles.h"
#include "linalg/plan/plan_price.h"

namespace allport::gemm_detail {

namespace {

/// The grid row of the product for each row of the caller's grid, and the column for each column.
struct Permutation {
  std::vector<int> rows;
  std::vector<int> cols;
};

std::optional<Permutation> places_of(ProcessGrid const& given, GridLayout const& layout) {
  auto const& grid = layout.grid();
  if (grid.layers > 1 || given.rows() != grid.rows || given.cols() != grid.cols) return std::nullopt;
  Permutation places;
  for (int i = 0; i < given.rows(); ++i) {
    auto const at = layout.coords(given.rank_at(i, 0));
    if (!at) return std::nullopt;
    places.rows.push_back(at->i);
  }
  for (int j = 0; j < given.cols(); ++j) {
    auto const at = layout.coords(given.rank_at(0, j));
    if (!at) return std::nullopt;
    places.cols.push_back(at->j);
  }
  for (int j = 0; j < given.cols(); ++j) {
    for (int i = 0; i < given.rows(); ++i) {
      auto const at = layout.coords(given.rank_at(i, j));
      auto const row = places.rows[static_cast<std::size_t>(i)];
      auto const col = places.cols[static_cast<std::size_t>(j)];
      if (!at || !(*at == GridCoords{row, col, 0})) return std::nullopt;
    }
  }
  return places;
}

/// Contiguous parts in the order of the product's grid.
AxisDistribution in_blocks(AxisDistribution const& axis, std::vector<int> const& places) {
  std::vector<Index> counts(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    counts[static_cast<std::size_t>(places[p])] = axis.count(static_cast<int>(p));
  }
  std::vector<Index> cuts{0};
  for (auto const count : counts) cuts.push_back(cuts.back() + count);
  return AxisDistribution::cuts(std::move(cuts));
}

/// Consecutive k that one part of each matrix owns.
struct Piece {
  int place = 0;  ///< of the owner that gives the order
  Index mine = 0;
  Index theirs = 0;  ///< local index in the other matrix
  int their_place = 0;
  Index length = 0;
};

/// All of k in the order of the parts of `mine`.
std::vector<Piece> in_order(AxisDistribution const& mine, std::vector<int> const& places,
                            AxisDistribution const& theirs, std::vector<int> const& their_places) {
  std::vector<Piece> pieces;
  for (Index k = 0; k < mine.extent();) {
    auto const here = mine.run_at(k);
    auto const there = theirs.run_at(k);
    auto const length = std::min(here.length, there.length);
    pieces.push_back({places[static_cast<std::size_t>(mine.owner(k))], here.local, there.local,
                      their_places[static_cast<std::size_t>(theirs.owner(k))], length});
    k += length;
  }
  std::ranges::stable_sort(pieces, {}, &Piece::place);
  return pieces;
}

/// Whether the other matrix stores them in the same order.
bool is_their_order(std::vector<Piece> const& pieces) {
  int place = 0;
  Index next = 0;
  for (auto const& piece : pieces) {
    if (piece.their_place != place) next = 0;
    if (piece.their_place < place || piece.theirs != next) return false;
    place = piece.their_place;
    next += piece.length;
  }
  return true;
}

/// The other matrix's local indices in this order; empty if they are stored so.
std::vector<Run> local_order(std::vector<Piece> const& pieces) {
  std::vector<Run> runs;
  Index at = 0;
  for (auto const& piece : pieces) {
    if (!runs.empty() && runs.back().local + runs.back().length == piece.theirs) {
      runs.back().length += piece.length;
    } else {
      runs.push_back({at, piece.theirs, piece.length});
    }
    at += piece.length;
  }
  if (runs.size() == 1) runs.clear();
  return runs;
}

}  // namespace

std::optional<Relabelled> relabelled(GemmProblem const& problem, GridLayout const& layout, GemmGiven const& given) {
  auto const& a = given.a;
  auto const& b = given.b;
  auto const& c = given.c;
  if (problem.trans_a != Trans::none || problem.trans_b != Trans::none) return std::nullopt;
  if (!(a.grid() == c.grid()) || !(b.grid() == c.grid())) return std::nullopt;
  if (!(a.rows() == c.rows()) || !(b.cols() == c.cols())) return std::nullopt;
  auto const places = places_of(c.grid(), layout);
  if (!places) return std::nullopt;
  Relabelled made;
  if (a.cols().parts() > 1) {
    auto const pieces = in_order(a.cols(), places->cols, b.rows(), places->rows);
    if (b.rows().parts() == 1) {
      made.k_of_b = local_order(pieces);
    } else if (!is_their_order(pieces)) {
      return std::nullopt;
    }
  } else if (b.rows().parts() > 1) {
    made.k_of_a = local_order(in_order(b.rows(), places->rows, a.cols(), places->cols));
  }
  std::vector<Rank> ranks;
  for (int j = 0; j < layout.grid().cols; ++j) {
    for (int i = 0; i < layout.grid().rows; ++i) ranks.push_back(layout.rank({i, j, 0}));
  }
  auto const m = in_blocks(c.rows(), places->rows);
  auto const n = in_blocks(c.cols(), places->cols);
  made.a = Distribution(m, in_blocks(a.cols(), places->cols), ranks);
  made.b = Distribution(in_blocks(b.rows(), places->rows), n, ranks);
  made.c = Distribution(m, n, ranks);
  return made;
}

Seconds moving(GemmPlan const& plan, GridLayout const& layout) {
  auto const& given = plan.options.given;
  if (!given) return Seconds(0);
  auto const view = relabelled(plan.problem, layout, *given);
  auto const& type = plan.problem.type;
  auto const& machine = plan.machine;
  auto const memory = machine.rates().memory_bandwidth.value();
  auto const there = [&](Distribution const& from, Distribution const& to) {
    if (same_places(from, to)) return Seconds(0);
    // A rank copies all of its part: it reads it once, and new memory is cleared, loaded and written.
    constexpr double passes = 4;
    auto const rank = to.grid().ranks().front();
    auto const bytes = static_cast<double>(to.local_rows(rank) * to.local_cols(rank) * bytes_of(type));
    return detail::moving(from, to, type, machine, plan.options.mapping) +
           Seconds(memory > 0 ? passes * bytes / memory : 0);
  };
  return there(view ? view->a : given->a, plan.a) + there(view ? view->b : given->b, plan.b) +
         there(view ? view->c : given->c, plan.c) * (given->reads_c ? 2.0 : 1.0);
}

}  // namespace allport::gemm_detail
