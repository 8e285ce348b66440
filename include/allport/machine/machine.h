// The hardware: a torus, a mesh or a mix of both, with the rates of its links, nodes and software.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/units.h"
#include "allport/machine/calibration.h"
#include "allport/machine/levels.h"

namespace allport {

inline constexpr int max_axes = 8;

/// Coordinates of a node, one per axis; entries beyond the machine's axes are 0.
using Coord = std::array<std::int32_t, max_axes>;

/// One axis of the machine. A wrapped axis of length 2 has two physical links between its pair of nodes; an axis of
/// length 1 has none.
struct Axis {
  std::int32_t length = 1;
  bool wraps = true;
  BytesPerSecond bandwidth{};  ///< of one link in one direction
  Seconds latency{};           ///< of one hop

  friend bool operator==(Axis const&, Axis const&) = default;
};

/// A port of a node, i.e. axis and direction: `2 * axis + (positive ? 1 : 0)`, or none (the router decides).
using Port = std::int8_t;
inline constexpr Port any_port = -1;
constexpr Port port(int axis, int sign) { return static_cast<Port>(2 * axis + (sign > 0 ? 1 : 0)); }
constexpr int axis_of(Port p) { return p / 2; }
constexpr int sign_of(Port p) { return p % 2 == 0 ? -1 : 1; }
/// Letter of an axis in messages and machine files: x y z u v w s t.
[[nodiscard]] char axis_letter(int a);

/// A directed link: `node * 2 * axes + port`. Dense, so arrays can be indexed by it; ids of absent links stay unused.
using LinkId = std::int64_t;

/// A directed link that differs from its axis: dead, or of another speed.
struct LinkException {
  Node node = 0;
  Port out = 0;
  bool dead = false;
  BytesPerSecond bandwidth{};  ///< 0: as the axis
  Seconds latency{-1.0};       ///< negative: as the axis

  friend bool operator==(LinkException const&, LinkException const&) = default;
};

/// Parameters of the models beside the links; per node unless a comment says otherwise.
struct NodeRates {
  Seconds overhead{};                 ///< o, CPU time per message end (Solomonik11, slide 21)
  double tau = 0.0;                   ///< of the bytes: 0: simultaneous sends cost as one, 1: serial (Chan06)
  std::int32_t ports = 0;             ///< links that a node may drive at once; 0: all
  BytesPerSecond injection{};         ///< cap on the sum over all outgoing links; 0: none
  FlopsPerSecond flops{};             ///< peak, double precision
  FlopsPerSecond adds{};              ///< gamma, reduction operator applications on doubles per second
  BytesPerSecond memory_bandwidth{};  ///< beta of Solomonik11
  Bytes memory{};                     ///< 0: unknown, no limit
  double tau_short = -1.0;            ///< of the starts of messages, like tau, may exceed 1; negative: not measured

  /// tau of a message's start, which alone counts for short messages. Chan06 has one tau for starts and bytes.
  [[nodiscard]] double start_tau() const { return tau_short < 0.0 ? tau : tau_short; }

  friend bool operator==(NodeRates const&, NodeRates const&) = default;
};

/// A machine. Immutable; cheap to copy except for its exceptions.
/// Its levels, outermost first: the grid of nodes, then the levels within a node. Node order and rank order are
/// x-fastest, within a node innermost level fastest: rank = node * ranks_per_node() + (rank within the node).
class Machine {
 public:
  /// @pre 1 <= axes.size() <= max_axes; lengths >= 1; product of lengths * levels.ranks() < 2^31
  Machine(std::string name, std::vector<Axis> axes, NodeRates rates, Levels levels = {},
          std::vector<LinkException> exceptions = {}, Calibration calibration = {});

  /// Spec grammar: `torus:4x4x4`, `mesh:8x8`, mixed `torus:8x8x3m` (m: this axis is open; in `mesh:`, `t`: this axis
  /// wraps), a preset `bgp:8x8x8` or bare `bgp`, each with `/ppn=2` (Levels::with_ranks); or the path of a machine file
  /// (*.toml). Rates of torus: and mesh: are those of the machine file that the environment's ALLPORT_RATES names (axis
  /// by axis where it has as many axes, else those of its first; and its node's), or else of preset `laptop`.
  [[nodiscard]] static Machine parse(std::string_view spec);

  /// False if the spec's rates are those of preset `laptop`, which models no particular network.
  [[nodiscard]] static bool gives_rates(std::string_view spec);

  /// The machine file's text (TOML; docs/reference/machine-file.md). `origin` names it in errors.
  [[nodiscard]] static Machine from_toml(std::string_view text, std::string_view origin = "machine file");
  [[nodiscard]] std::string to_toml() const;
  [[nodiscard]] std::string to_json() const;

