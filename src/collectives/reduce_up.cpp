#include <algorithm>
#include <memory>
#include <utility>

#include "allport/collectives/trees.h"

namespace allport {
namespace {

/// One rank's share of one tree of a reduction.
///   leaf:   send input to the parent
///   inner:  ring A: A = op(input, child n-1), A = op(A, child n-2), ..., A = op(A, child 0); send A to the parent
///   root:   the same into output, which needs no ring since it is as long as the message
class Share {
 public:
  Share(Contract const& contract, Cut cut, int tree, Interval part, TreePlace const& place, Program& into)
      : place_(place), into_(into), root_(place.parent.rank < 0) {
    auto const whole_segments = cut.segment / contract.element * contract.element;
    proto_.channel = tree;
    proto_.length = part.size();
    proto_.segment = std::min(whole_segments, part.size());
    proto_.piece = {{0, contract.ranks - 1}, {contract.root, contract.root}, part, true};
    input_ = {Buffer::input, 0, part.begin};
    output_ = {Buffer::output, 0, part.begin};
    ring_ = static_cast<std::int32_t>(std::min<std::int64_t>(cut.window, proto_.segments()));
    first_ = static_cast<std::int32_t>(into.ops.size());
  }

  void append() {
    auto const children = static_cast<std::int32_t>(place_.children());
    if (children == 0) {
      if (root_) {
        copy();
      } else {
        send(input_);
      }
      return;
    }
    auto const sum = root_ ? output_ : new_ring();
    for (std::int32_t i = 0; i < children; ++i) {
      auto const arrived = new_ring();
      receive(i, arrived);
      combine(i, arrived, sum);
    }
    if (!root_) send(sum, combine_index(children - 1));
  }

 private:
  // Operations in order: receive, combine for the last child, receive, combine for the one before, ..., send.
  [[nodiscard]] std::int32_t receive_index(std::int32_t i) const { return first_ + 2 * i; }
  [[nodiscard]] std::int32_t combine_index(std::int32_t i) const { return first_ + 2 * i + 1; }
  [[nodiscard]] std::int32_t send_index() const { return first_ + 2 * static_cast<std::int32_t>(place_.children()); }

  Slot new_ring() {
    auto const slot = Slot{Buffer::scratch, ring_, into_.scratch};
    into_.scratch += ring_ * proto_.segment;
    return slot;
  }

  /// The ring that the operation writes is free again when `reader` has done with the segment one round ago.
  void wait_for_room(Op& op, std::int32_t reader) const {
    if (ring_ < op.segments()) op.after.add(reader, ring_);
  }

  void copy() {
    auto op = proto_;
    op.kind = OpKind::copy;
    op.from = input_;
    op.into = output_;
    into_.ops.push_back(op);
  }

  void receive(std::int32_t i, Slot arrived) {
    auto op = proto_;
    op.kind = OpKind::receive;
    op.peer = place_.child(place_.children() - 1 - static_cast<std::size_t>(i)).rank;
    op.into = arrived;
    wait_for_room(op, combine_index(i));
    into_.ops.push_back(op);
  }

  void combine(std::int32_t i, Slot arrived, Slot sum) {
    auto op = proto_;
    op.kind = OpKind::combine;
    op.with = i == 0 ? input_ : sum;
    op.from = arrived;
    op.into = sum;
    op.after.add(receive_index(i));
    if (i > 0) {
      op.after.add(combine_index(i - 1));
    } else if (!root_) {
      wait_for_room(op, send_index());
    }
    into_.ops.push_back(op);
  }

  void send(Slot from, std::int32_t after = -1) {
    auto op = proto_;
    op.kind = OpKind::send;
    op.peer = place_.parent.rank;
    op.port = place_.parent.out;
    op.from = from;
    if (after >= 0) op.after.add(after);
    into_.ops.push_back(op);
  }

  TreePlace const& place_;
  Program& into_;
  bool root_;
  Op proto_;  // what all operations of the share have in common
  Slot input_;
  Slot output_;
  std::int32_t ring_ = 1;
  std::int32_t first_ = 0;
};

}  // namespace

Schedule reduce_up(TreeSet trees, std::string name, Contract const& contract, Cut cut) {
  struct State {
    TreeSet trees;
    Contract contract;
    Cut cut;
    int used;
  };
  auto const used = slices(contract.bytes, unit_of(contract), trees.count);
  auto const state = std::make_shared<State const>(State{std::move(trees), contract, cut, used});
  auto const program = [state](Rank rank, Program& into) {
    auto const& s = *state;
    if (s.contract.bytes == 0) return;
    TreePlace place;
    for (int tree = 0; tree < s.used; ++tree) {
      s.trees.place(tree, rank, place);
      auto const part = slice(s.contract.bytes, unit_of(s.contract), s.used, tree);
      Share(s.contract, s.cut, tree, part, place, into).append();
    }
  };
  return {std::move(name), contract, cut, used, program};
}

}  // namespace allport
