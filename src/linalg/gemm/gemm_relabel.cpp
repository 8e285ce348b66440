#include "gemm_relabel.h"

#include "linalg/cholesky/cholesky_tiles.h"
#include "linalg/plan/tiled_plan.h"

namespace allport::gemm_detail {

namespace {

/// Row of the product's grid for each row of the caller's, and column for each column.
struct GridPlaces {
  std::vector<int> rows;
  std::vector<int> cols;
};

std::optional<GridPlaces> places_of(ProcessGrid const& given, Frame const& frame) {
  auto const& grid = frame.grid();
  if (grid.layers > 1 || given.rows() != grid.rows || given.cols() != grid.cols) return std::nullopt;
  GridPlaces places;
  for (int i = 0; i < given.rows(); ++i) {
    auto const at = frame.place(given.rank_at(i, 0));
    if (!at) return std::nullopt;
    places.rows.push_back(at->i);
  }
  for (int j = 0; j < given.cols(); ++j) {
    auto const at = frame.place(given.rank_at(0, j));
    if (!at) return std::nullopt;
    places.cols.push_back(at->j);
  }
  for (int j = 0; j < given.cols(); ++j) {
    for (int i = 0; i < given.rows(); ++i) {
      auto const at = frame.place(given.rank_at(i, j));
      auto const wanted = Place{places.rows[static_cast<std::size_t>(i)], places.cols[static_cast<std::size_t>(j)], 0};
      if (!at || !(*at == wanted)) return std::nullopt;
    }
  }
  return places;
}

/// Part after part, in the order of the product's grid.
AxisDistribution in_blocks(AxisDistribution const& axis, std::vector<int> const& places) {
  std::vector<Index> counts(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    counts[static_cast<std::size_t>(places[p])] = axis.count(static_cast<int>(p));
  }
  std::vector<Index> cuts{0};
  for (auto const count : counts) cuts.push_back(cuts.back() + count);
  return AxisDistribution::cuts(std::move(cuts));
}

/// Consecutive k that one part of either matrix has.
struct Piece {
  int place = 0;  ///< of the owner whose order they take
  Index mine = 0;
  Index theirs = 0;  ///< where the other matrix has them
  int their_place = 0;
  Index length = 0;
};

/// All of k, as `mine` has them part after part.
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

/// Whether the other matrix has them in this order, too.
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

/// The other matrix's local indices in this order; empty where that is how they lie.
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

std::optional<Relabelled> relabelled(GemmProblem const& problem, Frame const& frame, GemmGiven const& given) {
  auto const& a = given.a;
  auto const& b = given.b;
  auto const& c = given.c;
  if (problem.trans_a != Trans::none || problem.trans_b != Trans::none) return std::nullopt;
  if (!(a.grid() == c.grid()) || !(b.grid() == c.grid())) return std::nullopt;
  if (!(a.rows() == c.rows()) || !(b.cols() == c.cols())) return std::nullopt;
  auto const places = places_of(c.grid(), frame);
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
  for (int j = 0; j < frame.grid().cols; ++j) {
    for (int i = 0; i < frame.grid().rows; ++i) ranks.push_back(frame.rank({i, j, 0}));
  }
  auto const m = in_blocks(c.rows(), places->rows);
  auto const n = in_blocks(c.cols(), places->cols);
  made.a = Distribution(m, in_blocks(a.cols(), places->cols), ranks);
  made.b = Distribution(in_blocks(b.rows(), places->rows), n, ranks);
  made.c = Distribution(m, n, ranks);
  return made;
}

Seconds moving(GemmPlan const& plan, Frame const& frame) {
  auto const& given = plan.options.given;
  if (!given) return Seconds(0);
  auto const view = relabelled(plan.problem, frame, *given);
  auto const& type = plan.problem.type;
  auto const& machine = plan.machine;
  auto const memory = machine.rates().memory_bandwidth.value();
  auto const there = [&](Distribution const& from, Distribution const& to) {
    if (same_places(from, to)) return Seconds(0);
    // All of a rank's part is copied, whatever of it comes from others: read once, and memory that is new is cleared,
    // fetched and written.
    constexpr double passes = 4;
    auto const rank = to.grid().ranks().front();
    auto const bytes = static_cast<double>(to.local_rows(rank) * to.local_cols(rank) * bytes_of(type));
    return tiled_plan::moving(from, to, type, machine, plan.options.mapping) +
           Seconds(memory > 0 ? passes * bytes / memory : 0);
  };
  return there(view ? view->a : given->a, plan.a) + there(view ? view->b : given->b, plan.b) +
         there(view ? view->c : given->c, plan.c) * (given->reads_c ? 2.0 : 1.0);
}

}  // namespace allport::gemm_detail
