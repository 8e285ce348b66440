// Blocks on ranks and leaders against the whole grid on one: every cell, exactly, whatever the shape and who has which.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "allport/loops/blocks.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

using namespace allport::loops;
using Word = std::uint64_t;

/// 3-D always: axes that are not there have one cell and weight 0.
struct Case {
  std::vector<std::int64_t> grid;
  std::vector<std::int64_t> block;
  std::vector<bool> periodic{};
  std::int64_t halo = 1;
};

Word start_of(std::int64_t i, std::int64_t j, std::int64_t k) { return Word(i * 7919 + j * 104729 + k * 15485863 + 1); }

/// Every neighbour has a weight of its own, so that faces that are mixed up are seen.
template <class In>
Word update(In const& in, std::size_t axes, std::int64_t halo) {
  Word sum = 3 * in(0, 0, 0);
  for (std::int64_t h = 1; h <= halo; ++h) {
    sum += Word(5 * h) * in(-h, 0, 0) + Word(7 * h) * in(h, 0, 0);
    if (axes > 1) sum += Word(11 * h) * in(0, -h, 0) + Word(13 * h) * in(0, h, 0);
    if (axes > 2) sum += Word(17 * h) * in(0, 0, -h) + Word(19 * h) * in(0, 0, h);
  }
  return sum;
}

/// The whole grid on one rank, cell by cell.
class Whole {
 public:
  explicit Whole(Case const& c) : case_(c) {
    for (std::size_t a = 0; a < 3; ++a) {
      bool const there = a < c.grid.size();
      length_[a] = there ? c.grid[a] : 1;
      periodic_[a] = there && a < c.periodic.size() && c.periodic[a];
    }
    for (std::int64_t i = 0; i < length_[0]; ++i) {
      for (std::int64_t j = 0; j < length_[1]; ++j) {
        for (std::int64_t k = 0; k < length_[2]; ++k) cells_.push_back(start_of(i, j, k));
      }
    }
  }
  [[nodiscard]] Word at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    std::int64_t index[] = {i, j, k};
    for (std::size_t a = 0; a < 3; ++a) {
      if (periodic_[a]) index[a] = (index[a] % length_[a] + length_[a]) % length_[a];
      if (index[a] < 0 || index[a] >= length_[a]) return start_of(i, j, k);  // the border
    }
    return cells_[std::size_t((index[0] * length_[1] + index[1]) * length_[2] + index[2])];
  }
  void iterate() {
    auto next = cells_;
    std::size_t n = 0;
    for (std::int64_t i = 0; i < length_[0]; ++i) {
      for (std::int64_t j = 0; j < length_[1]; ++j) {
        for (std::int64_t k = 0; k < length_[2]; ++k) {
          next[n++] =
              update([&](auto a, auto b, auto c) { return at(i + a, j + b, k + c); }, case_.grid.size(), case_.halo);
        }
      }
    }
    cells_ = next;
  }

 private:
  Case case_;
  std::array<std::int64_t, 3> length_{};
  std::array<bool, 3> periodic_{};
  std::vector<Word> cells_;
};

template <std::size_t D>
class Trial {
 public:
  Trial(Case const& c, Communicator const& comm, Teams& teams, BlocksOptions options = {})
      : case_(c), whole_(c), blocks_(comm, {c.grid, c.block, c.periodic, c.halo}, teams, std::move(options)) {
    fill();
  }
  Blocks<D, Word>& blocks() { return blocks_; }
  void fill() {
    whole_ = Whole(case_);
    blocks_.fill([](auto... i) { return padded(i...); });
  }
  void iterate(int count) {
    blocks_.iterate(count, [&](Block<D, Word> const& block, Team& team) {
      team.parallel_for(Range{0, block.size(0)}, [&](std::int64_t i) { row(block, i); });
    });
    for (int c = 0; c < count; ++c) whole_.iterate();
  }
  /// Cells that differ from the reference.
  [[nodiscard]] int wrong() {
    int count = 0;
    blocks_.each([&](Block<D, Word> const& b) {
      for (std::int64_t i = 0; i < b.size(0); ++i) {
        for (std::int64_t j = 0; j < size(b, 1); ++j) {
          for (std::int64_t k = 0; k < size(b, 2); ++k) {
            count += in(b, i, j, k) != whole_.at(b.first(0) + i, first(b, 1) + j, first(b, 2) + k) ? 1 : 0;
          }
        }
      }
    });
    return count;
  }

 private:
  static Word padded(std::int64_t i, std::int64_t j = 0, std::int64_t k = 0) { return start_of(i, j, k); }
  static std::int64_t size(Block<D, Word> const& b, std::size_t a) { return a < D ? b.size(a) : 1; }
  static std::int64_t first(Block<D, Word> const& b, std::size_t a) { return a < D ? b.first(a) : 0; }
  static Word in(Block<D, Word> const& b, std::int64_t i, std::int64_t j, std::int64_t k) {
    if constexpr (D == 1) return b.in(i);
    if constexpr (D == 2) return b.in(i, j);
    if constexpr (D == 3) return b.in(i, j, k);
  }
  void row(Block<D, Word> const& b, std::int64_t i) const {
    for (std::int64_t j = 0; j < size(b, 1); ++j) {
      for (std::int64_t k = 0; k < size(b, 2); ++k) {
        auto const next = update([&](auto x, auto y, auto z) { return in(b, i + x, j + y, k + z); }, D, case_.halo);
        if constexpr (D == 1) b.out(i) = next;
        if constexpr (D == 2) b.out(i, j) = next;
        if constexpr (D == 3) b.out(i, j, k) = next;
      }
    }
  }

