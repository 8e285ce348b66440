#include "embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "allport/base/error.h"
#include "allport/mapping/mapping.h"
#include "index.h"

namespace allport {

namespace {

using mapping::at;

constexpr std::string_view letters = "ijl";
/// Limit of the search: machines of many axes can be divided in too many ways.
constexpr int most_tried = 2000;

/// A reflected digit: it counts backwards if the number above it is odd.
constexpr int reflected(int digit, int length, std::int64_t above) {
  return above % 2 == 0 ? digit : length - 1 - digit;
}

/// Lengths of the axes to divide: the ranks of a node, if several, then the machine's axes.
std::vector<int> lengths_of(Machine const& machine) {
  std::vector<int> lengths;
  if (machine.ranks_per_node() > 1) lengths.push_back(machine.ranks_per_node());
  for (int a = 0; a < machine.axes(); ++a) lengths.push_back(machine.axis(a).length);
  return lengths;
}

/// Ways to divide a machine axis among the grid's, each of which has `left` steps left: visit(parts).
template <class Visit>
void divide(int length, Embedding::Lengths const& left, std::vector<Embedding::Part>& parts, Visit const& visit) {
  if (length == 1) {
    visit(std::as_const(parts));
    return;
  }
  for (int g = 0; g < 3; ++g) {
    auto const is_used = std::ranges::any_of(parts, [&](auto const& p) { return p.grid_axis == g; });
    if (is_used) continue;
    for (int steps = length; steps > 1; --steps) {
      if (length % steps != 0 || left[at(g)] % steps != 0) continue;
      parts.push_back({g, steps});
      divide(length / steps, left, parts, visit);
      parts.pop_back();
    }
  }
}

class Search {
 public:
  Search(Machine const& machine, Embedding::Lengths const& lengths) : machine_(machine), grid_(lengths) {
    axes_ = lengths_of(machine);
  }

  [[nodiscard]] std::vector<Embedding> all() {
    along(0, grid_);
    std::ranges::stable_sort(found_, {}, [](auto const& one) { return one.first; });
    std::vector<Embedding> sorted;
    for (auto& [_, one] : found_) sorted.push_back(std::move(one));
    return sorted;
  }

 private:
  void along(std::size_t axis, Embedding::Lengths left) {
    if (tried_ == most_tried) return;
    if (axis == axes_.size()) {
      if (left != Embedding::Lengths{1, 1, 1}) return;
      ++tried_;
      Embedding made(parts_);
      if (lines_are_boxes(made)) found_.emplace_back(divided(), std::move(made));
      return;
    }
    std::vector<Embedding::Part> parts;
    divide(axes_[axis], left, parts, [&](std::vector<Embedding::Part> const& made) {
      auto rest = left;
      for (auto const& p : made) rest[at(p.grid_axis)] /= p.length;
      parts_.push_back(made);
      along(axis + 1, rest);
      parts_.pop_back();
    });
  }

  [[nodiscard]] int divided() const {
    return static_cast<int>(std::ranges::count_if(parts_, [](auto const& p) { return p.size() > 1; }));
  }

  [[nodiscard]] bool lines_are_boxes(Embedding const& made) const {
    auto const places = made.places();
    std::array<int, 3> const strides{1, grid_[0], grid_[0] * grid_[1]};
    for (int g = 0; g < 3; ++g) {
      auto const stride = strides[at(g)];
      for (int first = 0; first < static_cast<int>(places.size()) && grid_[at(g)] > 1; ++first) {
        if (first / stride % grid_[at(g)] != 0) continue;
        std::vector<Rank> line;
        for (int s = 0; s < grid_[at(g)]; ++s) line.push_back(places[at(first + s * stride)]);
        if (!find_box(machine_, line)) return false;
      }
    }
    return true;
  }

