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

/// Right-looking. The columns to the right of panel k are updated by units: each of the next panels by itself, as far
/// as the look-ahead goes, so that it can be factored when they are done; what lies beyond in strips of many columns,
/// which BLAS multiplies faster. Task(kind, layer, i, j, k): grid row, and of panel k
///   factor(i, -, k)  its rows on grid row i: a gang of the grid column that owns it
///   upper(i, u, k)   rows of unit u change places: a gang of u's grid column; then the diagonal's grid row makes
///                    U = L^-1 A. Without pivoting only that row has it; on one row of ranks `update` does it all
///   update(i, u, k)  A - L U
///   note(i, j, k)    takes the pivots on a rank that has no columns any more
///   left(i, j)       later pivots' exchanges in the columns on the left, at the end: a gang of grid column j
/// Several layers hold sums of which A is the sum over the layers: layer 0 begins with A, the others with nothing.
/// They take big panels by turns, and only a panel's own layer updates by it. When a big panel's turn comes, its
/// columns are summed onto its layer, and its rows of U when they have changed places on every layer:
///   part(i, u, k)    this layer's part of unit u, before panel k, the first of u's big panel
///   gather(i, u, k)  their sum, on the layer of u
///   solve(i, u, k)   U = L^-1 A of what the layers' `upper` say of rows of U
///   back(i, -, k), back_upper(i, u, k)  layer 0 gets the panel, and rows of U
/// Layers whose first turn has not come have nothing to do.
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
  int parts(Task t, int index) const override { return t.kind == factor && index < pieces_ ? pieces_ : 1; }
  std::optional<Shape> input(Task t, int index) const override;
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;
  std::int64_t steps() const override { return panels(); }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

  /// So many steps run at a time.
  [[nodiscard]] std::int64_t ahead() const { return ahead_; }
  [[nodiscard]] Index widest() const;

 protected:
  enum Kind : std::uint16_t { factor, upper, update, note, left, part, gather, solve, back, back_upper };
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
  [[nodiscard]] std::uint16_t layer(std::int32_t k) const { return static_cast<std::uint16_t>(big(k) % c_); }
  /// Local columns of a panel; of a unit that panel k updates.
  [[nodiscard]] Columns columns(std::int32_t panel) const;
  [[nodiscard]] Columns columns(std::int32_t unit, std::int32_t k) const;
  [[nodiscard]] bool is_strip(std::int32_t unit) const { return unit >= panels(); }
  [[nodiscard]] Index rows_from(int i, Index g) const { return rows_.count(i) - rows_.before(i, g); }
  /// Panel k travels along grid row i in so many pieces: rows first ... last - 1 of it are in piece x.
  [[nodiscard]] int pieces() const { return pieces_; }
  [[nodiscard]] Columns piece(int i, std::int32_t k, int x) const;
  [[nodiscard]] int u_block() const { return pieces_; }      ///< input of update()
  [[nodiscard]] int pivots_only() const { return pieces_; }  ///< output of factor()
  [[nodiscard]] static int sum_of_layers() { return 1; }     ///< input of solve()
  /// Whether panel k goes anywhere; whether its pivots do so alone.
  [[nodiscard]] bool travels(std::int32_t k) const { return (p_c() > 1 && has_users(k)) || layer(k) > 0; }
  [[nodiscard]] bool pivots_travel(std::int32_t k) const;
  /// Whether a task of step k reads panel k where it was factored.
  [[nodiscard]] bool reads_in_place(Task t) const { return p_c() == 1 && t.layer == layer(t.k); }
  /// Whether rows of U are summed over the layers.
  [[nodiscard]] bool is_summed(std::int32_t unit, std::int32_t k) const {
    return has_sums(k) && (is_strip(unit) || big(unit) != big(k));
  }
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

  void cut_bigs(Index big);
  void cut_strips(int j);
  [[nodiscard]] Task task(Kind kind, int l, int i, std::int32_t j, std::int32_t k) const {
    return {kind, static_cast<std::uint16_t>(l), i, j, k};
  }
  [[nodiscard]] int column_of(Task t) const;
  [[nodiscard]] Strip const& strip(std::int32_t unit) const {
    return strips_[static_cast<std::size_t>(unit - panels())];
  }
  /// The big panel of panel k, and that one's panels; on one layer all are in one.
  [[nodiscard]] std::int32_t big(std::int32_t k) const { return bigs_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::int32_t first_in_big(std::int32_t k) const { return firsts_[static_cast<std::size_t>(big(k))]; }
  [[nodiscard]] std::int32_t last_in_big(std::int32_t k) const {
    return firsts_[static_cast<std::size_t>(big(k)) + 1] - 1;
  }
  /// Whether the columns of k's big panel, and the rows of U beside it, are sums over layers.
  [[nodiscard]] bool has_sums(std::int32_t k) const { return c_ > 1 && big(k) > 0; }
  /// Layers 0 ... layers_by(k) - 1 have something of these sums.
  [[nodiscard]] int layers_by(std::int32_t k) const { return std::min(big(k) + 1, c_); }
  /// Whether a layer has columns that change in step k. The first step in which it has.
  [[nodiscard]] bool takes_part(int l, std::int32_t k) const { return l < layers_by(k); }
  [[nodiscard]] std::int32_t first_step(int l) const { return firsts_[static_cast<std::size_t>(l)]; }
  /// The last panel whose columns a layer has not to do with any more in step k.
  [[nodiscard]] std::int32_t last_done(int l, std::int32_t k) const { return l == layer(k) ? k : last_in_big(k); }
  /// The last panel that is a unit of its own in step k.
  [[nodiscard]] std::int32_t last_apart(std::int32_t k) const { return std::min(k + apart_, panels() - 1); }
  /// The first panel of a grid column beyond panel k; panels() where there is none.
  [[nodiscard]] std::int32_t next_of(int j, std::int32_t k) const;
  [[nodiscard]] std::int32_t last_of(int j) const;
  [[nodiscard]] bool has_beyond(int j) const;
  [[nodiscard]] bool has_units(int l, int j, std::int32_t k) const;
  void each_unit(int l, int j, std::int32_t k, FunctionRef<void(std::int32_t)> visit) const;
  /// Whether anybody updates by panel k.
  [[nodiscard]] bool has_users(std::int32_t k) const;
  [[nodiscard]] bool notes(int l, int j, std::int32_t k) const {
    return pivots() && !has_units(l, j, k) && !(l == layer(k) && j == column(k));
  }
  [[nodiscard]] bool has_upper(int l, int i, std::int32_t k) const {
    return l != layer(k) || (!updates_alone() && (pivots() || i == diagonal_row(k)));
  }
  [[nodiscard]] bool has_solve(int l, int i, std::int32_t unit, std::int32_t k) const {
    return l == layer(k) && i == diagonal_row(k) && is_summed(unit, k);
  }
  [[nodiscard]] bool goes_back(int l, std::int32_t k) const { return l == 0 && layer(k) > 0; }
  /// What comes first of a unit in step k; whether something comes before that.
  [[nodiscard]] Task begin(int l, int i, std::int32_t unit, std::int32_t k) const {
    return task(has_upper(l, i, k) ? upper : update, l, i, unit, k);
  }
  [[nodiscard]] bool has_before(int l, std::int32_t unit, std::int32_t k) const {
    return k > first_step(l) || (has_sums(k) && !is_summed(unit, k));
  }
  [[nodiscard]] Task last(int i, int j) const { return task(left, 0, i, j, panels() - 1); }
  [[nodiscard]] int parents_of_left(int j) const;
  void children_of_factor(Task t, VisitEdge visit) const;
  void children_of_upper(Task t, VisitEdge visit) const;
  void users_of_u(Task t, VisitEdge visit) const;
  void next_step(Task t, VisitEdge visit) const;
  void talk_of_panel(std::int32_t k, std::vector<Talk>& talk) const;

  Rank ranks_;
  std::int64_t element_;
  Seats seats_;
  int c_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  Index count_;
  Pivoting pivoting_;
  std::int32_t apart_;
  std::int64_t ahead_ = 0;
  int pieces_;
  std::vector<Panel> panels_;
  std::vector<int> owners_;                     // of panels: grid columns
  std::vector<Index> begins_;                   // of panels: local columns
  std::vector<std::int32_t> bigs_;              // of panels
  std::vector<std::int32_t> firsts_;            // panels of each big panel's first, and of one more
  std::vector<std::int32_t> strip_of_;          // of panels: units
  std::vector<std::vector<std::int32_t>> own_;  // panels of each grid column
  std::vector<Index> beyond_;                   // local columns of each grid column at which its panels end
  std::vector<Strip> strips_;                   // of one grid column after the other
  std::vector<std::int32_t> first_strip_;       // unit of each grid column's first, and of one more
};

}  // namespace allport::lu_detail
