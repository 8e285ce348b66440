// Cannon's algorithm on q x q x c: 2D for c = 1, 2.5D for c > 1 (deck 1 slide 9; SC'11).
//
// Layer 0 holds A and B. They are broadcast along the layers; layer l does the steps t = floor(q l / c) ... of 2D
// Cannon, at which P_ijl multiplies A(i, kappa) and B(kappa, j) with kappa = (i + j + t) mod q; sums are
// reduce-scattered along c.
#include <algorithm>

#include "allport/comm/messages.h"
#include "gemm_run.h"

namespace allport::gemm_detail {

namespace {

int wrap(int x, int q) { return ((x % q) + q) % q; }

/// Steps of a layer, and whose blocks a place holds.
struct Walk {
  int q;
  int first;
  int last;
  Place p;

  Walk(GemmGrid const& grid, Place place)
      : q(grid.rows),
        first(static_cast<int>(cut(grid.rows, grid.layers, place.l))),
        last(static_cast<int>(cut(grid.rows, grid.layers, place.l + 1))),
        p(place) {}
  [[nodiscard]] int kappa(int t) const { return (p.i + p.j + t) % q; }
  // The skew: A(i, kappa(first)) lies at column kappa, B(kappa, j) at row kappa; mine go where they are needed.
  [[nodiscard]] Place a_source() const { return {p.i, kappa(first), p.l}; }
  [[nodiscard]] Place a_target() const { return {p.i, wrap(p.j - p.i - first, q), p.l}; }
  [[nodiscard]] Place b_source() const { return {kappa(first), p.j, p.l}; }
  [[nodiscard]] Place b_target() const { return {wrap(p.i - p.j - first, q), p.j, p.l}; }
  // The shifts: A one to the left, B one up.
  [[nodiscard]] Place right() const { return {p.i, wrap(p.j + 1, q), p.l}; }
  [[nodiscard]] Place left() const { return {p.i, wrap(p.j - 1, q), p.l}; }
  [[nodiscard]] Place below() const { return {wrap(p.i + 1, q), p.j, p.l}; }
  [[nodiscard]] Place above() const { return {wrap(p.i - 1, q), p.j, p.l}; }
};

std::optional<std::string> needs_square(GemmGrid const& grid) {
  if (grid.rows != grid.cols) return "needs a square grid, p_r = p_c";
  if (grid.layers > grid.rows) return "needs c <= q, so that every layer has a step";
  return std::nullopt;
}
std::optional<std::string> needs_square_2d(GemmProblem const&, GemmGrid const& grid) {
  if (grid.layers != 1) return "is 2D: it needs c = 1";
  return needs_square(grid);
}
std::optional<std::string> needs_square_25d(GemmProblem const&, GemmGrid const& grid) {
  if (grid.layers == 1) return "needs c > 1; with c = 1 it is 'cannon'";
  return needs_square(grid);
}

void torus_distributions(GemmProblem const& problem, Frame const& frame, GemmPlan& plan) {
  auto const q = frame.grid().rows;
  std::vector<Index> m{0}, n{0}, k{0};
  std::vector<Rank> owners;
  for (int j = 0; j < q; ++j) {
    m.push_back(cut(problem.m, q, j + 1));
    n.push_back(cut(problem.n, q, j + 1));
    k.push_back(cut(problem.k, q, j + 1));
    for (int i = 0; i < q; ++i) owners.push_back(frame.rank({i, j, 0}));
  }
  plan.a = operand_distribution(problem.trans_a, m, k, owners);
  plan.b = operand_distribution(problem.trans_b, k, n, owners);
  plan.c = c_distribution(problem, frame);
}

std::vector<Stretch> torus_stages(GemmProblem const& problem, Frame const& frame, Place p, Index) {
  Walk const walk(frame.grid(), p);
  auto const q = walk.q;
  auto const rows = share(problem.m, q, p.i);
  auto const cols = share(problem.n, q, p.j);
  auto const depth = [&](int kappa) { return share(problem.k, q, kappa); };
  auto const a_move = [&](Place to, Place from, int sent, int received) {
    return Step{.kind = Step::Kind::exchange,
                .elements = rows * depth(sent),
                .received = rows * depth(received),
                .to = frame.rank(to),
                .from = frame.rank(from)};
  };
  auto const b_move = [&](Place to, Place from, int sent, int received) {
    return Step{.kind = Step::Kind::exchange,
                .elements = cols * depth(sent),
                .received = cols * depth(received),
                .to = frame.rank(to),
                .from = frame.rank(from)};
  };
  std::vector<Stretch> result;
  if (frame.grid().layers > 1) {
    Stage stage;
    stage.steps.push_back({.line = GridAxis::layer, .root = 0, .elements = rows * depth(p.j)});
    stage.steps.push_back({.line = GridAxis::layer, .root = 0, .elements = depth(p.i) * cols});
    result.push_back({.narrow = std::move(stage)});
  }
  for (int t = walk.first; t < walk.last; ++t) {
    auto const now = walk.kappa(t);
    auto const before = walk.kappa(t + q - 1);
    Stage stage;
    stage.steps.push_back(t == walk.first ? a_move(walk.a_target(), walk.a_source(), p.j, now)
                                          : a_move(walk.left(), walk.right(), before, now));
    stage.steps.push_back(t == walk.first ? b_move(walk.b_target(), walk.b_source(), p.i, now)
                                          : b_move(walk.above(), walk.below(), before, now));
    stage.depth = depth(now);
    stage.flops = 2.0 * static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(depth(now));
    result.push_back({.narrow = std::move(stage)});
  }
  result.push_back({.narrow = reduce_stage(problem, frame, p)});
  return result;
}

/// The widest block of k.
Index deepest(GemmProblem const& problem, int q) { return (problem.k + q - 1) / q; }

Index torus_workspace(GemmProblem const& problem, Frame const& frame, Place p, Index) {
  auto const q = frame.grid().rows;
  auto const across = share(problem.m, q, p.i) + share(problem.n, q, p.j);
  return 3 * across * deepest(problem, q) + reduce_workspace(problem, frame, p);
}

/// One operand that wanders: `held` is the own block after the broadcast along the layers, then two buffers take turns.
template <class T>
struct Wanderer {
  Index across = 0;
  bool k_is_slow = true;
  T const* now = nullptr;
  T* next = nullptr;
  T* spare = nullptr;
  Transfer send, receive;

