#include "allport/model/multilink_cost.h"

#include <algorithm>
#include <cmath>

#include "allport/base/error.h"

namespace allport::model {

namespace {

/// What so many sends at once cost over one: their starts, and their bytes.
struct Factors {
  double starts = 1.0;
  double bytes = 1.0;
};

Factors checked_factors(std::int64_t sends, MultilinkTerms const& terms) {
  ensure(sends >= 1, "links", sends, "a number >= 1");
  ensure(terms.link.value() > 0.0, "terms.link", terms.link.value(), "bytes/s > 0");
  ensure(terms.tau >= 0.0 && terms.tau <= 1.0, "terms.tau", terms.tau, "a number in 0..1");
  ensure(std::isfinite(terms.tau_short), "terms.tau_short", terms.tau_short, "a finite number");
  auto const more = static_cast<double>(sends - 1);
  return {1.0 + more * (terms.tau_short < 0.0 ? terms.tau : terms.tau_short), 1.0 + more * terms.tau};
}

double bytes_of(Bytes message) {
  ensure(message.value() >= 0, "message", message.value(), "bytes >= 0");
  return static_cast<double>(message.value());
}

double others(std::int64_t nodes) {
  ensure(nodes >= 1, "nodes", nodes, "a number >= 1");
  return static_cast<double>(nodes - 1) / static_cast<double>(nodes);
}

}  // namespace

Seconds simultaneous_sends(Bytes message, std::int64_t sends, MultilinkTerms const& terms) {
  auto const factors = checked_factors(sends, terms);
  return factors.starts * terms.alpha + factors.bytes * Seconds(bytes_of(message) / terms.link.value());
}

int tree_rounds(std::int64_t nodes, std::int64_t links) {
  ensure(nodes >= 1, "nodes", nodes, "a number >= 1");
  ensure(links >= 1, "links", links, "a number >= 1");
  int rounds = 0;
  for (std::int64_t left = nodes; left > 1; left = left / (links + 1) + (left % (links + 1) != 0 ? 1 : 0)) {
    ++rounds;
  }
  return rounds;
}

Seconds t_mst_bcast(Bytes message, std::int64_t nodes, std::int64_t links, MultilinkTerms const& terms) {
  return static_cast<double>(tree_rounds(nodes, links)) * simultaneous_sends(message, links, terms);
}

Seconds t_mst_scatter(Bytes total, std::int64_t nodes, std::int64_t links, MultilinkTerms const& terms) {
  auto const factors = checked_factors(links, terms);
  auto const moved = others(nodes) * bytes_of(total) / (terms.link.value() * static_cast<double>(links));
  return factors.starts * static_cast<double>(tree_rounds(nodes, links)) * terms.alpha + factors.bytes * Seconds(moved);
}

Seconds t_ring_allgather(Bytes total, std::int64_t nodes, MultilinkTerms const& terms) {
  (void)checked_factors(1, terms);
  return static_cast<double>(nodes - 1) * terms.alpha + Seconds(others(nodes) * bytes_of(total) / terms.link.value());
}

Seconds t_bucket_allgather(Bytes total, std::span<std::int32_t const> lengths, MultilinkTerms const& terms) {
  (void)checked_factors(1, terms);
  std::int64_t steps = 0;
  std::int32_t longest = 1;
  for (auto const length : lengths) {
    ensure(length >= 1, "length", length, "a number >= 1");
    steps += length - 1;
    longest = std::max(longest, length);
  }
  auto const moved = others(longest) * bytes_of(total) / terms.link.value();
  return static_cast<double>(steps) * terms.alpha + Seconds(moved);
}

Seconds t_long_bcast(Bytes message, std::span<std::int32_t const> lengths, std::int64_t links,
                     MultilinkTerms const& terms) {
  std::int64_t nodes = 1;
  for (auto const length : lengths) {
    ensure(length >= 1, "length", length, "a number >= 1");
    nodes *= length;
  }
  return t_mst_scatter(message, nodes, links, terms) + t_bucket_allgather(message, lengths, terms);
}

}  // namespace allport::model
