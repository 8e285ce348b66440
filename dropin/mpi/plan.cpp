// Which buffers a call has, and by which schedules it is done.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "operation.h"
#include "requests.h"

namespace allport::dropin {
namespace {

constexpr auto in_order_algorithm = "binomial";

/// Where a rank's block begins, in extents, if those before it end at `next`.
std::int64_t begin_of(Operand const& operand, Rank rank, std::int64_t next) {
  return operand.displacements.given() ? operand.displacements[rank] : next;
}

/// All ranks' blocks as one; nothing where they do not lie one behind the other.
std::optional<Side::Block> as_one(Operand const& operand, Rank ranks, std::int64_t extent) {
  std::int64_t first = 0;
  std::int64_t total = 0;
  for (Rank r = 0; r < ranks; ++r) {
    auto const count = operand.count_of(r);
    if (count == 0) continue;
    auto const begin = begin_of(operand, r, total);
    if (total == 0) first = begin;
    if (begin != first + total) return std::nullopt;
    total += count;
  }
  return Side::Block{static_cast<std::byte*>(operand.buffer) + first * extent, total};
}

Side one(void* buffer, std::int64_t count, MPI_Datatype type, TypeLayout const& layout) {
  return {true, type, layout, {static_cast<std::byte*>(buffer), count}};
}

bool all_equal(std::vector<std::int64_t> const& values) {
  return std::ranges::all_of(values, [&](std::int64_t v) { return v == values.front(); });
}

}  // namespace

std::shared_ptr<Form const> form_of(Call const& call, Site& site) {
  if (site.knows_form_of(call)) return site.form;
  auto const layout = [](MPI_Datatype type) { return type != MPI_DATATYPE_NULL ? layout_of(type) : TypeLayout{}; };
  auto const is_mpis = [](MPI_Datatype type) { return type == MPI_DATATYPE_NULL || is_predefined(type); };
  auto form = std::make_shared<Form>(Form{call.send.type, call.receive.type, call.op, layout(call.send.type)});
  form->received = form->send == form->receive ? form->sent : layout(call.receive.type);
  if (reduces(call.what)) {
    int commutes = 0;
    PMPI_Op_commutative(call.op, &commutes);
    form->commutes = commutes != 0;
    form->combine = combine_by(call.op, call.receive.type, form->received, form->commutes);
  }
  // Others may be freed, and their handles be those of others then.
  bool const stays =
      is_mpis(call.send.type) && is_mpis(call.receive.type) && (!reduces(call.what) || is_predefined_op(call.op));
  if (stays) site.form = form;
  return form;
}

/// A block for each rank.
Side Operation::many(Operand const& operand, TypeLayout const& layout) const {
  Side side{true, operand.type, layout};
  if (record_->in_order() && !straight_) {
    if (auto const one = as_one(operand, record_->size, layout.extent)) {
      side.one = *one;
      return side;
    }
  }
  side.anywhere = straight_;
  side.blocks.resize(static_cast<std::size_t>(record_->size));
  std::int64_t next = 0;
  for (Rank r = 0; r < record_->size; ++r) {
    auto const count = operand.count_of(r);
    auto* const at = static_cast<std::byte*>(operand.buffer) + begin_of(operand, r, next) * layout.extent;
    side.blocks[static_cast<std::size_t>(record_->ours->position(r))] = {at, count};
    next += count;
  }
  return side;
}

Side Operation::own_block(Operand const& operand, TypeLayout const& layout) const {
  auto const r = record_->rank;
  auto const count = operand.count_of(r);
  auto* const at = static_cast<std::byte*>(operand.buffer) + begin_of(operand, r, r * count) * layout.extent;
  return {true, operand.type, layout, {at, count}};
}

void Operation::plan_sides() {
  auto const& send = call_.send;
  auto const& receive = call_.receive;
  auto const& sent = form_->sent;
  auto const& received = form_->received;
  bool const root = position_ == root_;
  // The same buffer twice is wrong in MPI, but some libraries let it pass.
  bool const overlaps = send.in_place() || send.buffer == receive.buffer;
  auto const input = [&] {  // of a reduction
    copy_in_ = overlaps;
    auto operand = receive;
    operand.buffer = send.in_place() ? receive.buffer : send.buffer;
    return operand;
  };
  switch (call_.what) {
    case Function::barrier:
      break;
    case Function::bcast:
      out_ = one(receive.buffer, receive.count, receive.type, received);
      break;
    case Function::reduce:
    case Function::allreduce:
      in_ = one(input().buffer, receive.count, receive.type, received);
      if (root || call_.what == Function::allreduce) out_ = one(receive.buffer, receive.count, receive.type, received);
      break;
    case Function::reduce_scatter:
    case Function::reduce_scatter_block:
      in_ = many(input(), received);
      out_ = one(receive.buffer, receive.count_of(record_->rank), receive.type, received);
      break;
    case Function::scatter:
    case Function::scatterv:
      if (root) in_ = many(send, sent);
      discard_out_ = receive.in_place();
      out_ = discard_out_ ? own_block(send, sent) : one(receive.buffer, receive.count, receive.type, received);
      break;
    case Function::gather:
    case Function::gatherv:
    case Function::allgather:
    case Function::allgatherv:
      if (root || collective(call_.what) == Collective::allgather) out_ = many(receive, received);
      in_ = send.in_place() ? own_block(receive, received) : one(send.buffer, send.count, send.type, sent);
      break;
    case Function::alltoall:
    case Function::alltoallv:
      copy_in_ = overlaps;
      out_ = many(receive, received);
      in_ = send.in_place() ? out_ : many(send, sent);
      break;
    default:  // plan_neighbours()
      break;
  }
}

void Operation::plan_steps(Site& site) {
  auto const what = collective(call_.what);
  if (lengths_are_secret(call_.what)) {
    steps_ = {&Operation::send_lengths, &Operation::run_by_lengths};
    if (straight_) steps_ = {&Operation::run_straight};
    return;
  }
  auto const& operand = what == Collective::broadcast ? call_.receive : call_.send;
  auto const& layout = what == Collective::broadcast ? form_->received : form_->sent;
  auto const element = reduces(call_.what) ? element_of(form_->received) : 1;
  contract_ = {what, record_->size, root_, operand.count * layout.size, element};
  if (call_.what == Function::allgatherv || call_.what == Function::reduce_scatter) plan_blocks(site);
  steps_ = {&Operation::run_contract};
  if (form_->commutes) return;
  steps_ = {&Operation::reduce_in_order, &Operation::distribute_result};
  if (what == Collective::reduce && root_ == 0) steps_ = {&Operation::reduce_in_order};
}

/// The contract of a call in which all ranks know the lengths of all blocks.
void Operation::plan_blocks(Site& site) {
  auto const bytes = [&](Rank position) {
    return call_.receive.counts[record_->ours->at_position(position)] * form_->received.size;
  };
  bool equal = true;
  bool known = site.blocks != nullptr;  // the call before had the same
  for (Rank p = 0; p < record_->size; ++p) {
    equal = equal && bytes(p) == bytes(0);
    known = known && site.blocks->bytes(p) == bytes(p);
  }
  contract_->bytes = bytes(0);
  if (equal) return;
  if (!known) {
    std::vector<std::int64_t> all;
    for (Rank p = 0; p < record_->size; ++p) all.push_back(bytes(p));
    site.blocks = BlockTable::per_rank(std::move(all));
  }
  contract_ = with_blocks(contract_->what, record_->size, root_, site.blocks, contract_->element);
}

/// Only one algorithm combines in rank order: the binomial tree to position 0. From there the result goes on.
Transfer Operation::reduce_in_order() {
  auto const total = contract_->total();
  auto output = position_ == 0 ? buffers_.output : std::span<std::byte>{};
  bool const goes_on = steps_[1] != nullptr && contract_->what != Collective::allreduce;
  if (goes_on && position_ == 0) {
    whole_.resize(static_cast<std::size_t>(total));
    output = whole_;
  }
  Contract const reduce{Collective::reduce, record_->size, 0, total, contract_->element};
  return run(reduce, {buffers_.input, output}, {in_order_algorithm});
}

Transfer Operation::distribute_result() {
  auto const n = record_->size;
  auto const total = contract_->total();
  if (contract_->what == Collective::allreduce) {
    return run({Collective::broadcast, n, 0, total, 1}, {{}, buffers_.output});
  }
  auto down = *contract_;
  down.what = Collective::scatter;
  down.root = 0;
  down.element = 1;
  if (contract_->what == Collective::reduce) {  // a gather to which only position 0 brings something
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(n), 0);
    lengths.front() = total;
    down = with_blocks(Collective::gather, n, root_, BlockTable::per_rank(std::move(lengths)));
  }
  return run(down, {whole_, buffers_.output});
}

