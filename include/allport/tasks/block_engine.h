// What runs blocks of cells on the masters of all ranks, whatever the cells are; see blocks.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/comm/communicator.h"
#include "allport/tasks/balance.h"
#include "allport/tasks/block_grid.h"
#include "allport/tasks/teams.h"

namespace allport::tasks {

struct BlocksOptions {
  /// Owner of each block at first; empty: BlockGrid::boxes().
  std::vector<int> owners{};
  /// Idle masters run chunks of the loops of others: bodies get a team of all masters in place of their own (CkLoop's
  /// policy, with masters for all cores). Else a master's loops are its team's.
  bool helped = false;
  /// Faces travel. Without, blocks never wait, and compute with what was filled in (slide 16).
  bool send = true;
  bool record = false;  ///< keeps what each block and message did: Blocks::records()
};

/// What one rank saw. Seconds from a moment at which all ranks met.
struct BlockRecord {
  enum class Deed : std::uint8_t { run, send, receive };
  Deed deed = Deed::run;
  int leader = 0;          ///< that ran it
  Rank peer = -1;          ///< of a message
  std::int64_t block = 0;  ///< of a message: whose halo it fills
  std::int64_t iteration = 0;
  std::int64_t bytes = 0;
  double begin = 0;
  double end = 0;  ///< of messages as begin
};

struct BalanceReport {
  std::int64_t between_ranks = 0;    ///< blocks that went to another rank, over all
  std::int64_t between_leaders = 0;  ///< of this rank, to another of its masters
  double before = 1;                 ///< imbalance() of the ranks, by what was measured
  double after = 1;
};

/// A block's cells, twice: this iteration's and the next one's.
struct BlockCells {
  std::int64_t block = 0;
  std::int64_t iteration = 0;
  int leader = 0;  ///< of its rank's, that has it
  std::array<std::int64_t, BlockGrid::most_axes> first{};
  std::array<std::int64_t, BlockGrid::most_axes> cells{1, 1, 1};
  std::array<std::int64_t, BlockGrid::most_axes> stride{};  ///< in elements
  std::int64_t inner = 0;                                   ///< element that cell (0, 0, 0) is
  std::int64_t elements = 0;                                ///< halo and all
  std::array<std::unique_ptr<std::byte[]>, 2> memory{};
};

/// What Blocks<D, T> is over: blocks of elements that are `element` bytes long, whatever they are. Programs use Blocks.
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
  [[nodiscard]] std::vector<double> loads() const;
  [[nodiscard]] Traffic counted() const;
  [[nodiscard]] std::vector<BlockRecord> const& records() const;
  [[nodiscard]] double seconds() const;
  void set_options(bool send, bool helped);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace allport::tasks
