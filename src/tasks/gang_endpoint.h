// Communication of a gang member while its body runs.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "allport/graph/task_graph.h"
#include "frontier.h"

namespace allport::tasks {

/// Identifies a message between two members.
struct GangMessage {
  Task gang{};              ///< its first member
  bool expected = false;    ///< of send(): data-dependent, counted separately
  int sender = 0;           ///< index among the members
  std::int64_t number = 0;  ///< of the messages to the same member; for a collective, of the gang's collectives

  friend auto operator<=>(GangMessage const&, GangMessage const&) = default;
};

/// Its trees are those of graph::in_gangs(), which tasks::transport() uses for counting.
class GangEndpoint final : public GangContext {
 public:
  /// Sends a message, and returns at once.
  using Post = std::function<void(GangMessage const&, Rank to, Block)>;
  /// Waits until a message has come.
  using Await = std::function<Block(GangMessage const&)>;

  /// @pre `task` is one of gang.members
  GangEndpoint(TaskGraph const& graph, Gang const& gang, Task task, Post post, Await await);

  [[nodiscard]] Task gang() const { return gang_; }
  int members() const override { return static_cast<int>(ranks_.size()); }
  int me() const override { return me_; }
  void send(int to, std::span<std::byte const> data) override;
  std::vector<std::byte> receive(int from) override;
  void broadcast(int root, std::span<std::byte> data) override;
  void reduce(int root, std::span<std::byte> data, Combine const& combine) override;
  void allreduce(std::span<std::byte> data, Combine const& combine) override;

 private:
  /// This member's parent and children in the tree from one root; an allreduce may have its own tree.
  struct TreePosition {
    int parent = -1;
    std::vector<int> children{};
  };
  [[nodiscard]] TreePosition const& position_of(Collective what, int root);
  void send_down(TreePosition const& position, std::span<std::byte> data);
  void add_up(TreePosition const& position, std::span<std::byte> data, Combine const& combine);
  [[nodiscard]] Rank rank_of(int member) const { return ranks_[static_cast<std::size_t>(member)]; }
  void ensure_other(char const* what, int member) const;
  /// @throws Error(mismatch) if a member passes another length
  void ensure_length(Block const& block, std::span<std::byte const> data, int from) const;

  Task gang_;
  std::vector<Rank> ranks_;  ///< of the members
  int me_;
  Post post_;
  Await await_;
  std::int64_t collectives_ = 0;
  std::vector<std::int64_t> sent_;
  std::vector<std::int64_t> received_;
  std::map<std::pair<bool, int>, TreePosition> positions_;
};

}  // namespace allport::tasks
