// Individualization and refinement on two copies of a graph: a class gets a colour of its own in one copy and its image
// the same colour in the other; colours that then differ show that no automorphism maps so. Images are chosen so that
// classes move along cycles of one length and by equal distances, as those of a translation do.
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "collectives/index.h"
#include "collectives/network/symmetry.h"

namespace allport {
namespace {

class AutomorphismSearch {
 public:
  /// `base`: stable colours that automorphisms respect.
  AutomorphismSearch(Quotient const& quotient, TranslationGroup const& group, Colours const& base, std::int32_t root)
      : quotient_(quotient),
        group_(group),
        base_(base),
        root_(root),
        from_root_(quotient.distances(root)),
        here_(base) {
    individualize(here_, root, 1);
    rounds_ = quotient.refine(here_);
    histogram_ = histogram(here_);
  }

  /// An automorphism that commutes with the group, maps the root to `target`, and moves each compute class. `straight`:
  /// moves all classes of the root's colour by equal distances.
  std::optional<Permutation> find(std::int32_t target, bool straight) {
    straight_ = straight;
    left_ = 60;
    moved_by_ = from_root_[at(target)];
    auto there = base_;
    individualize(there, target, 1);
    quotient_.refine(there, rounds_);
    if (histogram(there) != histogram_ || !extend(here_, there, {root_, 0, 2})) return std::nullopt;
    return found_;
  }

 private:
  /// Where the search is: the cycle that is followed begins at `start`; the first one had `period` classes, 0: not yet
  /// known; `tag`: the next colour.
  struct Position {
    std::int32_t start;
    std::int64_t period;
    std::uint64_t tag;
  };

  void individualize(Colours& colours, std::int32_t c, std::uint64_t tag) const {
    auto const images = group_.images(c);
    for (std::size_t x = 0; x < images.size(); ++x) colours[at(images[x])] = mixed(mixed(tag, x), 0xc01);
  }
  static std::vector<std::int32_t> by_colour(Colours const& colours) {
    std::vector<std::int32_t> order(colours.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int32_t c) { return std::pair(colours[at(c)], c); });
    return order;
  }
  /// Images of the classes that have a colour of their own; -1 for others.
  static Permutation known(Colours const& here, std::vector<std::int32_t> const& order_here,
                           std::vector<std::int32_t> const& order_there) {
    Permutation image(here.size(), -1);
    for (std::size_t i = 0; i < order_here.size(); ++i) {
      auto const colour = here[at(order_here[i])];
      auto const alone = (i == 0 || here[at(order_here[i - 1])] != colour) &&
                         (i + 1 == order_here.size() || here[at(order_here[i + 1])] != colour);
      if (alone) image[at(order_here[i])] = order_there[i];
    }
    return image;
  }

  /// The next class whose image is to be chosen: the end of the cycle that is followed, else another; -1: all are
  /// known.
  [[nodiscard]] std::int32_t next(Permutation const& image, Position& position, std::int64_t& length) const {
    length = 0;
    for (auto c = position.start; image[at(c)] >= 0;) {
      c = image[at(c)];
      ++length;
      if (c == position.start) {
        if (position.period == 0) position.period = length;
        length = 0;
        break;
      }
      if (image[at(c)] < 0) return c;
    }
    std::int32_t other = -1;
    for (std::int32_t c = quotient_.size() - 1; c >= 0; --c) {
      if (image[at(c)] >= 0) continue;
      if (other < 0 || quotient_.is_compute(c) || !quotient_.is_compute(other)) other = c;
    }
    if (other >= 0) position.start = other;
    return other;
  }

  bool extend(Colours const& here, Colours const& there, Position position) {
    auto const order_here = by_colour(here), order_there = by_colour(there);
    auto const image = known(here, order_here, order_there);
    std::int64_t length = 0;
    auto const c = next(image, position, length);
    if (c < 0) return accept(image);
    auto const choices = candidates(here, order_here, order_there, position, length, c);
    auto colours_here = here;
    individualize(colours_here, c, position.tag);
    auto const rounds = quotient_.refine(colours_here);
    auto const wanted = histogram(colours_here);
    for (auto const d : choices) {
      auto colours_there = there;
      individualize(colours_there, d, position.tag);
      quotient_.refine(colours_there, rounds);
      if (histogram(colours_there) == wanted &&
          extend(colours_here, colours_there, {position.start, position.period, position.tag + 1}))
        return true;
      if (--left_ < 0) return false;
    }
    return false;
  }

  /// What c may be mapped to, the likeliest first.
  [[nodiscard]] std::vector<std::int32_t> candidates(Colours const& here, std::vector<std::int32_t> const& order_here,
                                                     std::vector<std::int32_t> const& order_there,
                                                     Position const& position, std::int64_t length,
                                                     std::int32_t c) const {
    auto const distance = quotient_.distances(c);
    auto const starts = group_.images(position.start);
    auto const compute = quotient_.is_compute(c);
    auto const as_root = compute && base_[at(c)] == base_[at(root_)];
    auto const closes = position.period > 0 && length + 1 == position.period;
    using Rank3 = std::tuple<int, int, std::int32_t, std::int32_t>;
    std::vector<Rank3> ranked;
    auto const cell =
        std::ranges::equal_range(order_here, here[at(c)], {}, [&](std::int32_t x) { return here[at(x)]; });
    for (auto const& x : cell) {
      auto const d = order_there[at(&x - order_here.data())];
      if (compute && d == c) continue;
      auto const equally = as_root && distance[at(d)] != moved_by_ ? 1 : 0;
      if (straight_ && equally != 0) continue;
      auto const to_start = std::ranges::find(starts, d) != starts.end();
      auto const order = closes     ? (d == position.start ? 0
                                       : to_start          ? 1
                                                           : 2)
                         : to_start ? (d == position.start ? 1 : 2)
                                    : 0;
      ranked.emplace_back(equally, order, as_root ? 0 : distance[at(d)], d);
    }
    std::ranges::sort(ranked);
    std::vector<std::int32_t> found;
    for (auto const& entry : ranked) found.push_back(std::get<3>(entry));
    return found;
  }

