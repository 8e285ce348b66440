#include "sum_tree.h"

#include <optional>
#include <utility>

namespace allport::graph {

namespace {

/// Contributions first ... last - 1, whose partial sum is computed at `head`.
struct Interval {
  int first = 0;
  int last = 0;
  int head = 0;
  [[nodiscard]] bool has(int place) const { return place >= first && place < last; }
  [[nodiscard]] int size() const { return last - first; }
};

/// Splits off the half without the head; nothing if the head is alone.
std::optional<Interval> split(Interval& whole) {
  if (whole.size() < 2) return std::nullopt;
  auto const middle = whole.first + whole.size() / 2;
  Interval half;
  if (whole.head < middle) {
    half = {middle, whole.last, middle};
    whole.last = middle;
  } else {
    half = {whole.first, middle, middle - 1};
    whole.first = middle;
  }
  return half;
}

void visit_messages(Interval whole, FunctionRef<void(int, int)> visit) {
  auto const half = split(whole);
  if (!half) return;
  visit_messages(whole, visit);
  visit_messages(*half, visit);
  visit(half->head, whole.head);
}

SumPlace chain_place(int contributions, int root, int at) {
  SumPlace place;
  place.contained = at < root ? at + 1 : at > root ? contributions - at : contributions;
  if (at != root) place.parent = at < root ? at + 1 : at - 1;
  SumPlace::Part const below{at - 1, at};
  SumPlace::Part const above{at + 1, contributions - at - 1};
  if (at <= root && at > 0) place.parts.push_back(below);
  if (at >= root && at + 1 < contributions) place.parts.push_back(above);
  if (place.parts.size() == 2 && above.contained > below.contained) std::swap(place.parts[0], place.parts[1]);
  return place;
}

}  // namespace

SumPlace sum_place(SumTree tree, int contributions, int root, int at) {
  if (tree == SumTree::chain) return chain_place(contributions, root, at);
  Interval whole{0, contributions, root};
  SumPlace place;
  while (whole.head != at) {
    auto const half = split(whole);
    if (!half->has(at)) continue;
    place.parent = whole.head;
    whole = *half;
  }
  place.contained = whole.size();
  while (auto const half = split(whole)) place.parts.push_back({half->head, half->size()});
  return place;
}

void sum_messages(SumTree tree, int contributions, int root, FunctionRef<void(int from, int to)> visit) {
  if (tree == SumTree::chain) {
    for (int at = 0; at < root; ++at) visit(at, at + 1);
    for (int at = contributions - 1; at > root; --at) visit(at, at - 1);
    return;
  }
  visit_messages({0, contributions, root}, visit);
}

}  // namespace allport::graph
