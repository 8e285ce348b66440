// The graph of solves with few right-hand sides with bodies.
#include <algorithm>

#include "operand.h"
#include "solve_sums_graph.h"

namespace allport::lu_detail {

namespace {

template <class T>
class RunningSums final : public SumsGraph {
 public:
  RunningSums(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides, Index first,
              Index count, Rank me, Part<T const> part, Part<T> b)
      : SumsGraph(problem, factors, sides, first, count), factors_{problem.trans, part}, b_(b), me_(coords(me)) {
    if (me_.i < 0) return;
    height_ = rows().count(me_.i);
    for (auto const& chunk : chunks()) {
      auto& own = shares_.emplace_back(static_cast<std::size_t>(height_ * chunk.count));
      if (chunk.home == me_.j) pack(height_, chunk.count, b.data + chunk.first * b.ld, b.ld, own.data());
    }
  }

  void run(Task t, TaskContext& context) const override {
    auto* const own = shares_[static_cast<std::size_t>(t.layer / 2)].data();
    auto const rows = updated(t);
    auto const count = chunk(t).count;
    switch (t.kind) {
      case share: {
        auto* const to = reinterpret_cast<T*>(context.output(0).data());
        pack(rows.count(), count, static_cast<T const*>(own + rows.begin), height_, to);
        for (Index c = 0; c < count; ++c) std::fill_n(own + rows.begin + c * height_, rows.count(), T(0));
        return;
      }
      case solve:
        return solve_block(t, own, context);
      case next:
      case rest: {
        auto const p = panel(sweep(t), t.k);
        blas::gemm(factors_.trans, Trans::none, rows.count(), count, p.width(), T(-1),
                   factors_.at(rows.begin, cols().before(me_.j, p.begin)), factors_.part.ld,
                   reinterpret_cast<T const*>(context.input(0).data()), p.width(), T(1), own + rows.begin, height_);
        return context.progress();
      }
      case keep:
        return copy_found(t.j, count, reinterpret_cast<T*>(context.output(0).data()),
                          [&](Index row, Index c, T*& x) { *x++ = own[row + c * height_]; });
      default:
        return assemble(t, own, context);
    }
  }

 private:
  void solve_block(Task t, T* own, TaskContext& context) const {
    auto const [forward, triangle, diagonal] = this->triangle(sweep(t));
    auto const p = panel(sweep(t), t.k);
    auto const top = updated(t).begin;
    auto const w = p.width();
    auto const count = chunk(t).count;
    auto* const x = reinterpret_cast<T*>(context.output(0).data());
    std::copy_n(reinterpret_cast<T const*>(context.input(0).data()), w * count, x);
    blas::trsm(blas::Side::left, triangle, factors_.trans, diagonal, w, count,
               factors_.at(top, cols().before(me_.j, p.begin)), factors_.part.ld, x, w);
    for (Index c = 0; c < count; ++c) std::copy_n(x + c * w, w, own + top + c * height_);
  }

  /// each(local row, right-hand side, x) for the elements of X from column j of this row, block by block.
  template <class Pointer, class Each>
  void copy_found(int j, Index count, Pointer x, Each const& each) const {
    each_found(me_.i, j, [&](Rows rows) {
      for (Index c = 0; c < count; ++c) {
        for (auto row = rows.begin; row < rows.end; ++row) each(row, c, x);
      }
    });
  }

  void assemble(Task t, T const* own, TaskContext& context) const {
    auto const& of = chunk(t);
    for (int j = 0; j < cols().parts(); ++j) {
      if (last_found(me_.i, j) == none) continue;
      auto const* const from = j == of.home ? own : reinterpret_cast<T const*>(context.input(j).data());
      copy_found(j, of.count, from, [&](Index row, Index c, T const*& x) {
        b_.data[row + (of.first + c) * b_.ld] = j == of.home ? own[row + c * height_] : *x++;
      });
    }
  }

  Factors<T> factors_;
  Part<T> b_;
  Coords me_;
  Index height_ = 0;
  mutable std::vector<std::vector<T>> shares_;
};

}  // namespace

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