  bool accept(Permutation const& image) {
    --left_;
    for (std::int32_t c = 0; c < quotient_.size(); ++c)
      if (quotient_.is_compute(c) && image[at(c)] == c) return false;
    if (!quotient_.is_automorphism(image)) return false;
    if (straight_) {
      auto const step = std::max(1, quotient_.size() / 16);
      for (std::int32_t c = 0; c < quotient_.size(); c += step) {
        if (base_[at(c)] == base_[at(root_)] && quotient_.distances(c)[at(image[at(c)])] != moved_by_) return false;
      }
    }
    found_ = image;
    return true;
  }

  Quotient const& quotient_;
  TranslationGroup const& group_;
  Colours const& base_;
  std::int32_t root_;
  std::vector<std::int32_t> from_root_;
  Colours here_;  // with a colour for the root
  int rounds_ = 0;
  std::uint64_t histogram_ = 0;
  std::int32_t moved_by_ = 0;
  bool straight_ = true;
  int left_ = 0;
  Permutation found_;
};

std::size_t colours_of_compute(Quotient const& quotient, Colours const& colours) {
  Colours all;
  for (std::int32_t c = 0; c < quotient.size(); ++c)
    if (quotient.is_compute(c)) all.push_back(colours[at(c)]);
  std::ranges::sort(all);
  return static_cast<std::size_t>(std::ranges::unique(all).begin() - all.begin());
}

/// Stable colours where as many switches as possible stay where they are: those that can have a colour of their own
/// without telling compute nodes apart. So elements that move no compute node are left out.
Colours with_fixed_switches(Quotient const& quotient) {
  auto colours = quotient.kinds();
  quotient.refine(colours);
  auto const kinds = colours_of_compute(quotient, colours);
  std::vector<bool> done(colours.size());
  std::uint64_t tag = 0;
  for (std::int32_t c = 0; c < quotient.size(); ++c) {
    if (quotient.is_compute(c) || done[at(c)]) continue;
    if (std::ranges::count(colours, colours[at(c)]) == 1) continue;
    auto tried = colours;
    tried[at(c)] = mixed(++tag, 0xf1);
    quotient.refine(tried);
    if (colours_of_compute(quotient, tried) == kinds) {
      colours = std::move(tried);
    } else {
      for (std::size_t x = 0; x < colours.size(); ++x)
        if (colours[x] == colours[at(c)]) done[x] = true;
    }
  }
  return colours;
}

/// The classes of the smallest cell of compute classes; empty where cells have sizes without a common divisor.
std::vector<std::int32_t> smallest_cell(Quotient const& quotient, Colours const& colours) {
  std::vector<std::pair<std::uint64_t, std::int32_t>> sorted;
  for (std::int32_t c = 0; c < quotient.size(); ++c)
    if (quotient.is_compute(c)) sorted.emplace_back(colours[at(c)], c);
  std::ranges::sort(sorted);
  std::vector<std::int32_t> best;
  std::int64_t divisor = 0;
  for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
    std::vector<std::int32_t> cell;
    for (end = i; end < sorted.size() && sorted[end].first == sorted[i].first; ++end)
      cell.push_back(sorted[end].second);
    divisor = std::gcd(divisor, std::ssize(cell));
    if (best.empty() || cell.size() < best.size()) best = std::move(cell);
  }
  if (divisor == 1) best.clear();
  return best;
}

/// The largest extension of the group among the first few that are found. False: none was.
bool extend_group(Quotient const& quotient, Colours const& base, std::vector<std::int32_t> const& targets,
                  std::int32_t root, TranslationGroup& group) {
  AutomorphismSearch search(quotient, group, base, root);
  auto const most = std::max(12, 100'000 / quotient.size());
  for (bool const straight : {true, false}) {
    auto best = group;
    int found = 0, tried = 0;
    for (auto const target : targets) {
      if (++tried > (straight ? 12 : most) || found == 6) break;
      auto const generator = search.find(target, straight);
      auto extended = group;
      if (!generator || !extended.extend(quotient, *generator)) continue;
      ++found;
      if (extended.order() > best.order()) best = std::move(extended);
      if (straight) break;
    }
    if (found > 0) {
      group = std::move(best);
      return true;
    }
  }
  return false;
}

}  // namespace

TranslationGroup find_translations(Quotient const& quotient) {
  TranslationGroup group;
  auto const base = with_fixed_switches(quotient);
  auto const cell = smallest_cell(quotient, base);
  if (cell.size() < 2) return group;
  auto const root = cell.front();
  auto const distance = quotient.distances(root);
  for (;;) {
    auto mine = group.images(root);
    std::ranges::sort(mine);
    std::vector<std::int32_t> targets;
    for (auto const c : cell)
      if (!std::ranges::binary_search(mine, c)) targets.push_back(c);
    std::ranges::stable_sort(targets, {}, [&](std::int32_t c) { return distance[at(c)]; });
    if (targets.empty() || !extend_group(quotient, base, targets, root, group)) return group;
  }
}

}  // namespace allport
