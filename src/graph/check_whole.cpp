#include "check_whole.h"

#include <algorithm>

namespace allport::graph {

namespace {

using Link = WholeGraph::Link;

class Whole {
 public:
  Whole(TaskGraph const& graph, WholeGraph& whole)
      : graph_(graph), whole_(whole), arriving_(whole.size() + 1, 0), parents_(whole.links().size()) {
    for (auto const& link : whole.links()) ++arriving_[link.child + 1];
    for (std::size_t t = 0; t < whole.size(); ++t) arriving_[t + 1] += arriving_[t];
    auto next = arriving_;
    for (auto const& link : whole.links()) parents_[next[link.child]++] = &link;
  }

  CheckReport run() {
    entries();
    for (Id id = 0; id < whole_.size(); ++id) {
      for (auto const& link : whole_.children(id)) check_edge(graph_, whole_.task(id), link.edge);
      agreement(id);
      inputs(id);
      forwarding(id);
    }
    CheckReport report;
    counts(report);
    gangs();
    sort();
    steps();
    check_inside(graph_, whole_, sorted_);
    check_overwriting(graph_, whole_, sorted_);
    report.tasks = static_cast<std::int64_t>(whole_.size());
    report.edges = static_cast<std::int64_t>(whole_.links().size());
    report.longest = sorted_.longest;
    return report;
  }

 private:
  [[nodiscard]] std::string name(Id id) const { return graph_.name(whole_.task(id)); }
  /// The edges that lead to a task.
  [[nodiscard]] std::span<Link const* const> parents(Id id) const {
    return {parents_.data() + arriving_[id], parents_.data() + arriving_[id + 1]};
  }
  [[nodiscard]] std::string some_parents(Id id) const {
    std::string text;
    constexpr std::size_t shown = 4;
    auto const all = parents(id);
    for (std::size_t x = 0; x < std::min(all.size(), shown); ++x) text += (x > 0 ? ", " : "") + name(all[x]->parent);
    return text.empty() ? "none" : all.size() > shown ? text + ", ..." : text;
  }

  void entries() {
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      graph_.entries(r, [&](Task task) {
        auto const owner = graph_.owner(task);
        if (owner != r) fail("{} is an entry of rank {}, and rank {} owns it", graph_.name(task), r, owner);
        if (auto const n = graph_.num_parents(task); n != 0) {
          fail("{} is an entry, and num_parents() says that it waits for {}", graph_.name(task), n);
        }
        auto const id = *whole_.find(task);
        if (entered_.size() <= id) entered_.resize(id + 1, false);
        if (entered_[id]) fail("{} is an entry twice", graph_.name(task));
        entered_[id] = true;
      });
    }
  }

  void agreement(Id id) const {
    auto const said = graph_.num_parents(whole_.task(id));
    auto const found = parents(id).size();
    if (said < 0 || static_cast<std::size_t>(said) != found) {
      fail("{} waits for {} parents by num_parents(), and {} edges of children() lead to it (from {})", name(id), said,
           found, some_parents(id));
    }
    if (said == 0 && (id >= entered_.size() || !entered_[id])) {
      fail("{} waits for nothing, and entries({}) does not name it", name(id), graph_.owner(whole_.task(id)));
    }
  }

  /// Every input has one edge, or all contributors to its sum.
  void inputs(Id id) {
    filled_.clear();
    for (auto const* link : parents(id)) {
      if (link->edge.kind == EdgeKind::data || link->edge.kind == EdgeKind::sum) filled_.push_back(link);
    }
    std::ranges::stable_sort(filled_, {}, [](Link const* link) { return link->edge.input; });
    for (std::size_t begin = 0, end = 0; begin < filled_.size(); begin = end) {
      while (end < filled_.size() && filled_[end]->edge.input == filled_[begin]->edge.input) ++end;
      sum_or_one(id, std::span(filled_).subspan(begin, end - begin));
    }
  }