  [[nodiscard]] Block<T> block(Index k) const { return {now, std::max<Index>(k_is_slow ? across : k, 1)}; }
};

template <class T>
class Cannon {
 public:
  explicit Cannon(GemmRun<T>& run) : run_(run), walk_(run.frame.grid(), run.me) {
    auto const& problem = run.plan.problem;
    a_.across = run.my_rows();
    a_.k_is_slow = problem.trans_a == Trans::none;
    b_.across = run.my_cols();
    b_.k_is_slow = problem.trans_b != Trans::none;
    auto const most = deepest(problem, walk_.q);
    for (auto* w : {&a_, &b_}) {
      w->next = run.work.template take<T>(w->across * most);
      w->spare = run.work.template take<T>(w->across * most);
    }
    replicate(a_, run.a, depth(run.me.j));
    replicate(b_, run.b, depth(run.me.i));
    run.wait_for(a_.receive);
    run.wait_for(b_.receive);
  }

  void run_all(T* sum, Index ld, T first_factor) {
    // The skew is the first move; it has nothing to hide behind.
    move(a_, walk_.a_target(), walk_.a_source(), depth(run_.me.j), depth(walk_.kappa(walk_.first)), 0);
    move(b_, walk_.b_target(), walk_.b_source(), depth(run_.me.i), depth(walk_.kappa(walk_.first)), 1);
    for (int t = walk_.first; t < walk_.last; ++t) {
      arrive(a_);
      arrive(b_);
      auto const now = depth(walk_.kappa(t));
      auto const left = a_.block(now);
      auto const right = b_.block(now);
      if (t + 1 < walk_.last) {
        auto const then = depth(walk_.kappa(t + 1));
        move(a_, walk_.left(), walk_.right(), now, then, 0);
        move(b_, walk_.above(), walk_.below(), now, then, 1);
      }
      run_.multiply(now, left, right, t == walk_.first ? first_factor : T(1), sum, ld);
      run_.tell(t - walk_.first + 1, walk_.last - walk_.first);
    }
  }