  Case case_;
  Whole whole_;
  Blocks<D, Word> blocks_;
};

Cores two_cores() { return {.all = {{{0}, 0}, {{1}, 0}}, .shared = true, .source = "the caller"}; }

template <std::size_t D>
void try_all(std::vector<Case> const& cases) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(two_cores(), {.threads = 4});
  for (auto const& c : cases) {
    for (auto const shape : {TeamsShape{1, 0}, {2, 1}, {4, 0}}) {
      teams.configure(shape.leaders, shape.members);
      for (bool const helped : {false, true}) {
        Trial<D> trial(c, comm, teams, {.helped = helped});
        for (int const count : {1, 0, 4}) {
          trial.iterate(count);
          EXPECT_EQ(trial.wrong(), 0) << ::testing::PrintToString(c.grid) << " by "
                                      << ::testing::PrintToString(c.block);
        }
      }
    }
  }
}

TEST(Blocks, OfOneAxis) { try_all<1>({{{17}, {3}}, {{12}, {12}, {true}}, {{9}, {2}, {true}}, {{16}, {4}, {}, 3}}); }
TEST(Blocks, OfTwoAxes) {
  try_all<2>({{{13, 11}, {4, 3}},
              {{1, 9}, {1, 2}},
              {{2, 7}, {1, 7}, {true, true}},
              {{8, 8}, {8, 8}, {true, false}},
              {{12, 10}, {6, 5}, {false, true}, 2}});
}
TEST(Blocks, OfThreeAxes) {
  try_all<3>({{{5, 6, 7}, {2, 3, 4}},
              {{2, 1, 8}, {1, 1, 3}, {true, true, true}},
              {{6, 4, 4}, {3, 2, 4}, {true, false, true}, 2}});
}

TEST(Blocks, OfAnotherSizeGoOnWithTheSameCells) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(two_cores(), {.threads = 4});
  auto const try_sizes = [&]<std::size_t D>(Case const& c, std::vector<std::vector<std::int64_t>> const& sizes) {
    Trial<D> trial(c, comm, teams);
    int members = 0;
    for (auto const& size : sizes) {
      teams.configure(1 + members, 1 - members);
      members = 1 - members;
      trial.blocks().recut(size);
      EXPECT_EQ(trial.blocks().grid().shape().block, size);
      EXPECT_EQ(trial.blocks().owners().size(), std::size_t(trial.blocks().grid().blocks()));
      EXPECT_EQ(trial.wrong(), 0);
      trial.iterate(3);
      EXPECT_EQ(trial.wrong(), 0) << ::testing::PrintToString(c.grid) << " by " << ::testing::PrintToString(size);
      (void)trial.blocks().balance({.balancer = Balancer::greedy});
      trial.iterate(1);
      EXPECT_EQ(trial.wrong(), 0) << ::testing::PrintToString(c.grid) << " by " << ::testing::PrintToString(size);
    }
    EXPECT_THROW(trial.blocks().recut(std::vector<std::int64_t>(D, 0)), Error);
    EXPECT_THROW(trial.blocks().recut(std::vector<std::int64_t>(D + 1, 1)), Error);
    trial.iterate(1);
    EXPECT_EQ(trial.wrong(), 0) << "refused sizes change nothing";
  };
  try_sizes.operator()<1>({{17}, {3}, {}, 2}, {{17}, {5}, {3}});
  try_sizes.operator()<2>({{13, 11}, {4, 3}}, {{13, 11}, {1, 1}, {5, 11}, {5, 11}, {13, 2}});
  try_sizes.operator()<2>({{12, 10}, {6, 5}, {false, true}, 2}, {{2, 2}, {12, 10}, {4, 6}});
  try_sizes.operator()<3>({{5, 6, 7}, {2, 3, 4}, {true, false, true}}, {{5, 6, 7}, {1, 2, 3}, {2, 3, 4}});
}

