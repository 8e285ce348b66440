// Lower bounds on words against assignments of single multiplications to ranks, whose words are counted one by one:
// random ones, blocks of all sizes, and distributions that leave ranks idle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "allport/base/error.h"
#include "allport/model/cholesky_bound.h"
#include "allport/model/gemm_bound.h"
#include "allport/model/lu_bound.h"

namespace allport::model {
namespace {

using Element = std::array<int, 3>;  // matrix, row, column

/// A multiplication: what it reads, and the sum that it adds to.
struct Product {
  Element left;
  Element right;
  Element sum;
};

/// Who does what, by the product's number.
using Assignment = std::vector<int>;

struct Counted {
  double words = 0;  ///< received by all ranks, the fewest that the assignment allows
  double most = 0;   ///< multiplications of the busiest rank
};

/// Each rank sends a partial sum to where the element is finished, and gets elements from where they are finished;
/// inputs and outputs begin and end wherever that saves most.
Counted count(std::vector<Product> const& products, Assignment const& ranks, int p) {
  std::map<Element, std::set<int>> readers;
  std::map<Element, std::set<int>> adders;
  std::vector<double> done(static_cast<std::size_t>(p), 0.0);
  for (std::size_t x = 0; x < products.size(); ++x) {
    readers[products[x].left].insert(ranks[x]);
    readers[products[x].right].insert(ranks[x]);
    adders[products[x].sum].insert(ranks[x]);
    ++done[static_cast<std::size_t>(ranks[x])];
  }
  Counted counted;
  counted.most = *std::ranges::max_element(done);
  std::set<Element> all;
  for (auto const& [element, who] : readers) all.insert(element);
  for (auto const& [element, who] : adders) all.insert(element);
  for (auto const& element : all) {
    auto const& in = readers[element];
    auto const& out = adders[element];
    double least = static_cast<double>(in.size() + out.size());
    for (int home = 0; home < p; ++home) {
      least = std::min(least, static_cast<double>(in.size() + out.size()) - (in.contains(home) ? 1.0 : 0.0) -
                                  (out.contains(home) ? 1.0 : 0.0));
    }
    counted.words += least;
  }
  return counted;
}

struct Problem {
  std::string name;
  std::vector<Product> products;
  std::function<double(int p, double most)> bound;
};

Problem gemm(int m, int n, int k) {
  Problem problem{"gemm", {}, [=](int p, double most) { return gemm_bound({m, n, k}, p, 0.0, most).words(); }};
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int l = 0; l < k; ++l) problem.products.push_back({{0, i, l}, {1, l, j}, {2, i, j}});
    }
  }
  return problem;
}

Problem lu(int m, int n) {
  Problem problem{"lu", {}, [=](int p, double most) { return lu_bound(m, n, p, 0.0, most).words(); }};
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int s = 0; s < std::min(i, j); ++s) problem.products.push_back({{0, i, s}, {0, s, j}, {0, i, j}});
    }
  }
  EXPECT_EQ(static_cast<double>(problem.products.size()), lu_products(m, n));
  return problem;
}

Problem cholesky(int n) {
  Problem problem{"cholesky", {}, [=](int p, double most) { return cholesky_bound(n, p, 0.0, most); }};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int s = 0; s < j; ++s) problem.products.push_back({{0, i, s}, {0, j, s}, {0, i, j}});
    }
  }
  EXPECT_EQ(static_cast<double>(problem.products.size()), cholesky_products(n));
  return problem;
}

void expect_not_below(Problem const& problem, Assignment const& ranks, int p, std::string const& how, int& positive) {
  auto const counted = count(problem.products, ranks, p);
  auto const bound = problem.bound(p, counted.most);
  EXPECT_GE(counted.words / p, bound * (1 - 1e-12)) << problem.name << " on " << p << " ranks, " << how;
  positive += bound > 0 ? 1 : 0;
}

std::vector<Problem> problems() {
  return {gemm(8, 8, 8), gemm(16, 4, 2), gemm(2, 3, 24), gemm(12, 9, 5),
          lu(12, 12),    lu(24, 6),      lu(5, 17),      cholesky(15)};
}

TEST(WordBounds, HoldForBlocksOfTheCube) {
  int positive = 0;
  for (auto const& problem : problems()) {
    for (int const r : {1, 2, 3, 4}) {
      for (int const s : {1, 2, 3, 4}) {
        for (int const t : {1, 2, 3}) {
          for (int const block : {1, 2, 4, 100}) {  // block-cyclic; the last leaves all to one rank
            Assignment ranks;
            for (auto const& x : problem.products) {
              ranks.push_back(x.sum[1] / block % r + r * (x.sum[2] / block % s) + r * s * (x.left[2] / block % t));
            }
            expect_not_below(problem, ranks, r * s * t, "blocks of " + std::to_string(block), positive);
          }
        }
      }
    }
  }
  EXPECT_GT(positive, 100);
}

TEST(WordBounds, HoldForRandomAssignments) {
  std::mt19937 random(11);
  int positive = 0;
  for (auto const& problem : problems()) {
    for (int const p : {2, 3, 5, 8, 16}) {
      for (int const idle : {0, 1, p / 2}) {
        std::uniform_int_distribution<int> some(0, std::max(0, p - 1 - idle));
        Assignment ranks;
        for (std::size_t x = 0; x < problem.products.size(); ++x) ranks.push_back(some(random));
        // Better and better: a rank takes a product over where that saves words.
        for (int round = 0; round < 4; ++round) {
          expect_not_below(problem, ranks, p, "random, round " + std::to_string(round), positive);
          std::map<Element, std::map<int, int>> users;
          for (std::size_t x = 0; x < ranks.size(); ++x) {
            for (auto const& e : {problem.products[x].left, problem.products[x].right, problem.products[x].sum})
              ++users[e][ranks[x]];
          }
          for (std::size_t x = 0; x < ranks.size(); ++x) {
            std::vector<int> worth(static_cast<std::size_t>(p), 0);
            for (auto const& e : {problem.products[x].left, problem.products[x].right, problem.products[x].sum}) {
              for (auto const& [rank, times] : users[e]) worth[static_cast<std::size_t>(rank)] += times;
            }
            ranks[x] = static_cast<int>(std::ranges::max_element(worth) - worth.begin());
          }
        }
      }
    }
  }
  EXPECT_GT(positive, 20);
}

TEST(WordBounds, AreNothingWhereOneRankDoesAll) {
  EXPECT_EQ(gemm_bound({100, 100, 100}, 4, 0.0, 1e6).words(), 0.0);
  EXPECT_EQ(lu_bound(50, 50, 4, 0.0, lu_products(50, 50)).words(), 0.0);
  EXPECT_EQ(cholesky_bound(50, 4, 0.0, cholesky_products(50)), 0.0);
  EXPECT_EQ(gemm_bound({100, 100, 100}, 1, 1e5).words() + lu_bound(99, 99, 1, 1e5).words() + cholesky_bound(99, 1, 1e5),
            0.0);
}

TEST(WordBounds, RefuseLessThanAMeanRanksMultiplications) {
  EXPECT_THROW((void)gemm_bound({10, 10, 10}, 4, 0.0, 200.0), Error);
  EXPECT_THROW((void)lu_bound(10, 10, 4, 0.0, 1.0), Error);
  EXPECT_THROW((void)cholesky_bound(10, 4, 0.0, 1.0), Error);
}

}  // namespace
}  // namespace allport::model
