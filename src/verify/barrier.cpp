#include "barrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace allport::verify {
namespace {

constexpr Rank slice_ranks = 4096;

/// For each operation, the ranks of [first, first + count) whose start its end depends on.
class Knowledge {
 public:
  Knowledge(Table const& table, std::vector<OpId> const& order, Rank first, Rank count)
      : table_(table), words_((static_cast<std::size_t>(count) + 63) / 64), sets_(table.size() * words_, 0) {
    for (auto const row : order) {
      auto const rank = table.op(row).rank - first;
      if (rank >= 0 && rank < count) set(row)[rank / 64] |= std::uint64_t{1} << (rank % 64);
      learn_needs(row, row);
      auto const partner = table.op(row).partner;
      if (table.op(row).kind != OpKind::receive || partner == no_op) continue;
      // A receive depends on everything that its send depends on.
      if (auto const r = table.op(partner).rank - first; r >= 0 && r < count) {
        set(row)[r / 64] |= std::uint64_t{1} << (r % 64);
      }
      learn_needs(row, partner);
    }
  }

  /// Adds the set of the row to `all`.
  void add(OpId row, std::vector<std::uint64_t>& all) const {
    for (std::size_t w = 0; w < words_; ++w) all[w] |= sets_[row * words_ + w];
  }
  [[nodiscard]] std::size_t words() const { return words_; }

 private:
  std::uint64_t* set(OpId row) { return sets_.data() + row * words_; }
  void learn_needs(OpId row, OpId from) {
    for (auto const& need : table_.linked().needs(from)) {
      for (std::size_t w = 0; w < words_; ++w) set(row)[w] |= set(need.op)[w];
    }
  }

  Table const& table_;
  std::size_t words_;
  std::vector<std::uint64_t> sets_;
};

}  // namespace

void check_barrier(Table const& table, Findings& findings) {
  auto const ranks = table.space().contract().ranks;
  // Sorted by logical end time: every operation after all that it waited for; both ends of a stream together.
  std::vector<OpId> order;
  for (OpId i = 0; i < table.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](OpId i) { return table.row(i).clock; });
  for (Rank first = 0; first < ranks; first += slice_ranks) {
    auto const count = std::min(slice_ranks, ranks - first);
    Knowledge const knowledge(table, order, first, count);
    OpId row = 0;
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<std::uint64_t> all(knowledge.words(), 0);
      if (rank >= first && rank < first + count) {
        all[static_cast<std::size_t>(rank - first) / 64] |= std::uint64_t{1} << ((rank - first) % 64);
      }
      for (; row < table.size() && table.op(row).rank == rank; ++row) knowledge.add(row, all);
      for (Rank other = 0; other < count; ++other) {
        if ((all[static_cast<std::size_t>(other) / 64] >> (other % 64) & 1) != 0) continue;
        findings.add({Kind::missing, 0, 0, rank, -1}, [&] {
          return Finding{
              {}, rank,
              -1, 0,
              {}, fmt::format("rank {} may leave the barrier before rank {} has come to it", rank, first + other)};
        });
        break;
      }
    }
  }
}

}  // namespace allport::verify
