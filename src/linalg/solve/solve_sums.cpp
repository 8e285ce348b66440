// Solves with few right-hand sides: products of the factors with known unknowns are summed on the ranks of the factors,
// which are never sent.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linalg/matrix/operand.h"
#include "solve_graph.h"

namespace allport::lu_detail {

namespace {

namespace sums_tasks {
struct Share;
struct Solve;
struct Next;
struct Rest;
struct Keep;
struct Home;
}  // namespace sums_tasks

/// Every rank has a share of B - op(T) X for a chunk of right-hand sides. X stays on the rank that computes it until
/// the end. Layers 2 c and 2 c + 1 are the sweeps of chunk c.
class SumsGraph : public GraphOfKinds<SumsGraph, SolveGraph> {
 public:
  using Kinds = ListOfKinds<sums_tasks::Rest, sums_tasks::Next, sums_tasks::Share, sums_tasks::Solve, sums_tasks::Keep,
                            sums_tasks::Home>;
  enum Kind : std::uint16_t { share, solve, next, rest, keep, home };
  static constexpr std::int32_t none = -1;

  SumsGraph(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides, Index first,
            Index count)
      : GraphOfKinds(problem, factors, sides) {
    auto const all = chunks_of(sides);
    chunks_.assign(all.begin() + first, all.begin() + first + count);
    auto const columns = static_cast<std::size_t>(cols().parts());
    for (int const s : {0, 1}) {
      auto& before = before_[static_cast<std::size_t>(s)];
      auto& following = following_[static_cast<std::size_t>(s)];
      following.assign(static_cast<std::size_t>(panels()), none);
      std::vector<std::int32_t> latest(columns, none);
      for (std::int32_t k = 0; k < panels(); ++k) {
        before.insert(before.end(), latest.begin(), latest.end());
        auto& mine = latest[static_cast<std::size_t>(col_of(s, k))];
        if (mine != none) following[static_cast<std::size_t>(mine)] = k;
        mine = k;
      }
    }
    last_found_.assign(columns * static_cast<std::size_t>(rows().parts()), none);
    for (std::int32_t k = 0; k < panels(); ++k) {
      last_found_[static_cast<std::size_t>(row_of(1, k)) * columns + static_cast<std::size_t>(col_of(1, k))] = k;
    }
  }

  /// Shares that are sent without an update.
  void entries(Rank rank, VisitTask visit) const override {
    for (std::int64_t s = 0; s < panels(); ++s) visit_entries(rank, s, visit);
  }
  std::int64_t steps() const override { return 2 * std::int64_t{panels()} + 1; }
  std::int64_t step(Task t) const override {
    return t.kind == keep || t.kind == home ? steps() - 1 : sweep(t) * std::int64_t{panels()} + t.k;
  }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const at = coords(rank);
    if (at.i < 0) return;
    for (int c = 0; c < static_cast<int>(chunks_.size()); ++c) {
      if (step + 1 == steps()) {
        bool const at_home = chunks_[static_cast<std::size_t>(c)].home == at.j;
        if (!at_home && last_found(at.i, at.j) != none) visit(task(keep, 2 * c + 1, at.i, at.j, last()));
        if (at_home && rows().count(at.i) > 0) visit(task(home, 2 * c + 1, at.i, at.j, last()));
        continue;
      }
      int const s = step >= panels() ? 1 : 0;
      auto const k = static_cast<std::int32_t>(step - s * panels());
      auto const layer = 2 * c + s;
      bool const mine = col_of(s, k) == at.j;
      if (row_of(s, k) == at.i && has_share(layer, k, at.j)) visit(share_at(layer, k, at.j));
      if (row_of(s, k) == at.i && mine) visit(solve_at(layer, k));
      if (mine && k < last() && row_of(s, k + 1) == at.i) visit(next_at(layer, k));
      if (mine && has_rest(s, k, at.i)) visit(rest_at(layer, k, at.i));
    }
  }
  std::optional<Task> leads(std::int64_t step) const override {
    if (step + 1 == steps()) {
      int i = 0;
      while (rows().count(i) == 0) ++i;
      return task(home, 1, i, chunks_.front().home, last());
    }
    int const s = step >= panels() ? 1 : 0;
    return solve_at(s, static_cast<std::int32_t>(step - s * panels()));
  }

  static Task task(Kind kind, int layer, int i, int j, std::int32_t k) {
    return {kind, static_cast<std::uint16_t>(layer), i, j, k};
  }
  [[nodiscard]] Task share_at(int layer, std::int32_t k, int j) const {
    return task(share, layer, row_of(layer % 2, k), j, k);
  }
  [[nodiscard]] Task solve_at(int layer, std::int32_t k) const {
    return task(solve, layer, row_of(layer % 2, k), col_of(layer % 2, k), k);
  }
  [[nodiscard]] Task next_at(int layer, std::int32_t k) const {
    return task(next, layer, row_of(layer % 2, k + 1), col_of(layer % 2, k), k);
  }
  [[nodiscard]] Task rest_at(int layer, std::int32_t k, int i) const {
    return task(rest, layer, i, col_of(layer % 2, k), k);
  }

