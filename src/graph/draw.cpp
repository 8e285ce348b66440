#include "allport/graph/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "check_whole.h"
#include "sum_tree.h"

namespace allport::graph {

namespace {

constexpr double across = 96;  // between neighbours of a row
constexpr double down = 72;    // between rows
constexpr double half_width = 40;
constexpr double half_height = 15;

/// Okabe and Ito's palette, which everybody can distinguish; by Kernel.
constexpr std::array<std::string_view, kernels> fills{"#ffffff", "#56b4e9", "#009e73", "#e69f00", "#d55e00",
                                                      "#cc79a7", "#f0e442", "#dddddd", "#ffffff", "#d55e00",
                                                      "#e69f00", "#009e73", "#56b4e9"};

// Colours of edges, as in Song09, slide 4.
constexpr std::string_view critical_colour = "#d00000";
constexpr std::string_view loop_carried_colour = "#0072b2";
constexpr std::string_view plain_colour = "#555";
constexpr std::string_view to_rank = "6 3";
constexpr std::string_view of_order = "1 3";
constexpr double legend_line = 16;
constexpr double legend_lines = 5;  // at most

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
    for (Id id = 0; id < whole_.size(); ++id) ids_.emplace(whole_.task(id), id);
    levels();
    places();
  }

  [[nodiscard]] std::string text() const {
    auto svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n"
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\" markerUnits=\"userSpaceOnUse\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        width(), below_rows() + legend_lines * legend_line);
    svg += legend();
    for (auto const& link : whole_.links()) svg += edge(link);
    for (Id id = 0; id < whole_.size(); ++id) svg += node(id);
    return svg + "</svg>\n";
  }

 private:
  [[nodiscard]] double row_of(Id id) const { return static_cast<double>(level_[id]) * down + down / 2 + 10; }

  [[nodiscard]] double below_rows() const { return static_cast<double>(rows_.size()) * down + 20; }
  [[nodiscard]] double width() const {
    std::size_t widest = 1;
    for (auto const& row : rows_) widest = std::max(widest, row.size());
    return std::max(static_cast<double>(widest) * across + 20, 320.0);
  }
  [[nodiscard]] double middle(Id id) const { return at_[id] + width() / 2; }
  [[nodiscard]] bool leaves(WholeGraph::Link const& link) const {
    return graph_.owner(whole_.task(link.parent)) != graph_.owner(whole_.task(link.child));
  }
  [[nodiscard]] static bool orders(WholeGraph::Link const& link) {
    return link.edge.kind == EdgeKind::order || link.edge.kind == EdgeKind::sent;
  }
  [[nodiscard]] bool is_loop_carried(WholeGraph::Link const& link) const {
    return graph_.steps() > 0 && graph_.step(whole_.task(link.parent)) != graph_.step(whole_.task(link.child));
  }
  [[nodiscard]] bool is_critical(WholeGraph::Link const& link) const {
    return critical_.contains({link.parent, link.child});
  }

  [[nodiscard]] std::string node(Id id) const {
    auto const task = whole_.task(id);
    auto const work = graph_.work(task);
    return fmt::format(
        "<g class=\"task\"><title>{0} on rank {1}: {2}, {3:.6g} flops</title><rect x=\"{4:.1f}\" y=\"{5:.1f}\" "
        "width=\"{6:.0f}\" height=\"{7:.0f}\" rx=\"12\" fill=\"{8}\" stroke=\"#333\"/><text x=\"{9:.1f}\" "
        "y=\"{10:.1f}\" text-anchor=\"middle\">{0}</text></g>\n",
        escaped(graph_.name(task)), graph_.owner(task), name(work.kernel), work.flops, middle(id) - half_width,
        row_of(id) - half_height, 2 * half_width, 2 * half_height, fills[static_cast<std::size_t>(work.kernel)],
        middle(id), row_of(id) + 4);
  }

  struct Point {
    double x = 0;
    double y = 0;
  };
  static std::string arrow(Point from, Point to, std::string_view style) {
    return fmt::format(
        "<line class=\"edge\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {} "
        "marker-end=\"url(#tip)\"/>\n",
        from.x, from.y, to.x, to.y, style);
  }
  [[nodiscard]] Point below(Id id) const { return {middle(id), row_of(id) + half_height}; }
  [[nodiscard]] Point above(Id id) const { return {middle(id), row_of(id) - half_height - 1}; }
  [[nodiscard]] Point sum_below(Id id) const { return {middle(id), row_of(id) + half_height + 14}; }

  static std::string style(std::string_view colour, double wide, std::string_view dashes) {
    return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", colour, wide,
                       dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
  }
  [[nodiscard]] std::string style_of(WholeGraph::Link const& link) const {
    auto const dashes = leaves(link) ? to_rank : orders(link) ? of_order : "";
    if (is_critical(link)) return style(critical_colour, 2.5, dashes);
    return style(is_loop_carried(link) ? loop_carried_colour : plain_colour, 1, dashes);
  }

