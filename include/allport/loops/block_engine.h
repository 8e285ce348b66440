// Runs blocks of cells on the team leaders of all ranks, for any cell type; see blocks.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/comm/communicator.h"
#include "allport/loops/balance.h"
#include "allport/loops/block_grid.h"
#include "allport/loops/teams.h"

namespace allport::loops {

struct BlocksOptions {
  /// Owner of each block at first; empty: BlockGrid::boxes().
  std::vector<int> owners{};
  /// Idle leaders run chunks of other leaders' loops: bodies get a team of all leaders (CkLoop's policy, if every core
  /// has a leader). Otherwise a leader's loops run on its own team.
  bool helped = false;
  /// Send faces. If false, blocks never wait, and compute with their initial halos (Robson18, slide 16).
  bool send = true;
  bool record = false;  ///< records every block and message: Blocks::records()
};

/// A block's iteration or a message as seen by one rank. Times are seconds since a barrier of all ranks.
struct BlockRecord {
  enum class Deed : std::uint8_t { run, send, receive };
  Deed deed = Deed::run;
  int leader = 0;          ///< the leader that ran the block
  Rank peer = -1;          ///< the other rank of a message
  std::int64_t block = 0;  ///< of a message: the block whose halo it fills
  std::int64_t iteration = 0;
  std::int64_t bytes = 0;
  double begin = 0;
  double end = 0;  ///< of messages equal to begin
};

struct BalanceReport {
  std::int64_t between_ranks = 0;    ///< blocks that moved to another rank, over all ranks
  std::int64_t between_leaders = 0;  ///< blocks of this rank that moved to another of its leaders
  double before = 1;                 ///< imbalance() of the ranks by measured times
  double after = 1;
};

/// A block's cells, double-buffered: this iteration's and the next one's.
struct BlockCells {
  std::int64_t block = 0;
  std::int64_t iteration = 0;
  int leader = 0;  ///< the team leader of its rank that owns it
  std::array<std::int64_t, BlockGrid::most_axes> first{};
  std::array<std::int64_t, BlockGrid::most_axes> cells{1, 1, 1};
  std::array<std::int64_t, BlockGrid::most_axes> stride{};  ///< in elements
  std::int64_t inner = 0;                                   ///< index of the element of cell (0, 0, 0)
  std::int64_t elements = 0;                                ///< halo included
  std::array<std::shared_ptr<std::byte[]>, 2> memory{};
};

/// The implementation of Blocks<D, T> for elements of `element` bytes. Programs use Blocks.
class BlockEngine {
 public:
  using Body = FunctionRef<void(BlockCells&, Team&)>;

  BlockEngine(Communicator const& comm, BlockGrid grid, Teams& teams, std::int64_t element, BlocksOptions options);
  ~BlockEngine();
  BlockEngine(BlockEngine const&) = delete;
  BlockEngine& operator=(BlockEngine const&) = delete;

  [[nodiscard]] BlockGrid const& grid() const;
  [[nodiscard]] std::vector<int> const& owners() const;
  [[nodiscard]] std::int64_t iteration() const;
  void each(FunctionRef<void(BlockCells&)> visit, bool changes);
  void iterate(std::int64_t count, Body body);
  BalanceReport balance(BalanceOptions const& options);
  void recut(std::vector<std::int64_t> const& block);
  [[nodiscard]] std::vector<double> loads() const;
  [[nodiscard]] Traffic counted() const;
  [[nodiscard]] std::vector<BlockRecord> const& records() const;
  [[nodiscard]] double seconds() const;
  void set_options(bool send, bool helped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace allport::loops
