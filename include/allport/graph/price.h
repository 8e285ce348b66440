// Predicted time of a graph, from samples of its steps and ranks: for planners that compare thousands of graphs.
#pragma once

#include <array>
#include <cstddef>

#include "allport/graph/rates.h"
#include "allport/graph/transport.h"

namespace allport::graph {

struct PriceOptions {
  int workers = 1;
  double factor = 1.0;  ///< as in Rates
  int steps = 24;       ///< number of sampled steps; the others are interpolated
  int together = 1;     ///< length of runs of consecutive sampled steps: the period, if steps differ periodically
  int ranks = 16;       ///< number of sampled ranks
  /// Number of steps along which the critical chain is followed. If the graph has more and names their leading tasks
  /// (TaskGraph::leads), this many are followed in stretches, and the others are interpolated.
  int chained = 256;
  std::int64_t segment = 64 * 1024;  ///< bytes that a relay receives before it forwards a message
};

struct Price {
  Seconds work{};  ///< of the busiest sampled rank, including the collectives of its gangs
  /// The largest of: time of the busiest link (if ranks * steps <= 4096, where all messages are counted; else of the
  /// mean link of the busiest axis), and message overhead on a rank.
  Seconds links{};
  /// Critical chain along the children of highest priority, from an entry to the end: work, gangs, and messages, which
  /// occupy the links of their routes one after the other, after those of earlier outputs.
  Seconds chain{};
  /// overlapped() of the longer of work and links, and of that part of the chain which is not on its main rank, or is
  /// on one worker of it.
  Seconds total{};
};

/// Time of a rank's own work and of the part of the chain on other ranks, partly overlapped: the root of the sum of
/// squares. It lies between the maximum, a lower bound, and the sum, an upper bound for list scheduling without
/// communication (Graham 1966). If gangs meet on the chain, their members wait for the slowest and less is overlapped:
/// the exponent is then 1.5, which is nearer to the sum.
[[nodiscard]] double overlapped(double busy, double elsewhere, bool meets);
/// Two members of a gang that represent all others as seen from `member`: on a ring the mean distance is a quarter of
/// its length, in either direction.
[[nodiscard]] std::array<std::size_t, 2> a_quarter_away(std::size_t member, std::size_t members);

/// @pre graph.steps() > 0
/// @throws Error(argument) if the graph has no steps, or more ranks than the machine
[[nodiscard]] Price price(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                          PriceOptions const& options = {});

}  // namespace allport::graph
