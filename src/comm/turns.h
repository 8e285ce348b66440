// Allocation of a communicator's MPI tags.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <vector>

namespace allport::engine {

class Execution;

/// Partition of the tags of a family's first communicator: it uses the lower three quarters; the rest is divided into
/// contexts of equal size for other communicators whose messages use it. If MPI has few tags there are no contexts.
struct ContextTags {
  static constexpr int tags = 1 << 17;  ///< of one context
  static constexpr int most = 4096;

  int first = 0;
  int count = 0;

  /// Of tags 0..top.
  [[nodiscard]] static ContextTags up_to(std::int64_t top);
  [[nodiscard]] int first_tag(int context) const { return first + context * tags; }
};

/// The greatest tag that MPI allows.
[[nodiscard]] std::int64_t greatest_tag(MPI_Comm comm);

/// Tags of the caller's messages, of the library's own, then blocks of tags for schedules: some for single starts, some
/// for persistent operations.
struct TagSpace {
  static constexpr int messages = 4096;        ///< tags 0..4095: Communicator::start_send
  static constexpr int meeting = messages;     ///< barrier of the members of a sub-communicator
  static constexpr int blocks = messages + 1;  ///< Communicator::exchange
  static constexpr int schedules = messages + 16;
  static constexpr std::int64_t fewest_channels = 512;
  static constexpr std::int64_t most_channels = 65536;

  int channels = 0;   ///< tags of one block
  int sequences = 0;  ///< blocks for single starts
  int lasting = 0;    ///< blocks that persistent operations own from preparation to destruction

  /// For tags 0..top, with at least `channels` of them in a block if there are enough.
  [[nodiscard]] static TagSpace up_to(std::int64_t top, std::int64_t channels = fewest_channels);
  /// Channels that trees from each of `ranks` roots may use: one for each root and tree.
  [[nodiscard]] static std::int64_t channels_for(std::int64_t ranks);
  [[nodiscard]] int first_tag(std::int64_t block) const { return schedules + static_cast<int>(block) * channels; }
};

/// The single starts of one communicator, which all ranks number in the same order. Start n uses block n % sequences,
/// so it is delayed until start n - sequences has ended on this rank, and messages of the two cannot overtake each
/// other. Only the operation is delayed: a start never blocks the caller.
class Turns {
 public:
  explicit Turns(TagSpace tags) : tags_(tags) {}

  [[nodiscard]] std::int64_t take() { return next_++; }
  /// Whether all earlier starts of the same block have ended.
  [[nodiscard]] bool is_on(std::int64_t number);
  [[nodiscard]] int first_tag(std::int64_t number) const { return tags_.first_tag(number % tags_.sequences); }
  /// Delays an execution until its turn.
  void hold_back(std::int64_t number, Execution& execution) { later_[number] = &execution; }
  /// Removes a delayed execution.
  void forget(std::int64_t number) { later_.erase(number); }
  /// The start with this number has ended: the next one of its block may run.
  void give_back(std::int64_t number);

 private:
  std::int64_t& on(std::int64_t number);

  TagSpace tags_;
  std::int64_t next_ = 0;
  std::vector<std::int64_t> on_;              ///< by block: the number whose turn it is
  std::map<std::int64_t, Execution*> later_;  ///< held back; null: given back before its turn
};

/// The blocks of persistent operations. Ranks take them in the same order, and release them at any time.
class LastingTurns {
 public:
  explicit LastingTurns(TagSpace tags) : tags_(tags) {}

  /// Whether all ranks must exchange which blocks they have in use before the next can be taken.
  [[nodiscard]] bool must_ask() const { return fresh_ == tags_.lasting && free_.empty(); }
  /// One bit a block, set where it is in use here; to be joined by bitwise or.
  [[nodiscard]] std::vector<std::uint64_t> in_use() const;
  void learn(std::vector<std::uint64_t> const& in_use_anywhere);

  /// @throws Error when all are in use
  [[nodiscard]] int take();
  void give_back(int block) { used_[static_cast<std::size_t>(block)] = false; }
  [[nodiscard]] int first_tag(int block) const { return tags_.first_tag(tags_.sequences + block); }

 private:
  TagSpace tags_;
  int fresh_ = 0;          ///< never used from here on
  std::vector<int> free_;  ///< in use nowhere when all were asked, the first one last
  std::vector<bool> used_;
};

}  // namespace allport::engine
