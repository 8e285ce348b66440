// SUMMA on p_r x p_c x c: 2D for c = 1, 2.5D for c > 1 (deck 1 slides 8 to 13), and 3D, which sends every panel at
// once.
//
// Layer l works on slice l of k and holds that slice of A and B from the start, distributed over its p_r x p_c ranks,
// so nothing is replicated before the first panel; the layers' sums are reduce-scattered along c in the end. The words
// per rank are n^2/sqrt(cp) for A and for B and (c-1)/c n^2 c/p for C (docs/decisions/0003-k-sliced-layers.md).
#include <algorithm>
#include <array>
#include <set>

#include "gemm_panels.h"
#include "gemm_run.h"

namespace allport::gemm_detail {

namespace {

/// The owner of index k within cuts [first part's begin, ...].
int owner_of(Index k, Index begin, Index extent, int parts) {
  auto const about = static_cast<double>(k - begin) / static_cast<double>(std::max<Index>(extent, 1)) * parts;
  int p = std::clamp(static_cast<int>(about), 0, parts - 1);
  while (p > 0 && begin + cut(extent, parts, p) > k) --p;
  while (begin + cut(extent, parts, p + 1) <= k) ++p;
  return p;
}

}  // namespace

std::vector<Slab> slabs_of(GemmProblem const& problem, GemmGrid const& grid, int layer, Index width) {
  auto const begin = cut(problem.k, grid.layers, layer);
  auto const extent = share(problem.k, grid.layers, layer);
  std::set<Index> cuts{begin, begin + extent};
  for (int j = 0; j < grid.cols; ++j) cuts.insert(begin + cut(extent, grid.cols, j));
  for (int i = 0; i < grid.rows; ++i) cuts.insert(begin + cut(extent, grid.rows, i));
  std::vector<Slab> slabs;
  for (auto next = std::next(cuts.begin()); next != cuts.end(); ++next) {
    auto const from = *std::prev(next);
    auto const length = *next - from;
    slabs.push_back({from, length, owner_of(from, begin, extent, grid.cols), owner_of(from, begin, extent, grid.rows),
                     (length - 1) / width + 1});
  }
  return slabs;
}

std::vector<Panel> panels_of(GemmProblem const& problem, GemmGrid const& grid, int layer, Index width) {
  std::vector<Panel> panels;
  for (auto const& slab : slabs_of(problem, grid, layer, width)) {
    for (Index p = 0; p < slab.panels; ++p) {
      panels.push_back({slab.begin + cut(slab.length, slab.panels, p),
                        slab.begin + cut(slab.length, slab.panels, p + 1), slab.a_owner, slab.b_owner});
    }
  }
  return panels;
}

std::size_t panels_in_flight(std::size_t panels, bool all_at_once) {
  return all_at_once ? panels : std::min<std::size_t>(panels, 2);
}

namespace {

void panel_distributions(GemmProblem const& problem, Frame const& frame, GemmPlan& plan) {
  auto const& grid = frame.grid();
  std::vector<Index> m_cuts{0};
  std::vector<Index> n_cuts{0};
  for (int i = 0; i < grid.rows; ++i) m_cuts.push_back(cut(problem.m, grid.rows, i + 1));
  for (int j = 0; j < grid.cols; ++j) n_cuts.push_back(cut(problem.n, grid.cols, j + 1));
  std::vector<Rank> a_grid;
  std::vector<Rank> b_grid;
  for (int l = 0; l < grid.layers; ++l) {
    for (int j = 0; j < grid.cols; ++j) {
      for (int i = 0; i < grid.rows; ++i) a_grid.push_back(frame.rank({i, j, l}));
    }
  }
  for (int j = 0; j < grid.cols; ++j) {
    for (int l = 0; l < grid.layers; ++l) {
      for (int i = 0; i < grid.rows; ++i) b_grid.push_back(frame.rank({i, j, l}));
    }
  }
  plan.a = operand_distribution(problem.trans_a, m_cuts, slice_cuts(problem.k, grid.layers, grid.cols), a_grid);
  plan.b = operand_distribution(problem.trans_b, slice_cuts(problem.k, grid.layers, grid.rows), n_cuts, b_grid);
  plan.c = c_distribution(problem, frame);
}

std::vector<Stretch> panel_stages(GemmProblem const& problem, Frame const& frame, Place p, Index width) {
  auto const& grid = frame.grid();
  auto const rows = share(problem.m, grid.rows, p.i);
  auto const cols = share(problem.n, grid.cols, p.j);
  std::vector<Stretch> result;
  for (auto const& slab : slabs_of(problem, grid, p.l, width)) {
    auto const of_width = [&](Index panel) {
      Stage stage;
      if (grid.cols > 1) stage.steps.push_back({.line = GridAxis::row, .root = slab.a_owner, .elements = rows * panel});
      if (grid.rows > 1) stage.steps.push_back({.line = GridAxis::col, .root = slab.b_owner, .elements = panel * cols});
      stage.depth = panel;
      stage.flops = 2.0 * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(panel);
      return stage;
    };
    auto const wides = slab.length % slab.panels;
    auto const narrow = slab.length / slab.panels;
    result.push_back({of_width(narrow), wides > 0 ? of_width(narrow + 1) : Stage(), slab.panels - wides, wides});
  }
  result.push_back({.narrow = reduce_stage(problem, frame, p)});
  return result;
}

/// Whether wide pieces of a slab lie at an odd distance from its last one, which is wide. They are panels / wides
/// apart, or one more; of the distances around the circle, the one over its end (the longer) counts for nothing.
bool wide_at_both_parities(Index panels, Index wides) {
  auto const apart = panels / wides;
  auto const longer = panels % wides;
  bool const short_ones = longer > 0 || wides > 1;
  return apart % 2 == 1 ? short_ones : longer > 1;
}

/// The widest panel of each of the two slots that panels take in turn.
std::array<Index, 2> widest_in_turn(std::vector<Slab> const& slabs) {
  std::array<Index, 2> widest{};
  auto const meet = [&](Index panel, Index width) {
    auto& slot = widest[static_cast<std::size_t>(panel % 2)];
    slot = std::max(slot, width);
  };
  Index before = 0;  // panels of earlier slabs
  for (auto const& slab : slabs) {
    auto const wides = slab.length % slab.panels;
    auto const narrow = slab.length / slab.panels;
    meet(before, narrow);
    if (slab.panels > 1) meet(before + 1, narrow);
    auto const last = before + slab.panels - 1;
    if (wides > 0) meet(last, narrow + 1);
    if (wides > 0 && wide_at_both_parities(slab.panels, wides)) meet(last + 1, narrow + 1);
    before += slab.panels;
  }
  return widest;
}

Index space(GemmProblem const& problem, Frame const& frame, Place p, Index width, bool all_at_once) {
  auto const& grid = frame.grid();
  auto const widest = widest_in_turn(slabs_of(problem, grid, p.l, width));
  auto const held = all_at_once ? share(problem.k, grid.layers, p.l) : widest[0] + widest[1];
  auto const rows = grid.cols > 1 ? share(problem.m, grid.rows, p.i) : 0;
  auto const cols = grid.rows > 1 ? share(problem.n, grid.cols, p.j) : 0;
  return held * (rows + cols) + reduce_workspace(problem, frame, p);
}
Index panel_workspace(GemmProblem const& problem, Frame const& frame, Place p, Index width) {
  return space(problem, frame, p, width, false);
}
Index panel_workspace_3d(GemmProblem const& problem, Frame const& frame, Place p, Index width) {
  return space(problem, frame, p, width, true);
}

std::optional<std::string> needs_one_layer(GemmProblem const&, GemmGrid const& grid) {
  return grid.layers == 1 ? std::nullopt : std::optional<std::string>("is 2D: it needs c = 1");
}
std::optional<std::string> needs_layers(GemmProblem const&, GemmGrid const& grid) {
  return grid.layers > 1 ? std::nullopt : std::optional<std::string>("needs c > 1; with c = 1 it is 'summa'");
}

/// One operand of the panels: where it lies, and the buffers it lands in.
template <class T>
struct Operand : Stored<T> {
  GridAxis line = GridAxis::row;
  std::vector<T*> buffers;  ///< one a slot, none when the line has length 1
};

template <class T>
class Pipeline {
 public:
  Pipeline(GemmRun<T>& run, std::vector<Panel> panels, bool all_at_once)
      : run_(run), panels_(std::move(panels)), slots_(panels_in_flight(panels_.size(), all_at_once)) {
    auto const& problem = run.plan.problem;
    auto const& grid = run.frame.grid();
    a_ = {stored_a(problem, grid, run.me, run.a), GridAxis::row, {}};
    b_ = {stored_b(problem, grid, run.me, run.b), GridAxis::col, {}};
    std::vector<Index> widest(slots_, 0);
    for (std::size_t t = 0; t < panels_.size(); ++t) {
      widest[t % slots_] = std::max(widest[t % slots_], panels_[t].width());
    }
    for (auto* operand : {&a_, &b_}) {
      for (std::size_t s = 0; s < slots_; ++s) {
        bool const travels = run.frame.length(operand->line) > 1;
        operand->buffers.push_back(travels ? run.work.template take<T>(widest[s] * operand->across) : nullptr);
      }
    }
    flight_.resize(slots_);
  }