TEST(Blocks, GoToWhoeverHasLeastToDoAndGoOn) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(two_cores(), {.threads = 4});
  teams.configure(2, 1);
  Case const c{{24, 18}, {4, 3}, {true, false}};
  // All on the last rank at first.
  BlockGrid const grid({c.grid, c.block, c.periodic, c.halo});
  std::vector<int> const last(std::size_t(grid.blocks()), comm.size() - 1);
  Trial<2> trial(c, comm, teams, {.owners = last});
  trial.iterate(2);
  auto const loads = trial.blocks().loads();
  for (auto const load : loads) EXPECT_GT(load, 0);
  for (auto const balancer : {Balancer::greedy, Balancer::refine, Balancer::greedy}) {
    auto const report = trial.blocks().balance({.balancer = balancer});
    EXPECT_LE(report.after, report.before + 1e-9);
    EXPECT_EQ(trial.wrong(), 0);
    teams.configure(teams.leaders() == 2 ? 4 : 2, teams.leaders() == 2 ? 0 : 1);
    trial.iterate(3);
    EXPECT_EQ(trial.wrong(), 0) << name(balancer);
  }
  if (comm.size() > 1) {
    std::set<int> const used(trial.blocks().owners().begin(), trial.blocks().owners().end());
    EXPECT_GT(used.size(), 1U) << "nothing has moved";
  }
  trial.fill();
  trial.blocks().balance();
  EXPECT_EQ(trial.blocks().balance({.balancer = Balancer::greedy}).between_ranks, 0) << "nothing has run since";
  trial.iterate(2);
  EXPECT_EQ(trial.wrong(), 0) << "filled anew";
}

TEST(Blocks, SendEveryFaceOnceAndNoneWhereNoneIsToTravel) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(two_cores(), {.threads = 2});
  Case const c{{20, 15}, {5, 4}};
  Trial<2> trial(c, comm, teams, {.record = true});
  trial.iterate(3);
  auto const& blocks = trial.blocks();
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
  for (std::int64_t b = 0; b < blocks.grid().blocks(); ++b) {
    for (auto const face : blocks.grid().shared_faces(b)) {
      auto const other = blocks.grid().beyond(b, face);
      if (blocks.owners()[std::size_t(b)] != comm.rank() || blocks.owners()[std::size_t(other)] == comm.rank())
        continue;
      ++messages;
      bytes += blocks.grid().cells(b, 1 - face.axis) * std::int64_t(sizeof(Word));
    }
  }
  // One more than iterations: the first one's faces are sent before it.
  EXPECT_EQ(blocks.counted().messages_sent, 4 * messages);
  EXPECT_EQ(blocks.counted().bytes_sent, 4 * bytes);
  std::int64_t ran = 0;
  std::int64_t sent = 0;
  for (auto const& record : blocks.records()) {
    EXPECT_LE(record.begin, record.end);
    ran += record.deed == BlockRecord::Deed::run ? 1 : 0;
    sent += record.deed == BlockRecord::Deed::send ? record.bytes : 0;
  }
  EXPECT_EQ(sent, 4 * bytes);
  EXPECT_EQ(ran, 3 * std::ranges::count(blocks.owners(), comm.rank()));
  trial.blocks().set_options(false, false);
  trial.iterate(2);
  EXPECT_EQ(blocks.counted().messages_sent, 4 * messages) << "--no-send sends";
  trial.blocks().set_options(true, false);
  trial.fill();
  trial.iterate(2);
  EXPECT_EQ(trial.wrong(), 0);
}

TEST(Blocks, WhatABodyThrowsEndsAllRanksAndFillMendsThem) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(two_cores(), {.threads = 2});
  teams.configure(2, 0);
  Case const c{{12, 12}, {3, 4}};
  Trial<2> trial(c, comm, teams);
  trial.iterate(1);
  for (std::int64_t const bad : {0, 7}) {
    try {
      trial.blocks().iterate(5, [&](Block<2, Word> const& block, Team&) {
        if (block.number() == bad && block.iteration() % 5 == 3) throw std::runtime_error("too hot");
      });
      FAIL() << "nothing was thrown";
    } catch (Error const& error) {
      EXPECT_NE(std::string(error.what()).find("too hot"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("block " + std::to_string(bad)), std::string::npos) << error.what();
    }
    EXPECT_THROW(trial.blocks().iterate(1, [](Block<2, Word> const&, Team&) {}), Error);
    trial.fill();
    trial.iterate(3);
    EXPECT_EQ(trial.wrong(), 0);
  }
}

TEST(Blocks, RanksThatDisagreeAreTold) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Teams teams(two_cores(), {.threads = 1});
  BlockShape const shape{.grid = {8, 8}, .block = {4, 4}};
  EXPECT_THROW((Blocks<2, Word>(comm, shape, teams, {.owners = {0, 0, 0}})), Error);
  EXPECT_THROW((Blocks<2, Word>(comm, shape, teams, {.owners = {0, 0, 0, comm.size()}})), Error);
  EXPECT_THROW((Blocks<3, Word>(comm, shape, teams)), Error);
  Blocks<2, Word> blocks(comm, shape, teams);
  EXPECT_THROW(blocks.iterate(-1, [](Block<2, Word> const&, Team&) {}), Error);
  if (comm.size() == 1) return;
  auto other = shape;
  if (comm.rank() == 1) other.block = {2, 4};
  EXPECT_THROW((Blocks<2, Word>(comm, other, teams)), Error);
  EXPECT_THROW(blocks.iterate(comm.rank(), [](Block<2, Word> const&, Team&) {}), Error);
}

}  // namespace
}  // namespace allport::testing
