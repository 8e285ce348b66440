// A grid of cells in blocks, more of them than cores, that exchange their faces as soon as each is done: Robson18's
// overdecomposition (Charm++'s chares), with the spread of a block over a team's threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/comm/communicator.h"
#include "allport/loops/block_engine.h"
#include "allport/loops/teams.h"

namespace allport::loops {

/// What a body sees of its block. Indices are the block's own, from 0; those from -halo to -1, and from size(axis) on,
/// are its neighbours' cells, or the border that was filled in where there is none. Cells that lie beyond two faces at
/// once (corners) are no neighbour's: they keep what was filled in.
template <std::size_t D, class T>
class Block {
 public:
  Block(BlockCells& cells) : cells_(&cells) {}

  [[nodiscard]] std::int64_t number() const { return cells_->block; }
  [[nodiscard]] std::int64_t iteration() const { return cells_->iteration; }
  /// The team leader of its rank that owns it: for Teams::pin.
  [[nodiscard]] int leader() const { return cells_->leader; }
  /// Cells along an axis.
  [[nodiscard]] std::int64_t size(std::size_t axis) const { return cells_->cells[axis]; }
  /// The grid's index of the block's cell 0.
  [[nodiscard]] std::int64_t first(std::size_t axis) const { return cells_->first[axis]; }

  /// This iteration's cells.
  template <class... Index>
  [[nodiscard]] T const& in(Index... i) const {
    return data(0)[offset({static_cast<std::int64_t>(i)...})];
  }
  /// The next one's, which the body writes; of cells 0 ... size - 1 alone.
  template <class... Index>
  [[nodiscard]] T& out(Index... i) const {
    return data(1)[offset({static_cast<std::int64_t>(i)...})];
  }
  /// How many elements lie between neighbours along an axis.
  [[nodiscard]] std::int64_t stride(std::size_t axis) const { return cells_->stride[axis]; }

 private:
  [[nodiscard]] T* data(std::int64_t later) const {
    return reinterpret_cast<T*>(cells_->memory[static_cast<std::size_t>((cells_->iteration + later) % 2)].get());
  }
  [[nodiscard]] std::int64_t offset(std::array<std::int64_t, D> const& i) const {
    auto at = cells_->inner;
    for (std::size_t a = 0; a < D; ++a) at += i[a] * cells_->stride[a];
    return at;
  }

  BlockCells* cells_;
};

/// A grid of D axes of T, divided into blocks that are owned by ranks and run by the leaders of their teams.
///
///     Blocks<2> blocks(comm, {.grid = {n, n}, .block = {b, b}}, teams);
///     blocks.fill([&](auto i, auto j) { return ...; });
///     blocks.iterate(10, [](Block<2, double> const& block, Team& team) {
///       team.parallel_for(Range{0, block.size(0)}, [&](std::int64_t i) { block.out(i, j) = ... block.in(i - 1, j) ...
///       });
///     });
///     blocks.balance({.balancer = Balancer::refine});
///
/// A block runs its next iteration as soon as its neighbours' faces of that iteration are there: blocks may be one
/// iteration apart from their neighbours. Faces are sent when their block is done. Of the blocks that may run, a leader
/// takes those with the lowest iteration, and among equals those whose faces other ranks wait for.
///
/// All functions except number(), block-wise visits and records() are collective, also on ranks that own no block. One
/// thread per process calls. Leaders call MPI in turn; if MPI was initialized with MPI_THREAD_FUNNELED or less, only
/// the calling thread does.
template <std::size_t D, class T = double>
class Blocks {
  static_assert(D >= 1 && D <= static_cast<std::size_t>(BlockGrid::most_axes), "one to three axes");
  static_assert(std::is_trivially_copyable_v<T>, "cells are sent as raw memory");

