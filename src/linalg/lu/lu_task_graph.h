// LU as a graph that runs: on a grid of ranks (2D), one row of which is 1D, and on several layers of it (2.5D).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"
#include "lu_panel.h"
#include "lu_team.h"

namespace allport::lu_detail {

using gemm_detail::pieces_of;

/// What moving rows about among a gang's p_r ranks takes, for `rows` exchanges of `bytes` in all.
void expect_row_moves(Gang& gang, int p_r, double rows, double bytes);
/// Columns of a strip: so many that BLAS packs the panel once for many, and so few that the network is looked at in
/// time, and who is in a gang does not wait long for a member that still updates.
inline constexpr Index strip_columns = 512;
/// What winning rows of a tournament push out of the top goes to where they stood.
void expect_displaced(Gang& gang, int p_r, Index width, std::int64_t element);
/// What the members of a panel's gang call together. @param root the diagonal's
[[nodiscard]] std::vector<GangCollective> talk_of_panel(Pivoting pivoting, Index width, int root, std::int64_t element);

/// Right-looking. The columns to the right of panel k are updated by units: each of the next panels by itself, as far
/// as the look-ahead goes, so that it can be factored when they are done; what lies beyond in strips of many columns,
/// which BLAS multiplies faster. Task(kind, layer, i, j, k): grid row, and of panel k
///   factor(i, -, k)  its rows on grid row i: a gang of the grid column that owns it
///   upper(i, u, k)   rows of unit u change places: a gang of u's grid column; then the diagonal's grid row makes
///                    U = L^-1 A. Without pivoting only that row has it; on one row of ranks `update` does it all
///   update(i, u, k)  A - L U
///   note(i, j, k)    takes the pivots on a rank that has no columns any more, or nothing in them yet
///   left(i, j, k)    exchanges by pivots of the panels up to k in the columns on their left, a batch of panels at
///   once:
///                    a gang of grid column j
/// Several layers hold parts of which A is the sum: layer 0 begins with A, the others with zeros. All of them update
/// strips by every panel, each by a slice of its columns, and change their rows' places alike. Layers factor panels by
/// turns. A panel is summed before it is next, when it becomes a unit of its own, on the layer that is to factor it;
/// from then on that layer alone updates it, by whole panels, so that no sum is on the way from one panel to the next:
///   part(i, u, k)    this layer's part of panel u from panel k's rows on, as the look-ahead comes to it
///   gather(i, u, k)  their sum, on the layer that factors it
///   solve(i, u, k)   U = L^-1 A of what all layers' `upper` have of a strip's rows, on some layer
///   back(i, -, k), back_upper(i, u, k)  layer 0 gets the panel, and rows of U
class LuTaskGraph : public TaskGraph {
 public:
  LuTaskGraph(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override;
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  Rank owner(Task t) const override { return seats_.rank({t.i, column_of(t), t.layer}); }
  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  void contributors(Task t, int input, VisitTask visit) const override;
  bool gang(Task t, Gang& gang) const override;
  Shape output(Task t, int index) const override;
  int parts(Task t, int index) const override;
  std::optional<Shape> input(Task t, int index) const override;
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;
  std::int64_t steps() const override { return panels(); }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::optional<Task> leads(std::int64_t step) const override;

  /// So many steps run at a time.
  [[nodiscard]] std::int64_t ahead() const { return apart_ + 2; }
  [[nodiscard]] static std::int64_t ahead_of(LuCandidate const& candidate) { return std::max(candidate.ahead, 1) + 2; }
  [[nodiscard]] Index widest() const;

 protected:
  enum Kind : std::uint16_t { factor, upper, update, note, left, part, gather, solve, back, back_upper };
  struct Columns {
    Index first = 0;  ///< local
    Index end = 0;
    [[nodiscard]] Index width() const { return end - first; }
  };

  [[nodiscard]] Task task(Kind kind, int l, int i, std::int32_t j, std::int32_t k) const {
    return {kind, static_cast<std::uint16_t>(l), i, j, k};
  }
  [[nodiscard]] std::int32_t panels() const { return static_cast<std::int32_t>(panels_.size()); }
  [[nodiscard]] Panel const& panel(std::int32_t k) const { return panels_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int p_r() const { return rows_.parts(); }
  [[nodiscard]] int p_c() const { return cols_.parts(); }
  [[nodiscard]] bool pivots() const { return pivoting_ != Pivoting::none; }
  [[nodiscard]] int diagonal_row(std::int32_t k) const { return rows_.owner(panel(k).begin); }
  [[nodiscard]] int column(std::int32_t k) const { return owners_[static_cast<std::size_t>(k)]; }
  /// The layer that factors panel k, another one whenever a grid column's turn comes again; the one that makes a unit's
  /// rows of U.
  [[nodiscard]] int layer(std::int32_t k) const { return (k + k / turn_) % c_; }
  [[nodiscard]] int solver(std::int32_t unit, std::int32_t k) const {
    if (!is_strip(unit)) return layer(unit);
    return k == 0 ? 0 : (unit + k) % c_;
  }
  [[nodiscard]] int layers() const { return c_; }
  /// Local columns of a panel; of a unit that panel k updates.
  [[nodiscard]] Columns columns(std::int32_t panel) const;
  [[nodiscard]] Columns columns(std::int32_t unit, std::int32_t k) const;
  [[nodiscard]] bool is_strip(std::int32_t unit) const { return unit >= panels(); }
  /// Whether one layer has all of a unit, and makes its rows of U where they change places.
  [[nodiscard]] bool is_whole(std::int32_t unit) const { return c_ == 1 || !is_strip(unit); }
  [[nodiscard]] bool has_update(int l, std::int32_t unit) const { return is_strip(unit) || l == layer(unit); }
  [[nodiscard]] Index rows_from(int i, Index g) const { return rows_.count(i) - rows_.before(i, g); }
  /// Panel k travels along grid rows in slices of columns, a layer's each, and in so many pieces of rows: first ... end
  /// - 1 of it are in slice l, in piece x.
  [[nodiscard]] int pieces() const { return pieces_; }
  [[nodiscard]] Columns slice(std::int32_t k, int l) const;
  [[nodiscard]] Columns piece(int i, std::int32_t k, int x) const;
  /// Outputs of factor(), in the order in which they leave: what others wait for first, the diagonal's L of L U, and
  /// the pieces.
  [[nodiscard]] static int pivots_only() { return 0; }
  [[nodiscard]] static int corner() { return 1; }
  [[nodiscard]] static int first_piece() { return 2; }
  [[nodiscard]] int all_pieces() const { return c_ * pieces_; }
  [[nodiscard]] int piece_of_slice(int l, int x) const { return first_piece() + l * pieces_ + x; }
  [[nodiscard]] static int l_of_corner() { return 1; }  ///< input of upper() on one layer
  /// U of a unit travels along grid columns in so many pieces of columns, from the unit's first on.
  [[nodiscard]] int u_pieces() const { return u_pieces_; }
  [[nodiscard]] Columns piece_of_u(std::int32_t unit, std::int32_t k, int y) const;
  /// Pieces of L that update() takes, of all slices or of its layer's; of U that upper() or solve() makes.
  [[nodiscard]] int l_blocks(std::int32_t unit) const {
    return reads_in_place() ? 1 : is_whole(unit) ? all_pieces() : pieces_;
  }
  [[nodiscard]] int u_outputs(std::int32_t unit) const { return is_whole(unit) ? u_pieces_ : c_ * u_pieces_; }
  /// Output of factor() that is input x of update(); output of upper() or solve() that is its input l_blocks() + y.
  [[nodiscard]] int l_output(Task t, int x) const {
    return is_whole(t.j) ? first_piece() + x : piece_of_slice(t.layer, x);
  }
  [[nodiscard]] int u_output(Task t, int y) const { return is_whole(t.j) ? y : t.layer * u_pieces_ + y; }
  /// Columns of panel t.k by which update() multiplies; those of its input x; rows of an output of upper(), solve().
  [[nodiscard]] Columns depth(Task t) const {
    return is_whole(t.j) ? Columns{0, panel(t.k).width()} : slice(t.k, t.layer);
  }
  [[nodiscard]] Columns depth(Task t, int x) const { return slice(t.k, is_whole(t.j) ? x / pieces_ : t.layer); }
  [[nodiscard]] Columns rows_of_u(Task t, int index) const {
    return is_whole(t.j) ? Columns{0, panel(t.k).width()} : slice(t.k, index / u_pieces_);
  }
  /// The batches of panels whose pivots move the rows on their left together: the first panel of k's and its last.
  [[nodiscard]] std::int32_t batch_begin(std::int32_t k) const { return k / batch_ * batch_; }
  [[nodiscard]] std::int32_t batch_last(std::int32_t k) const {
    return std::min(batch_begin(k) + batch_, panels()) - 1;
  }
  [[nodiscard]] bool has_left(int l, std::int32_t k) const { return pivots() && l == 0 && k == batch_last(k); }
  [[nodiscard]] Task left_of(int i, int j, std::int32_t k) const { return task(left, 0, i, j, batch_last(k)); }
  /// Panels of a grid column.
  [[nodiscard]] std::vector<std::int32_t> const& own(int j) const { return own_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] static int sum_of_layers() { return 1; }  ///< input of solve()
  /// Bytes in a piece before its elements: where `update` does all, the first one has the pivots. Else these travel by
  /// themselves, as L of the diagonal's block does, so that rows change places and U is made while L is on its way.
  [[nodiscard]] Index head_of_piece(std::int32_t k, int x) const {
    return updates_alone() && x == 0 ? head_bytes(panel(k).width()) : 0;
  }
  /// Whether anybody updates by panel k; whether the panel goes anywhere; whether its pivots do so alone.
  [[nodiscard]] bool has_users(std::int32_t k) const;
  [[nodiscard]] bool travels(std::int32_t k) const { return (p_c() * c_ > 1 && has_users(k)) || layer(k) > 0; }
  [[nodiscard]] bool pivots_travel(std::int32_t k) const;
  /// Whether the diagonal's corner travels, beside the panel and its pivots.
  [[nodiscard]] bool goes_apart(std::int32_t k) const { return !updates_alone() && !reads_in_place() && has_users(k); }
  /// Whether tasks read panels where they were factored.
  [[nodiscard]] bool reads_in_place() const { return p_c() * c_ == 1; }
  /// Whether `update` changes rows' places and solves with L, too.
  [[nodiscard]] bool updates_alone() const { return p_r() == 1 && c_ == 1; }
  [[nodiscard]] Pivoting pivoting() const { return pivoting_; }
  [[nodiscard]] Index pivoted() const { return count_; }

 private:
  /// Local columns of a grid column: panels of its own, or columns beyond all of them.
  struct Strip {
    int j = 0;
    Columns columns{};
    bool beyond = false;
  };

  void cut_strips(int j);
  [[nodiscard]] int column_of(Task t) const;
  [[nodiscard]] Strip const& strip(std::int32_t unit) const {
    return strips_[static_cast<std::size_t>(unit - panels())];
  }
  /// Layers that have anything of the matrix when panel k's turn comes.
  [[nodiscard]] int layers_by(std::int32_t k) const { return k == 0 ? 1 : c_; }
  [[nodiscard]] EdgeKind to_sum(std::int32_t k) const { return layers_by(k) > 1 ? EdgeKind::sum : EdgeKind::data; }
  /// The last panel that is a unit of its own in step k.
  [[nodiscard]] std::int32_t last_apart(std::int32_t k) const { return std::min(k + apart_, panels() - 1); }
  /// The first panel of a grid column beyond panel k; panels() where there is none.
  [[nodiscard]] std::int32_t next_of(int j, std::int32_t k) const;
  [[nodiscard]] std::int32_t last_of(int j) const;
  [[nodiscard]] bool has_beyond(int j) const;
  /// Whether anything of a grid column is left on a layer for step k to change.
  [[nodiscard]] bool has_units(int l, int j, std::int32_t k) const;
  void each_unit(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const;
  /// Whether panel u becomes a unit of its own in step k, from all layers' parts; those of a grid column.
  [[nodiscard]] bool is_gathered(std::int32_t unit, std::int32_t k) const {
    return c_ > 1 && !is_strip(unit) && (k == 0 ? layer(unit) > 0 : unit == k + apart_);
  }
  void each_gathered(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const;
  [[nodiscard]] bool notes(int l, int j, std::int32_t k) const {
    return pivots() && !has_units(l, j, k) && !(l == layer(k) && j == column(k));
  }
  [[nodiscard]] bool has_upper(int l, int i, std::int32_t unit, std::int32_t k) const {
    bool const has_rows = is_whole(unit) ? has_update(l, unit) : l < layers_by(k);
    return !updates_alone() && has_rows && (pivots() || i == diagonal_row(k));
  }
  /// What comes first of a unit in step k.
  [[nodiscard]] Task begin(int l, int i, std::int32_t unit, std::int32_t k) const {
    return task(has_upper(l, i, unit, k) ? upper : update, l, i, unit, k);
  }
  /// Whether updates of step k are the last in their batch of what layer 0 has of a grid column.
  [[nodiscard]] bool are_last_of_batch(int j, std::int32_t k) const;
  [[nodiscard]] int parents_of_left(Task t) const;
  void children_of_factor(Task t, VisitEdge visit) const;
  void children_of_upper(Task t, VisitEdge visit) const;
  void users_of_u(Task t, VisitEdge visit) const;
  void next_step(Task t, VisitEdge visit) const;

  Rank ranks_;
  std::int64_t element_;
  Seats seats_;
  int c_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  Index count_;
  Pivoting pivoting_;
  std::int32_t apart_;
  std::int32_t turn_;  // panels until the same grid column and layer would meet again
  int pieces_;
  int u_pieces_;
  std::vector<Panel> panels_;
  std::int32_t batch_;
  std::vector<int> owners_;                     // of panels: grid columns
  std::vector<Index> begins_;                   // of panels: local columns
  std::vector<std::int32_t> strip_of_;          // of panels: units
  std::vector<std::vector<std::int32_t>> own_;  // panels of each grid column
  std::vector<Index> beyond_;                   // local columns of each grid column at which its panels end
  std::vector<Strip> strips_;                   // of one grid column after the other
  std::vector<std::int32_t> first_strip_;       // unit of each grid column's first, and of one more
};

}  // namespace allport::lu_detail