  Machine const& machine_;
  Embedding::Lengths grid_;
  std::vector<int> axes_;
  int tried_ = 0;
  std::vector<std::vector<Embedding::Part>> parts_;
  std::vector<std::pair<int, Embedding>> found_;
};

}  // namespace

Embedding::Embedding(std::vector<std::vector<Part>> parts) : parts_(std::move(parts)) {
  for (auto const& axis : parts_) {
    for (auto const& part : axis) lengths_[at(part.grid_axis)] *= part.length;
  }
}

Embedding Embedding::parse(std::string_view text) {
  auto const fail = [&](std::string const& what) {
    throw Error::argument(
        "order", fmt::format("'{}'", text), what,
        "write for each axis of the machine the grid's axes i, j and l and their steps, as j4,j2i2,i4");
  };
  std::vector<std::vector<Part>> parts(1);
  std::int64_t ranks = 1;
  for (std::size_t next = 0; next < text.size();) {
    if (text[next] == ',') {
      parts.emplace_back();
      ++next;
      continue;
    }
    auto const axis = letters.find(text[next]);
    if (axis == letters.npos) fail("i, j or l before each number of steps");
    Part part{static_cast<int>(axis), 0};
    auto const [end, code] = std::from_chars(text.data() + next + 1, text.data() + text.size(), part.length);
    if (code != std::errc() || part.length < 1) fail("a number of steps >= 1 after each letter");
    ranks *= part.length;
    if (ranks > std::numeric_limits<Rank>::max()) fail("fewer than 2^31 ranks");
    if (part.length > 1) parts.back().push_back(part);
    next = static_cast<std::size_t>(end - text.data());
  }
  return Embedding(std::move(parts));
}

std::string Embedding::text() const {
  std::string text;
  for (std::size_t a = 0; a < parts_.size(); ++a) {
    if (a > 0) text += ',';
    for (auto const& part : parts_[a]) text += fmt::format("{}{}", letters[at(part.grid_axis)], part.length);
  }
  return text;
}

std::vector<Rank> Embedding::places() const {
  std::vector<Rank> places(at(lengths_[0]) * at(lengths_[1]) * at(lengths_[2]));
  for (std::size_t slot = 0; slot < places.size(); ++slot) {
    auto const here = static_cast<int>(slot);
    std::array<std::int64_t, 3> left{here % lengths_[0], here / lengths_[0] % lengths_[1],
                                     here / lengths_[0] / lengths_[1]};
    std::int64_t place = 0;
    std::int64_t stride = 1;
    for (auto const& axis : parts_) {
      // The digits of the grid's axes, then the coordinate: both are reflected.
      std::vector<int> digits;
      for (auto const& part : axis) {
        auto& rest = left[at(part.grid_axis)];
        auto const above = rest / part.length;
        digits.push_back(reflected(static_cast<int>(rest % part.length), part.length, above));
        rest = above;
      }
      std::int64_t coordinate = 0;
      std::int64_t length = 1;
      for (auto p = axis.size(); p-- > 0;) {
        coordinate = coordinate * axis[p].length + reflected(digits[p], axis[p].length, coordinate);
        length *= axis[p].length;
      }
      place += coordinate * stride;
      stride *= length;
    }
    places[slot] = static_cast<Rank>(place);
  }
  return places;
}

void Embedding::check(Machine const& machine) const {
  auto const axes = lengths_of(machine);
  std::vector<int> ours;
  for (auto const& axis : parts_) {
    int length = 1;
    for (auto const& part : axis) length *= part.length;
    ours.push_back(length);
  }
  ensure(ours == axes, "order", fmt::format("'{}'", text()),
         fmt::format("steps for the axes of the machine, of lengths {}", fmt::join(axes, ", ")),
         machine.ranks_per_node() > 1 ? "the ranks of a node are the first axis" : "");
}

std::vector<Embedding> embeddings(Machine const& machine, Embedding::Lengths const& lengths, std::size_t most) {
  std::int64_t const ranks = std::int64_t{lengths[0]} * lengths[1] * lengths[2];
  if (ranks != machine.ranks()) return {};
  auto found = Search(machine, lengths).all();
  if (found.size() > most) found.erase(found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
  return found;
}

}  // namespace allport
