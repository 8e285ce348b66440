// Tile QR as a graph: it holds together for every shape, and counts what the loops count that it comes from.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/graph/draw.h"
#include "allport/graph/price.h"
#include "allport/graph/simulate.h"
#include "allport/linalg/graphs.h"

namespace allport {
namespace {

struct QrCase {
  Index m;
  Index n;
  Index nb;
  int rows;
  int cols;
  Scalar type = Scalar::d;
  int source = 0;
};

std::ostream& operator<<(std::ostream& out, QrCase const& c) {
  return out << c.m << " x " << c.n << " nb " << c.nb << " on " << c.rows << " x " << c.cols;
}

Distribution qr_distribution(QrCase const& c) {
  return {AxisDistribution::cyclic(c.m, c.rows, c.nb, c.source % c.rows),
          AxisDistribution::cyclic(c.n, c.cols, c.nb, (c.source + 1) % c.cols), ProcessGrid::row_major(c.rows, c.cols)};
}

/// A matrix of `columns` over the rows and the grid of c's.
Distribution beside(QrCase const& c, Index columns, Index nb) {
  auto const d = qr_distribution(c);
  return {d.rows(), AxisDistribution::cyclic(columns, c.cols, nb), d.grid()};
}

std::vector<QrCase> qr_cases() {
  std::vector<QrCase> cases{{0, 0, 4, 1, 1}, {0, 5, 4, 2, 2}, {5, 0, 4, 2, 2},  {1, 1, 4, 2, 3},
                            {1, 9, 4, 2, 3}, {9, 1, 4, 3, 2}, {40, 40, 7, 1, 1}};
  for (auto const& [rows, cols] : {std::pair(1, 5), {5, 1}, {2, 3}, {3, 3}, {4, 2}, {7, 1}, {16, 1}, {1, 16}}) {
    cases.push_back({83, 83, 9, rows, cols, Scalar::d, 1});
    cases.push_back({64, 24, 8, rows, cols, Scalar::z});
    cases.push_back({130, 12, 5, rows, cols, Scalar::s, 2});
    cases.push_back({23, 70, 6, rows, cols, Scalar::c, 3});
  }
  return cases;
}

/// Panel by panel: rows in order down each process row, then heads at distances 1, 2, 4, ...; what a kernel reads of
/// another rank comes over once, a tile each time that it is exchanged.
class QrLoops {
 public:
  explicit QrLoops(QrCase const& c) : c_(c), d_(qr_distribution(c)), counts_(d_.grid().size()) {
    auto const tile_rows = (c.m + c.nb - 1) / c.nb;
    auto const tile_cols = (c.n + c.nb - 1) / c.nb;
    for (Index k = 0; k < std::min(tile_rows, tile_cols); ++k) {
      auto const heads = std::min<Index>(c.rows, tile_rows - k);
      for (Index h = k; h < k + heads; ++h) {
        for (Index i = h; i < tile_rows; i += c.rows) {
          task(i, k);
          for (Index j = k + 1; j < tile_cols; ++j) {
            task(i, j);
            send({0, i, k}, i, k, i, j, rows_of(i) + ib(), cols_of(k));
          }
        }
      }
      for (Index distance = 1; distance < heads; distance *= 2) {
        for (Index h = k; h + distance < k + heads; h += 2 * distance) merge(h, h + distance, k, tile_cols);
      }
    }
  }
  [[nodiscard]] std::vector<graph::Count> const& counts() const { return counts_; }

 private:
  [[nodiscard]] Index ib() const { return std::min<Index>(32, c_.nb); }
  [[nodiscard]] Index rows_of(Index i) const { return std::min(c_.nb, c_.m - i * c_.nb); }
  [[nodiscard]] Index cols_of(Index j) const { return std::min(c_.nb, c_.n - j * c_.nb); }
  [[nodiscard]] Rank owner(Index i, Index j) const {
    return d_.rank_at(d_.rows().owner(i * c_.nb), d_.cols().owner(j * c_.nb));
  }
  void task(Index i, Index j) { counts_[static_cast<std::size_t>(owner(i, j))].tasks += 1; }
  void send(std::tuple<int, Index, Index> what, Index i, Index j, Index to_i, Index to_j, Index rows, Index cols) {
    auto const from = owner(i, j);
    auto const to = owner(to_i, to_j);
    if (from == to || !sent_.insert({what, to}).second) return;
    auto const bytes = rows * cols * bytes_of(c_.type);
    counts_[static_cast<std::size_t>(from)].traffic += {1, 0, bytes, 0};
    counts_[static_cast<std::size_t>(to)].traffic += {0, 1, 0, bytes};
  }
  void merge(Index h, Index i, Index k, Index tile_cols) {
    auto const rows = std::min(rows_of(i), cols_of(k));
    task(h, k);
    task(i, k);
    send({1, i, k}, i, k, h, k, rows, cols_of(k));
    send({2, i, k}, h, k, i, k, rows + ib(), cols_of(k));
    for (Index j = k + 1; j < tile_cols; ++j) {
      task(h, j);
      task(i, j);
      send({2, i, k}, h, k, h, j, rows + ib(), cols_of(k));
      send({2, i, k}, h, k, i, j, rows + ib(), cols_of(k));
      exchange(h, i, j);
    }
  }
  void exchange(Index h, Index i, Index j) {
    for (auto const& [from, to] : {std::pair(h, i), {i, h}}) {
      auto const bytes = rows_of(from) * cols_of(j) * bytes_of(c_.type);
      counts_[static_cast<std::size_t>(owner(from, j))].traffic += {1, 0, bytes, 0};
      counts_[static_cast<std::size_t>(owner(to, j))].traffic += {0, 1, 0, bytes};
    }
  }

