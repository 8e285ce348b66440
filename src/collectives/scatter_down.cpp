// Scatter down and gather up a set of trees: over tree t travels slice t of every rank's block.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "streams.h"

namespace allport {
namespace {

/// One tree laid out so that every subtree is an interval: made once, shared by all ranks' programs.
class Subtrees {
 public:
  Subtrees(TreeSet const& trees, int tree, Rank root, Rank ranks)
      : position_(static_cast<std::size_t>(ranks)), size_(position_), depth_(position_) {
    order_.reserve(position_.size());
    std::vector<std::pair<Rank, bool>> stack{{root, false}};
    TreePlace place;
    while (!stack.empty()) {
      auto const [rank, left] = stack.back();
      stack.pop_back();
      if (left) {
        at(size_, rank) = static_cast<Rank>(order_.size()) - at(position_, rank);
        continue;
      }
      at(position_, rank) = static_cast<Rank>(order_.size());
      order_.push_back(rank);
      stack.emplace_back(rank, true);
      trees.place(tree, rank, place);
      for (std::size_t i = 0; i < place.children(); ++i) {
        at(depth_, place.child(i).rank) = at(depth_, rank) + 1;
        stack.emplace_back(place.child(i).rank, false);
      }
    }
  }

  /// The ranks of the subtree under `rank`, farthest from the root first.
  [[nodiscard]] std::vector<Rank> under(Rank rank) const {
    auto const begin = order_.begin() + position_[static_cast<std::size_t>(rank)];
    std::vector<Rank> all(begin, begin + size_[static_cast<std::size_t>(rank)]);
    std::ranges::stable_sort(all, std::ranges::greater(), [&](Rank r) { return depth_[static_cast<std::size_t>(r)]; });
    return all;
  }

 private:
  static Rank& at(std::vector<Rank>& list, Rank rank) { return list[static_cast<std::size_t>(rank)]; }

  std::vector<Rank> order_;
  std::vector<Rank> position_;
  std::vector<Rank> size_;
  std::vector<Rank> depth_;
};

class Blocks {
 public:
  Blocks(TreeSet trees, Contract const& contract, Cut cut)
      : trees_(std::move(trees)), contract_(contract), cut_(cut), used_(slices(contract.bytes, 1, trees_.count)) {}

  [[nodiscard]] int used() const { return used_; }

  void scatter(Rank rank, Program& into) const {
    if (rank == contract_.root) copy(into);
    each_tree(rank, [&](int tree, TreePlace const& place) {
      // Receives first, by destination; then what is sent on to each child.
      std::vector<std::pair<std::int32_t, Slot>> arrived(static_cast<std::size_t>(contract_.ranks));
      if (rank != contract_.root) {
        for (auto const r : subtrees_[static_cast<std::size_t>(tree)].under(rank)) {
          auto const s = part(tree, r);
          if (s.length == 0) continue;
          auto op = s.op(OpKind::receive);
          op.peer = place.parent.rank;
          op.into = r == rank ? Slot{Buffer::output, 0, s.piece.bytes.begin} : s.new_ring(into);
          arrived[static_cast<std::size_t>(r)] = {next(into), op.into};
          into.ops.push_back(op);
        }
      }
      for (std::size_t i = 0; i < place.children(); ++i) send_down(tree, rank, place.child(i), arrived, into);
    });
  }

  void gather(Rank rank, Program& into) const {
    if (rank == contract_.root) copy(into);
    each_tree(rank, [&](int tree, TreePlace const& place) {
      if (rank != contract_.root) {
        if (auto const s = part(tree, rank); s.length > 0) {
          send_up(s, {Buffer::input, 0, s.piece.bytes.begin}, at_once, place.parent, into);
        }
      }
      for (std::size_t i = 0; i < place.children(); ++i) {
        auto nearest_first = subtrees_[static_cast<std::size_t>(tree)].under(place.child(i).rank);
        std::ranges::reverse(nearest_first);
        for (auto const r : nearest_first) receive_up(tree, rank, r, place, place.child(i), into);
      }
    });
  }

 private:
  static std::int32_t next(Program const& program) { return static_cast<std::int32_t>(program.ops.size()); }

  template <class Visit>
  void each_tree(Rank rank, Visit&& visit) const {
    std::call_once(made_, [this] {
      for (int t = 0; t < used_; ++t) subtrees_.emplace_back(trees_, t, contract_.root, contract_.ranks);
    });
    TreePlace place;
    for (int tree = 0; tree < used_; ++tree) {
      trees_.place(tree, rank, place);
      visit(tree, place);
    }
  }

