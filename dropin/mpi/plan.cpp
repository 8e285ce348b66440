// Which buffers a call has, and by which schedules it is done.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "neighbours.h"
#include "operation.h"

namespace allport::dropin {
namespace {

constexpr auto in_order_algorithm = "binomial";

bool all_equal(std::vector<std::int64_t> const& values) {
  return std::ranges::all_of(values, [&](std::int64_t v) { return v == values.front(); });
}

}  // namespace

Side Operation::one(void* buffer, std::int64_t count, MPI_Datatype type) const {
  return {true, type, layout_of(type), {{static_cast<std::byte*>(buffer), count}}};
}

Side Operation::many(Operand const& operand) const {
  Side side{true, operand.type, layout_of(operand.type), {}};
  std::vector<std::int64_t> begins(static_cast<std::size_t>(record_->size));
  std::int64_t next = 0;
  for (Rank r = 0; r < record_->size; ++r) {
    begins[static_cast<std::size_t>(r)] = operand.displacements.given() ? operand.displacements[r] : next;
    next += operand.count_of(r);
  }
  for (Rank p = 0; p < record_->size; ++p) {
    auto const r = record_->ours->at_position(p);
    auto* const at = static_cast<std::byte*>(operand.buffer) + begins[static_cast<std::size_t>(r)] * side.layout.extent;
    side.blocks.push_back({at, operand.count_of(r)});
  }
  return side;
}

Side Operation::own_block(Side const& all) const {
  return {true, all.type, all.layout, {all.blocks[static_cast<std::size_t>(position_)]}};
}

void Operation::plan_sides() {
  auto const& send = call_.send;
  auto const& receive = call_.receive;
  bool const root = position_ == root_;
  // The same buffer twice is wrong in MPI, but some libraries let it pass.
  bool const overlaps = send.in_place() || send.buffer == receive.buffer;
  switch (call_.what) {
    case Function::barrier:
      break;
    case Function::bcast:
      out_ = one(receive.buffer, receive.count, receive.type);
      break;
    case Function::reduce:
    case Function::allreduce:
      copy_in_ = overlaps;
      in_ = one(send.in_place() ? receive.buffer : send.buffer, receive.count, receive.type);
      if (root || call_.what == Function::allreduce) out_ = one(receive.buffer, receive.count, receive.type);
      break;
    case Function::reduce_scatter:
    case Function::reduce_scatter_block: {
      copy_in_ = overlaps;
      auto all = receive;
      all.buffer = send.in_place() ? receive.buffer : send.buffer;
      in_ = many(all);
      out_ = one(receive.buffer, receive.count_of(record_->rank), receive.type);
      break;
    }
    case Function::scatter:
    case Function::scatterv:
      if (root) in_ = many(send);
      discard_out_ = receive.in_place();
      out_ = discard_out_ ? own_block(in_) : one(receive.buffer, receive.count, receive.type);
      break;
    case Function::gather:
    case Function::gatherv:
    case Function::allgather:
    case Function::allgatherv:
      if (root || collective(call_.what) == Collective::allgather) out_ = many(receive);
      in_ = send.in_place() ? own_block(out_) : one(send.buffer, send.count, send.type);
      break;
    case Function::alltoall:
    case Function::alltoallv:
      copy_in_ = overlaps;
      out_ = many(receive);
      in_ = send.in_place() ? out_ : many(send);
      break;
    default:  // plan_neighbours()
      break;
  }
}

void Operation::plan_steps() {
  if (is_of_neighbours(call_.what)) {
    steps_ = {[this] { return run_neighbours(); }};
    gathers_lengths_ = !straight_ && may_tell_lengths(call_, *record_);
    if (gathers_lengths_) steps_.insert(steps_.begin(), [this] { return gather_lengths(); });
    return;
  }
  auto const what = collective(call_.what);
  auto const uniform = [&](std::int64_t bytes) { return Contract{what, record_->size, root_, bytes, element_}; };
  switch (call_.what) {
    case Function::scatterv:
    case Function::gatherv:
    case Function::alltoallv:
      if (straight_) {
        steps_ = {[this] { return run_straight(); }};
        return;
      }
      steps_ = {[this] { return send_lengths(); }, [this] { return run_by_lengths(); }};
      return;
    case Function::allgatherv:
    case Function::reduce_scatter: {
      auto const& all = what == Collective::allgather ? out_ : in_;
      std::vector<std::int64_t> bytes;
      for (std::size_t b = 0; b < all.blocks.size(); ++b) bytes.push_back(all.bytes(b));
      auto contract = all_equal(bytes) ? uniform(bytes.front())
                                       : with_blocks(what, record_->size, root_, BlockTable::per_rank(bytes), element_);
      return plan_one(contract);
    }
    default: {
      // Blocks of equal length: any of them tells it.
      auto const bytes = in_.used && what != Collective::barrier ? in_.bytes(0) : out_.used ? out_.bytes(0) : 0;
      return plan_one(uniform(bytes));
    }
  }
}

void Operation::plan_one(Contract const& contract) {
  contract_ = contract;
  if (in_order_) return plan_in_order(contract);
  steps_ = {[this, contract] { return run(contract); }};
}

/// Only one algorithm combines in rank order: the binomial tree to position 0. From there the result goes on.
void Operation::plan_in_order(Contract const& contract) {
  auto const total = contract.total();
  auto const n = record_->size;
  auto const up = [this, total, n](std::span<std::byte> output) {
    Contract const reduce{Collective::reduce, n, 0, total, element_};
    return run(reduce, {buffers_.input, position_ == 0 ? output : std::span<std::byte>{}}, {in_order_algorithm});
  };
  auto const whole = [this, total] {
    if (position_ == 0) whole_.resize(static_cast<std::size_t>(total));
    return std::span<std::byte>(whole_);
  };
  if (contract.what == Collective::allreduce || (contract.what == Collective::reduce && root_ == 0)) {
    steps_ = {[this, up] { return up(buffers_.output); }};
    if (contract.what == Collective::reduce) return;
    steps_.emplace_back([this, total, n] {
      return run({Collective::broadcast, n, 0, total, 1}, {{}, buffers_.output});
    });
    return;
  }
  auto down = contract;
  down.what = Collective::scatter;
  down.root = 0;
  down.element = 1;
  if (contract.what == Collective::reduce) {  // a gather to which only position 0 brings something
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(n), 0);
    lengths.front() = total;
    down = with_blocks(Collective::gather, n, root_, BlockTable::per_rank(std::move(lengths)));
  }
  steps_ = {[up, whole] { return up(whole()); }, [this, down] { return run(down, {whole_, buffers_.output}); }};
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
  if (blocks_ && variant.is_default() && run_short(contract, buffers)) return {};
  auto const schedule =
      variant == variant_ ? schedule_for(contract) : ours.schedule_for(contract, variant.algorithm, variant.segment);
  return turn_ ? ours.start(*turn_, schedule, buffers, combine_) : ours.start(schedule, buffers, combine_);
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
  auto const& table = call_.what == Function::gatherv ? out_ : in_;
  lengths_.assign(pairs ? n * n : n, 0);
  row_.clear();
  for (std::size_t b = 0; table.used && b < table.blocks.size(); ++b) row_.push_back(table.bytes(b));
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
