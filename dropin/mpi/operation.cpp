#include "operation.h"

#include <fmt/format.h>

#include <algorithm>

#include "report.h"
#include "requests.h"

namespace allport::dropin {
namespace {

std::span<std::byte> span_of(std::byte* at, std::int64_t bytes) { return {at, static_cast<std::size_t>(bytes)}; }

/// The caller's own memory where that will do, else `store`.
std::span<std::byte> memory_for(Side const& side, bool own_store, std::vector<std::byte>& store) {
  if (!side.used) return {};
  if (side.anywhere && !own_store) {
    if (auto const whole = side.whole(); !whole.empty()) return whole;
  }
  auto const bytes = side.bytes();
  if (!own_store && !side.anywhere && side.is_contiguous()) {
    for (auto const& block : side.blocks) {
      if (block.count > 0) return span_of(block.at, bytes);
    }
    return {};
  }
  store.resize(static_cast<std::size_t>(bytes));
  return store;
}

void pack_side(Side const& side, std::byte* to) {
  for (std::size_t b = 0; b < side.blocks.size(); ++b) {
    auto const& block = side.blocks[b];
    auto const bytes = side.bytes(b);
    if (bytes == 0) continue;
    if (side.layout_of(b).plain) {
      std::copy_n(block.at, bytes, to);
    } else {
      pack(block.at, block.count, side.type_of(b), side.layout_of(b), to);
    }
    to += bytes;
  }
}

void unpack_side(std::byte const* from, Side const& side) {
  for (std::size_t b = 0; b < side.blocks.size(); ++b) {
    auto const& block = side.blocks[b];
    auto const bytes = side.bytes(b);
    if (bytes == 0) continue;
    if (side.layout_of(b).plain) {
      std::copy_n(from, bytes, block.at);
    } else {
      unpack(from, block.at, block.count, side.type_of(b), side.layout_of(b));
    }
    from += bytes;
  }
}

}  // namespace

std::int64_t Side::bytes() const {
  std::int64_t sum = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) sum += bytes(b);
  return sum;
}

bool Side::is_contiguous() const {
  if (!layout.plain) return false;
  std::byte const* next = nullptr;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].count == 0) continue;
    if (next != nullptr && blocks[b].at != next) return false;
    next = blocks[b].at + bytes(b);
  }
  return true;
}

std::span<std::byte> Side::whole() const {
  std::byte* first = nullptr;
  std::byte* last = nullptr;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (bytes(b) == 0) continue;
    if (!layout_of(b).plain) return {};
    auto* const end = blocks[b].at + bytes(b);
    first = first == nullptr ? blocks[b].at : std::min(first, blocks[b].at);
    last = last == nullptr ? end : std::max(last, end);
  }
  return {first, last};
}

Operation::Operation(Call const& call, std::shared_ptr<Record> record, Variant const& variant, bool straight)
    : call_(call), record_(std::move(record)), variant_(variant), straight_(straight) {
  auto const& ours = *record_->ours;
  position_ = ours.position(record_->rank);
  root_ = ours.position(call.root >= 0 && call.root < record_->size ? call.root : 0);
  is_of_neighbours(call.what) ? plan_neighbours() : plan_sides();
  if (reduces(call.what)) plan_reduction();
  plan_steps();
  bytes_ = std::max(in_.used ? in_.bytes() : 0, out_.used ? out_.bytes() : 0);
}

void Operation::plan_reduction() {
  auto const& side = in_;
  int commutative = 0;
  PMPI_Op_commutative(call_.op, &commutative);
  element_ = element_of(side.layout);
  in_order_ = commutative == 0;
  combine_ = combine_by(call_.op, side.type, side.layout, commutative != 0);
}

void Operation::keep_handles() {
  if (reduces(call_.what)) {  // a user-defined operator is shown the very type that the caller passed
    if (!is_predefined(in_.type)) types_.push_back(std::make_unique<Retained<Datatypes>>(in_.type));
    if (!is_predefined_op(call_.op)) op_ = std::make_unique<Retained<Operators>>(call_.op);
    return;
  }
  for (auto* side : {&in_, &out_}) {
    auto const own = [&](MPI_Datatype& type) {
      if (type == MPI_DATATYPE_NULL || is_predefined(type)) return;
      own_types_.emplace_back(type);
      type = own_types_.back().type();
    };
    if (side->used && side->types.empty()) own(side->type);
    for (std::size_t b = 0; b < side->types.size(); ++b) {
      if (side->bytes(b) > 0) own(side->types[b].type);
    }
  }
}

void Operation::start() {
  started_ = now();
  bring_in();
  step_ = 0;
  transfer_ = {};
  if (!lasts_ && steps_.size() > 1) turn_ = record_->ours->reserve();
  transfer_ = steps_.front()();
}

bool Operation::advance() {
  while (!transfer_.active()) {
    transfer_.test();  // throws what went wrong
    if (step_ == steps_.size()) return true;
    if (++step_ == steps_.size()) {
      transfer_ = {};
      if (!lasts_) turn_.reset();
      bring_out();
      return true;
    }
    transfer_ = steps_[step_]();
  }
  return false;
}

void Operation::start_blocking() {
  blocks_ = true;
  start();
}

void Operation::wait() {
  while (!advance()) transfer_.wait(move_others);
}

bool Operation::run_short(Contract const& contract, Buffers const& buffers) {
  auto const& ours = *record_->ours;
  return turn_ ? ours.run_short(*turn_, contract, buffers, combine_, [] { move_others(); })
               : ours.run_short(contract, buffers, combine_, [] { move_others(); });
}

bool Operation::make_lasting() {
  try {
    turn_ = record_->ours->reserve_lasting();
  } catch (Error const& e) {
    if (e.kind() != ErrorKind::unsupported) throw;
    return false;
  }
  lasts_ = true;
  return true;
}

void Operation::bring_in() {
  buffers_.input = memory_for(in_, copy_in_, in_store_);
  buffers_.output = memory_for(out_, discard_out_, out_store_);
  if (!buffers_.input.empty() && buffers_.input.data() == in_store_.data()) pack_side(in_, in_store_.data());
  bool const holds_message = call_.what == Function::bcast && position_ == root_;
  if (holds_message && !out_store_.empty()) pack_side(out_, out_store_.data());
}

void Operation::bring_out() {
  bool const is_root_of_broadcast = call_.what == Function::bcast && position_ == root_;
  if (discard_out_ || is_root_of_broadcast || out_store_.empty()) return;
  unpack_side(out_store_.data(), out_);
}

}  // namespace allport::dropin
