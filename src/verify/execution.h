// Executes all ranks' operations on symbolic bytes.
#pragma once

#include <optional>
#include <vector>

#include "contents.h"
#include "table.h"

namespace allport::verify {

struct Breach;

/// The exact multiset behind one address of a reduction: a DAG of combines over the ranks' contributions.
struct Trace {
  struct Node {
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    Rank rank = 0;  ///< the rank that combined it, or whose contribution it is
  };
  std::int64_t address = 0;
  Rank contributors = 0;
  std::vector<Node> nodes;     ///< node r < ranks is rank r's contribution; combines follow in order
  std::vector<Rank> furthest;  ///< for every node, the last rank that received it

  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(contributors); }
};

/// An operation moves a segment if its dependences are fulfilled and, for a stream, both ends are ready (synchronous
/// sends). Moves never disable each other, so the order of the work list does not matter: in the end the same segments
/// have moved.
class Execution {
 public:
  /// @param trace if given, only its address is followed, and nothing is reported
  Execution(Table& table, Findings& findings, Trace* trace = nullptr);

  void run(std::function<void(std::string_view, double)> const& progress);

  [[nodiscard]] Contents const& output(Rank rank) const { return output_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int64_t depth() const { return depth_; }
  [[nodiscard]] bool finished() const { return moved_ == total_; }

 private:
  void offer(OpId id);
  void advance(OpId id);
  void wake(OpId id);
  void tick(OpId id, bool stream);
  void move_stream(OpId receive);
  void move_local(OpId id);
  void combine(OpId id);
  /// Position of the operation's next segment in the slot.
  [[nodiscard]] std::int64_t position(OpId id, Slot const& slot) const {
    return table_.op(id).position(slot, table_.row(id).done);
  }
  void read(OpId id, Slot const& slot, std::vector<Run>& into);
  void write(OpId id, Slot const& slot, std::vector<Run>& content);
  /// Compares the content that an operation reads with its piece (promise.cpp).
  void check(OpId id, std::vector<Run> const& content, std::int64_t position);
  void report(OpId id, Breach const& breach);
  void check_doubled(OpId id, Contents const& output, std::vector<Run> const& content);
  void initial(Rank rank, std::int64_t begin, std::int64_t end, std::vector<Run>& into) const;
  [[nodiscard]] Value combined(Rank rank, Value const& left, Value const& right);

  Table& table_;
  Findings& findings_;
  Trace* trace_;
  Space const& space_;
  std::vector<Contents> output_;
  std::vector<Contents> scratch_;
  std::vector<OpId> queue_;
  std::vector<OpId> next_;
  std::vector<Run> moving_;
  std::vector<Run> left_;
  std::vector<Run> existing_;
  std::int64_t depth_ = 0;
  std::int64_t moved_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace allport::verify
