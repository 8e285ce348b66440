#include "allport/graph/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "check_whole.h"

namespace allport::graph {

namespace {

constexpr double across = 96;  // between neighbours of a row
constexpr double down = 72;    // between rows
constexpr double half_width = 40;
constexpr double half_height = 15;

/// Okabe and Ito's palette, which all eyes tell apart; by Kernel.
constexpr std::array<std::string_view, kernels> fills{"#ffffff", "#56b4e9", "#009e73", "#e69f00", "#d55e00",
                                                      "#cc79a7", "#f0e442", "#dddddd", "#ffffff", "#d55e00",
                                                      "#e69f00", "#009e73", "#56b4e9"};

std::string escaped(std::string const& text) {
  std::string out;
  for (char const c : text) {
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return out;
}

class Picture {
 public:
  Picture(TaskGraph const& graph, WholeGraph const& whole)
      : graph_(graph), whole_(whole), level_(whole.size(), 0), at_(whole.size(), 0.0) {
    levels();
    places();
  }

  [[nodiscard]] std::string text() const {
    std::size_t widest = 1;
    for (auto const& row : rows_) widest = std::max(widest, row.size());
    auto const width = static_cast<double>(widest) * across + 20;
    auto const height = static_cast<double>(rows_.size()) * down + 20;
    auto svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        width, height);
    auto const middle = [&](Id id) { return at_[id] + width / 2; };
    for (auto const& link : whole_.links()) {
      bool const leaves = graph_.owner(whole_.task(link.parent)) != graph_.owner(whole_.task(link.child));
      bool const carries = link.edge.carries == Carries::data || link.edge.carries == Carries::sum;
      svg += fmt::format(
          "<line class=\"edge\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#555\"{} "
          "marker-end=\"url(#tip)\"/>\n",
          middle(link.parent), row_of(link.parent) + half_height, middle(link.child),
          row_of(link.child) - half_height - 1,
          leaves    ? " stroke-dasharray=\"6 3\""
          : carries ? ""
                    : " stroke-dasharray=\"1 3\"");
    }
    for (Id id = 0; id < whole_.size(); ++id) {
      auto const task = whole_.task(id);
      auto const work = graph_.work(task);
      svg += fmt::format(
          "<g class=\"task\"><title>{0} on rank {1}: {2}, {3:.6g} flops</title><rect x=\"{4:.1f}\" y=\"{5:.1f}\" "
          "width=\"{6:.0f}\" height=\"{7:.0f}\" rx=\"12\" fill=\"{8}\" stroke=\"#333\"/><text x=\"{9:.1f}\" "
          "y=\"{10:.1f}\" text-anchor=\"middle\">{0}</text></g>\n",
          escaped(graph_.name(task)), graph_.owner(task), name(work.kernel), work.flops, middle(id) - half_width,
          row_of(id) - half_height, 2 * half_width, 2 * half_height, fills[static_cast<std::size_t>(work.kernel)],
          middle(id), row_of(id) + 4);
    }
    return svg + "</svg>\n";
  }

 private:
  [[nodiscard]] double row_of(Id id) const { return static_cast<double>(level_[id]) * down + down / 2 + 10; }

  void levels() {
    std::vector<std::int64_t> waits(whole_.size(), 0);
    for (auto const& link : whole_.links()) ++waits[link.child];
    std::vector<Id> order;
    for (Id id = 0; id < whole_.size(); ++id) {
      if (waits[id] == 0) order.push_back(id);
    }
    for (std::size_t x = 0; x < order.size(); ++x) {
      auto const id = order[x];
      if (rows_.size() <= level_[id]) rows_.resize(level_[id] + 1);
      rows_[level_[id]].push_back(id);
      for (auto const& link : whole_.children(id)) {
        level_[link.child] = std::max(level_[link.child], level_[id] + 1);
        if (--waits[link.child] == 0) order.push_back(link.child);
      }
    }
    if (order.size() < whole_.size()) fail("tasks wait for each other in a circle; check() names them");
  }

  /// Each row under the middle of what leads to it, so that few edges cross.
  void places() {
    std::vector<double> sum(whole_.size(), 0.0);
    std::vector<int> parents(whole_.size(), 0);
    for (auto& row : rows_) {
      auto const wish = [&](Id id) { return parents[id] > 0 ? sum[id] / parents[id] : 0.0; };
      std::ranges::stable_sort(row, {}, wish);
      for (std::size_t x = 0; x < row.size(); ++x) {
        at_[row[x]] = (static_cast<double>(x) - static_cast<double>(row.size() - 1) / 2) * across;
        for (auto const& link : whole_.children(row[x])) {
          sum[link.child] += at_[row[x]];
          ++parents[link.child];
        }
      }
    }
  }

  TaskGraph const& graph_;
  WholeGraph const& whole_;
  std::vector<std::size_t> level_;  // tasks on the longest path to each
  std::vector<double> at_;          // from the middle
  std::vector<std::vector<Id>> rows_;
};

}  // namespace

std::string draw(TaskGraph const& graph, std::int64_t most) {
  WholeGraph const whole(graph, most);
  ensure(whole.complete(), "graph", whole.size(), fmt::format("at most {} tasks to draw", most), "take fewer tiles");
  return Picture(graph, whole).text();
}

}  // namespace allport::graph
