// LU as a graph: on a p_r x p_c grid (2D; 1D if p_r = 1), and on several layers of it (2.5D).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "allport/graph/kinds.h"
#include "lu_layout.h"
#include "lu_panel.h"

namespace allport::lu_detail {

namespace lu_tasks {
struct Factor;
struct Note;
struct Left;
struct Back;
struct Update;
struct Upper;
struct Solve;
struct BackUpper;
struct SendPart;
struct Gather;
}  // namespace lu_tasks

/// Columns of a column block: enough that BLAS packs the panel once for many, and few enough that the network is polled
/// in time and no gang waits long for a member that still updates.
inline constexpr Index columns_of_block = 512;
/// Right-looking. The columns to the right of panel k are updated by units: each of the next panels by itself, as far
/// as the look-ahead goes, so that it can be factored as soon as it is updated; the columns beyond them in wide column
/// blocks, which BLAS multiplies faster. Task(kind, layer, i, j, k): grid row i, unit or grid column j, panel k.
///
/// Layers hold parts whose sum is A: at first layer 0 holds A, the others zeros. All layers update column blocks by
/// every panel, each by a slice of the panel's columns, and exchange rows equally. Layers factor panels in turn. A
/// panel is summed when it becomes a unit of its own, on the layer that will factor it; from then on that layer alone
/// updates it, by whole panels, so that no sum is between one panel and the next.
class LuTaskGraph : public GraphOfKinds<LuTaskGraph> {
 public:
  using Kinds = ListOfKinds<lu_tasks::Update, lu_tasks::Upper, lu_tasks::Factor, lu_tasks::Note, lu_tasks::Left,
                            lu_tasks::SendPart, lu_tasks::Gather, lu_tasks::Solve, lu_tasks::Back, lu_tasks::BackUpper>;
  enum Kind : std::uint16_t { factor, upper, update, note, left, part, gather, solve, back, back_upper };

  LuTaskGraph(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  std::int64_t steps() const override { return panels(); }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::optional<Task> leads(std::int64_t step) const override;

  /// Steps that run at a time.
  [[nodiscard]] std::int64_t ahead() const { return apart_ + 2; }
  [[nodiscard]] static std::int64_t ahead_of(LuCandidate const& candidate) { return std::max(candidate.ahead, 1) + 2; }
  [[nodiscard]] Index widest() const;

  struct Columns {
    Index first = 0;  ///< local
    Index end = 0;
    [[nodiscard]] Index width() const { return end - first; }
  };

  [[nodiscard]] static Task task(std::uint16_t kind, int l, int i, std::int32_t j, std::int32_t k) {
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
  enum Output { pivots_only, corner, first_piece };
  [[nodiscard]] int all_pieces() const { return c_ * pieces_; }
  /// U of a unit is sent along grid columns in so many pieces of columns.
  [[nodiscard]] int u_pieces() const { return u_pieces_; }
  [[nodiscard]] Columns piece_of_u(std::int32_t unit, std::int32_t k, int y) const;
  /// Outputs of upper() or solve() that have rows of U.
  [[nodiscard]] int u_outputs(std::int32_t unit) const { return is_whole(unit) ? u_pieces_ : c_ * u_pieces_; }
  /// Columns of panel t.k by which an update multiplies.
  [[nodiscard]] Columns depth(Task t) const {
    return is_whole(t.j) ? Columns{0, panel(t.k).width()} : slice(t.k, t.layer);
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
  /// Bytes before the elements of a piece: where `update` does everything, the first piece has the pivots. Otherwise
  /// the pivots and the diagonal block's L are outputs of their own, so that rows are exchanged and U computed while L
  /// is sent.
  [[nodiscard]] Index head_of_piece(std::int32_t k, int x) const {
    return updates_alone() && x == 0 ? head_bytes(panel(k).width()) : 0;
  }
  /// Whether any unit is updated by panel k.
  [[nodiscard]] bool has_users(std::int32_t k) const;
  /// Whether tasks read panels in the matrix: nothing is sent along rows.
  [[nodiscard]] bool reads_in_place() const { return p_c() * c_ == 1; }
  /// Whether `update` also exchanges rows and solves with L.
  [[nodiscard]] bool updates_alone() const { return p_r() == 1 && c_ == 1; }
  [[nodiscard]] Pivoting pivoting() const { return pivoting_; }
  [[nodiscard]] Index pivoted() const { return count_; }

  /// Local columns of a grid column: those of its panels, or those beyond all panels.
  struct ColumnBlock {
    int j = 0;
    Columns columns{};
    bool beyond = false;
  };

  [[nodiscard]] ColumnBlock const& column_block(std::int32_t unit) const {
    return column_blocks_[static_cast<std::size_t>(unit - panels())];
  }
  /// The grid column of a unit; the column block that a panel is in until it is a unit of its own.
  [[nodiscard]] int column_of_unit(std::int32_t unit) const {
    return is_block(unit) ? column_block(unit).j : column(unit);
  }
  [[nodiscard]] std::int32_t block_of(std::int32_t k) const { return block_of_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] GridLayout const& layout() const { return layout_; }
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

 private:
  void cut_blocks(int j);

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

/// Sets the expected messages of a gang of p_r ranks that exchanges `rows` rows of `bytes` in all.
void expect_row_moves(Gang& gang, int p_r, double rows, double bytes);
/// Sets the expected messages of a panel's gang for the rows that a tournament's winners displace from the top.
void expect_displaced(Gang& gang, int p_r, Index width, std::int64_t element);
/// The collectives of a panel's gang. @param root  grid row of the diagonal
[[nodiscard]] std::vector<GangCollective> panel_collectives(Pivoting pivoting, Index width, int root,
                                                            std::int64_t element);

}  // namespace allport::lu_detail
