// A process grid along the machine's axes (Pena13: "MPI-network matching"): every axis of the grid gets axes of the
// machine, or parts of them, and follows a Hamiltonian cycle through their box; the ranks of a node are one more axis.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>

#include "allport/mapping/mapping.h"
#include "allport/pattern/loads.h"
#include "rows.h"
#include "snake.h"

namespace allport::mapping {

namespace {

/// The job's places as a box: axes of nodes, then the levels within a node, innermost first.
struct Box {
  BoxInMachine nodes;
  int node_axes = 0;
  std::vector<std::int32_t> lengths;  // of all axes
  std::vector<Rank> slots;            // places, by node of the box and rank within the node
  std::int32_t per_node = 1;
};

std::optional<Box> box_of(MappingTask const& task) {
  auto const& machine = task.machine();
  auto sorted = task.allocation();
  std::ranges::sort(sorted);
  std::vector<Rank> firsts;
  for (auto const place : sorted) {
    if (firsts.empty() || machine.node_of(firsts.back()) != machine.node_of(place)) firsts.push_back(place);
  }
  if (sorted.size() % firsts.size() != 0) return std::nullopt;
  auto const per_node = sorted.size() / firsts.size();
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (machine.node_of(sorted[i]) != machine.node_of(firsts[i / per_node])) return std::nullopt;
  }
  auto nodes = find_box(Machine(
                            machine.name(),
                            [&] {
                              std::vector<Axis> axes;
                              for (int a = 0; a < machine.axes(); ++a) axes.push_back(machine.axis(a));
                              return axes;
                            }(),
                            machine.rates()),
                        [&] {
                          std::vector<Rank> all;
                          for (auto const place : firsts) all.push_back(machine.node_of(place));
                          return all;
                        }());
  if (!nodes) return std::nullopt;
  Box box{std::move(*nodes), machine.axes(), {}, std::vector<Rank>(sorted.size()), static_cast<std::int32_t>(per_node)};
  for (int a = 0; a < machine.axes(); ++a) box.lengths.push_back(box.nodes.machine.axis(a).length);
  auto const& levels = machine.levels();
  if (box.per_node == machine.ranks_per_node()) {
    for (int l = levels.size(); l-- > 0;) box.lengths.push_back(levels[l].count);
  } else {
    box.lengths.push_back(box.per_node);
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    auto const node = box.nodes.mapping.place(static_cast<Rank>(i / per_node));
    box.slots[at(node) * per_node + i % per_node] = sorted[i];
  }
  return box;
}

/// factors[m][g]: length of the part of machine axis m that grid axis g has.
using Factors = std::vector<std::vector<std::int32_t>>;

/// All divisions of the machine's axes that give every axis of the grid its length, up to `most`.
class Shares {
 public:
  Shares(std::vector<std::int32_t> lengths, std::vector<std::int32_t> open, std::size_t most)
      : lengths_(std::move(lengths)), open_(std::move(open)), most_(most) {
    factors_.assign(lengths_.size(), std::vector<std::int32_t>(open_.size(), 1));
    go(0, 0, lengths_.empty() ? 1 : lengths_[0]);
  }
  [[nodiscard]] std::vector<Factors> take() { return std::move(found_); }

 private:
  void go(std::size_t m, std::size_t g, std::int32_t rest) {
    if (found_.size() == most_) return;
    if (m == lengths_.size()) {
      if (std::ranges::all_of(open_, [](auto n) { return n == 1; })) found_.push_back(factors_);
      return;
    }
    if (g == open_.size()) {
      if (rest == 1) go(m + 1, 0, m + 1 < lengths_.size() ? lengths_[m + 1] : 1);
      return;
    }
    for (std::int32_t f = rest; f >= 1; --f) {  // whole axes first
      if (rest % f != 0 || open_[g] % f != 0) continue;
      factors_[m][g] = f;
      open_[g] /= f;
      go(m, g + 1, rest / f);
      open_[g] *= f;
    }
    factors_[m][g] = 1;
  }

