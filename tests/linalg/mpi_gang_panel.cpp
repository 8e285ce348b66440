// LU's panel with partial pivoting as a gang: one reduction a column, rows that change places by what the pivots say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#include "allport/graph/check.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"

extern "C" void dgetrf_(int const*, int const*, double*, int const*, int*, int*);

namespace allport::testing {
namespace {

/// A member's best pivot of a column.
struct Candidate {
  double size = -1;
  std::int64_t row = 0;
};

void better(std::byte const* left, std::byte const* right, std::byte* out, std::int64_t) {
  Candidate a;
  Candidate b;
  std::memcpy(&a, left, sizeof a);
  std::memcpy(&b, right, sizeof b);
  if (b.size > a.size || (b.size == a.size && b.row < a.row)) a = b;
  std::memcpy(out, &a, sizeof a);
}

/// So many panels, each over ranks of its own, row i on member i mod p. Task(kind, i, k): member, panel.
///   factor(i, k)   a gang
///   compare(k)     on the first member's rank: all parts beside LAPACK's
class Panels : public TaskGraph {
 public:
  enum Kind : std::uint16_t { factor, compare };

  Panels(Rank ranks, int panels, int width) : ranks_(ranks), width_(width) {
    std::mt19937 random(7);
    for (int k = 0; k < panels; ++k) {
      Panel panel;
      panel.owners.resize(static_cast<std::size_t>(ranks));
      std::iota(panel.owners.begin(), panel.owners.end(), 0);
      std::ranges::shuffle(panel.owners, random);
      panel.owners.resize(1 + random() % panel.owners.size());
      panel.rows = width + static_cast<int>(random() % 60);
      panel.whole.resize(static_cast<std::size_t>(panel.rows) * static_cast<std::size_t>(width));
      for (auto& x : panel.whole) x = std::uniform_real_distribution<double>(-1, 1)(random);
      panel.lapack = panel.whole;
      panel.pivots.resize(static_cast<std::size_t>(width));
      int info = 0;
      dgetrf_(&panel.rows, &width, panel.lapack.data(), &panel.rows, panel.pivots.data(), &info);
      panels_.push_back(std::move(panel));
    }
  }

  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    for (int k = 0; k < panels(); ++k) {
      for (int i = 0; i < members(k); ++i) {
        if (owner({factor, 0, i, 0, k}) == rank) visit({factor, 0, i, 0, k});
      }
    }
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    std::int64_t sum = 0;
    for (auto const& p : panels_) sum += std::ranges::count(p.owners, rank) + (p.owners.front() == rank ? 1 : 0);
    return sum;
  }
  Rank owner(Task t) const override { return of(t).owners[t.kind == factor ? std::size_t(t.i) : 0]; }
  int num_parents(Task t) const override { return t.kind == factor ? 0 : members(t.k); }
  void children(Task t, VisitEdge visit) const override {
    if (t.kind == factor) visit({{compare, 0, 0, 0, t.k}, t.i});
  }
  Shape output(Task t, int) const override { return {rows_of(t.k, t.i), width_, 8 * width_}; }
  bool gang(Task t, Gang& gang) const override {
    if (t.kind != factor) return false;
    gang = Gang{};
    auto const p = members(t.k);
    for (int i = 0; i < p; ++i) gang.members.push_back({factor, 0, i, 0, t.k});
    for (int c = 0; c < width_; ++c) {
      gang.collectives.push_back({Collective::allreduce, 0, sizeof(Candidate), sizeof(Candidate), 1});
      gang.collectives.push_back({Collective::broadcast, c % p, 8 * width_, 8, 1});
    }
    gang.expected_messages = 2.0 * width_ * (1 - 1.0 / p) / p;
    gang.expected_bytes = gang.expected_messages * 8 * width_;
    return true;
  }
  void run(Task t, TaskContext& context) const override {
    t.kind == factor ? run_factor(t, context) : run_compare(t, context);
  }

  [[nodiscard]] int panels() const { return static_cast<int>(panels_.size()); }
  [[nodiscard]] int wrong() const { return wrong_; }
  /// Rows that went to another rank.
  [[nodiscard]] int moved() const {
    int rows = 0;
    for (auto const& p : panels_) {
      auto const size = static_cast<int>(p.owners.size());
      for (int c = 0; c < width_; ++c) rows += (p.pivots[std::size_t(c)] - 1) % size != c % size ? 2 : 0;
    }
    return rows;
  }
  /// Of the panels that were compared here.
  [[nodiscard]] std::vector<double> const& factors() const { return factors_; }

 private:
  struct Panel {
    std::vector<Rank> owners;
    int rows = 0;
    std::vector<double> whole;  ///< column-major, as LAPACK's
    std::vector<double> lapack;
    std::vector<int> pivots;
  };
  [[nodiscard]] Panel const& of(Task t) const { return panels_[static_cast<std::size_t>(t.k)]; }
  [[nodiscard]] int members(int k) const {
    return static_cast<int>(panels_[static_cast<std::size_t>(k)].owners.size());
  }
  [[nodiscard]] int rows_of(int k, int member) const {
    return (panels_[static_cast<std::size_t>(k)].rows - member + members(k) - 1) / members(k);
  }
  [[nodiscard]] std::span<std::byte> row_bytes(double* row) const {
    return std::as_writable_bytes(std::span(row, static_cast<std::size_t>(width_)));
  }

