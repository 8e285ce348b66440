// Process grids of p_r x p_c x c ranks, and the algorithms of products that run on them.
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

namespace allport {

namespace detail {

/// Coordinates of a rank in a grid: row i of p_r, column j of p_c, layer l of c.
struct GridCoords {
  int i = 0;
  int j = 0;
  int l = 0;

  friend bool operator==(GridCoords const&, GridCoords const&) = default;
};

/// The three lines of ranks that cross at coordinates (i, j, l).
enum class GridAxis : std::uint8_t {
  row,    ///< (i, *, l), indexed by j
  col,    ///< (*, j, l), indexed by i
  layer,  ///< (i, j, *), indexed by l
};

/// visit(rows, cols) for all grids of p_r x p_c x c = ranks processes, p_r ascending. @pre c divides ranks
template <class Visit>
void each_layer_grid(int ranks, int c, Visit const& visit) {
  for (int rows = 1; rows <= ranks / c; ++rows) {
    if (ranks / c % rows == 0) visit(rows, ranks / c / rows);
  }
}

/// @pre order is a permutation of "ijl", an Embedding in this machine, or empty if the plan chooses it
void ensure_order(std::string const& order, Machine const& machine);
/// Why an order does not fit a grid, or nothing: an embedding is for one grid only.
[[nodiscard]] std::optional<std::string> why_not_order(std::string const& order, GemmGrid const& grid);

/// Orders that map all lines of a grid to boxes of the machine, searched once per grid, where no plain order does.
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
/// The price of a line that is not a box leaves out what other lines send over the same links. An order in which all
/// lines are boxes is therefore preferred up to this factor, which is within the error of the model.
inline constexpr double for_boxes = 1.02;

/// A grid of p_r x p_c x c ranks.
class GridLayout {
 public:
  /// On ranks 0 .. grid.ranks() - 1. `order` names the grid's axes from the fastest running to the slowest: "jil" puts
  /// the columns of a grid row on consecutive ranks. Or it is the text of an Embedding of the grid in the machine;
  /// `mapping` says which rank is at which place of the machine.
  GridLayout(GemmGrid grid, std::string const& order, std::optional<Mapping> const& mapping);
  /// @param ranks  coordinates (i, j, l) at i + p_r (j + p_c l)
  GridLayout(GemmGrid grid, std::vector<Rank> ranks);

  [[nodiscard]] GemmGrid const& grid() const { return grid_; }
  [[nodiscard]] Rank rank(GridCoords p) const {
    if (ranks_.empty()) return p.i * stride_[0] + p.j * stride_[1] + p.l * stride_[2];
    return ranks_[static_cast<std::size_t>(p.i + grid_.rows * (p.j + grid_.cols * p.l))];
  }
  /// Nothing for a rank outside the grid.
  [[nodiscard]] std::optional<GridCoords> coords(Rank rank) const;
  [[nodiscard]] std::vector<Rank> members(GridCoords p, GridAxis line) const;
  [[nodiscard]] static int index(GridCoords p, GridAxis line) {
    return line == GridAxis::row ? p.j : line == GridAxis::col ? p.i : p.l;
  }
  [[nodiscard]] int length(GridAxis line) const {
    return line == GridAxis::row ? grid_.cols : line == GridAxis::col ? grid_.rows : grid_.layers;
  }
  /// The ranks of layer l, column by column, as a Distribution takes them.
  [[nodiscard]] std::vector<Rank> layer(int l) const;

 private:
  void index_ranks();

