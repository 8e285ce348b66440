// Which form a solve takes, where it wants the right-hand sides, and what it will send: by predicted time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve_forms.h"
#include "solve_grid.h"

namespace allport {

using namespace lu_detail;

namespace lu_detail {

Distribution sides_distribution(Trans trans, Distribution const& lu_distribution, AxisDistribution const& sides) {
  if (trans == Trans::none) {
    return {lu_distribution.rows(), sides, lu_distribution.grid()};
  }
  std::vector<Rank> mirrored;
  for (int i = 0; i < lu_distribution.rows().parts(); ++i) {
    for (int j = 0; j < lu_distribution.cols().parts(); ++j) mirrored.push_back(lu_distribution.rank_at(i, j));
  }
  return {lu_distribution.cols(), sides, std::move(mirrored)};
}

namespace {

/// Part of the peak that a triangular solve of a block row reaches.
constexpr double trsm_rate = 0.6;
/// Steps that are priced; the others lie between.
constexpr Index priced_steps = 12;
/// Operands that a multiplication reads and writes take the time of so many multiplications each.
constexpr double operand_cost = 8;

class SolvePrice {
 public:
  SolvePrice(SolveProblem const& problem, Distribution const& lu_distribution, Machine const& machine,
             Seats const& seats, Pricer& pricer)
      : pricer_(pricer),
        along_(seats.members({}, along_way(problem.trans))),
        across_(seats.members({}, across_way(problem.trans))),
        element_(bytes_of(problem.type)),
        n_(lu_distribution.rows().extent()),
        steps_(static_cast<Index>(panels_of(lu_distribution.rows(), lu_distribution.cols(), n_, widest_block).size())),
        width_(static_cast<double>(n_) / static_cast<double>(steps_)) {
    double const work = problem.type == Scalar::c || problem.type == Scalar::z ? 4 : 1;
    double const speed = problem.type == Scalar::s || problem.type == Scalar::c ? 2 : 1;
    rate_ = machine.rates().flops.value() / machine.ranks_per_node() * speed / work;
  }

  /// Updates are the work of the ranks across that have the panel: two columns of them at a time, one at the step that
  /// the other has left.
  [[nodiscard]] double sums(AxisDistribution const& sides) const {
    double total = 0;
    for (int home = 0; home < sides.parts(); ++home) {
      for (Index rest = sides.count(home); rest > 0; rest -= widest_sides) {
        auto const count = static_cast<double>(std::min(rest, widest_sides));
        auto const talk = seconds(Step::Kind::reduce, along_, width_ * count) +
                          seconds(Step::Kind::broadcast, across_, width_ * count);
        total += over_steps([&](double rows) {
                   return talk + solving(count) + updating(rows, count) / std::min(2.0, size(along_));
                 }) +
                 seconds(Step::Kind::reduce, along_, static_cast<double>(n_) / size(across_) * count);
      }
    }
    return total;
  }

  /// A panel travels under the update before; the busiest rank has the most right-hand sides.
  [[nodiscard]] double panels(AxisDistribution const& sides) const {
    auto const count = static_cast<double>(most(sides));
    auto const talk = seconds(Step::Kind::broadcast, across_, width_ * count);
    return over_steps([&](double rows) {
      return talk + solving(count) +
             std::max(updating(rows, count), seconds(Step::Kind::broadcast, along_, width_ * rows));
    });
  }

  /// There and back.
  [[nodiscard]] double moving(AxisDistribution const& from, AxisDistribution const& to) const {
    if (along_.size() == 1) return 0;
    auto const elements = static_cast<double>(n_) / size(across_) * static_cast<double>(std::max(most(from), most(to)));
    return 2 * pricer_.message(along_[0], along_[1], std::llround(elements) * element_).value();
  }

 private:
  static double size(std::vector<Rank> const& line) { return static_cast<double>(line.size()); }
  static Index most(AxisDistribution const& sides) {
    Index count = 0;
    for (int part = 0; part < sides.parts(); ++part) count = std::max(count, sides.count(part));
    return count;
  }
  [[nodiscard]] double seconds(Step::Kind kind, std::vector<Rank> const& line, double elements) const {
    auto const bytes = static_cast<Index>(elements) * element_;
    if (line.size() == 1 || bytes == 0) return 0;
    return pricer_.seconds(pricer_.group(line), {.kind = kind, .elements = bytes}, 1).value();
  }
  [[nodiscard]] double solving(double count) const { return width_ * width_ * count / (rate_ * trsm_rate); }
  [[nodiscard]] double updating(double rows, double count) const {
    return count == 0 ? 0
                      : 2 * rows * width_ * count / rate_ * (1 + operand_cost / width_) * (1 + operand_cost / count);
  }
  /// Both sweeps; `step` of the rows that are left on a rank.
  template <class Cost>
  [[nodiscard]] double over_steps(Cost&& step) const {
    double total = 0;
    auto const parts = std::min(priced_steps, steps_);
    for (Index s = 0; s < parts; ++s) {
      auto const from = steps_ * s / parts;
      auto const to = steps_ * (s + 1) / parts;
      auto const done = static_cast<double>(from + to + 1) / 2 * width_;
      auto const rows = std::max(0.0, static_cast<double>(n_) - done) / size(across_);
      total += 2 * static_cast<double>(to - from) * step(rows);
    }
    return total;
  }

