#include <algorithm>
#include <compare>
#include <set>
#include <tuple>

#include "check_whole.h"

namespace allport::graph {

namespace {

using Link = WholeGraph::Link;

/// A task and a tile that it overwrites.
struct Write {
  Rank rank = 0;
  Tile tile;
  Id position = 0;
  bool first = false;  ///< of the tiles that the task writes: where its outputs are that lie in place

  friend bool operator<(Write const& a, Write const& b) {
    return std::tie(a.rank, a.tile, a.position) < std::tie(b.rank, b.tile, b.position);
  }
};

class Overwriting {
 public:
  Overwriting(TaskGraph const& graph, WholeGraph& whole, Sorted const& sorted)
      : graph_(graph), whole_(whole), sorted_(sorted), met_(whole.size(), 0) {}

  void run() {
    std::vector<Write> writes;
    for (Id at = 0; at < sorted_.order.size(); ++at) {
      auto const task = whole_.task(sorted_.order[at]);
      bool first = true;
      graph_.writes(task, [&](Tile tile) {
        writes.push_back({graph_.owner(task), tile, at, first});
        first = false;
      });
    }
    std::ranges::sort(writes, std::less<>());
    for (std::size_t w = 0; w + 1 < writes.size(); ++w) {
      auto const& [rank, tile, position, first] = writes[w];
      if (writes[w + 1].rank == rank && writes[w + 1].tile == tile) {
        follow(sorted_.order[position], sorted_.order[writes[w + 1].position], first);
      }
    }
  }

 private:
  [[nodiscard]] std::string name(Id id) const { return graph_.name(whole_.task(id)); }

  /// `next` overwrites a tile that `writer` has written, which may contain its outputs.
  void follow(Id writer, Id next, bool in_place) {
    if (!leads(writer, next))
      fail("{} and {} write the same tile, and neither waits for the other", name(writer), name(next));
    // The writer, and tasks that forward the tile from its rank.
    std::set<Holder> holders;
    if (in_place) holders_.assign(1, {writer, written});
    while (in_place && !holders_.empty()) {
      auto const holder = holders_.back();
      holders_.pop_back();
      if (holders.insert(holder).second) read_before(writer, holder, next);
    }
  }

  /// A task that has a tile: as its own output in place, or by an input.
  struct Holder {
    Id id = 0;
    int input = 0;
    friend auto operator<=>(Holder const&, Holder const&) = default;
  };
  static constexpr int written = -1;

  /// Every task that gets `writer`'s tile from `holder` has read it before `next` overwrites it.
  void read_before(Id writer, Holder holder, Id next) {
    auto const rank = graph_.owner(whole_.task(writer));
    std::vector<Rank> away;
    for (auto const& link : whole_.children(holder.id)) {
      if (!reads_there(link, holder)) continue;
      auto const owner = graph_.owner(whole_.task(link.child));
      if (owner != rank) {
        away.push_back(owner);
        continue;
      }
      if (link.child != next && !leads(link.child, next)) {
        fail("{} overwrites what {} reads of {}, and does not wait for it", name(next), name(link.child), name(writer));
      }
      if (link.edge.kind != EdgeKind::data || !forwards(link.child, link.edge.input)) continue;
      if (link.child == next) fail("{} overwrites what it forwards of {}", name(next), name(writer));
      holders_.push_back({link.child, link.edge.input});
    }
    if (!away.empty() && !has_left(holder, next, away)) {
      fail("{} overwrites what {} sends, and does not wait until it has been sent", name(next), name(holder.id));
    }
  }

  [[nodiscard]] bool reads_there(Link const& link, Holder holder) const {
    if (link.edge.kind != EdgeKind::data && link.edge.kind != EdgeKind::sum) return false;
    auto const task = whole_.task(link.parent);
    if (holder.input == written) return graph_.in_place(task, link.edge.output);
    return graph_.forwards(task, link.edge.output) == holder.input;
  }
  [[nodiscard]] bool forwards(Id id, int input) const {
    return std::ranges::any_of(whole_.children(id), [&](Link const& link) { return reads_there(link, {id, input}); });
  }

  /// By an edge of kind sent, or because every receiving rank has used it before.
  bool has_left(Holder holder, Id next, std::vector<Rank> const& away) {
    for (auto const& link : whole_.children(holder.id)) {
      if (link.edge.kind == EdgeKind::sent && (link.child == next || leads(link.child, next))) return true;
    }
    return std::ranges::all_of(away, [&](Rank rank) {
      return std::ranges::any_of(whole_.children(holder.id), [&](Link const& link) {
        return reads_there(link, holder) && graph_.owner(whole_.task(link.child)) == rank && leads(link.child, next);
      });
    });
  }

  /// Whether `later` starts only when `earlier` is done.
  bool leads(Id earlier, Id later) {
    ++round_;
    open_.assign(1, earlier);
    while (!open_.empty()) {
      auto const id = open_.back();
      open_.pop_back();
      for (auto const& link : whole_.children(id)) {
        if (reach(link.child, later)) return true;
      }
    }
    return false;
  }

  /// A predecessor of one member of a gang is a predecessor of all.
  bool reach(Id id, Id target) {
    auto const gang = sorted_.gang_of[id];
    if (gang == no_gang) return add(id, target);
    return std::ranges::any_of(sorted_.gangs[gang], [&](Id member) { return add(member, target); });
  }

  bool add(Id id, Id target) {
    if (id == target) return true;
    if (met_[id] != round_ && sorted_.position[id] < sorted_.position[target]) {
      met_[id] = round_;
      open_.push_back(id);
    }
    return false;
  }

  TaskGraph const& graph_;
  WholeGraph& whole_;
  Sorted const& sorted_;
  std::vector<Id> met_;  // by task: the last search that came by
  std::vector<Id> open_;
  std::vector<Holder> holders_;  // that are to be looked at
  Id round_ = 0;
};

}  // namespace

void check_overwriting(TaskGraph const& graph, WholeGraph& whole, Sorted const& sorted) {
  Overwriting(graph, whole, sorted).run();
}

}  // namespace allport::graph