  void sum_or_one(Id id, std::span<Link const* const> links) const {
    auto const input = links.front()->edge.input;
    auto const sums = std::ranges::count_if(links, [](auto const* l) { return l->edge.kind == EdgeKind::sum; });
    if (sums == 0 && links.size() > 1) {
      fail("input {} of {} is filled by {} and by {}", input, name(id), name(links[0]->parent), name(links[1]->parent));
    }
    if (sums == 0) return;
    std::vector<Task> said;
    graph_.contributors(whole_.task(id), input, [&](Task task) { said.push_back(task); });
    std::vector<Task> found;
    for (auto const* link : links) found.push_back(whole_.task(link->parent));
    auto sorted = said;
    std::ranges::sort(sorted);
    std::ranges::sort(found);
    if (sorted != found || static_cast<std::size_t>(sums) != links.size()) {
      fail("input {} of {} is a sum of {} tasks by contributors(), and {} edges lead to it, {} of them sums", input,
           name(id), said.size(), links.size(), sums);
    }
    std::vector<Rank> owners;
    for (auto const task : said) owners.push_back(graph_.owner(task));
    auto const root = graph_.owner(whole_.task(id));
    if (std::ranges::find(owners, root) == owners.end()) {
      fail("input {} of {} is a sum to which its own rank {} contributes nothing", input, name(id), root);
    }
    std::ranges::sort(owners);
    if (auto const twice = std::ranges::adjacent_find(owners); twice != owners.end()) {
      fail("rank {} contributes twice to input {} of {}", *twice, input, name(id));
    }
  }

  /// A forwarded input has an edge, and the output's size.
  void forwarding(Id id) const {
    auto const task = whole_.task(id);
    for (auto const& link : whole_.children(id)) {
      if (link.edge.kind != EdgeKind::data && link.edge.kind != EdgeKind::sum) continue;
      auto const output = link.edge.output;
      auto const input = graph_.forwards(task, output);
      if (input < 0) continue;
      if (graph_.in_place(task, output)) fail("output {} of {} is in place, and its input {}", output, name(id), input);
      auto const all = parents(id);
      auto const from = std::ranges::find_if(all, [&](Link const* l) {
        return (l->edge.kind == EdgeKind::data || l->edge.kind == EdgeKind::sum) && l->edge.input == input;
      });
      if (from == all.end()) fail("output {} of {} is its input {}, which is unreachable", output, name(id), input);
      check_forwarded(graph_, whole_.task((*from)->parent), (*from)->edge, output);
    }
  }

  void counts(CheckReport& report) {
    std::vector<std::int64_t> found(static_cast<std::size_t>(graph_.ranks()), 0);
    for (auto const task : whole_.tasks()) ++found[static_cast<std::size_t>(graph_.owner(task))];
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      auto const said = graph_.count(r);
      auto const reached = found[static_cast<std::size_t>(r)];
      if (said && *said != reached) {
        fail("rank {} runs {} tasks by count(), and {} of its tasks can be reached from the entries", r, *said,
             reached);
      }
      if (said) continue;
      report.unreached_unknown = true;
      ends(r);
    }
  }

  void ends(Rank rank) {
    std::vector<Task> said;
    graph_.exits(rank, [&](Task task) {
      if (whole_.find(task) == nullptr) fail("{} is an exit, and nothing leads to it", graph_.name(task));
      said.push_back(task);
    });
    std::ranges::sort(said);
    std::vector<Task> found;
    for (Id id = 0; id < whole_.size(); ++id) {
      if (whole_.children(id).empty() && graph_.owner(whole_.task(id)) == rank) found.push_back(whole_.task(id));
    }
    std::ranges::sort(found);
    std::vector<Task> different;
    std::ranges::set_symmetric_difference(said, found, std::back_inserter(different));
    if (different.empty()) return;
    auto const task = different.front();
    bool const is_said = std::ranges::binary_search(said, task);
    fail("{} {} exit of rank {}, and {} waits for it", graph_.name(task), is_said ? "is an" : "is no", rank,
         is_said ? "somebody" : "nobody");
  }