  [[nodiscard]] std::vector<Chunk> const& chunks() const { return chunks_; }
  [[nodiscard]] Chunk const& chunk(int layer) const { return chunks_[static_cast<std::size_t>(layer / 2)]; }
  /// The last panel before k in grid column j; the next one in k's grid column.
  [[nodiscard]] std::int32_t before(int s, std::int32_t k, int j) const {
    return before_[static_cast<std::size_t>(s)][static_cast<std::size_t>(k * cols().parts() + j)];
  }
  [[nodiscard]] std::int32_t following(int s, std::int32_t k) const {
    return following_[static_cast<std::size_t>(s)][static_cast<std::size_t>(k)];
  }
  /// Whether grid column j has a share of block k of these right-hand sides.
  [[nodiscard]] bool has_share(int layer, std::int32_t k, int j) const {
    auto const s = layer % 2;
    return j == col_of(s, k) || before(s, k, j) != none || (s == 0 && j == chunk(layer).home);
  }
  /// visit(rows of a block of row i that is solved for in column j), in the order of the matrix
  template <class Visit>
  void each_found(int i, int j, Visit const& visit) const {
    for (std::int32_t k = 0; k < panels(); ++k) {
      auto const p = triangle(0).forward ? k : mirrored(k);
      if (row_of(0, p) == i && col_of(0, p) == j) visit(block(0, p, i));
    }
  }
  /// The step of the second sweep that computes the last block of X on (i, j); `none` if there is none.
  [[nodiscard]] std::int32_t last_found(int i, int j) const {
    return last_found_[static_cast<std::size_t>(i * cols().parts() + j)];
  }

 private:
  std::vector<Chunk> chunks_;
  std::array<std::vector<std::int32_t>, 2> before_;
  std::array<std::vector<std::int32_t>, 2> following_;
  std::vector<std::int32_t> last_found_;
};

/// Bodies get this rank's factors, its shares, and its part of B: RunningSums.
namespace sums_tasks {

using Graph = SumsGraph;

struct OnChunk : SolveTask<Graph> {
  [[nodiscard]] Chunk const& chunk() const { return g.chunk(t.layer); }
  [[nodiscard]] Index sides() const { return chunk().count; }
  [[nodiscard]] std::string named(char const* kind) const {
    return fmt::format("{}{}({}, {}, {}, chunk {})", kind, sweep() == 0 ? "" : "'", t.i, t.j, t.k, t.layer / 2);
  }
  /// Number of updates that precede the task directly on a share of grid column t.j.
  [[nodiscard]] int updates() const { return g.before(sweep(), t.k, t.j) != Graph::none ? 1 : 0; }
  [[nodiscard]] Shape shape_of_block() const { return {width(), sides(), 0}; }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return shape_of_block(); }
  /// Tasks that other ranks wait for come first; earlier ones first.
  [[nodiscard]] std::int64_t priority() const { return 2 * g.steps() - g.step(t); }
};

/// Sends a rank's share of a block to the rank that solves for it.
struct Share : OnChunk {
  static constexpr std::uint16_t kind = Graph::share;
  [[nodiscard]] std::string name() const { return named("share"); }
  [[nodiscard]] int parents() const { return updates() + (sweep() == 1 && t.j == g.col_of(1, t.k) ? 1 : 0); }
  void children(VisitEdge visit) const { visit({g.solve_at(t.layer, t.k), 0, 0, EdgeKind::sum}); }
  [[nodiscard]] Shape output(int /*index*/) const { return shape_of_block(); }
  [[nodiscard]] Work work() const { return copying(width() * sides()); }
  void writes(VisitTask visit) const { write_block(t.k, visit); }
  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    using T = typename Solving::Element;
    auto const rows = block().count();
    T* const own = a.shares(t) + block().begin;
    detail::pack(rows, sides(), static_cast<T const*>(own), a.height, detail::elements_out<T>(context, 0));
    for (Index c = 0; c < sides(); ++c) std::fill_n(own + c * a.height, rows, T(0));
  }
};