  /// A line of n ranks without known topology: the machine of a communicator if no machine was named.
  [[nodiscard]] static Machine flat(int ranks);

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] int axes() const { return static_cast<int>(axes_.size()); }
  [[nodiscard]] Axis const& axis(int a) const { return axes_[static_cast<std::size_t>(a)]; }
  [[nodiscard]] NodeRates const& rates() const { return rates_; }
  [[nodiscard]] Levels const& levels() const { return levels_; }
  [[nodiscard]] int ranks_per_node() const { return levels_.ranks(); }
  [[nodiscard]] std::vector<LinkException> const& exceptions() const { return exceptions_; }
  [[nodiscard]] bool has_dead_links() const { return has_dead_links_; }
  /// Origin of the parameters, and times of MPI's own collectives; empty unless in the machine file.
  [[nodiscard]] Calibration const& calibration() const { return calibration_; }
  /// MPI's own collective as timed over all ranks of this machine, or null.
  [[nodiscard]] MpiTimes const* mpi_times(std::string_view collective) const;

  [[nodiscard]] Node nodes() const { return nodes_; }
  [[nodiscard]] Rank ranks() const { return nodes_ * levels_.ranks(); }
  [[nodiscard]] Node node_of(Rank r) const { return r / levels_.ranks(); }

  [[nodiscard]] Coord coord(Node n) const;
  [[nodiscard]] Node node(Coord const& c) const;
  /// Position of a node along one axis, without unpacking the others.
  [[nodiscard]] std::int32_t coord(Node n, int a) const {
    return (n / stride_[static_cast<std::size_t>(a)]) % axes_[static_cast<std::size_t>(a)].length;
  }
  [[nodiscard]] Node stride(int a) const { return stride_[static_cast<std::size_t>(a)]; }

  /// The node behind a port, or none (end of an open axis, axis of length 1). Dead links still have a neighbour.
  [[nodiscard]] std::optional<Node> neighbour(Node n, Port p) const;
  [[nodiscard]] LinkId link(Node n, Port p) const { return static_cast<LinkId>(n) * 2 * axes() + p; }
  [[nodiscard]] LinkId link_ids() const { return static_cast<LinkId>(nodes_) * 2 * axes(); }
  [[nodiscard]] Node link_source(LinkId l) const { return static_cast<Node>(l / (2 * axes())); }
  [[nodiscard]] Port link_port(LinkId l) const { return static_cast<Port>(l % (2 * axes())); }
  /// "(0,1)+x -> (1,1)", for messages.
  [[nodiscard]] std::string link_name(LinkId l) const;
  [[nodiscard]] bool dead(LinkId l) const;
  [[nodiscard]] BytesPerSecond bandwidth(LinkId l) const;
  [[nodiscard]] Seconds latency(LinkId l) const;
  /// Number of physical directed links that exist (dead ones included).
  [[nodiscard]] std::int64_t links() const;

  /// Dimension-ordered route (x first), shortest direction round rings; ties at half a ring in positive direction.
  /// Calls visit(LinkId) for every directed link in order; nothing for from == to.
  template <class Visit>
  void route(Node from, Node to, Visit&& visit) const {
    for (int a = 0; a < axes(); ++a) {
      auto const steps = offset(coord(from, a), coord(to, a), a);
      auto const p = port(a, steps);
      for (auto left = steps < 0 ? -steps : steps; left > 0; --left) {
        visit(link(from, p));
        from = *neighbour(from, p);
      }
    }
  }
  /// Signed number of hops along an axis in the shortest direction, ties positive.
  [[nodiscard]] std::int32_t offset(std::int32_t from, std::int32_t to, int a) const;
  [[nodiscard]] std::int32_t hops(Node from, Node to) const;

  /// The box of nodes with corners lo..hi inclusive (hi[a] < lo[a]: the box crosses the wrap-around of axis a), as a
  /// machine with the same rates. An axis that the box covers in full keeps its wrap, any other is open. Only the box
  /// of the whole machine keeps the calibration, because collectives were timed over all ranks.
  [[nodiscard]] Machine box(Coord const& lo, Coord const& hi) const;

  friend bool operator==(Machine const&, Machine const&) = default;
  /// Equal except for the names.
  [[nodiscard]] bool is_like(Machine const& other) const;

 private:
  std::string name_;
  std::vector<Axis> axes_;
  NodeRates rates_;
  Levels levels_;
  std::vector<LinkException> exceptions_;  // sorted by (node, out)
  Calibration calibration_;
  bool has_dead_links_ = false;
  Node nodes_ = 1;
  std::array<Node, max_axes> stride_{};
};

/// Places for ranks of which only the nodes are known: each gets the next free place of its node; if a node has more
/// ranks than places, places are reused in order. Places are numbered like the machine's ranks.
/// @throws Error naming the entry that is not a node of the machine
[[nodiscard]] std::vector<Rank> places_on(Machine const& machine, std::span<Node const> node_of_rank);

/// Names of the built-in machines, each readable as a spec: bgp, xe6, gemini, exascale, laptop.
[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace allport
