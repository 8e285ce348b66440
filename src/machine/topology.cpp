#include "allport/machine/topology.h"

#include <fmt/format.h>

#include <utility>

#include "allport/base/error.h"
#include "allport/machine/machine.h"

namespace allport {
namespace {

/// Sorts links by one of their ends: `order` holds their indices, those of vertex v from begin[v] to begin[v + 1].
void sort_links(std::vector<TopologyLink> const& links, Vertex TopologyLink::*end, Vertex vertices,
                std::vector<std::int32_t>& order, std::vector<std::int32_t>& begin) {
  begin.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (auto const& link : links) ++begin[static_cast<std::size_t>(link.*end) + 1];
  for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
  auto next = begin;
  order.resize(links.size());
  for (std::size_t l = 0; l < links.size(); ++l) {
    auto& at = next[static_cast<std::size_t>(links[l].*end)];
    order[static_cast<std::size_t>(at++)] = static_cast<std::int32_t>(l);
  }
}

}  // namespace

Topology::Topology(std::string name, Vertex compute, Vertex switches, std::vector<TopologyLink> links,
                   std::vector<std::string> names)
    : name_(std::move(name)), compute_(compute), links_(std::move(links)), names_(std::move(names)) {
  ensure(compute >= 1, "compute nodes", compute, "at least 1", "", ErrorKind::machine);
  ensure(switches >= 0, "switches", switches, "0 or more", "", ErrorKind::machine);
  auto const all = compute + switches;
  ensure(names_.empty() || names_.size() == static_cast<std::size_t>(all), "names", names_.size(),
         fmt::format("one for each of {} vertices, or none", all), "", ErrorKind::machine);
  for (std::size_t l = 0; l < links_.size(); ++l) {
    auto const& link = links_[l];
    auto const what = fmt::format("links[{}]", l);
    for (auto const end : {link.from, link.to})
      ensure(end >= 0 && end < all, what, end, fmt::format("a vertex from 0 to {}", all - 1), "", ErrorKind::machine);
    ensure(link.from != link.to, what, link.from, "two different ends", "", ErrorKind::machine);
    ensure(link.bandwidth.value() > 0, what, link.bandwidth, "a bandwidth above 0 bytes/s", "leave dead links out",
           ErrorKind::machine);
    ensure(link.latency.value() >= 0, what, link.latency, "a latency of 0 s or more", "", ErrorKind::machine);
  }
  sort_links(links_, &TopologyLink::from, all, out_, out_begin_);
  sort_links(links_, &TopologyLink::to, all, in_, in_begin_);
}

Topology Topology::of(Machine const& machine) {
  std::vector<TopologyLink> links;
  std::vector<std::string> names;
  for (Node n = 0; n < machine.nodes(); ++n) {
    auto const coord = machine.coord(n);
    names.push_back(fmt::format("({})", fmt::join(coord.begin(), coord.begin() + machine.axes(), ",")));
    for (int p = 0; p < 2 * machine.axes(); ++p) {
      auto const to = machine.neighbour(n, static_cast<Port>(p));
      auto const link = machine.link(n, static_cast<Port>(p));
      if (to && *to != n && !machine.dead(link))
        links.push_back({n, *to, machine.bandwidth(link), machine.latency(link)});
    }
  }
  return {machine.name(), machine.nodes(), 0, std::move(links), std::move(names)};
}

Topology Topology::reversed() const {
  auto links = links_;
  for (auto& link : links) std::swap(link.from, link.to);
  return {name_, compute_, vertices() - compute_, std::move(links), names_};
}

std::string Topology::name(Vertex v) const {
  if (!names_.empty()) return names_[static_cast<std::size_t>(v)];
  return is_switch(v) ? fmt::format("switch {}", v - compute_) : fmt::format("node {}", v);
}

}  // namespace allport
