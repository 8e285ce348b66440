#include "streams.h"

#include <algorithm>

namespace allport {

Op Stream::op(OpKind kind) const {
  Op op;
  op.kind = kind;
  op.channel = channel;
  op.length = length;
  op.segment = segment;
  op.piece = piece;
  return op;
}

std::int32_t Stream::ring() const {
  return static_cast<std::int32_t>(std::min<std::int64_t>(window, (length + segment - 1) / segment));
}

Slot Stream::new_ring(Program& program) const {
  auto const slot = Slot{Buffer::scratch, ring(), program.scratch};
  program.scratch += ring() * segment;
  return slot;
}

Stream stream(Contract const& contract, Cut cut, Piece const& piece, std::int32_t channel, std::int64_t length) {
  ensure(length >= 0, "length", length, "bytes >= 0");
  auto const unit = unit_of(contract);
  return {piece, channel, length, std::min(cut.segment / unit * unit, length), cut.window};
}

namespace {

std::int32_t index_of_next(Program const& program) { return static_cast<std::int32_t>(program.ops.size()); }

/// One rank's share of a reduction up one tree.
///   leaf:   send input to the parent
///   inner:  ring A: A = op(input, child n-1), A = op(A, child n-2), ..., A = op(A, child 0); send A to the parent
///   root:   the same into output, which needs no ring since it is as long as the stream
class Share {
 public:
  Share(Stream const& stream, TreePlace const& place, Slot input, Ready ready, Slot output, Program& into)
      : stream_(stream),
        place_(place),
        input_(input),
        ready_(ready),
        output_(output),
        into_(into),
        first_(index_of_next(into)) {}

  std::int32_t append() {
    auto const children = static_cast<std::int32_t>(place_.children());
    bool const root = place_.parent.rank < 0;
    if (children == 0) {
      if (root) return copy();
      send(input_, at_once);
      return at_once;
    }
    auto const sum = root ? output_ : stream_.new_ring(into_);
    for (std::int32_t i = 0; i < children; ++i) {
      auto const arrived = stream_.new_ring(into_);
      receive(i, arrived);
      combine(i, arrived, sum, root);
    }
    if (root) return combine_index(children - 1);
    send(sum, combine_index(children - 1));
    return at_once;
  }

 private:
  // Operations in order: receive, combine for the last child, receive, combine for the one before, ..., send.
  [[nodiscard]] std::int32_t receive_index(std::int32_t i) const { return first_ + 2 * i; }
  [[nodiscard]] std::int32_t combine_index(std::int32_t i) const { return first_ + 2 * i + 1; }
  [[nodiscard]] std::int32_t send_index() const { return first_ + 2 * static_cast<std::int32_t>(place_.children()); }

  /// The ring that the operation writes is free again when `reader` has done with the segment one round ago.
  void wait_for_free_slot(Op& op, std::int32_t reader) const {
    if (stream_.ring() < op.segments()) op.after.add(reader, stream_.ring());
  }

  std::int32_t copy() {
    auto op = stream_.op(OpKind::copy);
    op.from = input_;
    op.into = output_;
    ready_.add_to(op);
    into_.ops.push_back(op);
    return first_;
  }

  void receive(std::int32_t i, Slot arrived) {
    auto op = stream_.op(OpKind::receive);
    op.peer = place_.child(place_.children() - 1 - static_cast<std::size_t>(i)).rank;
    op.into = arrived;
    wait_for_free_slot(op, combine_index(i));
    into_.ops.push_back(op);
  }

  void combine(std::int32_t i, Slot arrived, Slot sum, bool root) {
    auto op = stream_.op(OpKind::combine);
    op.with = i == 0 ? input_ : sum;
    op.from = arrived;
    op.into = sum;
    op.after.add(receive_index(i));
    if (i > 0) {
      op.after.add(combine_index(i - 1));
    } else {
      ready_.add_to(op);
      if (!root) wait_for_free_slot(op, send_index());
    }
    into_.ops.push_back(op);
  }

  void send(Slot from, std::int32_t after) {
    auto op = stream_.op(OpKind::send);
    op.peer = place_.parent.rank;
    op.port = place_.parent.out;
    op.from = from;
    if (after == at_once) {
      ready_.add_to(op);
    } else {
      op.after.add(after);
    }
    into_.ops.push_back(op);
  }

  Stream const& stream_;
  TreePlace const& place_;
  Slot input_;
  Ready ready_;
  Slot output_;
  Program& into_;
  std::int32_t first_;
};

}  // namespace

std::int32_t stream_down(Stream const& stream, TreePlace const& place, Slot source, Ready ready, Slot home,
                         Program& into) {
  auto send = stream.op(OpKind::send);
  send.from = source;
  auto arrived = at_once;
  if (place.parent.rank >= 0) {
    auto op = stream.op(OpKind::receive);
    op.peer = place.parent.rank;
    op.into = home;
    arrived = index_of_next(into);
    into.ops.push_back(op);
    send.from = home;
    send.after.add(arrived);
  } else {
    ready.add_to(send);
  }
  for (std::size_t i = 0; i < place.children(); ++i) {
    send.peer = place.child(i).rank;
    send.port = place.child(i).out;
    into.ops.push_back(send);
  }
  return arrived;
}

std::int32_t stream_up(Stream const& stream, TreePlace const& place, Slot input, Ready ready, Slot output,
                       Program& into) {
  return Share(stream, place, input, ready, output, into).append();
}

}  // namespace allport
