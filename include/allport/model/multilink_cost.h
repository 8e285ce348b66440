// The costs of Chan06: trees and buckets on nodes that send over several links at once.
#pragma once

#include <cstdint>
#include <span>

#include "allport/base/units.h"

namespace allport::model {

/// alpha, beta and tau of Chan06: m simultaneous sends of n bytes cost (alpha + n beta)(1 + (m - 1) tau). With a tau
/// of their own the starts cost alpha (1 + (m - 1) tau_short), and the bytes n beta (1 + (m - 1) tau) as before: over
/// TCP each start takes its sender's processor, while long messages go over their links side by side.
struct MultilinkTerms {
  Seconds alpha{};        ///< start-up of a message
  BytesPerSecond link{};  ///< 1/beta
  double tau = 0.0;       ///< 0: simultaneous sends cost as one, 1: one after the other
  /// tau of the starts, 1: one after the other; above 1 they disturb each other. Negative: tau's.
  double tau_short = -1.0;
};

/// @pre message >= 0 bytes, links >= 1, nodes >= 1, terms.link > 0, 0 <= terms.tau <= 1 (here and below)
[[nodiscard]] Seconds simultaneous_sends(Bytes message, std::int64_t sends, MultilinkTerms const& terms);

/// ceil(log_(links + 1) nodes): rounds of a tree whose nodes send to `links` others at once. 1 link: binary.
[[nodiscard]] int tree_rounds(std::int64_t nodes, std::int64_t links);

/// Generalised minimum-spanning-tree broadcast: tree_rounds * simultaneous_sends(n, links). Links are 1 for the
/// old algorithm, N or 2N for the new one on an N-axis torus.
[[nodiscard]] Seconds t_mst_bcast(Bytes message, std::int64_t nodes, std::int64_t links, MultilinkTerms const& terms);

/// Generalised scatter of `total` bytes: tree_rounds * alpha + (p - 1)/p * n beta / links, each times its
/// (1 + (links - 1) tau).
[[nodiscard]] Seconds t_mst_scatter(Bytes total, std::int64_t nodes, std::int64_t links, MultilinkTerms const& terms);

/// Bucket allgather of `total` bytes round a ring of all nodes: (p - 1) alpha + (p - 1)/p * n beta.
[[nodiscard]] Seconds t_ring_allgather(Bytes total, std::int64_t nodes, MultilinkTerms const& terms);

/// Buckets in all axes at once: (d - N) alpha + (D_j - 1)/D_j * n beta, d the sum of the N lengths above 1 and D_j the
/// largest. It takes the work in all axes but one for free.
[[nodiscard]] Seconds t_bucket_allgather(Bytes total, std::span<std::int32_t const> lengths,
                                         MultilinkTerms const& terms);

/// Long-vector broadcast: scatter, then bucket allgather.
[[nodiscard]] Seconds t_long_bcast(Bytes message, std::span<std::int32_t const> lengths, std::int64_t links,
                                   MultilinkTerms const& terms);

}  // namespace allport::model