/// Computes a block of X from the sum of the shares and sends it along its column.
struct Solve : OnChunk {
  static constexpr std::uint16_t kind = Graph::solve;
  [[nodiscard]] std::string name() const { return named("solve"); }
  [[nodiscard]] int parents() const {
    int sum = 0;
    for (int j = 0; j < g.cols().parts(); ++j) sum += g.has_share(t.layer, t.k, j) ? 1 : 0;
    return sum;
  }
  void children(VisitEdge visit) const {
    if (t.k < g.last()) visit({g.next_at(t.layer, t.k)});
    for (int i = 0; i < g.rows().parts(); ++i) {
      if (g.has_rest(sweep(), t.k, i)) visit({g.rest_at(t.layer, t.k, i)});
    }
    if (sweep() == 0) return then(visit, g.share_at(t.layer + 1, g.mirrored(t.k), t.j));
    if (g.last_found(t.i, t.j) != t.k) return;
    then(visit, Graph::task(t.j == chunk().home ? Graph::home : Graph::keep, t.layer, t.i, t.j, g.last()));
  }
  /// Its own rank first, then the ranks that are ready last, whose shares pass through the fewest ranks.
  void contributors(int /*input*/, VisitTask visit) const {
    visit(g.share_at(t.layer, t.k, t.j));
    auto left = g.cols().parts() - 1;
    std::vector<char> seen(static_cast<std::size_t>(g.cols().parts()), 0);
    seen[static_cast<std::size_t>(t.j)] = 1;
    for (auto k = t.k - 1; k >= 0 && left > 0; --k) {
      auto const j = g.col_of(sweep(), k);
      if (std::exchange(seen[static_cast<std::size_t>(j)], 1) != 0) continue;
      visit(g.share_at(t.layer, t.k, j));
      --left;
    }
    auto const home = chunk().home;
    if (sweep() == 0 && seen[static_cast<std::size_t>(home)] == 0) visit(g.share_at(t.layer, t.k, home));
  }
  [[nodiscard]] Shape output(int /*index*/) const { return shape_of_block(); }
  [[nodiscard]] Work work() const { return solving(sides()); }
  void writes(VisitTask visit) const { write_block(t.k, visit); }
  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    using T = typename Solving::Element;
    auto const [forward, triangle, diagonal] = g.triangle(sweep());
    auto const w = width();
    T* const x = detail::elements_out<T>(context, 0);
    std::copy_n(detail::elements_in<T>(context, 0), w * sides(), x);
    blas::trsm(blas::Side::left, triangle, a.factors.trans, diagonal, w, sides(), a.columns(t, block().begin),
               a.factors.part.ld, x, w);
    T* const own = a.shares(t) + block().begin;
    for (Index c = 0; c < sides(); ++c) std::copy_n(x + c * w, w, own + c * a.height);
  }
};

/// Subtracts a product with a block of X from this rank's share.
struct Update : OnChunk {
  [[nodiscard]] int parents() const { return 1 + updates(); }
  [[nodiscard]] Rows rows() const { return t.kind == Graph::next ? next_block() : other_rows(); }
  [[nodiscard]] Work work() const { return updating(rows(), sides()); }
  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    using T = typename Solving::Element;
    blas::gemm(a.factors.trans, Trans::none, rows().count(), sides(), width(), T(-1), a.columns(t, rows().begin),
               a.factors.part.ld, detail::elements_in<T>(context, 0), width(), T(1), a.shares(t) + rows().begin,
               a.height);
    context.progress();
  }
};

/// Updates the share of the block that is solved for next.
struct Next : Update {
  static constexpr std::uint16_t kind = Graph::next;
  [[nodiscard]] std::string name() const { return named("next"); }
  void children(VisitEdge visit) const { then(visit, g.share_at(t.layer, t.k + 1, t.j)); }
  void writes(VisitTask visit) const { write_block(t.k + 1, visit); }
};

/// Updates the shares of the other blocks.
struct Rest : Update {
  static constexpr std::uint16_t kind = Graph::rest;
  [[nodiscard]] std::string name() const { return named("rest"); }
  /// The next updates of the same shares, and the tasks that send shares before these updates.
  void children(VisitEdge visit) const {
    auto const s = sweep();
    auto const next = g.following(s, t.k);
    auto const end = next == Graph::none ? g.last() : next;
    for (auto k = t.k + 2; k <= end; ++k) {
      if (g.row_of(s, k) == t.i) then(visit, g.share_at(t.layer, k, t.j));
    }
    if (next == Graph::none) return;
    if (g.has_rest(s, next, t.i)) then(visit, g.rest_at(t.layer, next, t.i));
    if (next < g.last() && g.row_of(s, next + 1) == t.i) then(visit, g.next_at(t.layer, next));
  }
  [[nodiscard]] std::int64_t priority() const { return g.steps() - g.step(t); }
  void writes(VisitTask visit) const {
    for (auto k = t.k + 2; k <= g.last(); ++k) write_block(k, visit);
  }
};