  GemmGrid grid_;
  std::array<int, 3> stride_{};  // of i, j, l
  std::vector<Rank> ranks_;      // empty: by strides
  std::vector<int> number_of_;   // of ranks: index into ranks_, -1 if outside
};

/// Outputs of a panel that is sent along so many ranks, one per link-disjoint tree that a box of so many ranks may
/// have: the two directions of a ring, 2d trees of d rings, d where axes are open. 1 unless multicasts go along the
/// axes.
[[nodiscard]] int pieces_of(int ranks, Machine const& machine, MulticastTree tree);

/// Where part p of `parts` balanced parts begins, and its extent.
[[nodiscard]] constexpr Index cut(Index extent, Index parts, Index p) {
  return extent / parts * p + extent % parts * p / parts;  // = extent * p / parts without overflow
}
[[nodiscard]] constexpr Index share(Index extent, Index parts, Index p) {
  return cut(extent, parts, p + 1) - cut(extent, parts, p);
}

}  // namespace detail

namespace gemm_detail {

using namespace detail;

/// An algorithm: the grids that it runs on, and where it wants the matrices. Everything else is in its graph
/// (product_graph()).
struct Method {
  enum class Form : std::uint8_t {
    summa,   ///< panels are broadcast along a line
    cannon,  ///< blocks are shifted along the lines
  };
  std::string_view name;
  std::string_view summary;
  Form form = Form::summa;
  bool cuts_panels = false;  ///< the panel width is chosen; otherwise the owners' blocks are sent whole
  /// Why it cannot run on a grid, or nothing.
  std::optional<std::string> (*why_not)(GemmGrid const&);
  /// Fills plan.a, b, c.
  void (*distributions)(GemmProblem const&, GridLayout const&, GemmCuts const&, GemmPlan&);
  bool copies = false;  ///< layer 0 holds A and B and sends copies to the other layers
};
[[nodiscard]] std::vector<Method const*> const& methods();
[[nodiscard]] Method const& method(std::string_view name);

/// The parts of a product's axes: balanced ones, or a candidate's own on a grid of one layer.
class PartsOfGrid {
 public:
  /// @param copies  each layer holds all of A and B; otherwise a layer holds its share of k
  PartsOfGrid(GemmProblem const& problem, GemmGrid const& grid, GemmCuts cuts, bool copies = false)
      : m_(problem.m), n_(problem.n), k_(problem.k), grid_(grid), cuts_(std::move(cuts)), copies_(copies) {}

  /// The first row of C of grid row i, and column of grid column j.
  [[nodiscard]] Index row(int i) const { return first(cuts_.m, m_, grid_.rows, i); }
  [[nodiscard]] Index col(int j) const { return first(cuts_.n, n_, grid_.cols, j); }
  [[nodiscard]] Index rows(int i) const { return row(i + 1) - row(i); }
  [[nodiscard]] Index cols(int j) const { return col(j + 1) - col(j); }
  /// A layer's share of k; where, in that share, the k begin that a grid column has of A, or a grid row of B.
  [[nodiscard]] Index k(int layer) const { return share(k_, grid_.layers, layer); }
  [[nodiscard]] Index k_of_a(int layer, int j) const { return k_of(cuts_.k_of_a, layer, grid_.cols, j); }
  [[nodiscard]] Index k_of_b(int layer, int i) const { return k_of(cuts_.k_of_b, layer, grid_.rows, i); }
  [[nodiscard]] Index begin_of_layer(int layer) const { return cut(k_, grid_.layers, layer); }
  [[nodiscard]] bool copies() const { return copies_; }
  /// The first k that a rank stores of A or B, and with copies how many.
  [[nodiscard]] Index stored_of_a(int layer, int j) const {
    return copies_ ? cut(k_, grid_.cols, j) : begin_of_layer(layer) + k_of_a(layer, j);
  }
  [[nodiscard]] Index stored_of_b(int layer, int i) const {
    return copies_ ? cut(k_, grid_.rows, i) : begin_of_layer(layer) + k_of_b(layer, i);
  }
  [[nodiscard]] Index copied_of_a(int j) const { return share(k_, grid_.cols, j); }
  [[nodiscard]] Index copied_of_b(int i) const { return share(k_, grid_.rows, i); }

 private:
  static Index first(std::vector<Index> const& cuts, Index extent, int parts, int p) {
    return cuts.empty() ? cut(extent, parts, p) : cuts[static_cast<std::size_t>(p)];
  }
  [[nodiscard]] Index k_of(std::vector<Index> const& cuts, int layer, int parts, int p) const {
    if (!copies_) return first(cuts, k(layer), parts, p);
    return std::clamp<Index>(cut(k_, parts, p) - begin_of_layer(layer), 0, k(layer));
  }

  Index m_, n_, k_;
  GemmGrid grid_;
  GemmCuts cuts_;
  bool copies_;
};

/// C is distributed over layers too: rank (i, j, l) owns part l of the columns of block (i, j).
[[nodiscard]] Distribution c_distribution(GemmProblem const& problem, GridLayout const& layout,
                                          GemmCuts const& cuts = {});
/// Fills plan.a, b, c: blocks of A and B on layer 0.
void on_layer_0(GemmProblem const& problem, GridLayout const& layout, GemmCuts const&, GemmPlan& plan);
/// Of a matrix as it is stored: a transposition exchanges rows and columns, and those of the grid.
[[nodiscard]] Distribution operand_distribution(Trans trans, std::vector<Index> row_cuts, std::vector<Index> col_cuts,
                                                std::vector<Rank> const& grid);

}  // namespace gemm_detail

}  // namespace allport