  QrCase c_;
  Distribution d_;
  std::vector<graph::Count> counts_;
  std::set<std::pair<std::tuple<int, Index, Index>, Rank>> sent_;
};

/// Largest first, along every edge.
void expect_falling_priority(TaskGraph const& graph) {
  for (Rank r = 0; r < graph.ranks(); ++r) {
    for (std::int64_t s = 0; s < graph.steps(); ++s) {
      graph.tasks(r, s, [&](Task t) {
        graph.children(t, [&](Edge const& edge) {
          EXPECT_LT(graph.priority(edge.child), graph.priority(t)) << graph.name(t) << " " << graph.name(edge.child);
        });
      });
    }
  }
}

TEST(QrGraph, HoldsTogether) {
  for (auto const& c : qr_cases()) {
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const made = qr_graph(qr_distribution(c), c.type);
    auto const report = graph::check(*made);
    EXPECT_TRUE(report.exhaustive);
    EXPECT_FALSE(report.unreached_unknown);
    EXPECT_EQ(report.tasks > 0, c.m > 0 && c.n > 0);
    expect_falling_priority(*made);
  }
}

TEST(QrGraph, CountsAsTheLoopsDo) {
  for (auto const& c : qr_cases()) {
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const wanted = QrLoops(c).counts();
    auto const counted = graph::count(*qr_graph(qr_distribution(c), c.type), *graph::flat());
    ASSERT_EQ(counted.size(), wanted.size());
    for (std::size_t r = 0; r < wanted.size(); ++r) {
      EXPECT_EQ(counted[r].tasks, wanted[r].tasks) << r;
      EXPECT_EQ(counted[r].traffic, wanted[r].traffic) << r;
    }
  }
}

TEST(QrGraph, DoesTheFlopsOfHouseholdersMethodOnOneRank) {
  for (auto const& [m, n] : {std::pair<Index, Index>(600, 600), {1200, 300}, {400, 900}}) {
    double flops = 0;
    for (auto const& count : graph::count(*qr_graph(qr_distribution({m, n, 10, 1, 1})), *graph::flat())) {
      flops += count.flops;
    }
    auto const k = static_cast<double>(std::min(m, n));
    auto const wanted = 4 * (static_cast<double>(m) * static_cast<double>(n) * k -
                             static_cast<double>(m + n) * k * k / 2 + k * k * k / 3);
    EXPECT_NEAR(flops, wanted, 0.05 * wanted);
  }
}

TEST(QrGraph, ProductsWithQHoldTogether) {
  for (auto const& c : qr_cases()) {
    for (bool const adjoint : {true, false}) {
      for (auto const& [columns, nb] : {std::pair<Index, Index>(0, 3), {1, 1}, {17, 4}, {40, 8}}) {
        SCOPED_TRACE(::testing::PrintToString(c) + (adjoint ? " Q^H " : " Q ") + std::to_string(columns));
        auto const made = apply_q_graph(qr_distribution(c), beside(c, columns, nb), adjoint, c.type);
        auto const report = graph::check(*made);
        EXPECT_FALSE(report.unreached_unknown);
        expect_falling_priority(*made);
      }
    }
  }
}

TEST(QrGraph, HouseholdersVectorsHoldTogether) {
  for (auto const& c : qr_cases()) {
    if (c.m < c.n) continue;
    SCOPED_TRACE(::testing::PrintToString(c));
    auto const made = householder_graph(qr_distribution(c), c.type);
    EXPECT_FALSE(graph::check(*made).unreached_unknown);
    expect_falling_priority(*made);
  }
  EXPECT_THROW((void)householder_graph(qr_distribution({4, 5, 2, 1, 1})), Error);
}

TEST(QrGraph, IsPricedSimulatedAndDrawn) {
  auto const made = qr_graph(qr_distribution({400, 240, 20, 4, 4}));
  auto const machine = Machine::parse("bgp:4x4");
  auto const simulated = graph::simulate(*made, machine, *graph::binomial());
  EXPECT_GT(simulated.seconds, simulated.longest_work);
  auto const priced = graph::price(*made, machine, *graph::binomial());
  EXPECT_GT(priced.total.value(), 0.1 * simulated.seconds);
  EXPECT_LT(priced.total.value(), 10 * simulated.seconds);
  auto const drawn = graph::draw(*qr_graph(qr_distribution({4, 2, 1, 2, 1})));
  for (auto const* const name : {"GEQRT(1, 0)", "TSQRT(2, 0)", "TTQRT(1, 0)", "TTMQR(1, 1, 0)", "TTMQR'(1, 1, 0)"}) {
    EXPECT_NE(drawn.find(name), std::string::npos) << name;
  }
}

TEST(QrGraph, RefusesDistributionsWhoseBlocksAreNoTiles) {
  auto const grid = ProcessGrid::row_major(2, 2);
  auto const plain = AxisDistribution::cyclic(20, 2, 4);
  EXPECT_THROW((void)qr_graph({plain, AxisDistribution::cyclic(20, 2, 5), grid}), Error);
  EXPECT_THROW((void)qr_graph({plain, AxisDistribution::cyclic(20, 2, 4, 0, 3), grid}), Error);
  EXPECT_THROW((void)qr_graph({AxisDistribution::balanced(20, 2), AxisDistribution::balanced(20, 2), grid}), Error);
  EXPECT_THROW((void)apply_q_graph({plain, plain, grid}, {AxisDistribution::cyclic(21, 2, 4), plain, grid}, true),
               Error);
}

}  // namespace
}  // namespace allport
