// Lower bound on the sustained time of the MPI library's calls by the load of links.
#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "allport/select/mpi_price.h"
#include "machine/link_bytes.h"

namespace allport {

namespace {

/// From the root to all others, or to the root.
enum class Direction { down, up };

/// Whether the partners with the highest (far) or lowest (near) differing bit exchange the most data.
enum class Most { near, far };

/// Bytes over every link in one call of an algorithm over rank order; mean over all roots if it has a root.
class Row {
 public:
  Row(Machine const& machine, std::optional<Mapping> const& mapping)
      : machine_(machine), mapping_(mapping), ranks_(machine.ranks()), loads_(machine) {}

  /// The busiest link's time for the messages added since the last call.
  [[nodiscard]] double take() {
    auto const most = loads_.longest().value();
    loads_.clear();
    return most;
  }

  /// Binomial tree; the parent of a rank has one bit fewer: the lowest or the highest.
  void tree(double bytes, Direction direction, bool lowest) {
    each_root([&](Rank root) {
      for (Rank v = 1; v < ranks_; ++v) edge(root, v - (lowest ? low_bit(v) : high_bit(v)), v, bytes, direction);
    });
  }
  /// Binomial tree, each message with the blocks of all ranks in the subtree.
  void tree_of_blocks(double block, Direction direction) {
    each_root([&](Rank root) {
      for (Rank v = 1; v < ranks_; ++v) {
        edge(root, v - low_bit(v), v, block * std::min(low_bit(v), ranks_ - v), direction);
      }
    });
  }
  void chain(double bytes, Direction direction) {
    each_root([&](Rank root) {
      for (Rank v = 1; v < ranks_; ++v) edge(root, v - 1, v, bytes, direction);
    });
  }
  /// Direct messages between the root and all others.
  void fan(double block, Direction direction) {
    each_root([&](Rank root) {
      for (Rank v = 1; v < ranks_; ++v) edge(root, 0, v, block, direction);
    });
  }
  /// Ring: all blocks but one pass every rank.
  void ring(double block) {
    for (Rank r = 0; r < ranks_; ++r) send(r, (r + 1) % ranks_, (ranks_ - 1.0) * block);
  }
  /// Recursive halving or doubling.
  void halving(double block, Most most) {
    auto const rounds = std::bit_width(static_cast<unsigned>(ranks_ - 1));
    exchange([&](int k) { return block * static_cast<double>(Rank{1} << (most == Most::far ? k : rounds - 1 - k)); });
  }
  /// The whole message with each partner (recursive doubling).
  void swapping(double bytes) {
    exchange([&](int) { return bytes; });
  }
  /// Half of all blocks to the ranks 1, 2, 4, ... ahead (Bruck).
  void shifts(double bytes) {
    for (Rank distance = 1; distance < ranks_; distance *= 2) {
      for (Rank r = 0; r < ranks_; ++r) send(r, (r + distance) % ranks_, bytes);
    }
  }

 private:
  static Rank low_bit(Rank v) { return v & -v; }
  static Rank high_bit(Rank v) { return static_cast<Rank>(std::bit_floor(static_cast<unsigned>(v))); }

  void send(Rank from, Rank to, double bytes) {
    auto const node = [&](Rank r) { return machine_.node_of(mapping_ ? mapping_->place(r) : r); };
    loads_.add(node(from), node(to), bytes);
  }
  /// A message between ranks that are counted from the root.
  void edge(Rank root, Rank parent, Rank child, double bytes, Direction direction) {
    auto const a = (parent + root) % ranks_;
    auto const b = (child + root) % ranks_;
    send(direction == Direction::down ? a : b, direction == Direction::down ? b : a, bytes / ranks_);
  }
  template <class Edges>
  void each_root(Edges const& edges) {
    for (Rank root = 0; root < ranks_; ++root) edges(root);
  }
  template <class Bytes>
  void exchange(Bytes const& bytes) {
    for (int k = 0; (Rank{1} << k) < ranks_; ++k) {
      for (Rank r = 0; r < ranks_; ++r) {
        if (auto const partner = r ^ (Rank{1} << k); partner < ranks_) send(r, partner, bytes(k));
      }
    }
  }

  Machine const& machine_;
  std::optional<Mapping> const& mapping_;
  Rank ranks_;
  LinkBytes loads_;
};

/// The minimum, over algorithms, of the busiest link's time.
class Least {
 public:
  explicit Least(Row& row) : row_(row) {}
  template <class Add>
  Least& of(Add const& add) {
    add(row_);
    seconds_ = std::min(seconds_, row_.take());
    return *this;
  }
  [[nodiscard]] Seconds seconds() const { return Seconds(seconds_); }

 private:
  Row& row_;
  double seconds_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Seconds mpi_row(Machine const& machine, Contract const& contract, std::optional<Mapping> const& mapping) {
  constexpr Rank most_ranks = 64;
  auto const ranks = contract.ranks;
  if (ranks < 2 || ranks > most_ranks || contract.blocks != nullptr) return {};
  auto const bytes = static_cast<double>(contract.bytes);
  auto const share = bytes / ranks;
  Row row(machine, mapping);
  Least least(row);
  auto const halvings = [&](double block, auto const& rest) {
    for (auto const most : {Most::near, Most::far}) {
      least.of([&](Row& r) {
        r.halving(block, most);
        rest(r);
      });
    }
  };
  auto const trees = [&](Direction direction) {
    for (bool const lowest : {true, false}) least.of([&](Row& r) { r.tree(bytes, direction, lowest); });
    least.of([&](Row& r) { r.chain(bytes, direction); });
  };
  switch (contract.what) {
    case Collective::broadcast:
      trees(Direction::down);
      halvings(share, [&](Row& r) { r.tree_of_blocks(share, Direction::down); });
      return least
          .of([&](Row& r) {
            r.tree_of_blocks(share, Direction::down);
            r.ring(share);
          })
          .seconds();
    case Collective::reduce:
      trees(Direction::up);
      halvings(share, [&](Row& r) { r.tree_of_blocks(share, Direction::up); });
      return least.seconds();
    case Collective::scatter:
    case Collective::gather: {
      auto const direction = contract.what == Collective::scatter ? Direction::down : Direction::up;
      return least.of([&](Row& r) { r.tree_of_blocks(bytes, direction); })
          .of([&](Row& r) { r.fan(bytes, direction); })
          .seconds();
    }
    case Collective::allgather:
    case Collective::reduce_scatter:
      halvings(bytes, [](Row&) {});
      return least.of([&](Row& r) { r.ring(bytes); }).seconds();
    case Collective::allreduce:
      halvings(2 * share, [](Row&) {});
      return least.of([&](Row& r) { r.swapping(bytes); }).of([&](Row& r) { r.ring(2 * share); }).seconds();
    case Collective::alltoall:
      return least.of([&](Row& r) { r.fan(ranks * bytes, Direction::down); })
          .of([&](Row& r) { r.shifts(ranks * bytes / 2); })
          .seconds();
    case Collective::barrier:
    case Collective::none:
      break;
  }
  return {};
}

}  // namespace allport
