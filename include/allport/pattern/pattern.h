// Pattern: messages or schedules that run at the same time. Mappings are scored by it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/pattern/cart_grid.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// Bytes from one rank to another.
struct Message {
  Rank from = 0;
  Rank to = 0;
  std::int64_t bytes = 0;

  friend bool operator==(Message const&, Message const&) = default;
};

/// A message seen from one end: the other rank, and bytes.
struct Flow {
  Rank peer = 0;
  std::int64_t bytes = 0;

  friend bool operator==(Flow const&, Flow const&) = default;
};

/// The flows of all ranks, by rank; one for each pair.
class Flows {
 public:
  Flows() = default;
  /// Messages of one pair are added up; each rank's flows are in the order in which their pairs first occur. Empty
  /// messages and messages to oneself are dropped.
  /// @throws Error naming the message whose rank is not in 0..ranks-1 or whose bytes are negative
  Flows(Rank ranks, std::vector<Message> const& messages);

  [[nodiscard]] Rank ranks() const { return first_.empty() ? 0 : static_cast<Rank>(first_.size() - 1); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(all_.size()); }
  [[nodiscard]] std::span<Flow const> of(Rank r) const {
    auto const i = static_cast<std::size_t>(r);
    return {all_.data() + first_[i], all_.data() + first_[i + 1]};
  }
  /// The same from the receivers' side: of(r) has r's senders, ascending.
  [[nodiscard]] Flows reversed() const;

 private:
  std::vector<std::int64_t> first_;
  std::vector<Flow> all_;
};

/// A schedule, and the groups of ranks that run it, all at the same time; e.g. all rows of a process grid. Rank i of
/// the schedule is the i-th member of a group.
struct Concurrent {
  Schedule schedule;
  std::vector<std::vector<Rank>> groups;
};

/// The traffic that is on the network at the same time. Immutable; copies share the data.
class Pattern {
 public:
  /// Independent messages. `grid`: the process grid of the ranks, for orders that use it.
  /// @pre ranks >= 1; the grid, if given, has as many ranks
  [[nodiscard]] static Pattern of_messages(std::string name, Rank ranks, std::vector<Message> const& messages,
                                           std::optional<CartGrid> grid = {});
  /// Schedules that start together; contracts are dropped, dependences are kept. A rank may be in several groups, or in
  /// none.
  /// @throws Error naming the group: as many different ranks as its schedule has, all in 0..ranks-1
  [[nodiscard]] static Pattern of_schedules(std::string name, Rank ranks, std::vector<Concurrent> concurrent,
                                            std::optional<CartGrid> grid = {});
  /// Both at the same time; the grid is this one's.
  /// @pre other.ranks() == ranks()
  [[nodiscard]] Pattern plus(Pattern const& other) const;
  [[nodiscard]] Pattern named(std::string name) const;

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] Rank ranks() const { return flows_->ranks(); }
  [[nodiscard]] std::optional<CartGrid> const& grid() const { return grid_; }
  /// All bytes from rank to rank, including those of schedules.
  [[nodiscard]] Flows const& flows() const { return *flows_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Messages in the longest chain in which each waits for the one before: 1 for plain messages, 0 for none.
  [[nodiscard]] std::int64_t chain() const { return chain_; }

  /// The whole pattern as one schedule without a contract, for the simulator. Messages are streams with `cut`,
  /// schedules keep their own cut; no send names a port, so all are routed.
  [[nodiscard]] Schedule schedule(Cut cut = {}) const;

  /// {"name", "ranks", "grid": {"lengths", "last_fastest", "periodic"}, "messages": [[from, to, bytes], ...]}, where
  /// "periodic" is a list if axes differ. Captured runs have this format, too. Schedules are written as their messages.
  [[nodiscard]] std::string to_json() const;
  /// @throws Error naming `origin` and the entry
  [[nodiscard]] static Pattern from_json(std::string_view text, std::string_view origin = "pattern file");

 private:
  Pattern() = default;

  std::string name_;
  std::optional<CartGrid> grid_;
  std::shared_ptr<Flows const> flows_;   // all
  std::shared_ptr<Flows const> direct_;  // without those of schedules
  std::shared_ptr<std::vector<Concurrent> const> concurrent_;
  std::int64_t bytes_ = 0;
  std::int64_t chain_ = 0;
};

}  // namespace allport
