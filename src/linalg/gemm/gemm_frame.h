// The grid of a multiply laid over the machine's ranks, and the sub-groups that communicate.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allport/linalg/gemm.h"
#include "allport/schedule/schedule.h"
#include "allport/tasks/transport.h"

namespace allport::gemm_detail {

/// A rank's place in the grid: row i of p_r, column j of p_c, layer l of c.
struct Place {
  int i = 0;
  int j = 0;
  int l = 0;

  friend bool operator==(Place const&, Place const&) = default;
};

/// Which of a place's three lines communicates.
enum class GridAxis : std::uint8_t {
  row,    ///< (i, *, l), indexed by j
  col,    ///< (*, j, l), indexed by i
  layer,  ///< (i, j, *), indexed by l
};

/// @pre order is a permutation of "ijl", an Embedding on this machine, or empty where it is left open.
void ensure_order(std::string const& order, Machine const& machine);
/// Why a grid cannot be laid so: an embedding is for one grid only.
[[nodiscard]] std::optional<std::string> why_not_order(std::string const& order, GemmGrid const& grid);
/// Orders that lay all of a grid's lines on boxes of the machine, where none of the plain orders does; looked for once
/// for each grid.
class EmbeddedOrders {
 public:
  /// Both must outlive it.
  EmbeddedOrders(Machine const& machine, std::optional<Mapping> const& mapping)
      : machine_(machine), mapping_(mapping) {}
  [[nodiscard]] std::vector<std::string> const& of(GemmGrid const& grid, std::vector<std::string> const& plain);

 private:
  [[nodiscard]] std::vector<std::string> found(GemmGrid const& grid, std::vector<std::string> const& plain) const;

  Machine const& machine_;
  std::optional<Mapping> const& mapping_;
  std::map<std::array<int, 3>, std::vector<std::string>> known_;
};
/// Prices of lines that form no box leave out what other lines send over the same links. So an order in which all are
/// boxes is taken up to this much above one in which they are not; that close no model is sure anyway.
inline constexpr double for_boxes = 1.02;

/// The grid on ranks 0 .. grid.ranks()-1 of the machine; later ranks are left out. `order` names the grid axes from the
/// fastest-running to the slowest: "jil" lays the columns of a grid row on consecutive ranks. Or it is the text of an
/// Embedding of the grid in the machine, whose places have the ranks that `mapping` puts there.
class Frame {
 public:
  Frame(GemmGrid grid, std::string const& order, std::optional<Mapping> const& mapping);

  [[nodiscard]] GemmGrid const& grid() const { return grid_; }
  [[nodiscard]] Rank rank(Place p) const {
    if (ranks_.empty()) return p.i * stride_[0] + p.j * stride_[1] + p.l * stride_[2];
    return ranks_[static_cast<std::size_t>(p.i + grid_.rows * (p.j + grid_.cols * p.l))];
  }
  /// Nothing for a rank that is left out.
  [[nodiscard]] std::optional<Place> place(Rank r) const;
  [[nodiscard]] std::vector<Rank> members(Place p, GridAxis line) const;
  [[nodiscard]] int index(Place p, GridAxis line) const {
    return line == GridAxis::row ? p.j : line == GridAxis::col ? p.i : p.l;
  }
  [[nodiscard]] int length(GridAxis line) const {
    return line == GridAxis::row ? grid_.cols : line == GridAxis::col ? grid_.rows : grid_.layers;
  }

 private:
  GemmGrid grid_;
  std::array<int, 3> stride_{};  // of i, j, l
  std::vector<Rank> ranks_;      // of an embedding, by place; empty: by strides
  std::vector<int> seats_;       // the other way round
};

/// Outputs of a panel that goes along so many ranks, one for each link-disjoint tree that a box of so many may have: a
/// ring's two ways round, 2d trees of d rings, d where axes are open. By other ways than along the axes one.
[[nodiscard]] int pieces_of(int ranks, Machine const& machine, MulticastTree way);

/// An algorithm: what it may be asked for, and where it wants the matrices. All else its graph says (product_graph()).
struct Method {
  enum class Form : std::uint8_t {
    summa,   ///< panels are sent to all of a line
    cannon,  ///< blocks go round the lines
  };
  std::string_view name;
  std::string_view summary;
  Form form = Form::summa;
  bool cuts_panels = false;  ///< has a panel width to choose; otherwise owners' blocks travel whole
  /// Why a grid cannot serve, or nothing.
  std::optional<std::string> (*why_not)(GemmGrid const&);
  /// Fills plan.a, b, c.
  void (*distributions)(GemmProblem const&, Frame const&, GemmCuts const&, GemmPlan&);
};
[[nodiscard]] std::vector<Method const*> const& methods();
[[nodiscard]] Method const& method(std::string_view name);

/// Extent of part p of `parts` balanced parts.
[[nodiscard]] constexpr Index cut(Index extent, Index parts, Index p) {
  return extent / parts * p + extent % parts * p / parts;  // = extent * p / parts, which may be too large a number
}
[[nodiscard]] constexpr Index share(Index extent, Index parts, Index p) {
  return cut(extent, parts, p + 1) - cut(extent, parts, p);
}

/// The parts of a product's axes: even ones, or a candidate's own on a grid of one layer.
class PartsOfGrid {
 public:
  PartsOfGrid(GemmProblem const& problem, GemmGrid const& grid, GemmCuts cuts)
      : m_(problem.m), n_(problem.n), k_(problem.k), grid_(grid), cuts_(std::move(cuts)) {}

  /// The first row of C of grid row i, and column of grid column j.
  [[nodiscard]] Index row(int i) const { return first(cuts_.m, m_, grid_.rows, i); }
  [[nodiscard]] Index col(int j) const { return first(cuts_.n, n_, grid_.cols, j); }
  [[nodiscard]] Index rows(int i) const { return row(i + 1) - row(i); }
  [[nodiscard]] Index cols(int j) const { return col(j + 1) - col(j); }
  /// A layer's share of k; the first index of k that a grid column has of A, or a grid row of B, from the share's on.
  [[nodiscard]] Index k(int layer) const { return share(k_, grid_.layers, layer); }
  [[nodiscard]] Index k_of_a(int layer, int j) const { return first(cuts_.k_of_a, k(layer), grid_.cols, j); }
  [[nodiscard]] Index k_of_b(int layer, int i) const { return first(cuts_.k_of_b, k(layer), grid_.rows, i); }
  [[nodiscard]] Index begin_of_layer(int layer) const { return cut(k_, grid_.layers, layer); }

 private:
  static Index first(std::vector<Index> const& cuts, Index extent, int parts, int p) {
    return cuts.empty() ? cut(extent, parts, p) : cuts[static_cast<std::size_t>(p)];
  }

  Index m_, n_, k_;
  GemmGrid grid_;
  GemmCuts cuts_;
};

/// C is distributed over layers too: rank (i, j, l) owns part l of the columns of block (i, j).
[[nodiscard]] Distribution c_distribution(GemmProblem const& problem, Frame const& frame, GemmCuts const& cuts = {});
/// A matrix given as stored: rows and columns change places under a transposition, and so does the grid.
[[nodiscard]] Distribution operand_distribution(Trans trans, std::vector<Index> row_cuts, std::vector<Index> col_cuts,
                                                std::vector<Rank> const& grid);

}  // namespace allport::gemm_detail
