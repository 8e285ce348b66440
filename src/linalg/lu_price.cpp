#include "lu_price.h"

#include <algorithm>
#include <cmath>

namespace allport::lu_detail {

namespace {

/// Parts of the peak that panels reach: LAPACK on a tall block; a column at a time with the others asked in between.
constexpr double panel_rate = 0.35;
constexpr double column_rate = 0.12;
/// What exchanging rows and multiplying by narrow panels cost more, in columns.
constexpr double thin_panels = 16;
constexpr Bytes cache_line{64};
struct StepCost {
  double compute = 0;
  double communicate = 0;
  double total = 0;
  double words = 0;
  double messages = 0;
  double exchanged = 0;

  StepCost& operator+=(StepCost const& x) {
    compute += x.compute;
    communicate += x.communicate;
    total += x.total;
    words += x.words;
    messages += x.messages;
    exchanged += x.exchanged;
    return *this;
  }
  [[nodiscard]] StepCost operator*(double f) const {
    return {compute * f, communicate * f, total * f, words * f, messages * f, exchanged * f};
  }
};

class LuPrice {
 public:
  LuPrice(LuProblem const& problem, Machine const& machine, LuOptions const& options, Pricer& pricer,
          LuCandidate const& candidate)
      : problem_(problem),
        pricer_(pricer),
        candidate_(candidate),
        element_(bytes_of(problem.type)),
        seats_(candidate_without_given(candidate), options) {
    for (auto const way : all_ways) {
      groups_[static_cast<std::size_t>(way)] = &pricer.group(seats_.members({}, way));
    }
    double const work = problem.type == Scalar::c || problem.type == Scalar::z ? 4 : 1;
    double const speed = problem.type == Scalar::s || problem.type == Scalar::c ? 2 : 1;
    if (machine.rates().memory_bandwidth.value() > 0) {
      row_element_seconds_ = (cache_line / machine.rates().memory_bandwidth).value();
    }
    rate_ = machine.rates().flops.value() / machine.ranks_per_node() * speed / work;
  }

  /// The step whose panel begins at column `at`, with b columns.
  [[nodiscard]] StepCost step(double at, double b) {
    auto const& g = candidate_.grid;
    auto const rows = std::max(0.0, static_cast<double>(problem_.m) - at) / g.rows;
    auto const cols = std::max(0.0, static_cast<double>(problem_.n) - at - b) / g.cols;
    StepCost cost;
    // The panel; with layers its rows are distributed over all of them.
    auto const tall = rows / g.layers;
    auto const panel_flops = tall * b * b;
    bool const alone = g.rows * g.layers == 1;
    bool const by_column = problem_.pivoting == Pivoting::partial && !alone;
    auto const panel_compute = panel_flops / (rate_ * (by_column ? column_rate : panel_rate));
    auto const panel_talk = alone ? 0.0 : panel_seconds(b, cost);
    auto const left = collective(Step::Kind::broadcast, Way::row, tall * b, cost);
    auto const exchange = g.rows == 1 ? 0.0 : exchange_seconds(b, cols, cost);
    auto const upper = collective(Step::Kind::broadcast, Way::col, b * cols / g.layers, cost);
    auto const solve = b * b * cols / g.layers / (rate_ * trsm_rate);
    auto const update = 2.0 * rows * cols * b / g.layers / rate_ * (1.0 + thin_panels * g.layers / b);
    auto const over_layers = g.layers == 1 ? 0.0 : layer_seconds(rows, cols, b, cost);
    cost.compute = panel_compute / g.cols + solve / g.rows + update;
    cost.communicate = panel_talk + left + exchange + upper + over_layers;
    auto const panel = panel_compute + panel_talk;
    auto const hidden = g.cols == 1 ? panel + update : std::max(update + panel / g.cols, panel + left);
    cost.total = exchange + solve + upper + over_layers + hidden;
    return cost;
  }

  /// 1D: the panels of a block of w columns whose first is `at`, all on one rank, b at a time. The rank sends them
  /// without a pause while it factors the next; what the next rank then waits for is the last one's way through the
  /// machine.
  [[nodiscard]] StepCost block(double at, double w, double b) {
    auto const ranks = static_cast<double>(candidate_.grid.cols);
    auto const rows = std::max(0.0, static_cast<double>(problem_.m) - at);
    auto const right = std::max(0.0, static_cast<double>(problem_.n) - at - w);
    auto const busiest =
        std::ceil(right / (static_cast<double>(candidate_.nb) * ranks)) * static_cast<double>(candidate_.nb);
    StepCost cost;
    auto const first = rows * b * b * (1.0 / panel_rate + 2.0) / rate_;
    auto const thin = 1.0 + thin_panels / b;
    auto const own = rows * w * (b / panel_rate + w * thin) / rate_;
    auto const update = 2.0 * rows * w * std::min(busiest, right) / rate_ * thin;
    auto const stream = collective(Step::Kind::broadcast, Way::row, rows * w, cost);
    cost.messages *= w / b;
    cost.compute = own / ranks + update;
    cost.communicate = stream;
    cost.total = ranks > 1 ? first + std::max({stream, own, update}) : own + update;
    return cost;
  }

 private:
  static LuCandidate candidate_without_given(LuCandidate candidate) {
    candidate.in_place = false;
    return candidate;
  }