  void gangs() {
    sorted_.gang_of.assign(whole_.size(), no_gang);
    Gang gang;
    for (Id id = 0; id < whole_.size(); ++id) {
      if (!graph_.gang(whole_.task(id), gang) || sorted_.gang_of[id] != no_gang) continue;
      std::vector<Id> members;
      std::vector<Rank> owners;
      for (auto const task : gang.members) {
        Gang seen;
        if (!graph_.gang(task, seen) || seen.members != gang.members || seen.exchanges != gang.exchanges ||
            seen.inside != gang.inside) {
          fail("{} is in a gang with {}, which says otherwise", name(id), graph_.name(task));
        }
        if (gang.exchanges && !gang.collectives.empty()) {
          fail("the gang of {} exchanges, and calls collectives: only members that run at the same time can", name(id));
        }
        if (gang.exchanges && gang.inside) {
          fail("the gang of {} exchanges, and meets inside: members of one that exchanges do not wait", name(id));
        }
        auto const* const known = whole_.find(task);
        if (known == nullptr) fail("{} is in a gang with {}, which is unreachable", name(id), graph_.name(task));
        members.push_back(*known);
        owners.push_back(graph_.owner(task));
      }
      if (std::ranges::find(members, id) == members.end()) fail("{} is not among the members of its gang", name(id));
      for (auto const rank : owners) {
        auto const orderer = graph_.orders_gangs(owners.front());
        if (graph_.orders_gangs(rank) == orderer && orderer >= 0 && orderer < graph_.ranks()) continue;
        fail("the gang of {} is ordered by rank {} on rank {}, and by {} on {}: expected one rank for all", name(id),
             graph_.orders_gangs(rank), rank, orderer, owners.front());
      }
      std::ranges::sort(owners);
      if (auto const twice = std::ranges::adjacent_find(owners); twice != owners.end()) {
        fail("the gang of {} has two members on rank {}", name(id), *twice);
      }
      for (auto const member : members) sorted_.gang_of[member] = static_cast<Id>(sorted_.gangs.size());
      sorted_.gangs.push_back(std::move(members));
    }
  }

  /// Kahn's topological order, a gang as one node; tasks left over are in cycles.
  void sort() {
    std::vector<std::int64_t> waits(whole_.size(), 0);
    std::vector<std::int64_t> depth(whole_.size(), 1);
    for (auto const& link : whole_.links()) ++waits[link.child];
    std::vector<std::size_t> gang_waits;
    for (auto const& members : sorted_.gangs) gang_waits.push_back(members.size());
    auto& order = sorted_.order;
    auto const ready = [&](Id id) {
      auto const gang = sorted_.gang_of[id];
      if (gang == no_gang) {
        order.push_back(id);
      } else if (--gang_waits[gang] == 0) {
        auto const& members = sorted_.gangs[gang];
        std::int64_t latest = 0;
        for (auto const member : members) latest = std::max(latest, depth[member]);
        for (auto const member : members) depth[member] = latest;
        order.insert(order.end(), members.begin(), members.end());
      }
    };
    for (Id id = 0; id < whole_.size(); ++id) {
      if (waits[id] == 0) ready(id);
    }
    for (std::size_t at = 0; at < order.size(); ++at) {
      auto const id = order[at];
      sorted_.longest = std::max(sorted_.longest, depth[id]);
      for (auto const& link : whole_.children(id)) {
        depth[link.child] = std::max(depth[link.child], depth[id] + 1);
        if (--waits[link.child] == 0) ready(link.child);
      }
    }
    sorted_.position.assign(whole_.size(), no_gang);
    for (Id at = 0; at < order.size(); ++at) sorted_.position[order[at]] = at;
    if (order.size() < whole_.size()) cycle();
  }

  [[noreturn]] void cycle() const {
    auto const stuck = [&](Id id) { return sorted_.position[id] == no_gang; };
    // A stuck task waits for a stuck one: follow these until one repeats.
    auto const before = [&](Id id) {
      for (auto const* link : parents(id)) {
        if (stuck(link->parent)) return link->parent;
      }
      for (auto const member : sorted_.gangs[sorted_.gang_of[id]]) {
        for (auto const* link : parents(member)) {
          if (stuck(link->parent)) return link->parent;
        }
      }
      return id;
    };
    Id at = 0;
    while (!stuck(at)) ++at;
    std::vector<bool> met(whole_.size(), false);
    for (; !met[at]; at = before(at)) met[at] = true;
    std::string text = name(at);
    constexpr int shown = 8;
    int steps = 0;
    for (auto back = before(at); back != at && ++steps < shown; back = before(back))
      text += ", which waits for " + name(back);
    fail("a cycle: {}{}", text, steps < shown ? ", which waits for the first" : ", and so on");
  }

