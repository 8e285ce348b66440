// The graph of solves with many right-hand sides with bodies.
#include <algorithm>

#include "operand.h"
#include "solve_panels_graph.h"

namespace allport::lu_detail {

namespace {

template <class T>
class RunningPanels final : public PanelsGraph {
 public:
  RunningPanels(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides,
                Machine const& machine, Rank me, Part<T const> part, Part<T> b)
      : PanelsGraph(problem, factors, sides, machine), factors_{problem.trans, part}, b_(b), me_(coords(me)) {}

  void run(Task t, TaskContext& context) const override {
    if (t.kind == of_panel) return send(t, context);
    if (t.kind == solve) return solve_block(t, context);
    update(t, context);
  }

 private:
  /// Some columns of a panel from a local row on: in this rank's factors, or received.
  struct Columns {
    T const* data = nullptr;
    Index ld = 1;
    Piece of{};  ///< in the panel
  };
  [[nodiscard]] int columns(Task t) const { return sends_panels() ? panel_pieces(sweep(t), t.k) : 1; }
  [[nodiscard]] Columns columns(Task t, int x, Index row, TaskContext& context) const {
    auto const s = sweep(t);
    auto const w = width(s, t.k);
    if (!sends_panels()) {
      return {factors_.at(row, cols().before(me_.j, panel(s, t.k).begin)), factors_.part.ld, {0, w}};
    }
    auto const sent = from(s, t.k, t.i);
    auto const of = piece(w, panel_pieces(s, t.k), x);
    auto const ld = factors_.trans == Trans::none ? sent.count() : of.length();
    auto const* const data = reinterpret_cast<T const*>(context.input(x).data());
    return {data + factors_.step(row - sent.begin, ld), ld, of};
  }

  void send(Task t, TaskContext& context) const {
    auto const rows = updated(t);
    auto const begin = cols().before(me_.j, panel(sweep(t), t.k).begin);
    auto const pieces = panel_pieces(sweep(t), t.k);
    for (int x = 0; x < pieces; ++x) {
      auto const of = piece(width(sweep(t), t.k), pieces, x);
      bool const plain = factors_.trans == Trans::none;
      pack(plain ? rows.count() : of.length(), plain ? of.length() : rows.count(),
           factors_.at(rows.begin, begin + of.first), factors_.part.ld, reinterpret_cast<T*>(context.output(x).data()));
    }
  }

  /// Computes a block of X in place, by the pieces of columns of its diagonal block.
  void solve_block(Task t, TaskContext& context) const {
    auto const [forward, triangle, diagonal] = this->triangle(sweep(t));
    auto const top = block(sweep(t), t.k, t.i).begin;
    auto const w = width(sweep(t), t.k);
    auto const count = sides().count(t.j);
    auto const all = columns(t);
    for (int y = 0; y < all; ++y) {
      auto const now = columns(t, forward ? y : all - 1 - y, top, context);
      auto const [first, last] = now.of;
      auto* const x = b_.data + top + first;
      blas::trsm(blas::Side::left, triangle, factors_.trans, diagonal, last - first, count,
                 now.data + factors_.step(first, now.ld), now.ld, x, b_.ld);
      auto const left = forward ? Rows{last, w} : Rows{0, first};
      if (left.count() == 0) continue;
      blas::gemm(factors_.trans, Trans::none, left.count(), count, last - first, T(-1),
                 now.data + factors_.step(left.begin, now.ld), now.ld, x, b_.ld, T(1), b_.data + top + left.begin,
                 b_.ld);
    }
    for (int x = 0; x < block_pieces(t.j); ++x) {
      auto const of = piece(count, block_pieces(t.j), x);
      pack(w, of.length(), b_.data + top + of.first * b_.ld, b_.ld, reinterpret_cast<T*>(context.output(x).data()));
    }
  }

  void update(Task t, TaskContext& context) const {
    constexpr Index at_once = 512;
    auto const rows = updated(t);
    auto const w = width(sweep(t), t.k);
    auto const count = sides().count(t.j);
    auto const blocks = sends_blocks() ? block_pieces(t.j) : 1;
    for (int y = 0; y < blocks; ++y) {
      auto const of = sends_blocks() ? piece(count, blocks, y) : Piece{0, count};
      auto const* const x = sends_blocks() ? reinterpret_cast<T const*>(context.input(input_of_block(y)).data())
                                           : b_.data + block(sweep(t), t.k, t.i).begin;
      auto const ld = sends_blocks() ? w : b_.ld;
      for (auto first = of.first; first < of.last; first += at_once) {
        for (int p = 0; p < columns(t); ++p) {
          auto const now = columns(t, p, rows.begin, context);
          blas::gemm(factors_.trans, Trans::none, rows.count(), std::min(at_once, of.last - first), now.of.length(),
                     T(-1), now.data, now.ld, x + now.of.first + (first - of.first) * ld, ld, T(1),
                     b_.data + rows.begin + first * b_.ld, b_.ld);
        }
        context.progress();
      }
    }
  }

  Factors<T> factors_;
  Part<T> b_;
  Coords me_;
};

}  // namespace

template <class T>
std::unique_ptr<SolveGraph> running_panels(SolveProblem const& problem, Distribution const& factors,
                                           AxisDistribution const& sides, Machine const& machine, Rank me,
                                           Part<T const> part, Part<T> b) {
  return std::make_unique<RunningPanels<T>>(problem, factors, sides, machine, me, part, b);
}

#define ALLPORT_PANELS(T)                                                                                           \
  template std::unique_ptr<SolveGraph> running_panels(SolveProblem const&, Distribution const&,                     \
                                                      AxisDistribution const&, Machine const&, Rank, Part<T const>, \
                                                      Part<T>);
ALLPORT_FOR_SCALARS(ALLPORT_PANELS)

}  // namespace allport::lu_detail