 public:
  /// Cells are 0 at first. `teams` must outlive the blocks, and may be given other shapes between two calls.
  /// @pre shape has D axes (BlockGrid); options.owners is empty or has a rank for each block
  /// @throws Error on every rank when ranks differ in shape, owners or size of T
  Blocks(Communicator const& comm, BlockShape shape, Teams& teams, BlocksOptions options = {})
      : engine_(comm, checked(std::move(shape)), teams, sizeof(T), std::move(options)) {}

  [[nodiscard]] BlockGrid const& grid() const { return engine_.grid(); }
  /// By block.
  [[nodiscard]] std::vector<int> const& owners() const { return engine_.owners(); }
  /// How many have run.
  [[nodiscard]] std::int64_t iteration() const { return engine_.iteration(); }

  /// value(i, j, ...) for every cell of the grid, and for the halo outside of it along axes that are not periodic: the
  /// border, which stays. Not collective, but every rank is to do it.
  template <class Value>
  void fill(Value&& value) {
    engine_.each(
        [&](BlockCells& cells) {
          std::array<std::int64_t, D> at{};
          fill_from<0>(cells, at, cells.inner, value);
        },
        true);
  }
  /// visit(Block) for this rank's blocks, by number; block.in() is the state. Not collective.
  template <class Visit>
  void each(Visit&& visit) {
    engine_.each([&](BlockCells& cells) { visit(Block<D, T>(cells)); }, false);
  }

  /// body(Block, Team&) once for each block and iteration, on the leader that owns the block.
  /// @pre count >= 0
  /// @throws Error on every rank when a body throws on any; then the cells mean nothing, and only fill() and the
  ///         destructor may follow
  template <class Body>
  void iterate(std::int64_t count, Body&& body) {
    engine_.iterate(count, [&](BlockCells& cells, Team& team) { body(Block<D, T>(cells), team); });
  }

  /// Moves blocks to other ranks, and on each rank to other leaders, to balance the load measured since the last call
  /// (in core-seconds: a block that four threads ran for 1 s counts four). Ranks are weighted by their threads.
  BalanceReport balance(BalanceOptions const& options = {}) { return engine_.balance(options); }
  /// Cuts the grid into blocks of another size; cells and the border stay, halo cells between blocks that no neighbour
  /// sends (corners) are 0. Owners are those of a new grid, refined by the loads measured since the last balance(). No
  /// effect where blocks have that size.
  /// @pre block is as BlockShape::block must be
  void recut(std::vector<std::int64_t> const& block) { engine_.recut(block); }
  /// Core-seconds of each block since the last balance(), on every rank.
  [[nodiscard]] std::vector<double> loads() const { return engine_.loads(); }

  /// From the next iterate() on; see BlocksOptions. Every rank alike.
  void set_options(bool send, bool helped) { engine_.set_options(send, helped); }
  /// Faces and blocks that this rank has sent and received. Not collective.
  [[nodiscard]] Traffic counted() const { return engine_.counted(); }
  /// Of this rank, as they came. Not collective.
  [[nodiscard]] std::vector<BlockRecord> const& records() const { return engine_.records(); }
  /// Since the moment that records count from.
  [[nodiscard]] double seconds() const { return engine_.seconds(); }

 private:
  static BlockGrid checked(BlockShape shape) {
    ensure(shape.grid.size() == D, "grid", shape.grid.size(), "as many axes as the blocks have");
    return BlockGrid(std::move(shape));
  }

  template <std::size_t A, class Value>
  void fill_from(BlockCells& cells, std::array<std::int64_t, D>& at, std::int64_t element, Value& value) {
    if constexpr (A == D) {
      auto const cell = std::apply([&](auto... i) { return T(value(i...)); }, at);
      for (auto const& memory : cells.memory) reinterpret_cast<T*>(memory.get())[element] = cell;
    } else {
      auto const halo = engine_.grid().shape().halo;
      for (auto i = -halo; i < cells.cells[A] + halo; ++i) {
        at[A] = engine_.grid().index(cells.first[A] + i, static_cast<int>(A));
        fill_from<A + 1>(cells, at, element + i * cells.stride[A], value);
      }
    }
  }

  BlockEngine engine_;
};

}  // namespace allport::loops
