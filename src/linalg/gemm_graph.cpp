// SUMMA and 3D as a graph: panels of A and B travel along rows and columns, products add up, layers' sums are combined.
#include <fmt/format.h>

#include <algorithm>

#include "allport/linalg/graphs.h"
#include "gemm_panels.h"

namespace allport {

namespace {

using namespace gemm_detail;

class Summa final : public TaskGraph {
 public:
  explicit Summa(GemmPlan const& plan)
      : problem_(plan.problem),
        ranks_(plan.machine.ranks()),
        element_(bytes_of(plan.problem.type)),
        frame_(plan.chosen.grid, plan.chosen.order, plan.options.mapping),
        grid_(plan.chosen.grid) {
    for (int l = 0; l < grid_.layers; ++l) {
      layers_.push_back(panels_of(problem_, grid_, l, plan.chosen.panel));
      slots_.push_back(panels_in_flight(layers_.back().size(), plan.chosen.algorithm == "3d"));
      // A layer without a share of k has nothing to add, and says so.
      if (layers_.back().empty()) layers_.back().push_back({});
      steps_ = std::max(steps_, static_cast<std::int64_t>(layers_.back().size()));
    }
  }

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::string name(Task t) const override {
    static constexpr char const* names[] = {"A", "B", "multiply", "sum"};
    return fmt::format("{}(row {}, column {}, layer {}, panel {})", names[t.kind], t.i, t.j, t.layer, t.k);
  }

  void entries(Rank rank, VisitTask visit) const override {
    auto const at = frame_.place(rank);
    for (std::int64_t s = 0; at && s < steps_; ++s) {
      tasks(rank, s, [&](Task task) {
        if (num_parents(task) == 0) visit(task);
      });
    }
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    auto const at = frame_.place(rank);
    if (!at) return 0;
    auto const& panels = layers_[static_cast<std::size_t>(at->l)];
    auto sum = static_cast<std::int64_t>(panels.size()) + (grid_.layers > 1 ? 1 : 0);
    for (auto const& panel : panels) {
      if (panel.width() > 0) sum += (panel.a_owner == at->j ? 1 : 0) + (panel.b_owner == at->i ? 1 : 0);
    }
    return sum;
  }

  Rank owner(Task t) const override { return frame_.rank({t.i, t.j, t.layer}); }
  int num_parents(Task t) const override {
    switch (t.kind) {
      case of_a:
      case of_b:
        return t.k >= slots(t) ? 1 : 0;
      case multiply:
        return (panel(t).width() > 0 ? 2 : 0) + (t.k > 0 ? 1 : 0);
      default:
        return grid_.layers;
    }
  }
  void children(Task t, VisitEdge visit) const override {
    switch (t.kind) {
      case of_a:
        for (int j = 0; j < grid_.cols; ++j) visit({at(multiply, t.i, j, t), from_a});
        break;
      case of_b:
        for (int i = 0; i < grid_.rows; ++i) visit({at(multiply, i, t.j, t), from_b});
        break;
      case multiply:
        follow(t, visit);
        break;
      default:
        break;
    }
  }
  void contributors(Task t, int, VisitTask visit) const override {
    for (int l = 0; l < grid_.layers; ++l) visit(last({t.kind, static_cast<std::uint16_t>(l), t.i, t.j, 0}));
  }

  Shape output(Task t, int index) const override {
    if (t.kind == of_a) return {rows(t), panel(t).width(), 0};
    if (t.kind == of_b) return {panel(t).width(), cols(t), 0};
    return {rows(t), index == whole ? cols(t) : share(cols(t), grid_.layers, index), 0};
  }
  std::optional<Shape> input(Task t, int index) const override {
    if (t.kind == sum) return Shape{rows(t), share(cols(t), grid_.layers, t.layer), 0};
    if (index == from_a) return Shape{rows(t), panel(t).width(), 0};
    return index == from_b ? Shape{panel(t).width(), cols(t), 0} : Shape{rows(t), cols(t), 0};
  }
  Work work(Task t) const override {
    auto const m = static_cast<double>(rows(t));
    auto const n = static_cast<double>(cols(t));
    auto const k = static_cast<double>(panel(t).width());
    auto const size = static_cast<double>(element_);
    if (t.kind == multiply) return {Kernel::gemm, 2 * m * n * k, size * (m * k + k * n + m * n)};
    if (t.kind == sum) return {Kernel::add, 0, size * m * n / grid_.layers};
    return {Kernel::copy, 0, 2 * size * k * (t.kind == of_a ? m : n)};
  }
  /// Earlier panels first, and what others wait for before what they do not.
  double priority(Task t) const override {
    return static_cast<double>(2 * (steps_ - t.k) + (t.kind == of_a || t.kind == of_b ? 1 : 0));
  }
  void writes(Task t, VisitTask visit) const override {
    if (t.kind == multiply || t.kind == sum) visit({t.kind == sum ? sum : multiply, 0, 0, 0, 0});
  }
  bool in_place(Task t, int) const override { return t.kind == multiply; }