  Pricer& pricer_;
  std::vector<Rank> along_;
  std::vector<Rank> across_;
  std::int64_t element_;
  Index n_;
  Index steps_;
  double width_;
  double rate_ = 0;
};

template <class T>
Traffic count(SolvePlan const& plan, Distribution const& lu_distribution, Seats const& seats, Place place,
              Pricer& pricer) {
  Team team(seats, place, pricer, nullptr);
  Factors<T> const factors(team, plan.problem.trans, lu_distribution, {nullptr, 1});
  solve_in_form<T>(plan.form, factors, plan.distribution.cols(), {nullptr, 1});
  return team.ledger.planned;
}

}  // namespace

SolvePlan decide(SolveProblem const& problem, Distribution const& lu_distribution, Distribution const& b_distribution,
                 Machine const& machine, Seats const& seats, Pricer& pricer, std::optional<SolveForm> form) {
  auto const& lies = lu_distribution;
  ensure(seats.grid().rows == lies.rows().parts() && seats.grid().cols == lies.cols().parts(), "seats",
         fmt::format("{} x {}", seats.grid().rows, seats.grid().cols),
         fmt::format("the factors' grid, {} x {}", lies.rows().parts(), lies.cols().parts()));
  SolvePlan plan;
  plan.problem = problem;
  auto const sides = b_distribution.cols().extent();
  auto const parts = seats.length(along_way(problem.trans));
  bool const fits = b_distribution.cols().parts() == parts &&
                    b_distribution == sides_distribution(problem.trans, lu_distribution, b_distribution.cols());
  std::optional<double> best;
  SolvePrice const price(problem, lu_distribution, machine, seats, pricer);
  for (auto const one : {SolveForm::sums, SolveForm::panels}) {
    if (form && *form != one) continue;
    auto const own = one == SolveForm::sums ? AxisDistribution::cyclic(sides, parts, widest_sides)
                                            : AxisDistribution::balanced(sides, parts);
    std::vector<AxisDistribution> distributes{own};
    if (fits) distributes.insert(distributes.begin(), b_distribution.cols());
    for (auto const& distribution : distributes) {
      bool const given = fits && distribution == b_distribution.cols();
      auto const predicted = (one == SolveForm::sums ? price.sums(distribution) : price.panels(distribution)) +
                             (fits && !given ? price.moving(b_distribution.cols(), distribution) : 0);
      if (best && predicted >= *best) continue;
      best = predicted;
      plan.form = one;
      plan.distribution = sides_distribution(problem.trans, lu_distribution, distribution);
      plan.total = Seconds(predicted);
    }
  }
  return plan;
}

}  // namespace lu_detail

SolvePlan plan_solve(SolveProblem const& problem, Distribution const& lu_distribution,
                     Distribution const& b_distribution, Machine const& machine, std::optional<SolveForm> form,
                     std::optional<Mapping> const& mapping) {
  auto const n = lu_distribution.rows().extent();
  ensure(lu_distribution.cols().extent() == n, "factors", fmt::format("{} x {}", n, lu_distribution.cols().extent()),
         "those of a square matrix");
  ensure(b_distribution.rows().extent() == n, "B", fmt::format("{} rows", b_distribution.rows().extent()),
         fmt::format("{}", n));
  SolvePlan plan;
  plan.problem = problem;
  plan.distribution = b_distribution;
  plan.traffic.resize(static_cast<std::size_t>(machine.ranks()));
  if (n == 0 || b_distribution.cols().extent() == 0) {
    return plan;
  }
  Pricer pricer(machine, mapping);
  auto const seats = seats_of(lu_distribution);
  plan = decide(problem, lu_distribution, b_distribution, machine, seats, pricer, form);
  plan.traffic.resize(static_cast<std::size_t>(machine.ranks()));
  for (auto const rank : lu_distribution.grid()) {
    auto const place = *seats.place(rank);
    auto& sent = plan.traffic[static_cast<std::size_t>(rank)];
    switch (problem.type) {
      case Scalar::s:
        sent = count<float>(plan, lu_distribution, seats, place, pricer);
        break;
      case Scalar::d:
        sent = count<double>(plan, lu_distribution, seats, place, pricer);
        break;
      case Scalar::c:
        sent = count<std::complex<float>>(plan, lu_distribution, seats, place, pricer);
        break;
      case Scalar::z:
        sent = count<std::complex<double>>(plan, lu_distribution, seats, place, pricer);
        break;
    }
  }
  return plan;
}

}  // namespace allport
