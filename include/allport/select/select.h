// Chooses the algorithm and the segment of a collective by price, and says why.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/machine/machine.h"
#include "allport/mapping/mapping.h"
#include "allport/model/bounds.h"
#include "allport/schedule/schedule.h"

namespace allport {

struct SelectOptions {
  std::string algorithm{};               ///< the only candidate; empty: all that have a price
  std::vector<std::int64_t> segments{};  ///< bytes, tried in this order; empty: segment_ladder()
  std::int32_t window = 2;               ///< segments in flight per stream
  std::optional<AlgorithmList> among{};  ///< the known algorithms; none: all that are registered now
  std::optional<Mapping> mapping{};      ///< where the contract's ranks are; none: rank r at place r
};

/// One algorithm with one cut, priced; or one algorithm that cannot serve.
struct Candidate {
  Algorithm const* algorithm = nullptr;
  Cut cut;
  Seconds predicted{};  ///< 0 where the algorithm has no price
  std::string reason;   ///< why it cannot serve; empty: it can

  [[nodiscard]] bool applicable() const { return reason.empty(); }
  [[nodiscard]] bool priced() const { return applicable() && algorithm->price; }
};

/// Origin of a price of MPI's own collective.
enum class PriceSource : std::uint8_t {
  calibrated,  ///< interpolated from times of this collective by `allport machine calibrate` on this machine
  modelled     ///< predicted for textbook algorithms over rank order on this machine's links (module model)
};

struct MpiPrice {
  Seconds time{};
  PriceSource source = PriceSource::modelled;
  std::optional<Seconds> ours{};  ///< Allport's time, if it was calibrated with MPI's
  Seconds starts{};               ///< if MPI's is modelled: Allport's predicted time for the shortest message
  double dearest{};  ///< if calibrated: the larger ratio of Allport's to MPI's time at the two neighbouring sizes
};

/// Trees over the network among ranks that form no box of their machine (SubNetwork).
struct NetworkTrees {
  Node nodes = 0;   ///< that hold ranks
  int trees = 0;    ///< each path of the network belongs to at most one
  int depth = 0;    ///< messages from the root to the farthest node
  int sharing = 1;  ///< maximum streams on a link; more than 1 only if messages join components of the network
};

struct Choice {
  std::string machine;
  Contract contract;
  Candidate best;
  std::vector<Candidate> candidates;      ///< in the order tried: registry order, then segments
  std::optional<MpiPrice> mpi{};          ///< for reports: mpi_price_of(); choose() leaves it out
  std::optional<Mapping> mapping{};       ///< of SelectOptions
  std::optional<Seconds> bound{};         ///< for reports: lower_bound(); choose() leaves it out
  std::optional<NetworkTrees> network{};  ///< Scattered::choose()'s
  std::shared_ptr<void const> keeps{};    ///< owns algorithms that are not in the registry
};

/// 1 KiB, 2 KiB, ... 4 MiB up to `bytes` (longer ones are all one segment), each rounded down to whole elements; at
/// least one entry.
[[nodiscard]] std::vector<std::int64_t> segment_ladder(std::int64_t bytes, std::int64_t element);

/// The contract over places of a machine that corresponds to `contract` over ranks: the places of root and targets, and
/// blocks in the order of places. Algorithms make and price schedules over places; program(mapping.place(r)) is rank
/// r's.
/// @pre contract.check() holds, mapping.ranks() == contract.ranks
[[nodiscard]] Contract at_places(Contract const& contract, Mapping const& mapping);

/// The candidate with the lowest price; the first one of equal prices. An algorithm without a price is chosen only by
/// name, with the first of options.segments or the default Cut. Depends only on its arguments, so ranks with equal
/// arguments choose the same without communication.
/// @param contract by rank; every algorithm is priced for the placement of options.mapping
/// @pre contract.check() holds, contract.ranks == machine.ranks() == options.mapping's, options.window >= 1,
///      segments >= contract.element
/// @throws Error(unsupported) with every candidate's reason if no algorithm applies
[[nodiscard]] Choice choose(Machine const& machine, Contract const& contract, SelectOptions const& options = {});

/// The algorithm with the least worst-case loss for links as fast as the machine's or up to 1000 times slower. For
/// machines without given rates: the choice must not depend on rates measured at start, since the order of summation
/// would then differ between runs. Empty if none has a price. Arguments and errors as in choose().
[[nodiscard]] std::string algorithm_for_any_rates(Machine const& machine, Contract const& contract,
                                                  SelectOptions const& options = {});

/// The chosen algorithm's schedule, over places.
[[nodiscard]] Schedule make_schedule(Machine const& machine, Choice const& choice);

/// Lower bounds by latency and by bandwidth on the time of any schedule of a contract over places:
/// verify::lower_bound(). Nothing if no bound is known, or if dead links disconnect the machine.
/// @param members the only participating ranks of the machine; none: all ranks
[[nodiscard]] std::optional<model::Bound> lower_bounds(Machine const& machine, Contract const& contract,
                                                       std::span<Rank const> members = {});
/// The larger of both.
[[nodiscard]] std::optional<Seconds> lower_bound(Machine const& machine, Contract const& contract,
                                                 std::span<Rank const> members = {});

/// A report: the best cut of every algorithm with its price, cheapest first, the lower bound and the ratio of the
/// chosen one to it if available, and the reasons why other algorithms do not apply.
[[nodiscard]] std::string explain(Choice const& choice);

/// {"machine", "collective", "ranks", "root", "bytes", "element", "algorithm", "segment", "window", "predicted_s",
///  "candidates": [{"algorithm", "segment", "window", "predicted_s"} or {"algorithm", "reason"}]}
/// where "predicted_s" is null without a price; for ranks that form no box also "network": {"nodes", "trees", "depth",
/// "streams_on_a_link"}; with a mapping also "root_place"; "targets" where the message is for
/// some of the ranks; and, where the choice has them, "mpi": {"predicted_s", "source": "calibrated" or "modelled"},
/// "bound_s", and "of_bound": the bound over "predicted_s", or null without a price.
[[nodiscard]] std::string to_json(Choice const& choice, int indent = 2);

}  // namespace allport
