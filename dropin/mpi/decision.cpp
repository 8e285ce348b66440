#include "decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "allport/select/mpi_price.h"
#include "allport/select/select.h"
#include "datatypes.h"
#include "neighbours.h"
#include "operation.h"

namespace allport::dropin {
namespace {

/// Blocks whose lengths are not known to all are taken to be so long when prices are compared.
constexpr std::int64_t unknown_bytes = 64 * 1024;

bool per_rank(Operand const& operand) { return operand.counts.given(); }

/// A buffer that MPI would accept. Its elements may lie at absolute addresses (MPI_BOTTOM is the null pointer).
bool is_good(Operand const& operand, int ranks) {
  if (!is_usable(operand.type)) return false;
  std::int64_t most = 0;
  for (int r = 0; r < (per_rank(operand) ? ranks : 1); ++r) {
    if (operand.count_of(r) < 0) return false;
    most = std::max(most, operand.count_of(r));
  }
  return operand.buffer != nullptr || most == 0 || !is_predefined(operand.type);
}

/// MPI_IN_PLACE stands only where it may.
bool in_place_is_good(Call const& call, bool is_root) {
  bool const scatters = collective(call.what) == Collective::scatter;
  auto const& may = scatters ? call.receive : call.send;
  auto const& may_not = scatters ? call.send : call.receive;
  return !may_not.in_place() && (!may.in_place() || is_root || !has_root(call.what));
}

bool arguments_are_good(Call const& call, Record const& record) {
  if (is_of_neighbours(call.what)) return neighbour_arguments_are_good(call, record);
  auto const n = record.size;
  if (has_root(call.what) && (call.root < 0 || call.root >= n)) return false;
  bool const is_root = call.root == record.rank;
  if (!in_place_is_good(call, is_root)) return false;
  auto const uses = uses_of(call.what, is_root);
  if (reduces(call.what)) {
    if (!is_good({nullptr, 0, call.receive.type, {}, {}}, n) || !is_defined(call.op, call.receive.type)) return false;
    auto input = call.receive;
    input.buffer = call.send.in_place() ? call.receive.buffer : call.send.buffer;
    return is_good(input, n) && (!uses.receive || is_good(call.receive, n));
  }
  return (!uses.send || call.send.in_place() || is_good(call.send, n)) &&
         (!uses.receive || call.receive.in_place() || is_good(call.receive, n));
}

/// Bytes of one element; negative where the type has none that MPI would tell.
std::int64_t type_size(MPI_Datatype type) {
  MPI_Count size = -1;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS) return -1;
  return size;
}

/// Longest block (or the message), as far as all ranks know it; negative for arguments that are wrong.
std::int64_t bytes_of(Call const& call, Record const& record) {
  if (call.what == Function::barrier) return 0;
  if (is_of_neighbours(call.what)) return bytes_to_neighbour(call, record);
  if (lengths_are_secret(call.what)) return unknown_bytes;
  auto const collective = dropin::collective(call.what);
  bool const by_send = (collective == Collective::scatter && record.rank == call.root) ||
                       (collective == Collective::gather && record.rank != call.root);
  auto const& operand = by_send ? call.send : call.receive;
  auto most = operand.count_of(0);
  for (int r = 1; r < (per_rank(operand) ? record.size : 0); ++r) most = std::max(most, operand.count_of(r));
  return most * type_size(operand.type);
}

/// The least call of a size class; whole doubles where they are added.
Contract least_of(Function what, int size_class, Rank ranks) {
  auto const bytes = least_bytes(size_class);
  return {collective(what), ranks, 0, bytes, reduces(what) ? std::clamp<std::int64_t>(bytes, 1, 8) : 1};
}

/// What sends the lengths first where only some ranks know them.
Contract lengths_of(Function what, Rank ranks) {
  auto const pairs = what == Function::alltoallv;
  return {pairs ? Collective::allgather : Collective::broadcast, ranks, 0, 8 * std::int64_t{ranks}, 1};
}

/// By whose rates calls are priced.
Machine const& machine_of(Record const& record, Collective what) {
  return combines(what) ? record.ours->named_machine() : record.ours->machine();
}

/// The cheapest of ours.
Choice chosen(Record const& record, Contract const& contract) {
  auto const& ours = *record.ours;
  return choose(machine_of(record, contract.what), contract,
                {.algorithm = ours.algorithm_by_name(contract, record.mapping),
                 .among = combines(contract.what) ? ours.named_algorithms() : ours.algorithms(),
                 .mapping = record.mapping});
}

Expected expected_of(Record const& record, Function what, int size_class) {
  auto const contract = least_of(what, size_class, record.size);
  Expected expected;
  Seconds lengths{};
  try {
    expected.choice = chosen(record, contract);
    if (lengths_are_secret(what)) lengths = our_seconds(record, lengths_of(what, contract.ranks));
  } catch (Error const&) {
    throw Error(ErrorKind::unsupported,
                fmt::format("no algorithm for {} on {}", name(contract.what), record.ours->machine().name()));
  }
  expected.library = mpi_price_of(machine_of(record, contract.what), contract, record.mapping);
  expected.choice.best.predicted += lengths;
  if (expected.library.ours) *expected.library.ours += lengths;
  return expected;
}

/// Which calls are sampled.
bool are_secret(Function what, Record const& record) {
  return is_of_neighbours(what) ? record.neighbourhood && only_pairs_know_lengths(what, record)
                                : lengths_are_secret(what);
}

/// Reason why a predicted win is not trusted; empty: it is.
std::string why_no_price_counts(Record const& record) {
  if (state().policy != Policy::automatic) return {};
  if (state().guessed) return "no machine was named, and no tuning run has shown that ours is faster";
  if (!record.ours->is_box())
    return "the ranks form no box of the machine, and no tuning run has shown that ours is faster";
  return {};
}

/// By the predicted times, or by tuning.
std::unique_ptr<Site> decided(Record const& record, Function what, int size_class) {
  bool const automatic = state().policy == Policy::automatic;
  bool const of_neighbours = is_of_neighbours(what);
  auto const* const library_is_faster =
      of_neighbours ? "MPI's own sends blocks straight, too, and no way round is expected to be faster"
                    : "MPI's own is expected to be faster";
  auto site = std::make_unique<Site>();
  auto& why = site->why_not;
  std::optional<Expected> expected;
  if (automatic && size_class == 0 && what != Function::barrier) {
    why = library_is_faster;  // MPI libraries return at once where nothing is to be moved
  } else {
    try {
      expected =
          of_neighbours ? expected_of_neighbours(record, what, size_class) : expected_of(record, what, size_class);
      if (automatic && !(expected->differs && expect_to_win(expected->choice, expected->library))) {
        why = library_is_faster;
      }
    } catch (Error const& e) {
      why = e.what();
    }
    if (automatic && state().without_links) why = no_links_measured;
  }
  if (why.empty()) why = why_no_price_counts(record);
  site->decision = why.empty() ? Decision::ours : Decision::library;
  if (expected && expected->differs && !are_secret(what, record) && is_tuned(what, expected->library.source)) {
    site->tuning = std::make_unique<Tuning>(record, site_name(record, what, size_class), *expected, why.empty());
    why = "MPI's own took less time when both were tried";
    site->follow_tuning();
  }
  return site;
}

Site& site_of(Record& record, Function what, std::int64_t bytes) {
  auto* const known = record.sites.find(what, bytes);
  return known != nullptr ? *known : record.sites.add(what, bytes, decided(record, what, size_class(bytes)));
}

/// The same for operands that may not be exchanged, which takes two collectives.
std::optional<std::string> why_not_in_order(Record& record, Call const& call) {
  if (!record.in_order()) return "non-commutative operation where ranks are not in the machine's order";
  auto const what = collective(call.what);
  auto const next = what == Collective::allreduce ? Function::bcast
                    : what == Collective::reduce  ? Function::gather
                                                  : Function::scatter;
  for (auto const step : {Function::reduce, next}) {
    if (auto const& site = site_of(record, step, unknown_bytes); !site.is_ours()) return site.why_not;
  }
  return std::nullopt;
}

/// A reduction whose operands may not be exchanged.
bool is_in_order(Call const& call) {
  if (!reduces(call.what) || call.op == MPI_OP_NULL) return false;
  int commutative = 1;
  PMPI_Op_commutative(call.op, &commutative);
  return commutative == 0;
}

/// So many calls that follow a sampled one are passed to the library, or go straight.
constexpr int calls_between_looks = 127;

/// Mean block up to which sending the lengths first takes longer than any tree saves.
constexpr std::int64_t longest_straight = 4096;

void plan_next_look(Record& record, Function what, Sampled& sampled) {
  // What goes straight the library sends straight, too.
  bool const is_short = state().policy == Policy::automatic && sampled.bytes <= longest_straight;
  bool const loses = sampled.bytes >= 0 && (is_short || !site_of(record, what, sampled.bytes).is_ours());
  sampled.passed = loses ? calls_between_looks : 0;
}

/// True where the library does the call by what was decided before, which is counted.
bool is_passed(CallShape const& shape) {
  if (!shape.record->ours) return true;
  auto* const site = shape.site;
  if (site == nullptr) return false;
  auto const decision = site->decision.load(std::memory_order_relaxed);
  if (decision == Decision::library) {
    site->count_untimed();
    return true;
  }
  if (decision == Decision::tuned || site->sampled.passed == 0) return false;
  --site->sampled.passed;
  return true;
}

}  // namespace