  void steps() {
    auto const count = graph_.steps();
    if (count == 0) return;
    std::vector<std::int64_t> step_of(whole_.size(), -1);
    for (Rank r = 0; r < graph_.ranks(); ++r) {
      for (std::int64_t s = 0; s < count; ++s) {
        graph_.tasks(r, s, [&](Task task) {
          auto const* const id = whole_.find(task);
          if (id == nullptr) fail("tasks({}, {}) names {}, which is unreachable", r, s, graph_.name(task));
          if (step_of[*id] >= 0) fail("tasks() names {} in steps {} and {}", name(*id), step_of[*id], s);
          if (graph_.owner(task) != r) fail("tasks({}, {}) names {} of rank {}", r, s, name(*id), graph_.owner(task));
          step_of[*id] = s;
          if (auto const said = graph_.step(task); said >= 0 && said != s) {
            fail("tasks({}, {}) names {}, and step() says {}", r, s, name(*id), said);
          }
        });
      }
    }
    for (Id id = 0; id < whole_.size(); ++id) {
      if (step_of[id] < 0) fail("tasks() names {} in no step", name(id));
    }
    for (auto const& link : whole_.links()) {
      if (step_of[link.parent] > step_of[link.child]) {
        fail("{} of step {} waits for {} of step {}", name(link.child), step_of[link.child], name(link.parent),
             step_of[link.parent]);
      }
    }
    // Otherwise a member could wait for the lowest step to rise, and that for the gang.
    for (auto const& members : sorted_.gangs) {
      auto const first = members.front();
      for (auto const member : members) {
        if (step_of[member] == step_of[first]) continue;
        fail("{} of step {} is in a gang with {} of step {}", name(member), step_of[member], name(first),
             step_of[first]);
      }
    }
  }

  TaskGraph const& graph_;
  WholeGraph& whole_;
  std::vector<std::size_t> arriving_;  // first of each child's edges, and the end
  std::vector<Link const*> parents_;   // by child
  std::vector<Link const*> filled_;
  std::vector<bool> entered_;
  Sorted sorted_;
};

}  // namespace

void check_edge(TaskGraph const& graph, Task parent, Edge const& edge) {
  auto const ranks = graph.ranks();
  auto const owner = graph.owner(edge.child);
  for (auto const& [task, rank] : {std::pair(parent, graph.owner(parent)), std::pair(edge.child, owner)}) {
    if (rank < 0 || rank >= ranks) fail("{} belongs to rank {} of {}", graph.name(task), rank, ranks);
  }
  if (edge.kind == EdgeKind::order || edge.kind == EdgeKind::sent) {
    if (owner == graph.owner(parent)) return;
    fail("an edge of order leads from {} on rank {} to {} on rank {}", graph.name(parent), graph.owner(parent),
         graph.name(edge.child), owner);
  }
  auto const made = graph.output(parent, edge.output);
  auto const wanted = graph.input(edge.child, edge.input);
  if (wanted && *wanted != made) {
    fail("output {} of {} is {} x {} + {} bytes, and input {} of {} wants {} x {} + {}", edge.output,
         graph.name(parent), made.rows, made.cols, made.header, edge.input, graph.name(edge.child), wanted->rows,
         wanted->cols, wanted->header);
  }
}

void check_forwarded(TaskGraph const& graph, Task parent, Edge const& edge, int output) {
  auto const given = graph.output(parent, edge.output);
  auto const made = graph.output(edge.child, output);
  if (given == made) return;
  fail("output {} of {} is its input {}, and {} x {} + {} bytes instead of {} x {} + {}", output,
       graph.name(edge.child), edge.input, made.rows, made.cols, made.header, given.rows, given.cols, given.header);
}

CheckReport check_whole(TaskGraph const& graph, WholeGraph& whole) { return Whole(graph, whole).run(); }

}  // namespace allport::graph
