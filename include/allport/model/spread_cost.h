// What an iteration over many objects takes, each worked on by several cores of its node (Robson18).
#pragma once

#include <cstdint>

#include "allport/base/units.h"

namespace allport::model {

/// Of one node and one iteration.
struct SpreadTerms {
  int cores = 1;                 ///< p
  std::int64_t objects = 1;      ///< n
  Seconds grain{};               ///< w, one object on one core
  Seconds fork{};                ///< to open and close a loop of two threads
  Seconds fork_each{};           ///< and for each thread beyond
  double loss_each = 0;          ///< share of the work that a thread beyond the first adds: chunks that end unevenly
  int domain = 0;                ///< cores of a NUMA domain; 0: all
  double loss_across = 0;        ///< share of the work that is added where a team reaches over domains
  Bytes traffic{};               ///< V, that leaves the node
  BytesPerSecond injection{1};   ///< B
  Bytes message{};               ///< the last object's, which nothing hides
  Seconds latency{};             ///< of it
  Bytes moved{};                 ///< of memory that an object reads and writes; 0: it only computes
  BytesPerSecond memory{};       ///< of memory that the cores of a domain share; 0: no limit
  BytesPerSecond core_memory{};  ///< of it that one core gets at most; 0: no limit
};

/// t_f(S); 0 for S = 1.
/// @pre 1 <= spread <= terms.cores
[[nodiscard]] Seconds fork_join(SpreadTerms const& terms, int spread);
/// eta(S), of the work; 0 for S = 1.
[[nodiscard]] double spread_loss(SpreadTerms const& terms, int spread);

/// An object on a team of S cores while k teams of its domain work: the roofline max{ w/S (1 + eta(S)), moved / rate },
/// the rate at most S times a core's and 1/k of a domain's; a team that is larger than a domain has one domain's
/// memory.
/// @pre 1 <= spread <= terms.cores, busy >= 1
[[nodiscard]] Seconds object_time(SpreadTerms const& terms, int spread, int busy);

/// T(S) = w/S + max{ ceil(n / M) (w/S (1 + eta(S)) + t_f(S)), V/B } + tail with M = p/S teams: until the first message
/// leaves, while cores compute or data leave, and the last message. With M dividing n the middle is
/// (n w / p)(1 + eta) + (n S / p) t_f, as Robson18's two knobs give it: small S sends late, large S pays for forks and
/// distance. Cores beyond M S are idle. Where objects move memory, w/S (1 + eta) is object_time(), in the last round
/// with the teams that are still busy.
/// @pre 1 <= spread <= terms.cores, objects >= 0, times, bytes and losses >= 0, injection > 0
[[nodiscard]] Seconds spread_time(SpreadTerms const& terms, int spread);

}  // namespace allport::model