std::optional<std::string> why_not_possible(Call const& call, Record const& record) {
  if (!arguments_are_good(call, record)) return "arguments that the MPI library complains about";
  if (reduces(call.what) && element_of(layout_of(call.receive.type)) > std::numeric_limits<int>::max()) {
    return "reduction of elements of 2 GiB or more";
  }
  return std::nullopt;
}

Seconds our_seconds(Record const& record, Contract const& contract) {
  auto const timed = mpi_price_of(machine_of(record, contract.what), contract, record.mapping).ours;
  return timed ? *timed : chosen(record, contract).best.predicted;
}

bool passes_through(Call const& call, CallShape& shape) {
  auto* const record = shape.record = call.comm != MPI_COMM_NULL ? record_of(call.comm) : nullptr;
  if (record == nullptr) return false;
  if (record->ours) shape.bytes = bytes_of(call, *record);
  if (shape.bytes >= 0) shape.site = record->sites.find(call.what, shape.bytes);
  return !state().counting && is_passed(shape);
}

Site& decided_site(Call const& call, CallShape& shape) {
  if (shape.site == nullptr) shape.site = &site_of(*shape.record, call.what, shape.bytes);
  return *shape.site;
}

std::optional<std::string> why_not(Call const& call, CallShape& shape) {
  auto& record = *shape.record;
  if (is_passed(shape)) {
    if (!record.ours) return record.why_not;
    if (!shape.site->is_ours()) return shape.site->why_not;
    return "blocks of the length that was seen last are quicker by MPI's own";
  }
  if (auto why = why_not_possible(call, record)) return why;
  if (is_in_order(call)) return why_not_in_order(record, call);
  auto& site = decided_site(call, shape);
  if (!site.is_ours()) return site.why_not;
  if (are_secret(call.what, record)) plan_next_look(record, call.what, site.sampled);
  return std::nullopt;
}

bool is_timed(Call const& call) { return !reduces(call.what) || is_predefined_op(call.op) || !is_in_order(call); }

void learn_lengths(Call const& call, CallShape const& shape, std::vector<std::int64_t> const& lengths) {
  auto const total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  auto& s = shape.site->sampled;
  s.bytes = total / static_cast<std::int64_t>(lengths.size());
  plan_next_look(*shape.record, call.what, s);
  s.straight = s.passed == 0 && s.bytes <= longest_straight && !shape.record->ours->checks() ? calls_between_looks : 0;
}

}  // namespace allport::dropin
