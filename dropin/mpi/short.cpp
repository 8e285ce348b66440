#include "short.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>

#include "datatypes.h"
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

/// The lengths of blocks that differ; the table of the call before where it had the same.
std::shared_ptr<BlockTable const> const& blocks_of(Call const& call, Rank ranks, Site& site) {
  auto& table = site.blocks;
  auto const bytes = [&](Rank r) { return call.receive.counts[r] * site.form.element; };
  bool same = table != nullptr;
  for (Rank r = 0; same && r < ranks; ++r) same = table->bytes(r) == bytes(r);
  if (same) return table;
  std::vector<std::int64_t> all;
  for (Rank r = 0; r < ranks; ++r) all.push_back(bytes(r));
  return table = BlockTable::per_rank(std::move(all));
}

Buffers buffers_of(Call const& call, Record const& record, Contract const& contract) {
  auto const [sends, receives] = uses_of(call.what, call.root == record.rank);
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
  auto const [sends, receives] = uses_of(call.what, call.root == record.rank);
  bool const there = (!sends || call.send.buffer != nullptr) && (!receives || call.receive.buffer != nullptr);
  return there && call.send.buffer != call.receive.buffer;
}

/// Contract of a call of the site's form, on the machine's positions; `call` loses its arrays where blocks are equal.
/// Nothing for other calls.
std::optional<Contract> contract_of(Call& call, CallShape const& shape) {
  auto& record = *shape.record;
  auto& site = *shape.site;
  if (!site.form.known) return std::nullopt;
  if (call.receive.counts.given()) {
    if (!in_sequence(call.receive, record.size)) return std::nullopt;
    if (!counts_differ(call.receive, record.size)) call = without_arrays(call);
  }
  if (!is_of(site.form, call, record)) return std::nullopt;
  auto const what = collective(call.what);
  auto const element = reduces(call.what) ? site.form.element : 1;
  auto const root = has_root(call.what) ? record.ours->position(call.root) : 0;
  if (!call.receive.counts.given()) return Contract{what, record.size, root, shape.bytes, element};
  return with_blocks(what, record.size, root, blocks_of(call, record.size, site), element);
}

/// Of a collective whose lengths only some ranks know.
std::optional<interpose::Taken> run_blocks(Call const& call, CallShape const& shape) {
  if (is_of_neighbours(call.what)) return std::nullopt;
  auto const bytes = run_straight(call, *shape.record);
  if (!bytes) return std::nullopt;
  --shape.site->sampled.straight;
  return interpose::Taken{{}, *bytes, {}};
}

}  // namespace

std::optional<interpose::Taken> run_form(Call const& given, CallShape const& shape) {
  if (shape.bytes > longest_short) return std::nullopt;
  auto call = given;
  auto const contract = contract_of(call, shape);
  if (!contract) return std::nullopt;
  auto& record = *shape.record;
  auto const buffers = buffers_of(call, record, *contract);
  if (!record.ours->run_short(*contract, buffers, shape.site->form.combine, [] { move_others(); })) return std::nullopt;
  return taken(record, contract, static_cast<std::int64_t>(std::max(buffers.input.size(), buffers.output.size())));
}

std::optional<int> run_short(Call const& call, CallShape const& shape) {
  auto& site = *shape.site;
  bool const straight = site.sampled.straight > 0;
  if (!straight && !site.form.known) return std::nullopt;
  try {
    Lock const lock;
    auto const began = state().counting ? now() : 0.0;
    auto const ran = straight ? run_blocks(call, shape) : run_form(call, shape);
    if (!ran) return std::nullopt;
    site.count_untimed();
    if (state().counting) tally_of(call, shape.record).taken(*ran, now() - began);
    return MPI_SUCCESS;
  } catch (std::exception const& e) {
    return fail(call, e.what());
  }
}

void prepare_for_all_roots(Call const& given, CallShape const& shape) {
  constexpr Rank most = 24;
  auto& record = *shape.record;
  remember_form(given, record, shape.site->form);
  auto call = given;
  auto contract = contract_of(call, shape);
  if (!contract) return;
  if (!has_root(call.what)) {
    record.ours->prepare_short(*contract);
    return;
  }
  for (contract->root = 0; record.size <= most && contract->root < record.size; ++contract->root) {
    record.ours->prepare_short(*contract);
  }
}

void remember_form(Call const& call, Record const& record, Form& form) {
  if (lengths_are_secret(call.what) || is_of_neighbours(call.what)) return;
  if (!record.in_order() && call.what != Function::barrier) return;
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
