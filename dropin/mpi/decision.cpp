#include "decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "allport/select/mpi_price.h"
#include "allport/select/select.h"
#include "datatypes.h"
#include "handback/decide.h"
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

/// Where MPI_IN_PLACE stands, and may stand.
bool in_place_is_good(Call const& call, bool root) {
  auto const send = call.send.in_place();
  auto const receive = call.receive.in_place();
  switch (call.what) {
    case Function::barrier:
      return true;
    case Function::bcast:
      return !receive;
    case Function::scatter:
    case Function::scatterv:
      return !send && (!receive || root);
    case Function::reduce:
    case Function::gather:
    case Function::gatherv:
      return !receive && (!send || root);
    default:
      return !receive;
  }
}

bool arguments_are_good(Call const& call, Record const& record) {
  if (is_of_neighbours(call.what)) return neighbour_arguments_are_good(call, record);
  auto const n = record.size;
  if (has_root(call.what) && (call.root < 0 || call.root >= n)) return false;
  bool const root = call.root == record.rank;
  if (!in_place_is_good(call, root)) return false;
  if (reduces(call.what)) {
    if (!is_good({nullptr, 0, call.receive.type, {}, {}}, n) || !is_defined(call.op, call.receive.type)) return false;
    bool const has_output = call.what != Function::reduce || root;
    auto input = call.receive;
    input.buffer = call.send.in_place() ? call.receive.buffer : call.send.buffer;
    return is_good(input, n) && (!has_output || is_good(call.receive, n));
  }
  auto const collective = dropin::collective(call.what);
  bool const sends = collective == Collective::scatter ? root : call.what != Function::bcast;
  bool const receives = collective == Collective::gather ? root : true;
  if (call.what == Function::barrier) return true;
  if (sends && !call.send.in_place() && !is_good(call.send, n)) return false;
  return !receives || call.receive.in_place() || is_good(call.receive, n);
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

/// The least call of a size class, which stands for all of them; whole doubles where they are added.
Contract least_of(Function what, int size_class, Rank ranks) {
  auto const bytes = size_class == 0 ? std::int64_t{0} : std::int64_t{1} << (size_class - 1);
  return {collective(what), ranks, 0, bytes, reduces(what) ? std::clamp<std::int64_t>(bytes, 1, 8) : 1};
}

/// How a collective of ours goes about whose lengths only some ranks know: they travel first.
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

constexpr auto theirs_is_faster = "MPI's own is expected to be faster";

/// What we would do, and how long the lengths travel ahead of it.
struct Plan {
  Choice choice;
  Seconds first{};
};

Plan plan_of(Record const& record, Function what, Contract const& contract) {
  try {
    Plan plan{chosen(record, contract)};
    if (lengths_are_secret(what)) plan.first = our_seconds(record, lengths_of(what, contract.ranks));
    return plan;
  } catch (Error const&) {
    throw Error(ErrorKind::unsupported,
                fmt::format("no algorithm for {} on {}", name(contract.what), record.ours->machine().name()));
  }
}

/// Why the MPI library does calls like this one; empty: we do them.
std::string why_by_price(Record const& record, Function what, Contract const& contract) {
  auto const& machine = machine_of(record, contract.what);
  auto const hopeless = [&]() -> std::string {
    // MPI libraries return at once where nothing is to be moved.
    if (contract.bytes == 0 && contract.what != Collective::barrier) return theirs_is_faster;
    if (!state().without_links) return {};
    return no_links_measured;
  };
  auto const loses = [&](Plan const& plan) -> std::string {
    auto choice = plan.choice;
    auto price = mpi_price_of(machine, contract, record.mapping);
    choice.best.predicted += plan.first;
    if (price.ours) *price.ours += plan.first;
    return expect_to_win(choice, price) ? "" : theirs_is_faster;
  };
  auto const plan = [&] { return plan_of(record, what, contract); };
  return handback::decide(state().policy, hopeless, plan, loses).why_not;
}

constexpr auto theirs_was_faster = "MPI's own took less time when both were tried";

/// Calls of this size class, to be tried; nothing where they are not.
std::unique_ptr<Trial> new_trial(Record const& record, Function what, int size_class, bool by_price) {
  auto const contract = least_of(what, size_class, record.size);
  if (contract.bytes == 0 && contract.what != Collective::barrier) return nullptr;
  auto const& machine = machine_of(record, contract.what);
  auto const theirs = mpi_price_of(machine, contract, record.mapping);
  if (!is_tried(what, theirs.source)) return nullptr;
  try {
    return std::make_unique<Trial>(record, site_of(record, what, size_class), chosen(record, contract), theirs,
                                   by_price);
  } catch (Error const&) {  // no algorithm
    return nullptr;
  }
}

Verdict settled(Trial const& trial) {
  if (!trial.is_over() && trial.resting() == 0) return Verdict::tried;
  return trial.prefers_ours() ? Verdict::take : Verdict::back;
}

/// As by why_by_price(), or by trying, for all calls of the size class.
/// Why what is cheaper by price is not taken for that; empty: it is.
std::string why_no_price_counts(Record const& record) {
  if (state().policy != Policy::automatic) return {};
  if (state().guessed) return "no machine was named, and trying has not shown that ours is quicker";
  if (!record.ours->is_box())
    return "the ranks form no box of the machine, and trying has not shown ours to be quicker";
  return {};
}

Verdict decided(Record& record, Function what, int size_class) {
  auto& why = record.reasons[{what, size_class}];
  bool const of_neighbours = is_of_neighbours(what);
  why = of_neighbours ? why_not_for_neighbours(record, what, size_class)
                      : why_by_price(record, what, least_of(what, size_class, record.size));
  if (why.empty()) why = why_no_price_counts(record);
  auto trial = of_neighbours ? new_neighbour_trial(record, what, size_class, why.empty())
                             : new_trial(record, what, size_class, why.empty());
  if (!trial) return why.empty() ? Verdict::take : Verdict::back;
  why = theirs_was_faster;
  auto const verdict = settled(*trial);
  record.trials[{what, size_class}] = std::move(trial);
  return verdict;
}

bool is_ours(Record& record, Function what, std::int64_t bytes) {
  auto& verdict = record.verdict(what, bytes);
  if (verdict == Verdict::open) verdict = decided(record, what, size_class(bytes));
  if (verdict == Verdict::tried) return record.trials.at({what, size_class(bytes)})->prefers_ours();
  return verdict == Verdict::take;
}

/// Nothing where such calls are ours.
std::optional<std::string> why_not(Record& record, Function what, std::int64_t bytes) {
  if (is_ours(record, what, bytes)) return std::nullopt;
  return record.reasons.at({what, size_class(bytes)});
}

/// Operands that may not be exchanged: what is needed beside the collective itself.
std::optional<std::string> why_not_in_order(Record& record, Call const& call) {
  if (!record.in_order()) return "non-commutative operation where ranks are not in the machine's order";
  auto const what = collective(call.what);
  auto const next = what == Collective::allreduce ? Function::bcast
                    : what == Collective::reduce  ? Function::gather
                                                  : Function::scatter;
  for (auto const step : {Function::reduce, next}) {
    if (auto why = why_not(record, step, unknown_bytes)) return why;
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

/// Which calls are sampled.
bool are_secret(Function what, Record const& record) {
  return is_of_neighbours(what) ? record.neighbourhood && only_pairs_know_lengths(what, record)
                                : lengths_are_secret(what);
}

Sampled& sampled(Record& record, Function what) { return record.sampled[static_cast<std::size_t>(what)]; }

/// Calls of known length that follow one which was looked at are handed back, or go straight, so often.
constexpr int calls_between_looks = 127;

/// Mean block up to which telling the lengths first takes longer than any tree saves.
constexpr std::int64_t longest_straight = 4096;

void plan_next_look(Record& record, Function what) {
  auto& s = sampled(record, what);
  // What goes straight the library sends straight, too.
  bool const is_short = state().policy == Policy::automatic && s.bytes <= longest_straight;
  bool const loses = s.bytes >= 0 && (is_short || !is_ours(record, what, s.bytes));
  s.calls = loses ? calls_between_looks : 0;
}

}  // namespace

std::optional<std::string> why_not_possible(Call const& call, Record const& record) {
  if (!arguments_are_good(call, record)) return "arguments that the MPI library complains about";
  if (reduces(call.what) && element_of(layout_of(call.receive.type)) > std::numeric_limits<int>::max()) {
    return "reduction of elements of 2 GiB or more";
  }
  return std::nullopt;
}

bool has_root(Function what) {
  return what == Function::bcast || what == Function::reduce || what == Function::scatter ||
         what == Function::scatterv || what == Function::gather || what == Function::gatherv;
}

bool lengths_are_secret(Function what) {
  return what == Function::scatterv || what == Function::gatherv || what == Function::alltoallv ||
         what == Function::neighbor_allgatherv || what == Function::neighbor_alltoallv ||
         what == Function::neighbor_alltoallw;
}

Seconds our_seconds(Record const& record, Contract const& contract) {
  auto const timed = mpi_price_of(machine_of(record, contract.what), contract, record.mapping).ours;
  return timed ? *timed : chosen(record, contract).best.predicted;
}

bool is_handed_back(Call const& call, Record& record) {
  if (!record.ours) return true;
  auto const bytes = bytes_of(call, record);
  if (bytes < 0) return false;
  auto const verdict = record.verdict(call.what, bytes).load(std::memory_order_relaxed);
  if (verdict == Verdict::open || verdict == Verdict::tried) return false;
  if (verdict == Verdict::back) {
    record.rested(call.what, bytes);
    return true;
  }
  if (!are_secret(call.what, record) || sampled(record, call.what).calls == 0) return false;
  --sampled(record, call.what).calls;
  return true;
}

std::optional<std::string> why_not(Call const& call, Record& record) {
  if (!record.ours) return record.why_not;
  if (is_handed_back(call, record)) {
    return why_not(record, call.what, bytes_of(call, record))
        .value_or("blocks of the length that was seen last are quicker by MPI's own");
  }
  if (auto why = why_not_possible(call, record)) return why;
  if (is_in_order(call)) return why_not_in_order(record, call);
  auto why = why_not(record, call.what, bytes_of(call, record));
  if (!why && are_secret(call.what, record)) plan_next_look(record, call.what);
  return why;
}

bool is_timed(Call const& call, Record& record) {
  if (!record.ours) return false;
  auto const bytes = bytes_of(call, record);
  if (bytes < 0) return false;
  auto const& verdict = record.verdict(call.what, bytes);
  if (verdict.load(std::memory_order_relaxed) == Verdict::open) {
    Lock const lock;
    std::ignore = is_ours(record, call.what, bytes);
  }
  if (verdict.load(std::memory_order_relaxed) != Verdict::tried) return false;
  return !reduces(call.what) || is_predefined_op(call.op) || !is_in_order(call);
}

Trial& trial_of(Call const& call, Record& record) {
  return *record.trials.at({call.what, size_class(bytes_of(call, record))});
}

std::optional<std::string> why_not(Call const& call, Record& record, Trial const& trial) {
  if (!trial.is_ours()) return "MPI's own, which is being tried or was best when it was";
  return why_not_possible(call, record);
}

void learn(Call const& call, Record& record, double seconds) {
  auto const bytes = bytes_of(call, record);
  auto& trial = trial_of(call, record);
  trial.record(record, seconds);
  auto& rest = record.resting[static_cast<std::size_t>(call.what)][static_cast<std::size_t>(size_class(bytes))];
  rest = trial.is_over() ? 0 : trial.resting();
  record.verdict(call.what, bytes) = settled(trial);
}

void rested(Call const& call, Record& record) {
  if (auto const bytes = bytes_of(call, record); bytes >= 0) record.rested(call.what, bytes);
}

bool goes_straight(Call const& call, Record& record) {
  if (!are_secret(call.what, record) || sampled(record, call.what).straight == 0) return false;
  --sampled(record, call.what).straight;
  return true;
}

void learn(Call const& call, Record& record, std::vector<std::int64_t> const& lengths) {
  auto const total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  auto& s = sampled(record, call.what);
  s.bytes = total / static_cast<std::int64_t>(lengths.size());
  plan_next_look(record, call.what);
  s.straight = s.calls == 0 && s.bytes <= longest_straight && !record.ours->checks() ? calls_between_looks : 0;
}

}  // namespace allport::dropin
