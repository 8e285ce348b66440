// What a graph will take, from samples of its steps and ranks: for planners that compare thousands of them.
#pragma once

#include <array>
#include <cstddef>

#include "allport/graph/rates.h"
#include "allport/graph/transport.h"

namespace allport::graph {

struct PriceOptions {
  int workers = 1;
  double factor = 1.0;  ///< as in Rates
  int steps = 24;       ///< that are looked at; the others lie between
  int together = 1;     ///< of these so many follow each other: where steps differ by turns, as many as there are turns
  int ranks = 16;
  /// Steps along which the chain is followed; of more, where the graph says who leads them (TaskGraph::leads), so many
  /// in stretches, and the others lie between.
  int chained = 256;
  std::int64_t segment = 64 * 1024;  ///< bytes that a relay has before it passes a message on
};

struct Price {
  Seconds work{};  ///< of the busiest sampled rank, its gangs' collectives included
  /// Of the busiest link where ranks times steps are at most 4096, and all messages are looked at; else of the mean
  /// link of the busiest axis, as if traffic were even. Or of message ends on a rank.
  Seconds links{};
  /// Along the children of highest priority, from an entry to the end: work, gangs, and messages, which take the links
  /// of their ways one after the other, those of outputs before included.
  Seconds chain{};
  /// overlapped() of the longer of work and links, and of what of the chain lies on other ranks than the one that has
  /// most of it, or on one worker of that.
  Seconds total{};
};

/// Seconds of what a rank is busy with and what of the chain lies elsewhere, together: the root of the sum of squares,
/// between the maximum, which nothing beats, and the sum, which list scheduling keeps (Graham 1966) where links are
/// free. Where members of a gang meet on the chain each waits for the slowest, and less of the one hides behind the
/// other: by powers of 1.5 then, which is nearer to the sum.
[[nodiscard]] double overlapped(double busy, double elsewhere, bool meets);
/// Of so many members of a gang two that stand for all others of one: around a ring others are a quarter of it away in
/// the mean, to either side.
[[nodiscard]] std::array<std::size_t, 2> a_quarter_away(std::size_t member, std::size_t members);

/// @pre graph.steps() > 0
/// @throws Error(argument) unless the graph has steps, and the machine its ranks
[[nodiscard]] Price price(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                          PriceOptions const& options = {});

}  // namespace allport::graph