  [[nodiscard]] std::string edge(WholeGraph::Link const& link) const {
    return link.edge.kind == EdgeKind::sum ? part_of_sum(link)
                                           : arrow(below(link.parent), above(link.child), style_of(link));
  }

  /// Contributions as they are combined: a cycle for every rank that sends on more than its own.
  [[nodiscard]] std::string part_of_sum(WholeGraph::Link const& link) const {
    std::vector<Task> tasks;
    graph_.contributors(whole_.task(link.child), link.edge.input, [&](Task t) { tasks.push_back(t); });
    auto const is_here = [&](Task t) { return graph_.owner(t) == graph_.owner(whole_.task(link.child)); };
    auto const root = std::ranges::find_if(tasks, is_here) - tasks.begin();
    auto const mine = std::ranges::find(tasks, whole_.task(link.parent)) - tasks.begin();
    auto const all = std::ssize(tasks);
    if (root == all || mine == all) fail("contributors() of a sum are others than its edges; check() names them");
    auto const place = sum_place(graph_.sum_tree(whole_.task(link.child), link.edge.input), static_cast<int>(all),
                                 static_cast<int>(root), static_cast<int>(mine));
    auto const parent = place.parent < 0 || place.parent == root
                            ? std::optional<Id>()
                            : ids_.at(tasks[static_cast<std::size_t>(place.parent)]);
    auto const to = parent ? sum_below(*parent) : above(link.child);
    if (place.parent < 0 || place.parts.empty()) return arrow(below(link.parent), to, style_of(link));
    auto const plus = sum_below(link.parent);
    return arrow(below(link.parent), {plus.x, plus.y - 6}, style_of(link)) +
           arrow({plus.x, plus.y + 6}, to, style_of(link)) +
           fmt::format(
               "<g class=\"sum\"><title>{} contributions to {} are combined on rank {}</title><cycle cx=\"{:.1f}\" "
               "cy=\"{:.1f}\" r=\"6\" fill=\"#fff\" stroke=\"#333\"/><text x=\"{:.1f}\" y=\"{:.1f}\" "
               "text-anchor=\"middle\">+</text></g>\n",
               place.contained, escaped(graph_.name(whole_.task(link.child))), graph_.owner(whole_.task(link.parent)),
               plus.x, plus.y, plus.x, plus.y + 4);
  }

  /// Of what occurs, below all rows.
  [[nodiscard]] std::string legend() const {
    auto const any = [&](auto const& is) { return std::ranges::any_of(whole_.links(), is); };
    std::vector<std::pair<std::string, std::string_view>> lines;
    auto const add = [&](bool there, std::string line, std::string_view words) {
      if (there) lines.emplace_back(std::move(line), words);
    };
    add(!critical_.empty(), style(critical_colour, 2.5, ""), "critical path");
    bool const carried = any([&](auto const& link) { return is_loop_carried(link); });
    add(carried, style(loop_carried_colour, 1, ""), "loop-carried");
    add(carried && any([&](auto const& link) { return !is_loop_carried(link); }), style(plain_colour, 1, ""),
        "loop-independent");
    add(any([&](auto const& link) { return leaves(link); }), style(plain_colour, 1, to_rank), "to another rank");
    add(any([&](auto const& link) { return orders(link); }), style(plain_colour, 1, of_order), "order alone");
    std::string text;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      auto const y = below_rows() + legend_line * static_cast<double>(l);
      text += fmt::format(
          "<g class=\"legend\"><line x1=\"8\" y1=\"{0:.0f}\" x2=\"36\" y2=\"{0:.0f}\" {1}/><text x=\"42\" "
          "y=\"{2:.0f}\" font-size=\"11\">{3}</text></g>\n",
          y, lines[l].first, y + 4, lines[l].second);
    }
    return text;
  }

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
    if (order.size() < whole_.size()) fail("tasks wait for each other in a cycle; check() names them");
    critical_path(order);
  }

  /// One of the longest, in tasks: T-infinity of Song09, slide 4.
  void critical_path(std::vector<Id> const& order) {
    std::vector<std::size_t> left(whole_.size(), 0);
    for (auto const id : order | std::views::reverse) {
      for (auto const& link : whole_.children(id)) left[id] = std::max(left[id], left[link.child] + 1);
    }
    if (order.empty()) return;
    auto at = *std::ranges::max_element(order, {}, [&](Id id) { return left[id]; });
    while (left[at] > 0) {
      auto const next = std::ranges::find(whole_.children(at), left[at] - 1,
                                          [&](WholeGraph::Link const& link) { return left[link.child]; });
      critical_.emplace(at, next->child);
      at = next->child;
    }
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
  std::set<std::pair<Id, Id>> critical_;  // edges of the critical path
  std::map<Task, Id> ids_;
};

}  // namespace

std::string draw(TaskGraph const& graph, std::int64_t most) {
  WholeGraph const whole(graph, most);
  ensure(whole.complete(), "graph", whole.size(), fmt::format("at most {} tasks to draw", most), "take fewer tiles");
  return Picture(graph, whole).text();
}

}  // namespace allport::graph
