// The network as a graph: compute nodes, switches and directed links.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/units.h"

namespace allport {

class Machine;

/// A vertex of a topology: a compute node or a switch.
using Vertex = std::int32_t;

/// A directed link. Several links may join the same two vertices.
struct TopologyLink {
  Vertex from = 0;
  Vertex to = 0;
  BytesPerSecond bandwidth{};
  Seconds latency{};

  friend bool operator==(TopologyLink const&, TopologyLink const&) = default;
};

/// A network of compute nodes and switches. Switches forward messages and do not replicate them. Immutable.
class Topology {
 public:
  /// @param name      shown in messages
  /// @param compute   number of compute nodes, which are the vertices 0, 1, ...
  /// @param switches  number of switches, which are the vertices after them
  /// @param links     each with a bandwidth above 0; a link from a vertex to itself is an error
  /// @param names     of the vertices; empty: "node 3", "switch 0"
  Topology(std::string name, Vertex compute, Vertex switches, std::vector<TopologyLink> links,
           std::vector<std::string> names = {});

  /// The grid of a machine without its dead links. Vertices are the machine's nodes.
  [[nodiscard]] static Topology of(Machine const& machine);

  /// Spec grammar, where each link has the bandwidth and latency of preset `laptop` or of ALLPORT_RATES' first axis, or
  /// the given multiple of that bandwidth:
  ///   fattree:LEAVESxHOSTS[/OVERSUBSCRIPTION]  two levels; each leaf has HOSTS / OVERSUBSCRIPTION spines above it
  ///   fattree:k=K                              three levels of switches with K ports, K^3 / 4 nodes
  ///   dragonfly:a=A,p=P,h=H[,host=B]           A switches a group, P nodes and H global links a switch, A H + 1
  ///   groups;
  ///                                            a node's own link has B times the bandwidth
  ///   rails:BOXESxGPUS                         a GPU has 12 units to its box's switch and 1 to its rail's switch
  ///   full:N  hypercube:N  ring:N              nodes linked to each other, without switches
  ///   random:N,DEGREE,SEED                     a random regular graph of nodes
  /// and every spec that Machine::parse() takes.
  [[nodiscard]] static Topology parse(std::string_view spec);

  /// The same vertices, each link turned round.
  [[nodiscard]] Topology reversed() const;

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] Vertex compute_nodes() const { return compute_; }
  [[nodiscard]] Vertex vertices() const { return static_cast<Vertex>(out_begin_.size()) - 1; }
  [[nodiscard]] bool is_switch(Vertex v) const { return v >= compute_; }
  [[nodiscard]] std::string name(Vertex v) const;

  [[nodiscard]] std::vector<TopologyLink> const& links() const { return links_; }
  /// Indices into links(), of those that leave or enter a vertex.
  [[nodiscard]] std::span<std::int32_t const> out(Vertex v) const { return part(out_, out_begin_, v); }
  [[nodiscard]] std::span<std::int32_t const> in(Vertex v) const { return part(in_, in_begin_, v); }

 private:
  static std::span<std::int32_t const> part(std::vector<std::int32_t> const& all,
                                            std::vector<std::int32_t> const& begin, Vertex v) {
    auto const first = static_cast<std::size_t>(begin[static_cast<std::size_t>(v)]);
    auto const last = static_cast<std::size_t>(begin[static_cast<std::size_t>(v) + 1]);
    return std::span(all).subspan(first, last - first);
  }

  std::string name_;
  Vertex compute_ = 0;
  std::vector<TopologyLink> links_;
  std::vector<std::string> names_;
  std::vector<std::int32_t> out_, out_begin_, in_, in_begin_;
};

}  // namespace allport
