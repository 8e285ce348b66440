#include "short.h"

#include <algorithm>
#include <exception>
#include <span>

#include "datatypes.h"
#include "decision.h"
#include "enter.h"
#include "operation.h"
#include "report.h"
#include "requests.h"

namespace allport::dropin {
namespace {

constexpr std::int64_t longest_short = 64 << 10;

using Input = std::span<std::byte const>;
using Output = std::span<std::byte>;

/// One buffer, or every rank's block one behind the other.
bool sends_blocks(Function what) {
  return what == Function::scatter || what == Function::alltoall || what == Function::reduce_scatter_block;
}
bool receives_blocks(Function what) {
  return what == Function::gather || what == Function::allgather || what == Function::alltoall;
}

/// Blocks of one length, one behind the other: the same call without arrays. Nothing where they differ.
std::optional<Call> without_arrays(Call const& call, int ranks) {
  if (!call.receive.counts.given()) return call;
  auto even = call;
  auto const count = call.receive.counts[0];
  for (int r = 0; r < ranks; ++r) {
    if (call.receive.counts[r] != count) return std::nullopt;
    if (call.receive.displacements.given() && call.receive.displacements[r] != r * count) return std::nullopt;
  }
  even.what = call.what == Function::allgatherv ? Function::allgather : Function::reduce_scatter_block;
  even.receive = {call.receive.buffer, count, call.receive.type, {}, {}};
  if (even.what == Function::reduce_scatter_block) even.send = {call.send.buffer, count, call.send.type, {}, {}};
  return even;
}

/// Bytes of the message or of a block.
std::int64_t bytes_of(Call const& call, Form const& form) {
  if (call.what == Function::barrier) return 0;
  return call.receive.count * form.element;
}

Buffers buffers_of(Call const& call, Record const& record, std::int64_t bytes) {
  auto const n = static_cast<std::int64_t>(record.size);
  bool const root = call.root == record.rank;
  bool const sends =
      call.what != Function::barrier && call.what != Function::bcast && (call.what != Function::scatter || root);
  bool const receives =
      call.what != Function::barrier && ((call.what != Function::reduce && call.what != Function::gather) || root);
  auto const length = [&](bool blocks) { return static_cast<std::size_t>(blocks ? n * bytes : bytes); };
  Buffers buffers;
  if (sends) buffers.input = Input(static_cast<std::byte const*>(call.send.buffer), length(sends_blocks(call.what)));
  if (receives)
    buffers.output = Output(static_cast<std::byte*>(call.receive.buffer), length(receives_blocks(call.what)));
  return buffers;
}

/// All counts of the call as the form wants them, and buffers that are there and apart.
bool is_of(Form const& form, Call const& call, Record const& record) {
  if (call.send.type != form.send || call.receive.type != form.receive || call.op != form.op) return false;
  if (has_root(call.what) && (call.root < 0 || call.root >= record.size)) return false;
  if (call.what == Function::barrier) return true;
  if (call.receive.count < 0 || call.send.in_place() || call.receive.in_place()) return false;
  bool const one_count = call.what == Function::bcast || reduces(call.what);
  if (!one_count && call.send.count != call.receive.count) return false;
  if (call.receive.count == 0) return true;
  bool const there = call.receive.buffer != nullptr && (call.what == Function::bcast || call.send.buffer != nullptr);
  return there && call.send.buffer != call.receive.buffer;
}

}  // namespace

std::optional<int> run_short(Call const& given) {
  auto* const record = known_record(given.comm);
  if (record == nullptr || !record->ours) return std::nullopt;
  auto const& form = record->forms[static_cast<std::size_t>(given.what)];
  if (!form.known) return std::nullopt;
  auto const even = without_arrays(given, record->size);
  if (!even || !is_of(form, *even, *record)) return std::nullopt;
  auto const& call = *even;
  auto const bytes = bytes_of(call, form);
  if (bytes > longest_short || record->verdict(given.what, bytes) != Verdict::take) return std::nullopt;
  try {
    Lock const lock;
    auto const began = state().counting ? now() : 0.0;
    auto const root = has_root(call.what) ? record->ours->position(call.root) : 0;
    Contract const contract{collective(call.what), record->size, root, bytes, reduces(call.what) ? form.element : 1};
    auto const buffers = buffers_of(call, *record, bytes);
    if (!record->ours->run_short(contract, buffers, form.combine, [] { move_others(); })) return std::nullopt;
    if (state().counting) {
      auto const seconds = now() - began;
      auto const longer = std::max(buffers.input.size(), buffers.output.size());
      tally_of(given, record).taken(taken(*record, contract, static_cast<std::int64_t>(longer)), seconds);
    }
    return MPI_SUCCESS;
  } catch (std::exception const& e) {
    return fail(call, e.what());
  }
}

void remember_form(Call const& call, Record& record) {
  auto& form = record.forms[static_cast<std::size_t>(call.what)];
  if (lengths_are_secret(call.what) || !record.ours || !(record.in_order() || call.what == Function::barrier)) return;
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