  void run_all(T* sum, Index ld, T first_factor) {
    for (std::size_t t = 0; t < slots_; ++t) start(t);
    for (std::size_t t = 0; t < panels_.size(); ++t) {
      auto& flight = flight_[t % slots_];
      run_.wait_for(flight.a_transfer);
      run_.wait_for(flight.b_transfer);
      run_.multiply(panels_[t].width(), flight.a, flight.b, t == 0 ? first_factor : T(1), sum, ld);
      if (t + slots_ < panels_.size()) start(t + slots_);
      run_.tell(static_cast<int>(t) + 1, static_cast<int>(panels_.size()));
    }
  }

 private:
  struct Flight {
    Block<T> a, b;
    Transfer a_transfer, b_transfer;
  };

  void start(std::size_t t) {
    auto& flight = flight_[t % slots_];
    auto const& panel = panels_[t];
    std::tie(flight.a, flight.a_transfer) = send(a_, panel, panel.a_owner, t % slots_, run_.me.j);
    std::tie(flight.b, flight.b_transfer) = send(b_, panel, panel.b_owner, t % slots_, run_.me.i);
  }

  std::pair<Block<T>, Transfer> send(Operand<T> const& operand, Panel const& panel, int owner, std::size_t slot,
                                     int my_index) {
    if (run_.frame.length(operand.line) == 1) {
      return {operand.at(panel.begin), Transfer()};
    }
    auto const rows = operand.rows(panel.width());
    auto const cols = operand.cols(panel.width());
    auto const elements = static_cast<std::size_t>(rows * cols);
    T* buffer = operand.buffers[slot];
    if (owner == my_index) {
      auto const from = operand.at(panel.begin);
      if (from.ld == rows || cols <= 1) {
        buffer = const_cast<T*>(from.data);  // the root of a broadcast only reads
      } else {
        pack(rows, cols, from.data, from.ld, buffer);
      }
    }
    Step const step{.line = operand.line, .root = owner, .elements = static_cast<Index>(elements)};
    auto transfer = run_.start(step, {{}, std::as_writable_bytes(std::span<T>(buffer, elements))});
    return {Block<T>{buffer, std::max<Index>(rows, 1)}, std::move(transfer)};
  }