  std::int64_t steps() const override { return steps_ + (grid_.layers > 1 ? 1 : 0); }
  std::int64_t step(Task t) const override { return t.kind == sum ? steps_ : t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const place = frame_.place(rank);
    if (!place) return;
    auto const task = [&](Kind kind) {
      return Task{kind, static_cast<std::uint16_t>(place->l), place->i, place->j, static_cast<std::int32_t>(step)};
    };
    auto const& panels = layers_[static_cast<std::size_t>(place->l)];
    if (step == steps_) {
      auto end = task(sum);
      end.k = 0;
      return visit(end);
    }
    if (step >= static_cast<std::int64_t>(panels.size())) return;
    auto const& now = panels[static_cast<std::size_t>(step)];
    if (now.width() > 0 && now.a_owner == place->j) visit(task(of_a));
    if (now.width() > 0 && now.b_owner == place->i) visit(task(of_b));
    visit(task(multiply));
  }

 private:
  enum Kind : std::uint16_t { of_a, of_b, multiply, sum };
  enum Input { own, from_a, from_b };
  static constexpr int whole = -1;

  static Task at(Kind kind, std::int32_t i, std::int32_t j, Task t) { return {kind, t.layer, i, j, t.k}; }
  [[nodiscard]] std::vector<gemm_detail::Panel> const& panels(Task t) const { return layers_[t.layer]; }
  [[nodiscard]] gemm_detail::Panel const& panel(Task t) const { return panels(t)[static_cast<std::size_t>(t.k)]; }
  [[nodiscard]] Index rows(Task t) const { return share(problem_.m, grid_.rows, t.i); }
  [[nodiscard]] Index cols(Task t) const { return share(problem_.n, grid_.cols, t.j); }
  [[nodiscard]] std::int32_t slots(Task t) const { return static_cast<std::int32_t>(slots_[t.layer]); }
  [[nodiscard]] Task last(Task t) const {
    return {multiply, t.layer, t.i, t.j, static_cast<std::int32_t>(panels(t).size()) - 1};
  }

  /// The next product adds to the same block; a panel leaves when the one before it in its buffer has been used; in
  /// the end the layers' blocks are summed, each layer a part of the columns.
  void follow(Task t, VisitEdge visit) const {
    if (t == last(t)) {
      for (int l = 0; grid_.layers > 1 && l < grid_.layers; ++l) {
        visit({{sum, static_cast<std::uint16_t>(l), t.i, t.j, 0}, own, l, Carries::sum});
      }
      return;
    }
    auto next = t;
    ++next.k;
    visit({next, own, whole});
    auto later = t;
    later.k += slots(t);
    if (later.k >= static_cast<std::int32_t>(panels(t).size())) return;
    if (panel(later).a_owner == t.j) visit({at(of_a, t.i, t.j, later), own, whole, Carries::order});
    if (panel(later).b_owner == t.i) visit({at(of_b, t.i, t.j, later), own, whole, Carries::order});
  }

  GemmProblem problem_;
  Rank ranks_;
  std::int64_t element_;
  Frame frame_;
  GemmGrid grid_;
  std::vector<std::vector<gemm_detail::Panel>> layers_;  // the same on every rank of a layer
  std::vector<std::size_t> slots_;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<TaskGraph> gemm_graph(GemmPlan const& plan) {
  auto const& name = plan.chosen.algorithm;
  ensure(name == "summa" || name == "summa25" || name == "3d", "algorithm", name, "summa, summa25 or 3d",
         "cannon is no graph yet", ErrorKind::unsupported);
  return std::make_unique<Summa>(plan);
}

}  // namespace allport