 private:
  [[nodiscard]] Index depth(int kappa) const { return share(run_.plan.problem.k, walk_.q, kappa); }

  /// Brings the own block of layer 0 to all layers, packed.
  void replicate(Wanderer<T>& w, Part<T const> part, Index k) {
    auto const rows = w.k_is_slow ? w.across : k;
    auto const cols = w.k_is_slow ? k : w.across;
    bool const root = run_.me.l == 0;
    if (root && (part.ld == rows || cols <= 1)) {
      w.now = part.data;
    } else {
      auto* const held = run_.work.template take<T>(rows * cols);
      if (root) pack(rows, cols, part.data, part.ld, held);
      w.now = held;
    }
    if (run_.frame.grid().layers > 1) {
      auto const all = std::span<T>(const_cast<T*>(w.now), static_cast<std::size_t>(rows * cols));
      Step const step{.line = GridAxis::layer, .root = 0, .elements = rows * cols};
      w.receive = run_.start(step, {{}, std::as_writable_bytes(all)});
    }
  }

  void move(Wanderer<T>& w, Place to, Place from, Index k_sent, Index k_received, int tag) {
    auto const target = run_.frame.rank(to);
    auto const source = run_.frame.rank(from);
    auto const me = run_.comm.rank();
    if (target == me) {  // then the source is me too: the block stays where it is
      stays_[tag] = true;
      return;
    }
    stays_[tag] = false;
    auto const out = std::span<T const>(w.now, static_cast<std::size_t>(w.across * k_sent));
    auto const in = std::span<T>(w.next, static_cast<std::size_t>(w.across * k_received));
    w.receive = run_.comm.start_receive(std::as_writable_bytes(in), source, tag);
    w.send = run_.comm.start_send(std::as_bytes(out), target, tag);
  }

  void arrive(Wanderer<T>& w) {
    auto const tag = &w == &a_ ? 0 : 1;
    run_.wait_for(w.receive);
    run_.wait_for(w.send);
    if (!stays_[tag]) {
      w.now = w.next;
      std::swap(w.next, w.spare);
    }
  }

  GemmRun<T>& run_;
  Walk walk_;
  Wanderer<T> a_, b_;
  bool stays_[2] = {false, false};
};

}  // namespace

template <class T>
void run_cannon(GemmRun<T>& run) {
  bool const layered = run.frame.grid().layers > 1;
  auto const rows = run.my_rows();
  auto const cols = run.my_cols();
  T* const sum = layered ? run.work.template take<T>(rows * cols) : run.c.data;
  Cannon<T>(run).run_all(sum, layered ? std::max<Index>(rows, 1) : run.c.ld, layered ? T(0) : run.beta);
  reduce_layers(run, sum);
}
template void run_cannon(GemmRun<float>&);
template void run_cannon(GemmRun<double>&);
template void run_cannon(GemmRun<std::complex<float>>&);
template void run_cannon(GemmRun<std::complex<double>>&);

extern Method const cannon{"cannon",
                           "2D Cannon: skewed blocks wander left and up (deck 1 slide 9)",
                           Method::Form::cannon,
                           false,
                           needs_square_2d,
                           torus_distributions,
                           torus_stages,
                           torus_workspace};
extern Method const cannon25{
    "cannon25",           "2.5D Cannon: c copies of A and B, q/c shifts a layer (deck 1 slide 9)",
    Method::Form::cannon, false,
    needs_square_25d,     torus_distributions,
    torus_stages,         torus_workspace};

extern Method const cannon_tasks{"cannon_tasks",
                                 "2D Cannon as a task graph; so far only where it is named",
                                 Method::Form::cannon,
                                 false,
                                 needs_square_2d,
                                 torus_distributions,
                                 nullptr,
                                 nullptr,
                                 true};
extern Method const cannon25_tasks{"cannon25_tasks",
                                   "2.5D Cannon as a task graph; so far only where it is named",
                                   Method::Form::cannon,
                                   false,
                                   needs_square_25d,
                                   torus_distributions,
                                   nullptr,
                                   nullptr,
                                   true};

}  // namespace allport::gemm_detail
