// Tile QR as a graph, and products of its Q or Q^H with another matrix: the same operations, with and without panels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "allport/graph/kinds.h"
#include "allport/linalg/graphs.h"
#include "qr_order.h"

namespace allport {

namespace qr_tasks {
struct Geqrt;
struct Tsqrt;
struct Ttqrt;
struct StoreTtqrt;
struct Unmqr;
struct Tsmqr;
struct Ttmqr;
struct Reflectors;
struct TreeReflectors;
struct Given;
}  // namespace qr_tasks

/// The operations of a graph.
struct QrScope {
  bool factors = true;  ///< panels are factored; else their reflectors are given
  bool adjoint = true;  ///< Q^H, panel 0 first; else Q, panel 0 last
  bool upper = false;   ///< column tiles j < k are zero below tile row j, so that panel k skips them
  std::int32_t first_panel = 0;
  std::int32_t end_panel = 0;  ///< one past the last
};

/// A task is an operation of QrOrder: kind, eliminated tile row i, column tile j, panel k. If panels are factored and j
/// = k, it factors the panel; otherwise it applies the panel's reflectors to tiles of column j. If reflectors are
/// given, further tasks read them, and send tiles that are exchanged before the first operation on them.
///
/// Between tasks of one rank tiles are not passed as data, only ordered: bodies know where they are stored.
class QrGraph : public GraphOfKinds<QrGraph> {
 public:
  enum Kind : std::uint16_t {
    local = QrOrder::local,
    chained = QrOrder::chained,
    top = QrOrder::top,
    bottom = QrOrder::bottom,
    reflectors,       ///< of tile (i, k): V and T
    tree_reflectors,  ///< of the merge of head i
    given,            ///< tile (i, j) as it is before panel k
  };
  using Kinds = ListOfKinds<qr_tasks::Tsqrt, qr_tasks::Tsmqr, qr_tasks::Geqrt, qr_tasks::Unmqr, qr_tasks::Ttqrt,
                            KindOf<qr_tasks::Ttmqr, top>, qr_tasks::StoreTtqrt, KindOf<qr_tasks::Ttmqr, bottom>,
                            qr_tasks::Reflectors, qr_tasks::TreeReflectors, qr_tasks::Given>;
  enum Output { block, tile };
  /// Memory: tile (i, j); the triangle of head (i, .) in panel j, later its tree reflectors; given reflectors.
  enum TileKind : std::uint16_t { whole, triangle, read, read_tree };

  /// @param a  of the matrix that is factored, its blocks the tiles, nb x nb
  /// @param c  of the matrix that is multiplied: rows and grid as a's; a itself if `scope.factors`
  QrGraph(Distribution const& a, Distribution const& c, QrScope scope, Index ib, Scalar type);

  /// Panels of a matrix with this distribution.
  [[nodiscard]] static std::int32_t panels_of(Distribution const& a);

  [[nodiscard]] Index rows_of(std::int32_t i) const { return std::min(nb_, m_ - i * nb_); }
  /// Of panel k.
  [[nodiscard]] Index width_of(std::int32_t k) const { return std::min(nb_, n_ - k * nb_); }
  /// Of column tile j of the matrix that is multiplied.
  [[nodiscard]] Index cols_of(std::int32_t j) const { return std::min(c_nb_, c_n_ - j * c_nb_); }
  /// Rows of the triangle that panel k leaves in tile row i.
  [[nodiscard]] Index triangle_rows(std::int32_t i, std::int32_t k) const { return std::min(rows_of(i), width_of(k)); }
  [[nodiscard]] Index ib() const { return ib_; }
  [[nodiscard]] QrOrder const& order() const { return order_; }
  [[nodiscard]] QrScope const& scope() const { return scope_; }
  [[nodiscard]] bool is_panel(Task t) const { return scope_.factors && t.j == t.k; }
  [[nodiscard]] Index tile_rows() const { return rows_.extent(); }
  [[nodiscard]] std::int32_t tile_cols() const { return tile_cols_; }
  [[nodiscard]] Rank owner_of(std::int32_t i, std::int32_t j) const {
    return grid_.rank_at(rows_.owner(i), cols_.owner(j));
  }
  [[nodiscard]] Rank owner_of_reflectors(std::int32_t i, std::int32_t k) const {
    return grid_.rank_at(rows_.owner(i), panels_.owner(k));
  }
  [[nodiscard]] static Task task(QrOrder::Op op, std::int32_t j, std::int32_t k) { return {op.kind, 0, op.i, j, k}; }
  /// Whether a task is an end of a merge, or has its reflectors.
  [[nodiscard]] static bool is_merge(Task t) { return t.kind == top || t.kind == bottom || t.kind == tree_reflectors; }
  /// The first column tile to which panel k is applied.
  [[nodiscard]] std::int32_t least_column(std::int32_t k) const { return scope_.factors || scope_.upper ? k : 0; }
  /// The next and the previous task on tile row x of a task's column.
  [[nodiscard]] std::optional<Task> next(Task t, std::int32_t x) const;
  [[nodiscard]] std::optional<Task> previous(Task t, std::int32_t x) const;

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  std::int64_t steps() const override { return scope_.end_panel - scope_.first_panel; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::int64_t step(Task t) const override {
    return scope_.adjoint ? t.k - scope_.first_panel : scope_.end_panel - 1 - t.k;
  }

 private:
  /// The tasks of a rank per column in a panel.
  struct Share {
    Index rows = 0;  ///< tile rows k, k + 1, ...
    int merges = 0;  ///< into its head
    bool has_head = false;
    bool merged = false;  ///< its head is merged into another
    [[nodiscard]] Index operations() const { return rows + merges + (merged ? 1 : 0); }
  };
  [[nodiscard]] Share share(int process_row, std::int32_t k) const;
  void row_operations(int process_row, std::int32_t k, FunctionRef<void(QrOrder::Op)> visit) const;
  /// One past the last panel that is applied to column tile j.
  [[nodiscard]] std::int32_t end_of(std::int32_t j) const;
  [[nodiscard]] std::int32_t panel_of_step(std::int64_t step) const;
  /// Whether tile (x, j) is exchanged in panel k before any other operation on it.
  [[nodiscard]] bool is_given(std::int32_t x, std::int32_t j, std::int32_t k) const;
  /// Tasks of a panel without parents, if reflectors are given.
  void sources(ProcessGrid::Position at, std::int32_t k, VisitTask visit) const;
  [[nodiscard]] std::int64_t count_sources(ProcessGrid::Position at, std::int32_t k, Share const& share) const;
  [[nodiscard]] Index columns(int process_col, std::int32_t from) const {
    return cols_.count(process_col) - cols_.before(process_col, std::min<Index>(from, tile_cols_));
  }

  ProcessGrid grid_;
  QrScope scope_;
  Index element_;
  Index ib_;
  Index m_, n_, nb_, c_n_, c_nb_;
  AxisDistribution rows_;    ///< of tile rows over process rows
  AxisDistribution panels_;  ///< of a's column tiles over process columns
  AxisDistribution cols_;    ///< of c's column tiles
  std::int32_t tile_cols_;   ///< of c
  QrOrder order_;
  Rank ranks_ = 0;
};

}  // namespace allport