  void run_factor(Task t, TaskContext& context) const {
    auto& gang = context.gang();
    auto const p = gang.members();
    auto const rows = rows_of(t.k, t.i);
    auto* const pivots = reinterpret_cast<std::int64_t*>(context.output(0).data());
    auto* const mine = reinterpret_cast<double*>(pivots + width_);  // row-major
    auto const row = [&](std::int64_t global) { return mine + global / p * width_; };
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < width_; ++c) mine[r * width_ + c] = of(t).whole[std::size_t(r * p + t.i + c * of(t).rows)];
    }
    std::vector<double> top(static_cast<std::size_t>(width_));
    for (int c = 0; c < width_; ++c) {
      auto const first = (c - t.i + p - 1) / p;  // own row that is not above the diagonal
      Candidate candidate;
      for (int r = std::max(first, 0); r < rows; ++r) {
        if (auto const size = std::abs(mine[r * width_ + c]); size > candidate.size) candidate = {size, r * p + t.i};
      }
      gang.allreduce(std::as_writable_bytes(std::span(&candidate, 1)), better);
      pivots[c] = candidate.row;
      exchange(gang, row, c, candidate.row);
      if (c % p == t.i) std::copy_n(row(c), width_, top.begin());
      gang.broadcast(c % p, std::as_writable_bytes(std::span(top)));
      for (int r = std::max((c + 1 - t.i + p - 1) / p, 0); r < rows; ++r) {
        auto* const a = mine + r * width_;
        a[c] /= top[std::size_t(c)];
        for (int j = c + 1; j < width_; ++j) a[j] -= a[c] * top[std::size_t(j)];
      }
    }
  }

  template <class Row>
  void exchange(GangContext& gang, Row const& row, std::int64_t a, std::int64_t b) const {
    auto const p = gang.members();
    auto const own = [&](std::int64_t r) { return static_cast<int>(r % p); };
    if (a == b) return;
    if (own(a) == own(b)) {
      if (own(a) == gang.me()) std::swap_ranges(row(a), row(a) + width_, row(b));
      return;
    }
    for (auto const& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
      if (own(here) != gang.me()) continue;
      gang.send(own(there), row_bytes(row(here)));
      auto const got = gang.receive(own(there));
      ASSERT_EQ(got.size(), row_bytes(row(here)).size());
      std::ranges::copy(got, row_bytes(row(here)).begin());
    }
  }

  void run_compare(Task t, TaskContext& context) const {
    auto const p = members(t.k);
    auto const& panel = of(t);
    std::scoped_lock const hold(mutex_);
    for (int i = 0; i < p; ++i) {
      auto const* const pivots = reinterpret_cast<std::int64_t const*>(context.input(i).data());
      auto const* const part = reinterpret_cast<double const*>(pivots + width_);
      for (int c = 0; c < width_; ++c) {
        wrong_ += pivots[c] + 1 != panel.pivots[std::size_t(c)] ? 1 : 0;
        for (int r = 0; r < rows_of(t.k, i); ++r) {
          auto const x = part[r * width_ + c];
          auto const wanted = panel.lapack[std::size_t(r * p + i + c * panel.rows)];
          wrong_ += std::abs(x - wanted) <= 1e-11 * std::max(1.0, std::abs(wanted)) ? 0 : 1;
          factors_.push_back(x);
        }
      }
    }
  }

  Rank ranks_;
  int width_;
  std::vector<Panel> panels_;
  mutable std::mutex mutex_;
  mutable int wrong_ = 0;
  mutable std::vector<double> factors_;
};

TEST(GangPanel, FactorsAsLapackDoes) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (int const workers : {1, 2}) {
    for (int const width : {1, 16}) {
      std::vector<std::vector<double>> runs;
      for (int again = 0; again < 2; ++again) {
        Panels const graph(comm.size(), 6, width);
        graph::check(graph);
        auto const report = tasks::run(graph, comm, {.workers = workers});
        EXPECT_EQ(graph.wrong(), 0) << width << " columns";
        auto const counted = graph::count(graph, *tasks::transport(comm.machine()))[std::size_t(comm.rank())];
        EXPECT_EQ(report.count.traffic, counted.traffic) << width << " columns";
        // Row exchanges are counted apart, and over all ranks are those of LAPACK's pivots.
        auto const messages = static_cast<std::int64_t>(report.count.expected_messages);
        EXPECT_EQ(report.count.expected_bytes, 8.0 * width * report.count.expected_messages);
        auto const all = comm.all_gather(std::span(&messages, 1));
        EXPECT_EQ(std::accumulate(all.begin(), all.end(), std::int64_t{0}), graph.moved());
        // Panels are compared in any order.
        runs.push_back(graph.factors());
        std::ranges::sort(runs.back());
      }
      EXPECT_EQ(runs[0], runs[1]) << "the same bits on every run";
    }
  }
}

}  // namespace
}  // namespace allport::testing