  /// Slice `tree` of rank r's block; of length 0 where the block is too short for so many slices.
  [[nodiscard]] Stream part(int tree, Rank r) const {
    auto const bytes = contract_.block(r, r);
    auto const used = slices(bytes, 1, used_);
    if (bytes == 0 || tree >= used) return {};
    auto const interval = slice(bytes, 1, used, tree);
    auto const root = RankBox{contract_.root, contract_.root};
    auto const piece = contract_.what == Collective::scatter ? Piece{root, {r, r}, interval, false}
                                                             : Piece{{r, r}, root, interval, false};
    return stream(contract_, cut_, piece, r * used_ + tree, interval.size());
  }

  /// The root's own block.
  void copy(Program& into) const {
    auto const root = contract_.root;
    auto const bytes = contract_.block(root, root);
    if (bytes == 0) return;
    auto op = stream(contract_, cut_, {{root, root}, {root, root}, {0, bytes}, false}, 0, bytes).op(OpKind::copy);
    op.from = {Buffer::input, 0, contract_.input_offset(root, root)};
    op.into = {Buffer::output, 0, contract_.output_offset(root, root)};
    into.ops.push_back(op);
  }

  void send_down(int tree, Rank rank, TreeEdge const& child, std::vector<std::pair<std::int32_t, Slot>> const& arrived,
                 Program& into) const {
    std::vector<std::int32_t> before;
    for (auto const r : subtrees_[static_cast<std::size_t>(tree)].under(child.rank)) {
      auto const s = part(tree, r);
      if (s.length == 0) continue;
      auto op = s.op(OpKind::send);
      op.peer = child.rank;
      op.port = child.out;
      auto const me = next(into);
      if (rank == contract_.root) {
        op.from = {Buffer::input, 0, contract_.input_offset(rank, r) + s.piece.bytes.begin};
        if (before.size() >= 2) op.after.add(before[before.size() - 2], Dependence::whole);
      } else {
        auto const [receive, slot] = arrived[static_cast<std::size_t>(r)];
        op.from = slot;
        op.after.add(receive);
        wait_for_free_slot(into, receive, me, s);
      }
      before.push_back(me);
      into.ops.push_back(op);
    }
  }

  void receive_up(int tree, Rank rank, Rank r, TreePlace const& place, TreeEdge const& child, Program& into) const {
    auto const s = part(tree, r);
    if (s.length == 0) return;
    bool const root = rank == contract_.root;
    auto op = s.op(OpKind::receive);
    op.peer = child.rank;
    op.into = root ? Slot{Buffer::output, 0, contract_.output_offset(rank, r) + s.piece.bytes.begin} : s.new_ring(into);
    auto const receive = next(into);
    into.ops.push_back(op);
    if (root) return;
    send_up(s, op.into, receive, place.parent, into);
    wait_for_free_slot(into, receive, receive + 1, s);
  }

  static void send_up(Stream const& s, Slot from, std::int32_t after, TreeEdge const& parent, Program& into) {
    auto op = s.op(OpKind::send);
    op.peer = parent.rank;
    op.port = parent.out;
    op.from = from;
    if (after != at_once) op.after.add(after);
    into.ops.push_back(op);
  }

  /// A ring's slot is free again when it has been sent on.
  static void wait_for_free_slot(Program& into, std::int32_t receive, std::int32_t send, Stream const& s) {
    auto& op = into.ops[static_cast<std::size_t>(receive)];
    if (s.ring() < op.segments()) op.after.add(send, s.ring());
  }

  TreeSet trees_;
  Contract contract_;
  Cut cut_;
  int used_;  // trees: as many as the longest block is worth
  mutable std::once_flag made_;
  mutable std::vector<Subtrees> subtrees_;
};

}  // namespace

Schedule scatter_down(TreeSet trees, std::string name, Contract const& contract, Cut cut) {
  auto const state = std::make_shared<Blocks const>(std::move(trees), contract, cut);
  return {std::move(name), contract, cut, state->used(),
          [state](Rank rank, Program& into) { state->scatter(rank, into); }};
}

Schedule gather_up(TreeSet trees, std::string name, Contract const& contract, Cut cut) {
  auto const state = std::make_shared<Blocks const>(std::move(trees), contract, cut);
  return {std::move(name), contract, cut, state->used(),
          [state](Rank rank, Program& into) { state->gather(rank, into); }};
}

}  // namespace allport
