// A member's place in its gang while its body runs.
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

/// What a message from one member to another is known by.
struct GangMessage {
  Task gang{};              ///< its first member
  bool expected = false;    ///< by send(): what the graph only expects, and is counted apart
  int sender = 0;           ///< its place among the members
  std::int64_t number = 0;  ///< of those to the same member; of a collective, which one of the gang's

  friend auto operator<=>(GangMessage const&, GangMessage const&) = default;
};

/// Trees are those of graph::in_gangs(), by which tasks::transport() counts them.
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
  /// This member's place in the tree from one root, of which an allreduce may have its own.
  struct TreePosition {
    int parent = -1;
    std::vector<int> children{};
  };
  [[nodiscard]] TreePosition const& position_of(Collective what, int root);
  void send_down(TreePosition const& position, std::span<std::byte> data);
  void add_up(TreePosition const& position, std::span<std::byte> data, Combine const& combine);
  [[nodiscard]] Rank rank_of(int member) const { return ranks_[static_cast<std::size_t>(member)]; }
  void ensure_other(char const* what, int member) const;
  /// @throws Error(mismatch) where a member calls with another length
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
