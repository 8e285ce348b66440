// The scheduler's order of blocks, beside a search of all orders that go block after block.
#include "../../src/mapping/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "allport/mapping/orders.h"

using namespace allport;
using mapping::block_order;
using mapping::Cell;

namespace {

struct Shape {
  Cell lengths{};
  std::uint32_t wraps = 0;
  Cell block{};

  [[nodiscard]] std::string text() const {
    std::string s;
    for (auto const& c : {lengths, block}) {
      for (auto const n : c) s += std::to_string(n) + " ";
    }
    return s + "wraps " + std::to_string(wraps);
  }
  [[nodiscard]] int hops(Cell const& a, Cell const& b) const {
    int sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      auto const steps = std::abs(a[i] - b[i]);
      sum += (wraps >> i & 1U) != 0 ? std::min(steps, lengths[i] - steps) : steps;
    }
    return sum;
  }
  [[nodiscard]] Cell block_of(Cell const& c) const { return {c[0] / block[0], c[1] / block[1], c[2] / block[2]}; }
  [[nodiscard]] int volume() const { return lengths[0] * lengths[1] * lengths[2]; }
  [[nodiscard]] Cell counts() const {
    auto last = block_of({lengths[0] - 1, lengths[1] - 1, lengths[2] - 1});
    for (auto& n : last) ++n;
    return last;
  }
  /// Axes of odd length that wrap within one block: block_order() may miss a cycle there.
  [[nodiscard]] bool odd_ring() const {
    for (std::size_t i = 0; i < 3; ++i) {
      if ((wraps >> i & 1U) != 0 && lengths[i] % 2 == 1 && lengths[i] > 1 && block[i] >= lengths[i]) return true;
    }
    return false;
  }
};

/// Whether any order goes block after block from neighbour to neighbour, and ends beside its start.
class Closed {
 public:
  explicit Closed(Shape const& shape) : shape_(shape) {
    for (Cell c{}; c[0] < shape.lengths[0]; ++c[0]) {
      for (c[1] = 0; c[1] < shape.lengths[1]; ++c[1]) {
        for (c[2] = 0; c[2] < shape.lengths[2]; ++c[2]) cells_.push_back(c);
      }
    }
    used_.assign(cells_.size(), false);
  }
  [[nodiscard]] bool exists() {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (from(i, i, 1)) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] bool block_left(std::size_t at) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (!used_[i] && shape_.block_of(cells_[i]) == shape_.block_of(cells_[at])) return true;
    }
    return false;
  }
  [[nodiscard]] bool from(std::size_t at, std::size_t start, std::size_t done) {
    if (done == cells_.size()) return shape_.hops(cells_[at], cells_[start]) <= 1;
    used_[at] = true;
    auto const inside = block_left(at);
    bool found = false;
    for (std::size_t i = 0; i < cells_.size() && !found; ++i) {
      if (used_[i] || shape_.hops(cells_[at], cells_[i]) != 1) continue;
      if (inside != (shape_.block_of(cells_[i]) == shape_.block_of(cells_[at]))) continue;
      found = from(i, start, done + 1);
    }
    used_[at] = false;
    return found;
  }

  Shape shape_;
  std::vector<Cell> cells_;
  std::vector<bool> used_;
};

/// Each cell once, each a neighbour of the one before, each block in one piece. The hops from the last to the first.
int checked(Shape const& shape) {
  auto const order = block_order(shape.lengths, shape.wraps, shape.block);
  EXPECT_EQ(order.size(), static_cast<std::size_t>(shape.volume())) << shape.text();
  EXPECT_EQ(std::set(order.begin(), order.end()).size(), order.size()) << shape.text();
  int jumps = 0, changes = 0;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    jumps += shape.hops(order[i], order[i + 1]) != 1 ? 1 : 0;
    changes += shape.block_of(order[i]) != shape.block_of(order[i + 1]) ? 1 : 0;
  }
  auto const n = shape.counts();
  EXPECT_EQ(jumps, 0) << shape.text();
  EXPECT_EQ(changes, n[0] * n[1] * n[2] - 1) << shape.text();
  return shape.hops(order.back(), order.front());
}

/// Calls visit for all boxes of so many cells at most, each with all blocks that fit and the wraps that matter.
template <class Visit>
void all_shapes(int most, Visit&& visit) {
  Shape s;
  for (Cell l{1, 1, 1}; l[0] <= 6; ++l[0]) {
    for (l[1] = 1; l[1] <= 5; ++l[1]) {
      for (l[2] = 1; l[2] <= 4 && l[0] * l[1] * l[2] <= most; ++l[2]) {
        s.lengths = l;
        for (s.wraps = 0; s.wraps < 8; ++s.wraps) {
          for (Cell b{1, 1, 1}; b[0] <= l[0]; ++b[0]) {
            for (b[1] = 1; b[1] <= l[1]; ++b[1]) {
              for (b[2] = 1; b[2] <= l[2]; ++b[2]) {
                s.block = b;
                visit(s);
              }
            }
          }
        }
      }
    }
  }
}

