// 2D LU as a graph that runs: also 1D, which is one row of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allport/graph/task_graph.h"
#include "lu_panel.h"
#include "lu_team.h"

namespace allport::lu_detail {

/// Right-looking. The columns to the right of panel k are updated by units: each of the next panels by itself, as far
/// as the look-ahead goes, so that it can be factored when they are done; what lies beyond in strips of many columns,
/// which BLAS multiplies faster. Task(kind, i, j, k): grid row, and of panel k
///   factor(i, -, k)  its rows on grid row i: a gang of the grid column that owns it
///   upper(i, u, k)   rows of unit u change places: a gang of u's grid column; then the diagonal's grid row makes
///                    U = L^-1 A. Without pivoting only that row has it; on one row of ranks `update` does it all
///   update(i, u, k)  A - L U
///   note(i, j, k)    takes the pivots on a rank that has no columns any more
///   left(i, j)       later pivots' exchanges in the columns on the left, at the end: a gang of grid column j
class LuTaskGraph : public TaskGraph {
 public:
  LuTaskGraph(LuPlan const& plan, LuCandidate const& candidate, Distribution const& distribution);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override;
  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  Rank owner(Task t) const override { return seats_.rank({t.i, column_of(t), 0}); }
  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  bool gang(Task t, Gang& gang) const override;
  Shape output(Task t, int index) const override;
  int parts(Task t, int index) const override { return t.kind == factor && index < pieces_ ? pieces_ : 1; }
  std::optional<Shape> input(Task t, int index) const override;
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;
  std::int64_t steps() const override { return panels(); }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

  /// So many steps run at a time.
  [[nodiscard]] std::int64_t ahead() const { return apart_ + 2; }
  [[nodiscard]] Index widest() const;

 protected:
  enum Kind : std::uint16_t { factor, upper, update, note, left };
  struct Columns {
    Index first = 0;  ///< local
    Index end = 0;
    [[nodiscard]] Index width() const { return end - first; }
  };

  [[nodiscard]] std::int32_t panels() const { return static_cast<std::int32_t>(panels_.size()); }
  [[nodiscard]] std::vector<Panel> const& all_panels() const { return panels_; }
  [[nodiscard]] Panel const& panel(std::int32_t k) const { return panels_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int p_r() const { return rows_.parts(); }
  [[nodiscard]] int p_c() const { return cols_.parts(); }
  [[nodiscard]] bool pivots() const { return pivoting_ != Pivoting::none; }
  [[nodiscard]] int diagonal_row(std::int32_t k) const { return rows_.owner(panel(k).begin); }
  [[nodiscard]] int column(std::int32_t k) const { return owners_[static_cast<std::size_t>(k)]; }
  /// Local columns of a unit that panel k updates.
  [[nodiscard]] Columns columns(std::int32_t unit, std::int32_t k) const;
  [[nodiscard]] bool is_strip(std::int32_t unit) const { return unit >= panels(); }
  [[nodiscard]] Index rows_from(int i, Index g) const { return rows_.count(i) - rows_.before(i, g); }
  /// Panel k travels along grid row i in so many pieces: rows first ... last - 1 of it are in piece x.
  [[nodiscard]] int pieces() const { return pieces_; }
  [[nodiscard]] Columns piece(int i, std::int32_t k, int x) const;
  [[nodiscard]] int u_block() const { return pieces_; }      ///< input of update()
  [[nodiscard]] int pivots_only() const { return pieces_; }  ///< output of factor()
  /// Whether anybody updates by panel k; whether anybody only takes its pivots.
  [[nodiscard]] bool has_users(std::int32_t k) const;
  [[nodiscard]] bool has_notes(std::int32_t k) const;
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
  /// The last panel that is a unit of its own in step k.
  [[nodiscard]] std::int32_t last_apart(std::int32_t k) const { return std::min(k + apart_, panels() - 1); }
  /// The first panel of a grid column beyond panel k; panels() where there is none.
  [[nodiscard]] std::int32_t next_of(int j, std::int32_t k) const;
  [[nodiscard]] std::int32_t last_of(int j) const;
  [[nodiscard]] bool has_beyond(int j) const;
  void each_unit(int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const;
  [[nodiscard]] bool notes(int j, std::int32_t k) const { return pivots() && !has_beyond(j) && k > last_of(j); }
  [[nodiscard]] bool has_upper(int i, std::int32_t k) const { return p_r() > 1 && (pivots() || i == diagonal_row(k)); }
  /// What comes first of a unit in step k.
  [[nodiscard]] Task begin(int i, std::int32_t unit, std::int32_t k) const {
    return {static_cast<std::uint16_t>(has_upper(i, k) ? upper : update), 0, i, unit, k};
  }
  [[nodiscard]] Task last(int i, int j) const { return {left, 0, i, j, panels() - 1}; }
  void children_of_factor(Task t, VisitEdge visit) const;
  void children_of_update(Task t, VisitEdge visit) const;
  void talk_of_panel(std::int32_t k, std::vector<Talk>& talk) const;

  Rank ranks_;
  std::int64_t element_;
  Seats seats_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  Index count_;
  Pivoting pivoting_;
  std::int32_t apart_;
  int pieces_;
  std::vector<Panel> panels_;
  std::vector<int> owners_;                     // of panels: grid columns
  std::vector<Index> begins_;                   // of panels: local columns
  std::vector<std::int32_t> strip_of_;          // of panels: units
  std::vector<std::vector<std::int32_t>> own_;  // panels of each grid column
  std::vector<Index> beyond_;                   // local columns of each grid column at which its panels end
  std::vector<Strip> strips_;                   // of one grid column after the other
  std::vector<std::int32_t> first_strip_;       // unit of each grid column's first, and of one more
};

}  // namespace allport::lu_detail
