// LU as a graph: on a p_r x p_c grid (2D; 1D if p_r = 1), and on several layers of it (2.5D).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"
#include "lu_panel.h"
#include "lu_team.h"

namespace allport::lu_detail {

/// Sets the expected messages of a gang of p_r ranks that exchanges `rows` rows of `bytes` in all.
void expect_row_moves(Gang& gang, int p_r, double rows, double bytes);
/// Columns of a column block: enough that BLAS packs the panel once for many, and few enough that the network is polled
/// in time and no gang waits long for a member that still updates.
inline constexpr Index columns_of_block = 512;
/// Sets the expected messages of a panel's gang for the rows that a tournament's winners displace from the top.
void expect_displaced(Gang& gang, int p_r, Index width, std::int64_t element);
/// The collectives of a panel's gang. @param root  grid row of the diagonal
[[nodiscard]] std::vector<GangCollective> panel_collectives(Pivoting pivoting, Index width, int root,
                                                            std::int64_t element);

/// Right-looking. The columns to the right of panel k are updated by units: each of the next panels by itself, as far
/// as the look-ahead goes, so that it can be factored as soon as it is updated; the columns beyond them in wide column
/// blocks, which BLAS multiplies faster. Task(kind, layer, i, j, k): grid row i, and of panel k
///   factor(i, -, k)  factors its rows on grid row i: a gang of the grid column that owns the panel
///   upper(i, u, k)   exchanges rows of unit u: a gang of u's grid column; then the diagonal's grid row computes
///                    U = L^-1 A. Without pivoting only that row has this task; on one row of ranks
///                    `update` includes it
///   update(i, u, k)  A - L U
///   note(i, j, k)    receives the pivots on a rank that has no columns to update
///   left(i, j, k)    exchanges rows in the columns to the left, by the pivots of a batch of panels that ends with k: a
///                    gang of grid column j
/// Layers hold parts whose sum is A: at first layer 0 holds A, the others zeros. All layers update column blocks by
/// every panel, each by a slice of the panel's columns, and exchange rows equally. Layers factor panels in turn. A
/// panel is summed when it becomes a unit of its own, on the layer that will factor it; from then on that layer alone
/// updates it, by whole panels, so that no sum is between one panel and the next:
///   part(i, u, k)    sends this layer's part of panel u, from panel k's rows on
///   gather(i, u, k)  sums the parts on the layer that factors the panel
///   solve(i, u, k)   U = L^-1 A from the sum of all layers' `upper` of a column block's rows, on some layer
///   back(i, -, k), back_upper(i, u, k)  receive the panel, and rows of U, on layer 0
class LuTaskGraph : public TaskGraph {
 public:
  LuTaskGraph(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override;
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  Rank owner(Task t) const override { return layout_.rank({t.i, column_of(t), t.layer}); }
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

  /// Steps that run at a time.
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
  /// The layer that factors panel k, another one each time that a grid column has its turn; the layer that computes a
  /// unit's rows of U.
  [[nodiscard]] int layer(std::int32_t k) const { return (k + k / turn_) % c_; }
  [[nodiscard]] int solver(std::int32_t unit, std::int32_t k) const {
    if (!is_block(unit)) return layer(unit);
    return k == 0 ? 0 : (unit + k) % c_;
  }
  [[nodiscard]] int layers() const { return c_; }
  /// Local columns of a panel; those of a unit that panel k updates.
  [[nodiscard]] Columns columns(std::int32_t panel) const;
  [[nodiscard]] Columns columns(std::int32_t unit, std::int32_t k) const;
  [[nodiscard]] bool is_block(std::int32_t unit) const { return unit >= panels(); }
  /// Whether one layer holds all of a unit, and computes its rows of U where they are exchanged.
  [[nodiscard]] bool is_whole(std::int32_t unit) const { return c_ == 1 || !is_block(unit); }
  [[nodiscard]] bool has_update(int l, std::int32_t unit) const { return is_block(unit) || l == layer(unit); }
  [[nodiscard]] Index rows_from(int i, Index g) const { return rows_.count(i) - rows_.before(i, g); }
  /// Panel k is sent along grid rows in slices of columns, one per layer, and pieces of rows: columns first ... end - 1
  /// of it are slice l, rows first ... end - 1 piece x.
  [[nodiscard]] int pieces() const { return pieces_; }
  [[nodiscard]] Columns slice(std::int32_t k, int l) const;
  [[nodiscard]] Columns piece(int i, std::int32_t k, int x) const;
  /// Outputs of factor() in the order in which they are sent: the pivots, the diagonal block's L, and the pieces.
  [[nodiscard]] static int pivots_only() { return 0; }
  [[nodiscard]] static int corner() { return 1; }
  [[nodiscard]] static int first_piece() { return 2; }
  [[nodiscard]] int all_pieces() const { return c_ * pieces_; }
  [[nodiscard]] int piece_of_slice(int l, int x) const { return first_piece() + l * pieces_ + x; }
  [[nodiscard]] static int l_of_corner() { return 1; }  ///< input of upper() if the unit is whole
  /// U of a unit is sent along grid columns in so many pieces of columns.
  [[nodiscard]] int u_pieces() const { return u_pieces_; }
  [[nodiscard]] Columns piece_of_u(std::int32_t unit, std::int32_t k, int y) const;
  /// Pieces of L that update() reads, of all slices or of its layer's; outputs of upper() or solve().
  [[nodiscard]] int l_blocks(std::int32_t unit) const {
    return reads_in_place() ? 1 : is_whole(unit) ? all_pieces() : pieces_;
  }
  [[nodiscard]] int u_outputs(std::int32_t unit) const { return is_whole(unit) ? u_pieces_ : c_ * u_pieces_; }
  /// The output of factor() that is input x of update(); that of upper() or solve() which is its input l_blocks() + y.
  [[nodiscard]] int l_output(Task t, int x) const {
    return is_whole(t.j) ? first_piece() + x : piece_of_slice(t.layer, x);
  }
  [[nodiscard]] int u_output(Task t, int y) const { return is_whole(t.j) ? y : t.layer * u_pieces_ + y; }
  /// Columns of panel t.k by which update() multiplies; those of its input x; rows of U in an output of upper() or
  /// solve().
  [[nodiscard]] Columns depth(Task t) const {
    return is_whole(t.j) ? Columns{0, panel(t.k).width()} : slice(t.k, t.layer);
  }
  [[nodiscard]] Columns depth(Task t, int x) const { return slice(t.k, is_whole(t.j) ? x / pieces_ : t.layer); }
  [[nodiscard]] Columns rows_of_u(Task t, int index) const {
    return is_whole(t.j) ? Columns{0, panel(t.k).width()} : slice(t.k, index / u_pieces_);
  }
  /// The first and the last panel of k's batch: the pivots of a batch exchange rows to the left together.
  [[nodiscard]] std::int32_t batch_begin(std::int32_t k) const { return k / batch_ * batch_; }
  [[nodiscard]] std::int32_t batch_last(std::int32_t k) const {
    return std::min(batch_begin(k) + batch_, panels()) - 1;
  }
  [[nodiscard]] bool has_left(int l, std::int32_t k) const { return pivots() && l == 0 && k == batch_last(k); }
  [[nodiscard]] Task left_of(int i, int j, std::int32_t k) const { return task(left, 0, i, j, batch_last(k)); }
  /// Panels of a grid column.
  [[nodiscard]] std::vector<std::int32_t> const& own(int j) const { return own_[static_cast<std::size_t>(j)]; }
  [[nodiscard]] static int sum_of_layers() { return 1; }  ///< input of solve()
  /// Bytes before the elements of a piece: where `update` does everything, the first piece has the pivots. Otherwise
  /// the pivots and the diagonal block's L are outputs of their own, so that rows are exchanged and U computed while L
  /// is sent.
  [[nodiscard]] Index head_of_piece(std::int32_t k, int x) const {
    return updates_alone() && x == 0 ? head_bytes(panel(k).width()) : 0;
  }
  /// Whether any unit is updated by panel k; whether the panel is sent; whether its pivots are an output of their own.
  [[nodiscard]] bool has_users(std::int32_t k) const;
  [[nodiscard]] bool travels(std::int32_t k) const { return (p_c() * c_ > 1 && has_users(k)) || layer(k) > 0; }
  [[nodiscard]] bool pivots_travel(std::int32_t k) const;
  /// Whether the diagonal block is sent as an output of its own.
  [[nodiscard]] bool sends_corner(std::int32_t k) const {
    return !updates_alone() && !reads_in_place() && has_users(k);
  }
  /// Whether tasks read panels in the matrix: nothing is sent along rows.
  [[nodiscard]] bool reads_in_place() const { return p_c() * c_ == 1; }
  /// Whether `update` also exchanges rows and solves with L.
  [[nodiscard]] bool updates_alone() const { return p_r() == 1 && c_ == 1; }
  [[nodiscard]] Pivoting pivoting() const { return pivoting_; }
  [[nodiscard]] Index pivoted() const { return count_; }

 private:
  /// Local columns of a grid column: those of its panels, or those beyond all panels.
  struct ColumnBlock {
    int j = 0;
    Columns columns{};
    bool beyond = false;
  };

  void cut_blocks(int j);
  [[nodiscard]] int column_of(Task t) const;
  [[nodiscard]] ColumnBlock const& column_block(std::int32_t unit) const {
    return column_blocks_[static_cast<std::size_t>(unit - panels())];
  }
  /// Layers that hold parts of the matrix in step k.
  [[nodiscard]] int layers_by(std::int32_t k) const { return k == 0 ? 1 : c_; }
  [[nodiscard]] EdgeKind to_sum(std::int32_t k) const { return layers_by(k) > 1 ? EdgeKind::sum : EdgeKind::data; }
  /// The last panel that is a unit of its own in step k.
  [[nodiscard]] std::int32_t last_apart(std::int32_t k) const { return std::min(k + apart_, panels() - 1); }
  /// The first panel of a grid column beyond panel k; panels() where there is none.
  [[nodiscard]] std::int32_t next_of(int j, std::int32_t k) const;
  [[nodiscard]] std::int32_t last_of(int j) const;
  [[nodiscard]] bool has_beyond(int j) const;
  /// Whether step k updates any unit of a grid column on a layer.
  [[nodiscard]] bool has_units(int l, int j, std::int32_t k) const;
  void each_unit(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const;
  /// Whether panel u becomes a unit of its own in step k, as the sum of all layers' parts; those of a grid column.
  [[nodiscard]] bool is_gathered(std::int32_t unit, std::int32_t k) const {
    return c_ > 1 && !is_block(unit) && (k == 0 ? layer(unit) > 0 : unit == k + apart_);
  }
  void each_gathered(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const;
  [[nodiscard]] bool notes(int l, int j, std::int32_t k) const {
    return pivots() && !has_units(l, j, k) && !(l == layer(k) && j == column(k));
  }
  [[nodiscard]] bool has_upper(int l, int i, std::int32_t unit, std::int32_t k) const {
    bool const has_rows = is_whole(unit) ? has_update(l, unit) : l < layers_by(k);
    return !updates_alone() && has_rows && (pivots() || i == diagonal_row(k));
  }
  /// The first task on a unit in step k.
  [[nodiscard]] Task begin(int l, int i, std::int32_t unit, std::int32_t k) const {
    return task(has_upper(l, i, unit, k) ? upper : update, l, i, unit, k);
  }
  /// Whether the updates of step k are the last ones of their batch in a grid column of layer 0.
  [[nodiscard]] bool are_last_of_batch(int j, std::int32_t k) const;
  [[nodiscard]] int parents_of_left(Task t) const;
  void children_of_factor(Task t, VisitEdge visit) const;
  void children_of_upper(Task t, VisitEdge visit) const;
  void users_of_u(Task t, VisitEdge visit) const;
  void next_step(Task t, VisitEdge visit) const;

  Rank ranks_;
  std::int64_t element_;
  GridLayout layout_;
  int c_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  Index count_;
  Pivoting pivoting_;
  std::int32_t apart_;
  std::int32_t turn_;  // period of (grid column, layer) over panels
  int pieces_;
  int u_pieces_;
  std::vector<Panel> panels_;
  std::int32_t batch_;
  std::vector<int> owners_;                     // of panels: grid columns
  std::vector<Index> begins_;                   // of panels: local columns
  std::vector<std::int32_t> block_of_;          // of panels: units
  std::vector<std::vector<std::int32_t>> own_;  // panels of each grid column
  std::vector<Index> beyond_;                   // local columns of each grid column at which its panels end
  std::vector<ColumnBlock> column_blocks_;      // grid column by grid column
  std::vector<std::int32_t> first_block_;       // unit of each grid column's first block, and one past the last
};

}  // namespace allport::lu_detail