  double collective(Step::Kind kind, Way way, double elements, StepCost& cost, bool whole = false) {
    auto const count = static_cast<Index>(elements) * element_;
    if (seats_.length(way) == 1 || count <= 0) {
      return 0;
    }
    Step const step{.kind = kind, .elements = whole ? 1 : count};
    cost.words += elements;
    cost.messages += 1;
    return pricer_.seconds(*groups_[static_cast<std::size_t>(way)], step, whole ? count : 1).value();
  }

  double panel_seconds(double b, StepCost& cost) {
    auto const way = candidate_.grid.layers > 1 ? Way::tall : Way::col;
    auto const share = 1.0 / candidate_.grid.cols;  // of the steps in which a rank has a part of the panel
    StepCost own;
    double seconds = 0;
    if (problem_.pivoting == Pivoting::none) {
      seconds = collective(Step::Kind::broadcast, way, b * b, own);
    } else if (problem_.pivoting == Pivoting::tournament) {
      auto const small = b * b * (2.0 * b) / (rate_ * panel_rate);
      seconds = collective(Step::Kind::reduce, way, b * b, own, true) +
                collective(Step::Kind::broadcast, way, 2 * b * b, own) + small * (1.0 + std::log2(seats_.length(way)));
    } else {
      seconds = b * collective(Step::Kind::allreduce, way, 2 * b + 4, own, true);
      own = own * b;
    }
    cost.words += own.words * share;
    cost.messages += own.messages * share;
    return seconds;
  }

  /// Half of the rows that change places lie on other ranks of the column and meet at the diagonal's.
  double exchange_seconds(double b, double cols, StepCost& cost) {
    if (problem_.pivoting == Pivoting::none) {
      return 0;
    }
    auto const others = 1.0 - 1.0 / candidate_.grid.rows;
    auto const elements = b * cols * others;
    cost.exchanged += 2.0 * elements / candidate_.grid.rows;
    StepCost unused;
    return collective(Step::Kind::broadcast, Way::col, elements, unused) + 2.0 * elements * row_element_seconds_;
  }

  /// Sums of the next panels over the layers, and the panels' way to the layer that multiplies by them.
  double layer_seconds(double rows, double cols, double b, StepCost& cost) {
    auto const elements = (rows + cols) * b / candidate_.grid.cols;
    return collective(Step::Kind::reduce, Way::layer, elements, cost) +
           collective(Step::Kind::broadcast, Way::layer, elements, cost);
  }

  LuProblem const& problem_;
  Pricer& pricer_;
  LuCandidate const& candidate_;
  std::int64_t element_;
  Seats seats_;
  std::array<Group const*, all_ways.size()> groups_{};
  double rate_ = 0;
  double row_element_seconds_ = 0;  ///< taking an element out of a row, or putting one in: a cache line of its own
};

}  // namespace

void price(LuProblem const& problem, Machine const& machine, LuOptions const& options, Pricer& pricer,
           LuCandidate& candidate) {
  auto const count = std::min(problem.m, problem.n);
  auto const b = std::max<Index>(1, std::min(candidate.block, count));
  // 1D is priced by blocks of a rank, the others by panels.
  bool const by_block = candidate.algorithm == "1d";
  auto const step = by_block ? std::max<Index>(1, std::min(candidate.nb, count)) : b;
  auto const steps = (count + step - 1) / step;
  LuPrice priced(problem, machine, options, pricer, candidate);
  StepCost sum;
  auto const parts = static_cast<int>(std::min<Index>(priced_steps, steps));
  for (int s = 0; s < parts; ++s) {
    auto const from = steps * s / parts;
    auto const to = steps * (s + 1) / parts;
    auto const middle = static_cast<double>(from + to - 1) / 2.0 * static_cast<double>(step);
    auto const width = std::min(static_cast<double>(step), static_cast<double>(count) - middle);
    auto const panel = static_cast<double>(b);
    sum += (by_block ? priced.block(middle, width, std::min(panel, width)) : priced.step(middle, width)) *
           static_cast<double>(to - from);
  }
  candidate.compute = Seconds(sum.compute);
  candidate.communicate = Seconds(sum.communicate);
  candidate.total = Seconds(sum.total);
  candidate.words = std::llround(sum.words);
  candidate.messages = std::llround(sum.messages);
  candidate.exchanged_words = sum.exchanged;
}

std::pair<Traffic, Bytes> count(LuPlan const& plan, Pricer& pricer, Place place) {
  Seats const seats(plan.chosen, plan.options);
  Team team(seats, place, pricer, nullptr);
  Order const order{plan.problem, plan.chosen, {}};
  auto const run = [&]<class T>(T) { (void)factor<T>(team, order, plan.distribution, Part<T>{nullptr, 1}); };
  switch (plan.problem.type) {
    case Scalar::s:
      run(float{});
      break;
    case Scalar::d:
      run(double{});
      break;
    case Scalar::c:
      run(std::complex<float>{});
      break;
    case Scalar::z:
      run(std::complex<double>{});
      break;
  }
  auto const rank = seats.rank(place);
  auto const part = place.l > 0 ? 0 : plan.distribution.local_rows(rank) * plan.distribution.local_cols(rank);
  return {team.ledger.planned,
          Bytes(part * bytes_of(plan.problem.type) + team.ledger.work.bytes() + team.ledger.scratch)};
}

}  // namespace allport::lu_detail