TEST(BlockOrder, IsACycleWhereverOneGoesBlockAfterBlock) {
  int closed = 0, open = 0;
  all_shapes(16, [&](Shape const& shape) {
    if (checked(shape) <= 1) {
      ++closed;
      return;
    }
    ++open;
    if (!shape.odd_ring()) {
      EXPECT_FALSE(Closed(shape).exists()) << shape.text();
    }
  });
  EXPECT_GT(closed, 1000);
  EXPECT_GT(open, 100);
}

TEST(BlockOrder, OfTheSchedulersBlocksOnAxesOfAnyLength) {
  std::mt19937 random(7);
  auto const below = [&](int n) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 150; ++i) {
    Shape shape{{1 + below(20), 1 + below(12), 1 + below(30)}, 0, {4, 2, 8}};
    shape.wraps = static_cast<std::uint32_t>(below(8));
    auto const apart = checked(shape);
    auto const n = shape.counts();
    auto const blocks = n[0] * n[1] * n[2];
    auto const longer = [](Cell const& c) { return std::ranges::count_if(c, [](auto k) { return k > 1; }); };
    if (longer(shape.lengths) < 2 || (longer(n) < 2 && blocks > 2)) continue;  // a line
    EXPECT_LE(apart, shape.odd_ring() ? 4 : 3) << shape.text();
    if (blocks % 2 == 0 && shape.volume() % 2 == 0) {
      EXPECT_EQ(apart, 1) << shape.text();
    }
  }
}

TEST(BlockOrder, EndsAreNearWhereBlocksHaveNoCycle) {
  EXPECT_EQ(checked({{12, 6, 8}, 0, {4, 2, 8}}), 3);   // 3 x 3 blocks
  EXPECT_EQ(checked({{12, 6, 8}, 1, {4, 2, 8}}), 1);   // x wraps
  EXPECT_EQ(checked({{12, 2, 8}, 0, {4, 2, 8}}), 5);   // a line of three: across the inner block
  EXPECT_EQ(checked({{12, 2, 8}, 1, {4, 2, 8}}), 1);   // a ring of three
  EXPECT_EQ(checked({{12, 6, 24}, 0, {4, 2, 8}}), 3);  // 3 x 3 x 3 blocks
  EXPECT_THROW((void)block_order({4, 0, 8}, 0, {4, 2, 8}), Error);
  EXPECT_THROW((void)block_order({4, 2, 8}, 0, {4, 2, 0}), Error);
}

TEST(BlockOrder, MirrorsTheSchedulersSnake) {
  // Of four blocks in a ring each is entered at a corner: z fastest, then y, then x, there and back.
  Shape const shape{{8, 4, 8}, 0, {4, 2, 8}};
  auto const cells = block_order(shape.lengths, shape.wraps, shape.block);
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    if ((i + 1) % 8 != 0) {
      EXPECT_NE(cells[i][2], cells[i + 1][2]) << i;
    } else if ((i + 1) % 16 != 0) {
      EXPECT_NE(cells[i][1], cells[i + 1][1]) << i;
    } else if ((i + 1) % 64 != 0) {
      EXPECT_NE(cells[i][0], cells[i + 1][0]) << i;
    }
  }
}

TEST(BlockOrder, IsTheOrderBlocks) {
  for (auto const* spec : {"gemini", "gemini:8x4x8", "mesh:8x4x8", "mesh:4x4x8", "torus:5x6", "mesh:24"}) {
    auto const machine = Machine::parse(spec);
    auto const one = Pattern::of_messages("one message", machine.ranks(), {{0, 1, 1}});
    auto const places = order("blocks").make(MappingTask(machine, one)).places;
    ASSERT_EQ(places.size(), static_cast<std::size_t>(machine.ranks()));
    auto const apart = [&](std::size_t a, std::size_t b) {
      return machine.hops(machine.node_of(places[a]), machine.node_of(places[b]));
    };
    auto const hosts = static_cast<std::size_t>(machine.ranks_per_node());
    for (std::size_t i = 0; i + 1 < places.size(); ++i) {
      ASSERT_EQ(apart(i, i + 1), (i + 1) % hosts == 0 ? 1 : 0) << spec << " at " << i;
    }
    if (std::string(spec) != "mesh:24") {
      EXPECT_EQ(apart(places.size() - 1, 0), 1) << spec;
    }
  }
}

}  // namespace