  GemmRun<T>& run_;
  std::vector<Panel> panels_;
  std::size_t slots_;
  Operand<T> a_, b_;
  std::vector<Flight> flight_;
};

}  // namespace

template <class T>
void run_summa(GemmRun<T>& run) {
  auto const& grid = run.frame.grid();
  bool const layered = grid.layers > 1;
  auto const rows = run.my_rows();
  auto const cols = run.my_cols();
  T* const sum = layered ? run.work.template take<T>(rows * cols) : run.c.data;
  auto const ld = layered ? std::max<Index>(rows, 1) : run.c.ld;
  auto const first_factor = layered ? T(0) : run.beta;
  auto panels = panels_of(run.plan.problem, grid, run.me.l, run.plan.chosen.panel);
  if (panels.empty()) {
    scale(rows, cols, first_factor, sum, ld);
  } else {
    Pipeline<T>(run, std::move(panels), run.plan.chosen.algorithm == "3d").run_all(sum, ld, first_factor);
  }
  reduce_layers(run, sum);
}
template void run_summa(GemmRun<float>&);
template void run_summa(GemmRun<double>&);
template void run_summa(GemmRun<std::complex<float>>&);
template void run_summa(GemmRun<std::complex<double>>&);

/// Two forms of each: panel after panel, and as the graph that it is (gemm_graph.h), run by tasks.
extern Method const summa{"summa",
                          "2D SUMMA: panels of A along rows, panels of B along columns (deck 1 slide 8)",
                          Method::Form::summa,
                          true,
                          needs_one_layer,
                          panel_distributions,
                          panel_stages,
                          panel_workspace};
extern Method const summa25{
    "summa25",           "2.5D SUMMA: c layers share k, their sums are reduce-scattered (deck 1 slide 9)",
    Method::Form::summa, true,
    needs_layers,        panel_distributions,
    panel_stages,        panel_workspace};
extern Method const gemm3d{"3d",
                           "3D: every block travels at once, one multiplication a block, sums over c layers",
                           Method::Form::summa,
                           false,
                           needs_layers,
                           panel_distributions,
                           panel_stages,
                           panel_workspace_3d};
extern Method const summa_tasks{"summa_tasks",
                                "2D SUMMA as a task graph; so far only where it is named",
                                Method::Form::summa,
                                true,
                                needs_one_layer,
                                panel_distributions,
                                nullptr,
                                nullptr,
                                true};
extern Method const summa25_tasks{"summa25_tasks",
                                  "2.5D SUMMA as a task graph; so far only where it is named",
                                  Method::Form::summa,
                                  true,
                                  needs_layers,
                                  panel_distributions,
                                  nullptr,
                                  nullptr,
                                  true};
extern Method const gemm3d_tasks{"3d_tasks",
                                 "3D as a task graph; so far only where it is named",
                                 Method::Form::summa,
                                 false,
                                 needs_layers,
                                 panel_distributions,
                                 nullptr,
                                 nullptr,
                                 true};

}  // namespace allport::gemm_detail
