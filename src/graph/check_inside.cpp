// Gangs that meet inside: a member waits in its body and blocks its rank meanwhile.
#include <algorithm>
#include <map>
#include <set>

#include "check_whole.h"

namespace allport::graph {

namespace {

class Inside {
 public:
  Inside(TaskGraph const& graph, WholeGraph& whole, Sorted const& sorted)
      : graph_(graph), whole_(whole), sorted_(sorted) {}

  void run() {
    Gang gang;
    for (auto const& members : sorted_.gangs) {
      static_cast<void>(graph_.gang(whole_.task(members.front()), gang));
      kinds_.push_back(gang.inside ? Kind::inside : gang.exchanges ? Kind::exchanges : Kind::ordered);
    }
    if (std::ranges::find(kinds_, Kind::inside) == kinds_.end()) return;
    parents_.resize(whole_.size());
    for (auto const& link : whole_.links()) parents_[link.child].push_back(link.parent);
    one_after_the_other();
    for (std::size_t g = 0; g < kinds_.size(); ++g) {
      if (kinds_[g] == Kind::inside) nobody_needs_who_waits(g);
    }
  }

 private:
  enum class Kind : std::uint8_t { ordered, exchanges, inside };

  [[nodiscard]] std::string name(Id id) const { return graph_.name(whole_.task(id)); }
  [[nodiscard]] Rank owner(Id id) const { return graph_.owner(whole_.task(id)); }
  [[nodiscard]] std::set<Rank> owners(std::size_t gang) const {
    std::set<Rank> ranks;
    for (auto const member : sorted_.gangs[gang]) ranks.insert(owner(member));
    return ranks;
  }

  /// On ranks with gangs that meet inside: otherwise two gangs could deadlock, each waiting for a member whose rank
  /// waits in the other.
  void one_after_the_other() const {
    std::map<Rank, std::vector<Id>> waiting;  // members of gangs whose bodies wait
    std::set<Rank> inside;
    for (std::size_t g = 0; g < kinds_.size(); ++g) {
      for (auto const member : sorted_.gangs[g]) {
        if (kinds_[g] != Kind::exchanges) waiting[owner(member)].push_back(member);
        if (kinds_[g] == Kind::inside) inside.insert(owner(member));
      }
    }
    for (auto const rank : inside) {
      auto& members = waiting[rank];
      std::ranges::sort(members, {}, [&](Id id) { return sorted_.position[id]; });
      for (std::size_t x = 1; x < members.size(); ++x) {
        if (before(members[x], nullptr, sorted_.position[members[x - 1]]).contains(members[x - 1])) continue;
        fail("{} and {} are in gangs, one of which meets inside, and neither waits for the other", name(members[x - 1]),
             name(members[x]));
      }
    }
  }

  /// A task that precedes one member and is on another member's rank must precede that member.
  void nobody_needs_who_waits(std::size_t gang) const {
    auto const ranks = owners(gang);
    std::map<Rank, std::set<Id>> known;
    for (auto const member : sorted_.gangs[gang]) known[owner(member)] = before(member, &ranks);
    for (auto const member : sorted_.gangs[gang]) {
      for (auto const id : known[owner(member)]) {
        auto const there = owner(id);
        if (there == owner(member) || !ranks.contains(there) || known[there].contains(id)) continue;
        auto const waits = *std::ranges::find(sorted_.gangs[gang], there, [&](Id one) { return owner(one); });
        if (before(waits).contains(id)) continue;
        fail("{} waits in its gang, which meets inside, for {}, which waits for {} of its rank {}", name(waits),
             name(member), name(id), there);
      }
    }
  }

  /// All predecessors of a task. A predecessor of one member of a gang is a predecessor of all.
  /// @param until  stops at a gang that meets inside on all of these ranks, whose predecessors are checked separately
  /// @param since  position in the topological order; earlier tasks are not visited
  [[nodiscard]] std::set<Id> before(Id task, std::set<Rank> const* until = nullptr, Id since = 0) const {
    std::set<Id> found;
    std::vector<Id> open;
    auto const look_before = [&](Id id) {
      for (auto const parent : parents_[id]) {
        auto const gang = sorted_.gang_of[parent];
        bool const alone = gang == no_gang || gang == sorted_.gang_of[task];
        for (auto const one : alone ? std::span(&parent, 1) : std::span<Id const>(sorted_.gangs[gang])) {
          if (sorted_.position[one] < since) continue;
          if (found.insert(one).second && !ends_at(gang, until)) open.push_back(one);
        }
      }
    };
    look_before(task);
    while (!open.empty()) {
      auto const id = open.back();
      open.pop_back();
      look_before(id);
    }
    return found;
  }
  [[nodiscard]] bool ends_at(Id gang, std::set<Rank> const* until) const {
    return until != nullptr && gang != no_gang && kinds_[gang] == Kind::inside &&
           std::ranges::includes(owners(gang), *until);
  }

  TaskGraph const& graph_;
  WholeGraph& whole_;
  Sorted const& sorted_;
  std::vector<Kind> kinds_;  // of gangs
  std::vector<std::vector<Id>> parents_;
};

}  // namespace

void check_inside(TaskGraph const& graph, WholeGraph& whole, Sorted const& sorted) {
  Inside(graph, whole, sorted).run();
}

}  // namespace allport::graph
