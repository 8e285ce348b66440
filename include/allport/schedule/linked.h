// The linked programs of a schedule: validity of operations, matching of sends and receives, and readiness of segments.
// The verifier, the simulator, the executor and the exporters use it; the interpreter does not, so that it is an
// independent reference.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// The extents of a rank's buffers by the contract.
[[nodiscard]] Extents extents(Contract const& contract, Rank rank);

/// The rule of program.h that operation `index` of a rank's program violates, as text after "rank 3's operation 2 ":
/// "has length 0"; empty if none. Checks this rank only: lengths, peer, slots, dependences.
/// @pre 0 <= index < program.ops.size()
[[nodiscard]] std::string fault_of(Program const& program, std::size_t index, Rank rank, Rank ranks, Extents extents);

/// @throws Error(schedule) naming rank, operation and rule where the program breaks one
void check_program(Program const& program, Rank rank, Rank ranks, Extents extents);

/// An operation of all ranks' programs, counted through: rank 0's come first.
using OpId = std::uint32_t;
inline constexpr OpId no_op = std::numeric_limits<OpId>::max();

/// An operation without its slots and its piece, for matching, ordering and pricing.
struct LinkedOp {
  std::int64_t length = 0;
  std::int64_t segment = 1;
  OpId partner = no_op;       ///< the stream's other end
  std::int32_t segments = 0;  ///< 0: broken, it never runs
  std::uint32_t needs = 0;    ///< first of its dependences
  std::uint32_t wakes = 0;    ///< first of those that wait for it
  Rank rank = 0;
  Rank peer = -1;
  std::int32_t channel = 0;
  OpKind kind = OpKind::receive;
  std::int8_t port = -1;

  [[nodiscard]] bool streams() const { return kind == OpKind::send || kind == OpKind::receive; }
  [[nodiscard]] std::int64_t bytes(std::int64_t i) const { return i + 1 < segments ? segment : length - i * segment; }
  [[nodiscard]] std::int64_t position(Slot const& s, std::int64_t i) const {
    return s.offset + (s.ring > 0 ? i % s.ring : i) * segment;
  }
};

/// Readiness: the number of segments of an operation with `all` segments that must be complete before segment i of
/// another operation may run that depends on it with this lag.
[[nodiscard]] constexpr std::int64_t segments_before(std::int64_t i, std::int32_t lag, std::int64_t all) {
  return lag == Dependence::whole ? all : i - lag + 1;
}

/// A dependence among all ranks' operations.
struct Need {
  OpId op = 0;
  std::int32_t lag = 0;
};

/// Two operations that do not match, or one without a partner.
struct Mismatch {
  enum class Kind : std::uint8_t {
    twice,     ///< `op` has the same peer and channel as `other` of the same rank
    length,    ///< the ends of a stream: send `op`, receive `other`
    segment,   ///< the same
    unmatched  ///< `op` has no other end
  };
  Kind kind = Kind::unmatched;
  OpId op = no_op;
  OpId other = no_op;
};

class LinkedProgram {
 public:
  LinkedProgram() = default;

  /// All ranks' programs, valid and matched.
  /// @throws Error(schedule) naming the first operation that violates a rule or has no partner
  explicit LinkedProgram(Schedule const& schedule);
  /// One rank's operations only, in their order, for execution of that rank, without matching.
  /// @pre check_program() has passed
  explicit LinkedProgram(Program const& program);

  /// For callers that continue after a fault: ranks are added in order, then linked. Operations flagged in `broken` are
  /// stored but never run; an empty list flags none.
  void add(Rank rank, Program const& program, std::vector<bool> const& broken = {});
  /// Joins the ends of streams and reverses the dependences. Ends that disagree about their cut become broken.
  void link(FunctionRef<void(Mismatch const&)> report);

  [[nodiscard]] std::vector<LinkedOp> const& ops() const { return ops_; }
  [[nodiscard]] LinkedOp const& op(OpId i) const { return ops_[i]; }
  [[nodiscard]] OpId size() const { return static_cast<OpId>(ops_.size()); }
  /// First operation of a rank; the rank behind the last one's is size().
  [[nodiscard]] OpId first(Rank rank) const { return first_[static_cast<std::size_t>(rank)]; }
  /// The operation's index in its rank's program.
  [[nodiscard]] std::int32_t index(OpId i) const { return static_cast<std::int32_t>(i - first(ops_[i].rank)); }
  [[nodiscard]] std::span<Need const> needs(OpId i) const {
    return {needs_.data() + ops_[i].needs, needs_.data() + end_of(i, &LinkedOp::needs, needs_.size())};
  }
  /// The operations that depend on it, once per dependence.
  [[nodiscard]] std::span<OpId const> wakes(OpId i) const {
    return {wakes_.data() + ops_[i].wakes, wakes_.data() + end_of(i, &LinkedOp::wakes, wakes_.size())};
  }

  /// Whether segment i of the one that has this need must wait, `done` segments of the other being complete. What is
  /// broken never is.
  [[nodiscard]] bool holds_back(Need const& need, std::int64_t i, std::int64_t done) const {
    auto const all = ops_[need.op].segments;
    return done < segments_before(i, need.lag, all) || (need.lag == Dependence::whole && all == 0);
  }
  /// Whether segment i of an operation waits for nothing; `done(OpId)` counts the complete segments of another.
  template <class Done>
  [[nodiscard]] bool ready(OpId op, std::int64_t i, Done&& done) const {
    for (auto const& need : needs(op)) {
      if (holds_back(need, i, done(need.op))) return false;
    }
    return true;
  }

  /// "rank 4's send to 6 on channel 2".
  [[nodiscard]] std::string text(OpId i) const;

 private:
  [[nodiscard]] std::size_t end_of(OpId i, std::uint32_t LinkedOp::*begin, std::size_t last) const {
    return i + 1 < ops_.size() ? ops_[i + 1].*begin : last;
  }
  void reverse_needs();

  std::vector<LinkedOp> ops_;
  std::vector<Need> needs_;
  std::vector<OpId> wakes_;
  std::vector<OpId> first_;  // of each rank, and the end
};

}  // namespace allport
