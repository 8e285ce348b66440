#include "operation.h"

#include <fmt/format.h>

#include <algorithm>

#include "report.h"
#include "requests.h"

namespace allport::dropin {
namespace {

/// The caller's own memory where that will do, else `store`.
std::span<std::byte> memory_for(Side const& side, bool own_store, std::vector<std::byte>& store) {
  if (!side.used) return {};
  if (side.anywhere && !own_store) {
    if (auto const whole = side.whole(); !whole.empty()) return whole;
  }
  auto const bytes = static_cast<std::size_t>(side.bytes());
  if (!own_store && side.layout.plain && side.blocks.empty()) return {bytes > 0 ? side.one.at : nullptr, bytes};
  store.resize(bytes);
  return store;
}

void pack_side(Side const& side, std::byte* to) {
  for (std::size_t b = 0; b < side.parts().size(); ++b) {
    auto const& block = side.parts()[b];
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
  for (std::size_t b = 0; b < side.parts().size(); ++b) {
    auto const& block = side.parts()[b];
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
  for (std::size_t b = 0; b < parts().size(); ++b) sum += bytes(b);
  return sum;
}

std::span<std::byte> Side::whole() const {
  std::byte* first = nullptr;
  std::byte* last = nullptr;
  for (std::size_t b = 0; b < parts().size(); ++b) {
    if (bytes(b) == 0) continue;
    if (!layout_of(b).plain) return {};
    auto* const at = parts()[b].at;
    auto* const end = at + bytes(b);
    first = first == nullptr ? at : std::min(first, at);
    last = last == nullptr ? end : std::max(last, end);
  }
  return {first, last};
}

Operation::Operation(Call const& call, CallShape const& shape, Variant const& variant, bool straight)
    : call_(call), record_(shape.record), variant_(variant), straight_(straight) {
  auto const& ours = *record_->ours;
  position_ = ours.position(record_->rank);
  root_ = ours.position(call.root >= 0 && call.root < record_->size ? call.root : 0);
  if (is_of_neighbours(call.what)) {
    form_ = std::make_shared<Form const>();
    plan_neighbours();
  } else {
    form_ = form_of(call, *shape.site);
    plan_sides();
    plan_steps(*shape.site);
  }
  bytes_ = std::max(in_.used ? in_.bytes() : 0, out_.used ? out_.bytes() : 0);
}

void Operation::keep_handles() {
  own_record_ = record_->shared_from_this();
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
  if (!blocks_) started_ = now();
  bring_in();
  step_ = 0;
  transfer_ = {};
  if (!lasts_ && steps_[1] != nullptr) turn_ = record_->ours->reserve();
  transfer_ = (this->*steps_[0])();
}

bool Operation::advance() {
  int const steps = steps_[1] != nullptr ? 2 : 1;
  while (!transfer_.active()) {
    transfer_.test();  // throws what went wrong
    if (step_ == steps) return true;
    if (++step_ == steps) {
      transfer_ = {};
      if (!lasts_) turn_.reset();
      bring_out();
      return true;
    }
    transfer_ = (this->*steps_[1])();
  }
  return false;
}

void Operation::run() {
  blocks_ = true;
  start();
  while (!advance()) transfer_.wait(move_others);
}

void Operation::prepare_for_all_roots() const {
  constexpr Rank most = 24;
  if (!contract_ || !form_->commutes) return;
  auto const& ours = *record_->ours;
  auto contract = *contract_;
  if (!has_root(call_.what)) {
    ours.prepare_short(contract);
    return;
  }
  for (contract.root = 0; record_->size <= most && contract.root < record_->size; ++contract.root) {
    ours.prepare_short(contract);
  }
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