  std::vector<std::int32_t> lengths_;
  std::vector<std::int32_t> open_;
  std::size_t most_;
  Factors factors_;
  std::vector<Factors> found_;
};

int parts(Factors const& factors) {
  int n = 0;
  for (auto const& row : factors) n += static_cast<int>(std::ranges::count_if(row, [](auto f) { return f > 1; }));
  return n;
}

/// Variant of a division: which end of a split axis belongs to which grid axis, and along which of its axes a grid axis
/// goes first.
struct Variant {
  bool low_to_last = false;
  bool last_first = false;
};

/// steps[g][x][m]: contribution of coordinate x of grid axis g to the coordinate on machine axis m.
std::vector<std::vector<std::vector<std::int32_t>>> steps_of(Box const& box, Factors const& factors, Variant variant) {
  auto const ms = factors.size();
  auto const gs = factors.front().size();
  std::vector<std::vector<std::int32_t>> stride(ms, std::vector<std::int32_t>(gs, 1));
  for (std::size_t m = 0; m < ms; ++m) {
    std::int32_t below = 1;
    for (std::size_t i = 0; i < gs; ++i) {
      auto const g = variant.low_to_last ? gs - 1 - i : i;
      stride[m][g] = below;
      below *= factors[m][g];
    }
  }
  std::vector<std::vector<std::vector<std::int32_t>>> steps(gs);
  for (std::size_t g = 0; g < gs; ++g) {
    std::vector<std::size_t> node_axes, slot_axes;
    std::vector<std::int32_t> node_lengths, slot_lengths;
    for (std::size_t i = 0; i < ms; ++i) {
      auto const nodes = at(box.node_axes);
      auto const m = i < nodes && variant.last_first ? nodes - 1 - i : i;
      if (factors[m][g] == 1) continue;
      (m < nodes ? node_axes : slot_axes).push_back(m);
      (m < nodes ? node_lengths : slot_lengths).push_back(factors[m][g]);
    }
    std::int64_t slots = 1, nodes = 1;
    for (auto const n : slot_lengths) slots *= n;
    for (auto const n : node_lengths) nodes *= n;
    steps[g].assign(at(slots * nodes), std::vector<std::int32_t>(ms, 0));
    std::vector<std::int32_t> cell(node_lengths.size()), slot(slot_lengths.size());
    for (std::int64_t n = 0; n < nodes; ++n) {
      snake_cell(n, node_lengths, cell);
      auto const where = cycle_number(cell, node_lengths);
      for (std::int64_t s = 0; s < slots; ++s) {
        snake_cell(where % 2 == 0 ? s : slots - 1 - s, slot_lengths, slot);
        auto& add = steps[g][at(where * slots + s)];
        for (std::size_t i = 0; i < cell.size(); ++i) add[node_axes[i]] = cell[i] * stride[node_axes[i]][g];
        for (std::size_t i = 0; i < slot.size(); ++i) add[slot_axes[i]] = slot[i] * stride[slot_axes[i]][g];
      }
    }
  }
  return steps;
}

std::vector<Rank> places_of(Box const& box, CartGrid const& grid, Factors const& factors, Variant variant) {
  auto const steps = steps_of(box, factors, variant);
  std::vector<Rank> places(at(grid.ranks()));
  std::vector<Rank> strides;
  for (int g = 0; g < grid.axes(); ++g) strides.push_back(grid.stride(g));
  std::vector<std::int32_t> c(box.lengths.size());
  for (Rank r = 0; r < grid.ranks(); ++r) {
    std::ranges::fill(c, 0);
    for (std::size_t g = 0; g < strides.size(); ++g) {
      auto const& add = steps[g][at(r / strides[g] % grid.lengths[g])];
      for (std::size_t m = 0; m < c.size(); ++m) c[m] += add[m];
    }
    Coord node{};
    for (std::size_t a = 0; a < at(box.node_axes); ++a) node[a] = c[a];
    std::int32_t slot = 0, below = 1;
    for (auto m = at(box.node_axes); m < c.size(); ++m) {
      slot += c[m] * below;
      below *= box.lengths[m];
    }
    places[at(r)] = box.slots[at(box.nodes.machine.node(node)) * at(box.per_node) + at(slot)];
  }
  return places;
}

/// A quick score of a candidate; score() is more exact and slower.
std::array<double, 2> judge(MappingTask const& task, std::vector<Rank> const& places) {
  auto const loads = link_bytes(task.machine(), task.pattern(), places);
  double hop_bytes = 0.0;
  for (auto const bytes : loads) hop_bytes += static_cast<double>(bytes);
  return {busiest_link(task.machine(), loads).seconds, hop_bytes};
}

constexpr std::int64_t effort = 400'000'000;  // maximum number of flows and links evaluated

}  // namespace

Ordered matched(MappingTask const& task) {
  auto const& grid = task.pattern().grid();
  if (!grid) return {{}, "the ranks are no process grid"};
  auto const box = box_of(task);
  if (!box) return {{}, "the job's nodes are no box of the machine, with as many ranks on each"};
  auto shares = Shares(box->lengths, grid->lengths, 50'000).take();
  if (shares.empty()) {
    return {{}, fmt::format("the grid's lengths {} are no products of the machine's axes", grid->text())};
  }
  std::ranges::stable_sort(shares, {}, parts);
  auto const one = task.pattern().flows().size() * task.machine().axes() + task.machine().link_ids() + 1;
  auto const tries = std::clamp<std::int64_t>(effort / one, 16, 1024);
  std::vector<Rank> best;
  auto least = std::array{std::numeric_limits<double>::infinity(), 0.0};
  std::int64_t tried = 0;
  for (auto const& factors : shares) {
    std::vector<std::vector<Rank>> seen;
    for (auto const variant : {Variant{}, Variant{false, true}, Variant{true, false}, Variant{true, true}}) {
      auto places = places_of(*box, *grid, factors, variant);
      if (std::ranges::find(seen, places) != seen.end()) continue;
      if (auto const here = judge(task, places); here < least) {
        least = here;
        best = places;
      }
      seen.push_back(std::move(places));
      ++tried;
    }
    if (tried >= tries) break;
  }
  return {std::move(best), ""};
}

}  // namespace allport::mapping
