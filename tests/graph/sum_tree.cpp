#include "graph/sum_tree.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <vector>

namespace allport {
namespace {

TEST(GraphSumTree, NeighboursAreCombinedInTheirOrder) {
  for (int n = 1; n <= 70; ++n) {
    for (int root = 0; root < n; ++root) {
      // Independently: every message appends or prepends one interval to another, and all end at the root.
      std::vector<int> first(static_cast<std::size_t>(n));
      std::vector<int> last(first);
      std::vector<int> sent(first);
      std::vector<int> got(first);
      for (int at = 0; at < n; ++at) first[std::size_t(at)] = last[std::size_t(at)] = at;
      graph::sum_messages(SumTree::halves, n, root, [&](int from, int to) {
        auto const f = std::size_t(from);
        auto const t = std::size_t(to);
        EXPECT_EQ(sent[t], 0) << "after it has sent";
        EXPECT_EQ(sent[f]++, 0);
        ++got[t];
        if (last[f] + 1 == first[t]) {
          first[t] = first[f];
        } else {
          ASSERT_EQ(last[t] + 1, first[f]) << n << " root " << root;
          last[t] = last[f];
        }
        auto const place = graph::sum_place(SumTree::halves, n, root, from);
        EXPECT_EQ(place.parent, to);
        EXPECT_EQ(place.contained, last[f] - first[f] + 1);
        EXPECT_EQ(std::ssize(place.parts), got[f]);
      });
      EXPECT_EQ(first[std::size_t(root)], 0);
      EXPECT_EQ(last[std::size_t(root)], n - 1);
      EXPECT_EQ(sent[std::size_t(root)], 0);
      auto const most = static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
      for (auto const parts : got) EXPECT_LE(parts, most);
    }
  }
}

TEST(GraphSumTree, NoWayIsLongerThanItsLogarithm) {
  for (int const n : {1, 2, 3, 7, 64, 1000}) {
    auto const most = static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
    for (int at = 0; at < n; ++at) {
      int steps = 0;
      for (int here = at; here != n / 3; here = graph::sum_place(SumTree::halves, n, n / 3, here).parent) ++steps;
      EXPECT_LE(steps, most) << n << " from " << at;
      int parts = 1;
      for (auto const& part : graph::sum_place(SumTree::halves, n, n / 3, at).parts) parts += part.contained;
      EXPECT_EQ(parts, graph::sum_place(SumTree::halves, n, n / 3, at).contained);
    }
  }
}

TEST(GraphSumTree, InAChainEveryMessageIsOneOfNeighbours) {
  for (int n = 1; n <= 20; ++n) {
    for (int root = 0; root < n; ++root) {
      std::vector<int> contained(static_cast<std::size_t>(n), 1);
      int messages = 0;
      graph::sum_messages(SumTree::chain, n, root, [&](int from, int to) {
        EXPECT_EQ(to, from < root ? from + 1 : from - 1);
        auto const place = graph::sum_place(SumTree::chain, n, root, from);
        EXPECT_EQ(place.parent, to);
        EXPECT_EQ(place.contained, contained[std::size_t(from)]) << n << " root " << root << " from " << from;
        contained[std::size_t(to)] += contained[std::size_t(from)];
        ++messages;
      });
      EXPECT_EQ(messages, n - 1);
      auto const end = graph::sum_place(SumTree::chain, n, root, root);
      EXPECT_EQ(end.parent, -1);
      EXPECT_EQ(end.contained, n);
      EXPECT_EQ(contained[std::size_t(root)], n);
      int parts = 1;
      for (auto const& part : end.parts) {
        EXPECT_EQ(part.contained, contained[std::size_t(part.at)]);
        parts += part.contained;
      }
      EXPECT_EQ(parts, n);
      if (end.parts.size() == 2) EXPECT_GE(end.parts[0].contained, end.parts[1].contained);
    }
  }
}

}  // namespace
}  // namespace allport
