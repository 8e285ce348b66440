// One rank's share of a schedule: a few streaming operations and their dependences.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/units.h"
#include "allport/schedule/piece.h"

namespace allport {

enum class OpKind : std::uint8_t { receive, send, combine, copy };
[[nodiscard]] std::string_view name(OpKind kind);

/// Where bytes live on a rank.
///   input   the caller's read-only contribution (reduce, allgather, ...); absent in a broadcast
///   output  the caller's result; in a broadcast the one buffer, which holds the message on the root from the start
///   scratch the program's own, Program::scratch bytes
enum class Buffer : std::uint8_t { none, input, output, scratch };
[[nodiscard]] std::string_view name(Buffer buffer);

/// A stream's place: segment i lies at offset + i * segment, or, with ring = w > 0, at offset + (i % w) * segment.
struct Slot {
  Buffer buffer = Buffer::none;
  std::int32_t ring = 0;
  std::int64_t offset = 0;

  friend bool operator==(Slot const&, Slot const&) = default;
};

/// Segment i of the operation that holds this waits for segment i - lag of operation `op` (for i >= lag).
///   lag = 0      data flow: forward what has arrived
///   lag = w      a ring slot of w segments may be written again
///   lag = whole  waits for all segments of `op`; the two may have different segment counts
struct Dependence {
  static constexpr std::int32_t whole = -1;
  std::int32_t op = 0;
  std::int32_t lag = 0;

  friend bool operator==(Dependence const&, Dependence const&) = default;
};

/// A small list without heap; an operation waits for few others.
class Dependences {
 public:
  static constexpr std::size_t capacity = 6;

  void add(std::int32_t op, std::int32_t lag = 0) {
    ensure(size_ < capacity, "dependences of one operation", static_cast<int>(size_) + 1, "at most 6",
           "chain operations instead", ErrorKind::schedule);
    items_[size_++] = {op, lag};
  }
  [[nodiscard]] Dependence const* begin() const { return items_.data(); }
  [[nodiscard]] Dependence const* end() const { return items_.data() + size_; }
  [[nodiscard]] Dependence* begin() { return items_.data(); }
  [[nodiscard]] Dependence* end() { return items_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  void erase(std::size_t i) {
    for (; i + 1 < size_; ++i) items_[i] = items_[i + 1];
    --size_;
  }

 private:
  std::array<Dependence, capacity> items_{};
  std::size_t size_ = 0;
};

/// A stream of segments: piece.bytes (times the boxes, see `length`) is cut every `segment` bytes, the last may be
/// short. Segments of one operation happen in order; different operations only wait for what `after` says.
struct Op {
  OpKind kind = OpKind::receive;
  std::int8_t port = -1;   ///< send: the link to use (machine Port), -1: the router decides
  std::int32_t peer = -1;  ///< send, receive: the other rank
  std::int32_t channel =
      0;                    ///< send, receive: matches streams of one pair; (peer, channel) is unique per kind and rank
  std::int64_t length = 0;  ///< bytes of the whole stream, > 0
  std::int64_t segment = 0;  ///< bytes of one segment, > 0; multiple of the element for combined data
  Piece piece;               ///< what the bytes are, in the end of this operation; verified, drawn, exported
  Slot from;                 ///< read by send, combine, copy
  Slot with;                 ///< combine: into = op(with, from), `with` is the left operand
  Slot into;                 ///< written by receive, combine, copy
  Dependences after;

  [[nodiscard]] std::int64_t segments() const { return (length + segment - 1) / segment; }
  [[nodiscard]] std::int64_t segment_bytes(std::int64_t i) const {
    return i + 1 < segments() ? segment : length - i * segment;
  }
  [[nodiscard]] std::int64_t position(Slot const& slot, std::int64_t i) const {
    return slot.offset + (slot.ring > 0 ? i % slot.ring : i) * segment;
  }
};

/// "send to 4 on channel 0", "combine".
[[nodiscard]] std::string describe(Op const& op);

/// One rank's operations. Order in the list carries no meaning but for reading; dependences refer to it by index.
struct Program {
  std::vector<Op> ops;
  std::int64_t scratch = 0;  ///< bytes

  void clear() {
    ops.clear();
    scratch = 0;
  }
};

}  // namespace allport
