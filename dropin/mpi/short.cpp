#include "short.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <tuple>
#include <utility>

#include "datatypes.h"
#include "decision.h"
#include "enter.h"
#include "operation.h"
#include "report.h"
#include "requests.h"
#include "straight.h"

namespace allport::dropin {
namespace {

constexpr std::int64_t longest_short = 64 << 10;

using Input = std::span<std::byte const>;
using Output = std::span<std::byte>;

bool counts_differ(Operand const& operand, int ranks) {
  for (int r = 1; operand.counts.given() && r < ranks; ++r) {
    if (operand.counts[r] != operand.counts[0]) return true;
  }
  return false;
}

/// Blocks one behind the other.
bool in_sequence(Operand const& operand, int ranks) {
  std::int64_t next = 0;
  for (int r = 0; operand.displacements.given() && r < ranks; ++r) {
    if (operand.displacements[r] != next) return false;
    next += operand.counts[r];
  }
  return true;
}

/// Blocks of one length, one behind the other: the same call without arrays.
Call without_arrays(Call const& call) {
  auto even = call;
  auto const count = call.receive.counts[0];
  even.what = call.what == Function::allgatherv ? Function::allgather : Function::reduce_scatter_block;
  even.receive = {call.receive.buffer, count, call.receive.type, {}, {}};
  if (even.what == Function::reduce_scatter_block) even.send = {call.send.buffer, count, call.send.type, {}, {}};
  return even;
}

/// Bytes of the message or of a block; of the longest where they differ.
std::int64_t bytes_of(Call const& call, Form const& form, int ranks) {
  if (call.what == Function::barrier) return 0;
  auto most = call.receive.count_of(0);
  for (int r = 1; call.receive.counts.given() && r < ranks; ++r) most = std::max(most, call.receive.counts[r]);
  return most * form.element;
}

/// The lengths of blocks that differ; the table of the call before where it had the same.
std::shared_ptr<BlockTable const> const& blocks_of(Call const& call, Record& record, std::int64_t element) {
  auto& table = record.blocks[static_cast<std::size_t>(call.what)];
  bool same = table != nullptr;
  for (int r = 0; same && r < record.size; ++r) same = table->bytes(r) == call.receive.counts[r] * element;
  if (same) return table;
  std::vector<std::int64_t> bytes;
  for (int r = 0; r < record.size; ++r) bytes.push_back(call.receive.counts[r] * element);
  return table = BlockTable::per_rank(std::move(bytes));
}

Contract contract_of(Call const& call, Record& record, Form const& form, std::int64_t bytes) {
  auto const what = collective(call.what);
  auto const element = reduces(call.what) ? form.element : 1;
  auto const root = has_root(call.what) ? record.ours->position(call.root) : 0;
  if (!call.receive.counts.given()) return {what, record.size, root, bytes, element};
  return with_blocks(what, record.size, root, blocks_of(call, record, form.element), element);
}

/// Which of its buffers a rank uses.
struct Uses {
  Uses(Call const& call, Record const& record)
      : sends(call.what != Function::barrier && call.what != Function::bcast &&
              (call.what != Function::scatter || call.root == record.rank)),
        receives(call.what != Function::barrier &&
                 ((call.what != Function::reduce && call.what != Function::gather) || call.root == record.rank)) {}
  bool sends;
  bool receives;
};

Buffers buffers_of(Call const& call, Record const& record, Contract const& contract) {
  auto const [sends, receives] = Uses(call, record);
  Buffers buffers;  // ranks are in the machine's order: Form
  auto const in = static_cast<std::size_t>(contract.input_bytes(record.rank));
  auto const out = static_cast<std::size_t>(contract.output_bytes(record.rank));
  if (sends) buffers.input = Input(static_cast<std::byte const*>(call.send.buffer), in);
  if (receives) buffers.output = Output(static_cast<std::byte*>(call.receive.buffer), out);
  return buffers;
}

/// All counts of the call as the form wants them, and buffers that are there and apart.
bool is_of(Form const& form, Call const& call, Record const& record) {
  if (call.send.type != form.send || call.receive.type != form.receive || call.op != form.op) return false;
  if (has_root(call.what) && (call.root < 0 || call.root >= record.size)) return false;
  if (call.what == Function::barrier) return true;
  if (call.send.in_place() || call.receive.in_place()) return false;
  bool const uneven = call.receive.counts.given();
  std::int64_t most = 0;
  for (int r = 0; r < (uneven ? record.size : 1); ++r) {
    if (call.receive.count_of(r) < 0) return false;
    most = std::max(most, call.receive.count_of(r));
  }
  bool const one_count = call.what == Function::bcast || reduces(call.what);
  if (!one_count && call.send.count != call.receive.count_of(uneven ? record.rank : 0)) return false;
  if (most == 0) return true;
  auto const [sends, receives] = Uses(call, record);
  bool const there = (!sends || call.send.buffer != nullptr) && (!receives || call.receive.buffer != nullptr);
  return there && call.send.buffer != call.receive.buffer;
}

/// What a call came to, for the report.
struct Ran {
  std::optional<Contract> contract;
  std::int64_t bytes = 0;
};

/// Whether calls of ours go the short way by what has been decided, or because their trial says so.
enum class By : std::uint8_t { verdict, trial };

/// Nothing where the call must go the long way.
std::optional<Ran> run_form(Call const& given, Record& record, By by) {
  auto const& form = record.forms[static_cast<std::size_t>(given.what)];
  if (!form.known) return std::nullopt;
  if (given.receive.counts.given() && !in_sequence(given.receive, record.size)) return std::nullopt;
  auto const& call =
      given.receive.counts.given() && !counts_differ(given.receive, record.size) ? without_arrays(given) : given;
  if (!is_of(form, call, record)) return std::nullopt;
  auto const bytes = bytes_of(call, form, record.size);
  auto const wanted = by == By::verdict ? Verdict::take : Verdict::tried;
  if (bytes > longest_short || record.verdict(given.what, bytes) != wanted) return std::nullopt;
  auto const contract = contract_of(call, record, form, bytes);
  auto const buffers = buffers_of(call, record, contract);
  if (!record.ours->run_short(contract, buffers, form.combine, [] { move_others(); })) return std::nullopt;
  if (by == By::verdict) record.rested(given.what, bytes);
  return Ran{contract, static_cast<std::int64_t>(std::max(buffers.input.size(), buffers.output.size()))};
}

std::optional<Ran> run_blocks(Call const& call, Record& record) {
  if (is_of_neighbours(call.what)) return std::nullopt;
  if (record.sampled[static_cast<std::size_t>(call.what)].straight == 0) return std::nullopt;
  auto const bytes = run_straight(call, record);
  if (!bytes) return std::nullopt;
  std::ignore = goes_straight(call, record);
  return Ran{{}, *bytes};
}

}  // namespace

std::optional<int> run_short(Call const& call) {
  auto* const record = known_record(call.comm);
  if (record == nullptr || !record->ours) return std::nullopt;
  bool const secret = lengths_are_secret(call.what);
  if (!secret && !record->forms[static_cast<std::size_t>(call.what)].known) return std::nullopt;
  try {
    Lock const lock;
    auto const began = state().counting ? now() : 0.0;
    auto const ran = secret ? run_blocks(call, *record) : run_form(call, *record, By::verdict);
    if (!ran) return std::nullopt;
    if (state().counting) tally_of(call, record).taken(taken(*record, ran->contract, ran->bytes), now() - began);
    return MPI_SUCCESS;
  } catch (std::exception const& e) {
    return fail(call, e.what());
  }
}

std::optional<handback::Taken> run_short_of_trial(Call const& call, Record& record) {
  auto const ran = run_form(call, record, By::trial);
  if (!ran) return std::nullopt;
  return taken(record, ran->contract, ran->bytes);
}

void prepare_for_all_roots(Call const& given, Record& record) {
  constexpr Rank most = 24;
  if (lengths_are_secret(given.what) || is_of_neighbours(given.what)) return;
  remember_form(given, record);
  auto const& form = record.forms[static_cast<std::size_t>(given.what)];
  if (!form.known || (given.receive.counts.given() && !in_sequence(given.receive, record.size))) return;
  auto const& call =
      given.receive.counts.given() && !counts_differ(given.receive, record.size) ? without_arrays(given) : given;
  if (!is_of(form, call, record)) return;
  auto contract = contract_of(call, record, form, bytes_of(call, form, record.size));
  if (!has_root(call.what)) {
    record.ours->prepare_short(contract);
    return;
  }
  for (contract.root = 0; record.size <= most && contract.root < record.size; ++contract.root) {
    record.ours->prepare_short(contract);
  }
}

void remember_form(Call const& call, Record& record) {
  auto& form = record.forms[static_cast<std::size_t>(call.what)];
  if (lengths_are_secret(call.what) || is_of_neighbours(call.what) || !record.ours ||
      !(record.in_order() || call.what == Function::barrier))
    return;
  auto const is_plain = [](MPI_Datatype type) { return is_predefined(type) && layout_of(type).plain; };
  Form seen{true, call.send.type, call.receive.type, call.op, 1, {}};
  if (call.what != Function::barrier) {
    bool const sends = call.what != Function::bcast;
    if (!is_plain(call.receive.type) || (sends && !is_plain(call.send.type))) return;
    seen.element = layout_of(call.receive.type).size;
    if (sends && layout_of(call.send.type).size != seen.element) return;
  }
  if (reduces(call.what)) {
    int commutative = 0;
    PMPI_Op_commutative(call.op, &commutative);
    if (!is_predefined_op(call.op) || commutative == 0) return;
    seen.combine = combine_by(call.op, call.receive.type, layout_of(call.receive.type), true);
  }
  form = std::move(seen);
}

}  // namespace allport::dropin
