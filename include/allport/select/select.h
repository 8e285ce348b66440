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
  std::string algorithm{};               ///< only this one; empty: all that have a price
  std::vector<std::int64_t> segments{};  ///< bytes, tried in this order; empty: segment_ladder()
  std::int32_t window = 2;               ///< segments in flight per stream
  std::optional<AlgorithmList> among{};  ///< those that are known; none: all that are registered now
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

/// Where a price of MPI's own collective comes from.
enum class PriceSource : std::uint8_t {
  calibrated,  ///< between the times that `allport machine calibrate` took of this collective on this machine
  modelled     ///< module model's textbook algorithms over rank order, on this machine's links
};

struct MpiPrice {
  Seconds time{};
  PriceSource source = PriceSource::modelled;
  std::optional<Seconds> ours{};  ///< Allport's own where it was timed beside MPI's
  Seconds starts{};               ///< where MPI's is modelled: our prediction for the shortest message
  double dearest{};  ///< where ours was timed: the larger of ours over MPI's at the two timed sizes around this one
};

/// Trees over the network among ranks that form no box of their machine (SubNetwork).
struct NetworkTrees {
  Node nodes = 0;   ///< that hold ranks
  int trees = 0;    ///< no two over one way of the network
  int depth = 0;    ///< messages from the root to the farthest node
  int sharing = 1;  ///< streams on the link that has most; more than 1 only where messages join what is apart
};

struct Choice {
  std::string machine;
  Contract contract;
  Candidate best;
  std::vector<Candidate> candidates;      ///< in the order tried: registry order, then segments
  std::optional<MpiPrice> mpi{};          ///< for reports: mpi_price_of(); choose() leaves it out
  std::optional<Mapping> mapping{};       ///< as it was asked for
  std::optional<Seconds> bound{};         ///< for reports: lower_bound(); choose() leaves it out
  std::optional<NetworkTrees> network{};  ///< Scattered::choose()'s
  std::shared_ptr<void const> keeps{};    ///< what algorithms live in that no registry holds
};

/// 1 KiB, 2 KiB, ... 4 MiB, without those that a message of this size does not need twice (everything from `bytes` up
/// is one segment), each rounded down to whole elements; at least one entry.
[[nodiscard]] std::vector<std::int64_t> segment_ladder(std::int64_t bytes, std::int64_t element);

/// What the places of a machine promise each other where its ranks promise `contract`: the root's and the targets'
/// places, and blocks in the order of places. Algorithms make and price schedules over places;
/// program(mapping.place(r)) is rank r's.
/// @pre contract.check() holds, mapping.ranks() == contract.ranks
[[nodiscard]] Contract at_places(Contract const& contract, Mapping const& mapping);

/// The cheapest candidate; of equally cheap ones the first. An algorithm without a price is taken only where it is
/// named, with the first of options.segments, or a Cut's own. A function of its arguments alone, so that all ranks
/// which hold the same machine and contract choose alike without asking each other.
/// @param contract by rank; every algorithm is priced for where options.mapping has its ranks
/// @pre contract.check() holds, contract.ranks == machine.ranks() == options.mapping's, options.window >= 1,
///      segments >= contract.element
/// @throws Error(unsupported) with every candidate's reason when no algorithm can serve
[[nodiscard]] Choice choose(Machine const& machine, Contract const& contract, SelectOptions const& options = {});

/// The algorithm that loses least, at worst, whether the links are as fast as the machine says or up to a thousand
/// times slower: for machines whose rates nobody gave, where what is chosen may not hang on rates measured at start, as
/// sums in another order would differ from run to run. Empty where none has a price. Arguments and errors as
/// choose()'s.
[[nodiscard]] std::string algorithm_for_any_rates(Machine const& machine, Contract const& contract,
                                                  SelectOptions const& options = {});

/// The chosen algorithm's schedule, over places.
[[nodiscard]] Schedule make_schedule(Machine const& machine, Choice const& choice);

/// What no schedule of a contract over places beats on the machine, by latency and by bandwidth: verify::lower_bound().
/// None where none is known, or where dead links cut the machine apart.
/// @param members ranks of the machine that alone have the contract; none: all ranks
[[nodiscard]] std::optional<model::Bound> lower_bounds(Machine const& machine, Contract const& contract,
                                                       std::span<Rank const> members = {});
/// The larger of both.
[[nodiscard]] std::optional<Seconds> lower_bound(Machine const& machine, Contract const& contract,
                                                 std::span<Rank const> members = {});

/// Why: the best cut of every algorithm with its price, cheapest first, the lower bound and the chosen one's share of
/// it where the choice has it, and the reasons of those that cannot serve.
[[nodiscard]] std::string explain(Choice const& choice);

/// {"machine", "collective", "ranks", "root", "bytes", "element", "algorithm", "segment", "window", "predicted_s",
///  "candidates": [{"algorithm", "segment", "window", "predicted_s"} or {"algorithm", "reason"}]}
/// where "predicted_s" is null without a price; for ranks that form no box also "network": {"nodes", "trees", "depth",
/// "streams_on_a_link"}; with a mapping also "root_place"; "targets" where the message is for
/// some of the ranks; and, where the choice has them, "mpi": {"predicted_s", "source": "calibrated" or "modelled"},
/// "bound_s", and "of_bound": the bound over "predicted_s", or null without a price.
[[nodiscard]] std::string to_json(Choice const& choice, int indent = 2);

}  // namespace allport