/// Sends the blocks of X that a rank has computed to Home.
struct Keep : OnChunk {
  static constexpr std::uint16_t kind = Graph::keep;
  [[nodiscard]] std::string name() const { return named("keep"); }
  [[nodiscard]] int parents() const { return 1; }
  void children(VisitEdge visit) const { visit({Graph::task(Graph::home, t.layer, t.i, chunk().home, g.last()), t.j}); }
  [[nodiscard]] Shape output(int /*index*/) const {
    Index height = 0;
    g.each_found(t.i, t.j, [&](Rows rows) { height += rows.count(); });
    return {height, height > 0 ? sides() : 0, 0};
  }
  [[nodiscard]] Work work() const { return copying(output(0).rows * sides()); }
  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    auto* to = detail::elements_out<typename Solving::Element>(context, 0);
    g.each_found(t.i, t.j, [&](Rows rows) {
      for (Index c = 0; c < sides(); ++c) to = std::copy_n(a.shares(t) + rows.begin + c * a.height, rows.count(), to);
    });
  }
};

/// Assembles X on the rank of its row that owns these right-hand sides.
struct Home : OnChunk {
  static constexpr std::uint16_t kind = Graph::home;
  [[nodiscard]] std::string name() const { return named("home"); }
  [[nodiscard]] int parents() const {
    int sum = 0;
    for (int j = 0; j < g.cols().parts(); ++j) sum += g.last_found(t.i, j) != Graph::none ? 1 : 0;
    return sum;
  }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    return g.output(Graph::task(Graph::keep, t.layer, t.i, index, g.last()), 0);
  }
  [[nodiscard]] Work work() const { return copying(g.rows().count(t.i) * sides()); }
  template <class Solving>
  void run(Solving const& a, TaskContext& context) const {
    using T = typename Solving::Element;
    for (int j = 0; j < g.cols().parts(); ++j) {
      if (g.last_found(t.i, j) == Graph::none) continue;
      auto const* from = j == t.j ? nullptr : detail::elements_in<T>(context, j);
      g.each_found(t.i, j, [&](Rows rows) {
        for (Index c = 0; c < sides(); ++c) {
          T const* const x = j == t.j ? a.shares(t) + rows.begin + c * a.height : from;
          std::copy_n(x, rows.count(), a.b.data + rows.begin + (chunk().first + c) * a.b.ld);
          if (j != t.j) from += rows.count();
        }
      });
    }
  }
};

}  // namespace sums_tasks

template <class T>
class RunningSums final : public SumsGraph {
 public:
  using Element = T;
  Factors<T> const factors;
  Part<T> const b;
  Index const height;  ///< this rank's rows

  RunningSums(SolveProblem const& problem, Distribution const& distribution, AxisDistribution const& sides, Index first,
              Index count, Rank me, Part<T const> part, Part<T> part_of_b)
      : SumsGraph(problem, distribution, sides, first, count),
        factors{problem.trans, part},
        b(part_of_b),
        height(coords(me).i < 0 ? 0 : rows().count(coords(me).i)) {
    for (auto const& chunk : chunks()) {
      auto& own = shares_.emplace_back(static_cast<std::size_t>(height * chunk.count));
      if (chunk.home != coords(me).j) continue;
      detail::pack(height, chunk.count, static_cast<T const*>(b.data + chunk.first * b.ld), b.ld, own.data());
    }
  }

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
  }

  [[nodiscard]] T* shares(Task t) const { return shares_[static_cast<std::size_t>(t.layer / 2)].data(); }
  /// The columns of panel t.k from a local row on.
  [[nodiscard]] T const* columns(Task t, Index row) const {
    return factors.at(row, cols().before(t.j, panel(sweep(t), t.k).begin));
  }

 private:
  mutable std::vector<std::vector<T>> shares_;
};

}  // namespace

std::unique_ptr<SolveGraph> sums_graph(SolveProblem const& problem, Distribution const& factors,
                                       AxisDistribution const& sides, Index first, Index count) {
  return std::make_unique<SumsGraph>(problem, factors, sides, first, count);
}

template <class T>
std::unique_ptr<SolveGraph> running_sums(SolveProblem const& problem, Distribution const& factors,
                                         AxisDistribution const& sides, Index first, Index count, Rank me,
                                         Part<T const> part, Part<T> b) {
  return std::make_unique<RunningSums<T>>(problem, factors, sides, first, count, me, part, b);
}

#define ALLPORT_SUMS(T)                                                                                                \
  template std::unique_ptr<SolveGraph> running_sums(SolveProblem const&, Distribution const&, AxisDistribution const&, \
                                                    Index, Index, Rank, Part<T const>, Part<T>);
ALLPORT_FOR_SCALARS(ALLPORT_SUMS)

}  // namespace allport::lu_detail
