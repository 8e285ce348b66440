// Lower bounds of the collectives on a machine: no schedule is faster in the model of Chan06.
#pragma once

#include <span>
#include <string>

#include "allport/machine/machine.h"

namespace allport::model {

/// Two lower bounds of one collective; each holds alone. Both are 0 on a machine of one node: what happens within a
/// node is not counted. Infinite where dead links cut the machine apart.
struct Bound {
  /// 2o + the latency of the route to the farthest node. Chan et al. 2006 count ceil(log_(k+1) nodes) rounds, k the
  /// links that a node may drive at once; where short messages follow each other over a link, as in the simulator and
  /// with most networks, a root reaches more nodes than that, and rounds bound nothing.
  Seconds latency{};
  /// The largest of bytes / bandwidth over cuts of the machine (around a node; across an axis, at every interval of
  /// positions) and over its links as a whole. Exact on a torus with equal lengths; Chan06, lower bounds: bandwidth.
  Seconds bandwidth{};
  /// The cut that gives `bandwidth`: "links of node (0,0)", "cut across x at 0..3", "all links".
  std::string bandwidth_by;

  [[nodiscard]] Seconds time() const { return latency < bandwidth ? bandwidth : latency; }
};

/// `message` bytes of the root reach every rank: m / (2d b) on a d-axis torus.
/// @param members distinct ranks of the machine, whose contract it is alone (others may pass data on); none: all ranks.
///        The root is one of them by its index. Here and below
/// @pre 0 <= root < members, bytes >= 0 (here and below)
[[nodiscard]] Bound bcast_bound(Machine const& machine, Rank root, Bytes message, std::span<Rank const> members = {});
/// `message` bytes of every rank are combined at the root: m / (2d b).
[[nodiscard]] Bound reduce_bound(Machine const& machine, Rank root, Bytes message, std::span<Rank const> members = {});
/// The root has `block` bytes for every rank: (P - 1) block / (2d b).
[[nodiscard]] Bound scatter_bound(Machine const& machine, Rank root, Bytes block, std::span<Rank const> members = {});
/// Every rank has `block` bytes for the root: (P - 1) block / (2d b).
[[nodiscard]] Bound gather_bound(Machine const& machine, Rank root, Bytes block, std::span<Rank const> members = {});
/// `block` bytes of every rank reach every rank: (P - 1) block / (2d b).
[[nodiscard]] Bound allgather_bound(Machine const& machine, Bytes block, std::span<Rank const> members = {});
/// Every rank has a vector of P blocks; each rank gets one block combined: (P - 1) block / (2d b).
[[nodiscard]] Bound reduce_scatter_bound(Machine const& machine, Bytes block, std::span<Rank const> members = {});
/// `message` bytes of every rank are combined and reach every rank: (P - 1)/P m / (d b), for (P - 1) m bytes must move
/// to be combined and as many to be spread.
[[nodiscard]] Bound allreduce_bound(Machine const& machine, Bytes message, std::span<Rank const> members = {});
/// `block` bytes from every rank to every rank: P block floor(k^2/4) / (2k b) on a torus whose longest axis is k.
[[nodiscard]] Bound alltoall_bound(Machine const& machine, Bytes block, std::span<Rank const> members = {});

}  // namespace allport::model