Transfer Operation::run(Contract const& contract) {
  try {
    check_length(contract);
  } catch (Error const&) {
    if (!turn_) std::ignore = record_->ours->reserve();  // the other ranks count this start
    throw;
  }
  return run(contract, buffers_, variant_);
}

Transfer Operation::run(Contract const& contract, Buffers buffers, Variant const& variant) {
  auto const& ours = *record_->ours;
  auto const& combine = form_->combine;
  auto const pause = [] { move_others(); };
  if (blocks_ && variant.is_default() &&
      (turn_ ? ours.run_short(*turn_, contract, buffers, combine, pause)
             : ours.run_short(contract, buffers, combine, pause))) {
    return {};
  }
  auto const schedule =
      variant == variant_ ? schedule_for(contract) : ours.schedule_for(contract, variant.algorithm, variant.segment);
  return turn_ ? ours.start(*turn_, schedule, buffers, combine) : ours.start(schedule, buffers, combine);
}

/// By the algorithm and in the segments that the call is to try, where that can serve: what it was named for had blocks
/// of one length.
Schedule Operation::schedule_for(Contract const& contract) const {
  auto const& ours = *record_->ours;
  if (!variant_.is_default()) {
    try {
      return ours.schedule_for(contract, variant_.algorithm, variant_.segment);
    } catch (Error const&) {  // on all ranks: a matter of machine and contract
    }
  }
  return ours.schedule_for(contract);
}

