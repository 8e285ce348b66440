#include "decision.h"

#include <fmt/format.h>

#include <limits>

#include "allport/select/mpi_price.h"
#include "allport/select/select.h"
#include "datatypes.h"
#include "operation.h"

namespace allport::dropin {
namespace {

/// Blocks whose lengths are not known to all are taken to be so long when prices are compared.
constexpr std::int64_t unknown_bytes = 64 * 1024;

bool has_root(Function what) {
  return what == Function::bcast || what == Function::reduce || what == Function::scatter ||
         what == Function::scatterv || what == Function::gather || what == Function::gatherv;
}

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

bool lengths_are_secret(Function what) {
  return what == Function::scatterv || what == Function::gatherv || what == Function::alltoallv;
}

/// Longest block (or the message), as far as all ranks know it.
std::int64_t bytes_of(Call const& call, Record const& record) {
  if (call.what == Function::barrier) return 0;
  if (lengths_are_secret(call.what)) return unknown_bytes;
  auto const collective = dropin::collective(call.what);
  bool const by_send = (collective == Collective::scatter && record.rank == call.root) ||
                       (collective == Collective::gather && record.rank != call.root);
  auto const& operand = by_send ? call.send : call.receive;
  std::int64_t most = 0;
  for (int r = 0; r < (per_rank(operand) ? record.size : 1); ++r) most = std::max(most, operand.count_of(r));
  return most * layout_of(operand.type).size;
}

Decision by_price(Record const& record, Contract const& contract) {
  try {
    auto const& machine = record.ours->machine();
    auto const choice = choose(machine, contract);
    if (state().policy == Policy::always || expect_to_win(choice, mpi_price(machine, contract))) return {true, {}};
    return {false, "MPI's own is expected to be faster"};
  } catch (Error const& e) {
    return {false, fmt::format("no algorithm for {} on {}", name(contract.what), record.ours->machine().name())};
  }
}

Decision const& decide(Record& record, Contract const& contract) {
  constexpr std::size_t most = 4096;
  if (record.decisions.size() >= most) record.decisions.clear();
  auto const key = std::tuple(contract.what, contract.root, contract.bytes, contract.element);
  auto const [entry, fresh] = record.decisions.try_emplace(key);
  if (fresh) entry->second = by_price(record, contract);
  return entry->second;
}

/// Operands that may not be exchanged: what is needed beside the collective itself.
std::optional<std::string> why_not_in_order(Record& record, Call const& call) {
  if (!record.in_order) return "non-commutative operation where ranks are not in the machine's order";
  auto const n = record.size;
  auto const what = collective(call.what);
  auto const next = what == Collective::allreduce ? Collective::broadcast
                    : what == Collective::reduce  ? Collective::gather
                                                  : Collective::scatter;
  for (auto const step : {Collective::reduce, next}) {
    auto const& decision = decide(record, {step, n, 0, unknown_bytes, 1});
    if (!decision.take) return decision.why_not;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_not(Call const& call, Record& record) {
  if (!record.ours) return record.why_not;
  if (!arguments_are_good(call, record)) return "arguments that the MPI library complains about";
  std::int64_t element = 1;
  if (reduces(call.what)) {
    element = element_of(layout_of(call.receive.type));
    if (element > std::numeric_limits<int>::max()) return "reduction of elements of 2 GiB or more";
    int commutative = 0;
    PMPI_Op_commutative(call.op, &commutative);
    if (commutative == 0) return why_not_in_order(record, call);
  }
  auto const n = record.size;
  auto const root = has_root(call.what) ? record.ours->position(call.root) : 0;
  if (call.what == Function::alltoallv) {
    auto const& rows = decide(record, {Collective::allgather, n, 0, 8 * std::int64_t{n}, 1});
    if (!rows.take) return rows.why_not;
  }
  auto const& decision = decide(record, {collective(call.what), n, root, bytes_of(call, record), element});
  if (!decision.take) return decision.why_not;
  return std::nullopt;
}

}  // namespace allport::dropin
