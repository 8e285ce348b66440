// The list of links of a network as a TOML file: its reader and its writer.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "allport/machine/machine.h"
#include "allport/machine/topology.h"
#include "quantity.h"
#include "text_file.h"
#include "toml_reader.h"

namespace allport {
namespace {

using machine_text::QuantityKind;

constexpr std::string_view network_keys[] = {"name", "nodes", "switches", "bandwidth", "latency", "link", "network"};
constexpr std::string_view cable_keys[] = {"from", "to", "bandwidth", "latency", "count", "both_directions"};
constexpr Vertex most_vertices = 1 << 20;
constexpr std::size_t most_links = std::size_t{1} << 21;
constexpr int most_files = 8;  // each the `network` of the one before

Topology read_topology(std::string_view text, std::string_view origin, int files);

class NetworkReader : public machine_text::TomlReader {
 public:
  using TomlReader::TomlReader;

  /// @param files  read before this one, each of which names the next as its `network`
  Topology network(toml::table const& table, int files) {
    check_keys(table, network_keys, "a list of links");
    auto title = table.get("name") == nullptr ? origin_ : text(table, "name");
    if (table.get("network") != nullptr) return allocation(table, std::move(title), files);
    auto const compute = vertices(table, "nodes", "node", 1);
    auto const switches = vertices(table, "switches", "switch", 0);
    auto const bandwidth = quantity(table, "bandwidth", QuantityKind::bandwidth, 0.0);
    auto const latency = quantity(table, "latency", QuantityKind::time, -1.0);
    each_table(table, "link", "link", [&](toml::table const& one) { link(one, bandwidth, latency); });
    return {std::move(title), compute, switches, std::move(links_), std::move(names_)};
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, Vertex> index_;
  std::vector<TopologyLink> links_;

  void add(toml::node const& where, std::string name) {
    if (!index_.emplace(name, static_cast<Vertex>(names_.size())).second)
      fail(where, fmt::format("'{}' is named twice", name));
    names_.push_back(std::move(name));
  }

  /// Adds the vertices of a key, by their names or by how many there are.
  Vertex vertices(toml::table const& table, std::string_view key, std::string_view what, Vertex least) {
    auto const* node = table.get(key);
    auto const before = names_.size();
    if (node == nullptr && least > 0)
      fail(table, fmt::format("{}: expected the names of the compute nodes, or their number", key));
    if (node == nullptr) return 0;
    if (node->is_integer()) {
      auto const count = whole(*node, key, least);
      if (count > most_vertices) fail(*node, fmt::format("{}: expected at most {}", key, most_vertices));
      for (Vertex v = 0; v < count; ++v) add(*node, fmt::format("{} {}", what, v));
      return count;
    }
    if (!node->is_array()) fail(*node, fmt::format("{}: expected a list of names, or their number", key));
    for (auto const& entry : *node->as_array()) {
      if (!entry.is_string()) fail(entry, fmt::format("{}: expected names, each in quotes", key));
      add(entry, **entry.as_string());
    }
    auto const count = static_cast<Vertex>(names_.size() - before);
    if (count < least) fail(*node, fmt::format("{}: expected at least {}", key, least));
    return count;
  }

  /// A vertex by its name or its number.
  Vertex vertex(toml::node const& node, std::string_view key) const {
    if (node.is_integer()) {
      auto const v = whole(node, key, 0);
      if (static_cast<std::size_t>(v) >= names_.size())
        fail(node, fmt::format("{} = {}: expected a number below {}", key, v, names_.size()));
      return v;
    }
    if (!node.is_string()) fail(node, fmt::format("{}: expected a name in quotes, or a number", key));
    auto const& name = **node.as_string();
    auto const found = index_.find(name);
    if (found == index_.end()) fail(node, fmt::format("{} = '{}': expected the name of a node or a switch", key, name));
    return found->second;
  }

  Vertex end(toml::table const& table, std::string_view key) const {
    auto const* node = table.get(key);
    if (node == nullptr) fail(table, fmt::format("this link has no '{}'", key));
    return vertex(*node, key);
  }

  void link(toml::table const& table, double bandwidth, double latency) {
    check_keys(table, cable_keys, "a link");
    TopologyLink const there{end(table, "from"), end(table, "to"),
                             BytesPerSecond(quantity(table, "bandwidth", QuantityKind::bandwidth, bandwidth)),
                             Seconds(quantity(table, "latency", QuantityKind::time, latency))};
    if (there.from == there.to) fail(table, "from, to: expected two different ends");
    if (there.bandwidth.value() <= 0.0)
      fail(table, "bandwidth: expected more than 0 bytes/s, of this link, or of all at the top of the file");
    if (there.latency.value() < 0.0)
      fail(table, "latency: expected that of this link, or of all at the top of the file");
    auto const* node = table.get("count");
    auto const count = node == nullptr ? 1 : whole(*node, "count", 1);
    auto const both = flag(table, "both_directions", true);
    if (links_.size() + 2 * static_cast<std::size_t>(count) > most_links)
      fail(table, fmt::format("count: expected at most {} links in all", most_links));
    for (int c = 0; c < count; ++c) {
      links_.push_back(there);
      if (both) links_.push_back({there.to, there.from, there.bandwidth, there.latency});
    }
  }

  /// The network of another spec or file, of whose compute nodes only those of `nodes` remain.
  Topology allocation(toml::table const& table, std::string title, int files) {
    for (std::string_view const key : {"switches", "bandwidth", "latency", "link"}) {
      if (auto const* node = table.get(key))
        fail(*node,
             fmt::format("{}: expected nothing but 'nodes' and 'name' beside 'network', which has the links", key));
    }
    auto const& where = *table.get("network");
    auto const spec = text(table, "network");
    if (spec.starts_with("allocation:"))
      fail(where, "network: expected a network that is no allocation; list in 'nodes' what is to remain of it");
    auto const* list = table.get_as<toml::array>("nodes");
    if (list == nullptr) fail(where, "nodes: expected a list of nodes of this network, by their names or numbers");
    try {
      auto const whole_network = named(spec, files);
      for (Vertex v = 0; v < whole_network.compute_nodes(); ++v) add(where, whole_network.name(v));
      std::vector<Vertex> nodes;
      for (auto const& entry : *list) nodes.push_back(vertex(entry, "nodes"));
      return whole_network.allocation(nodes, std::move(title));
    } catch (Error const& e) {
      if (std::string_view(e.what()).starts_with(origin_)) throw;
      fail(where, fmt::format("network: {}", e.what()));
    }
  }

  /// A file's path is relative to the folder of the file that names it.
  Topology named(std::string const& spec, int files) const {
    if (!spec.ends_with(".toml")) return Topology::parse(spec);
    if (files + 1 == most_files)
      throw Error(ErrorKind::machine,
                  fmt::format("expected at most {} files, each the network of another", most_files));
    auto const path = (std::filesystem::path(origin_).parent_path() / spec).string();
    return read_topology(machine_text::read_text(path), path, files + 1);
  }
};

Topology read_topology(std::string_view text, std::string_view origin, int files) {
  NetworkReader reader(origin);
  auto const table = reader.parse(text);
  if (table.get("axes") != nullptr) return Topology::of(Machine::from_toml(text, origin));
  return reader.network(table, files);
}

/// The value that most links have.
double most_common(std::vector<TopologyLink> const& links, auto const& of) {
  std::map<double, std::size_t> counts;
  for (auto const& link : links) ++counts[of(link)];
  auto const best =
      std::max_element(counts.begin(), counts.end(), [](auto const& a, auto const& b) { return a.second < b.second; });
  return best == counts.end() ? 0.0 : best->first;
}

std::string name_list(Topology const& topology, Vertex begin, Vertex end) {
  std::string out = "[";
  for (auto v = begin; v < end; ++v)
    out += fmt::format("{}{},", (v - begin) % 8 == 0 ? "\n  " : " ", machine_text::toml_string(topology.name(v)));
  return out + (begin == end ? "]\n" : "\n]\n");
}

TopologyLink turned(TopologyLink const& link) { return {link.to, link.from, link.bandwidth, link.latency}; }

}  // namespace

Topology Topology::from_toml(std::string_view text, std::string_view origin) { return read_topology(text, origin, 0); }

std::string Topology::to_toml() const {
  using machine_text::quantity_text;
  auto const bandwidth = most_common(links_, [](TopologyLink const& l) { return l.bandwidth.value(); });
  auto const latency = most_common(links_, [](TopologyLink const& l) { return l.latency.value(); });
  auto out = fmt::format("name = {}\n", machine_text::toml_string(name_));
  out += fmt::format("nodes = {}", name_list(*this, 0, compute_));
  if (vertices() > compute_) out += fmt::format("switches = {}", name_list(*this, compute_, vertices()));
  if (links_.empty()) return out;
  out += fmt::format("bandwidth = \"{}\"  # of links that state none\nlatency = \"{}\"\nlink = [\n",
                     quantity_text(bandwidth, QuantityKind::bandwidth), quantity_text(latency, QuantityKind::time));
  // Links that follow each other are one line: the two directions of a cable, and parallel links. So their order
  // remains.
  auto const is = [&](std::size_t l, TopologyLink const& link) { return l < links_.size() && links_[l] == link; };
  for (std::size_t l = 0; l < links_.size();) {
    auto const& link = links_[l];
    auto const back = turned(link);
    auto const both = is(l + 1, back);
    auto const step = both ? std::size_t{2} : std::size_t{1};
    std::size_t count = 1;
    while (is(l + count * step, link) && (!both || is(l + count * step + 1, back))) ++count;
    out += fmt::format("  {{ from = {}, to = {}", machine_text::toml_string(name(link.from)),
                       machine_text::toml_string(name(link.to)));
    if (link.bandwidth.value() != bandwidth)
      out += fmt::format(", bandwidth = \"{}\"", quantity_text(link.bandwidth.value(), QuantityKind::bandwidth));
    if (link.latency.value() != latency)
      out += fmt::format(", latency = \"{}\"", quantity_text(link.latency.value(), QuantityKind::time));
    if (count > 1) out += fmt::format(", count = {}", count);
    out += both ? " },\n" : ", both_directions = false },\n";
    l += count * step;
  }
  return out + "]\n";
}

}  // namespace allport