Transfer Operation::send_lengths() {
  auto const n = static_cast<std::size_t>(record_->size);
  bool const pairs = call_.what == Function::alltoallv;
  bool const receives = call_.what == Function::gatherv;
  auto const& operand = receives ? call_.receive : call_.send;
  auto const& layout = receives ? form_->received : form_->sent;
  lengths_.assign(pairs ? n * n : n, 0);
  row_.clear();
  for (Rank p = 0; (pairs || position_ == root_) && p < record_->size; ++p) {
    row_.push_back(operand.count_of(record_->ours->at_position(p)) * layout.size);
  }
  auto const bytes = static_cast<std::int64_t>(n * sizeof(std::int64_t));
  if (pairs) {
    return run({Collective::allgather, record_->size, 0, bytes, 1},
               {std::as_bytes(std::span(row_)), std::as_writable_bytes(std::span(lengths_))});
  }
  if (position_ == root_) lengths_ = row_;
  return run({Collective::broadcast, record_->size, root_, bytes, 1},
             {{}, std::as_writable_bytes(std::span(lengths_))});
}

Transfer Operation::run_by_lengths() {
  auto const what = collective(call_.what);
  if (all_equal(lengths_)) contract_ = {what, record_->size, root_, lengths_.front(), 1};
  auto table =
      what == Collective::alltoall ? BlockTable::per_pair(lengths_, record_->size) : BlockTable::per_rank(lengths_);
  return run(with_blocks(what, record_->size, root_, std::move(table)));
}

void Operation::check_length(Contract const& contract) const {
  auto const expect = [&](std::int64_t has, std::int64_t wants, char const* argument) {
    if (has == wants) return;
    throw Error(ErrorKind::mismatch,
                fmt::format("rank {} passes {} bytes in its {} buffer, but by what the other ranks pass it must be {}; "
                            "counts times datatypes must agree between the ranks",
                            record_->rank, has, argument, wants));
  };
  if (in_.used) expect(in_.bytes(), contract.input_bytes(position_), "send");
  if (out_.used) expect(out_.bytes(), contract.output_bytes(position_), "receive");
}

}  // namespace allport::dropin
