#include "allport/graph/sum_tree.h"

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
      graph::sum_messages(n, root, [&](int from, int to) {
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
        auto const place = graph::sum_place(n, root, from);
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
      for (int here = at; here != n / 3; here = graph::sum_place(n, n / 3, here).parent) ++steps;
      EXPECT_LE(steps, most) << n << " from " << at;
      int parts = 1;
      for (auto const& part : graph::sum_place(n, n / 3, at).parts) parts += part.contained;
      EXPECT_EQ(parts, graph::sum_place(n, n / 3, at).contained);
    }
  }
}

}  // namespace
}  // namespace allport
