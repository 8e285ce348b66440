// A communication: who sends which piece of which buffer to whom, after what.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "allport/schedule/program.h"

namespace allport {

enum class Collective : std::uint8_t {
  broadcast,
  reduce,
  scatter,
  gather,
  allgather,
  reduce_scatter,
  allreduce,
  alltoall,
  barrier,
  none,  ///< no promise: a program that came from elsewhere without one; it can be run and simulated, but not proven
};
[[nodiscard]] std::string_view name(Collective what);         ///< MPI's name in lower case: "bcast", "reduce", ...
[[nodiscard]] Collective parse_collective(std::string_view);  ///< also "broadcast", never "none"; throws Error
[[nodiscard]] bool combines(Collective what);                 ///< whether an operator joins the ranks' data: reductions
[[nodiscard]] bool has_root(Collective what);                 ///< whether one rank has all that is sent, or gets it

/// Blocks of different lengths, for the v-variants: how long they are and where they lie, packed without gaps.
class BlockTable {
 public:
  /// One block a rank: of the destination (scatter, reduce_scatter) or of the source (gather, allgather).
  /// @throws Error when a length is negative or their sum passes 2^63 - 1
  [[nodiscard]] static std::shared_ptr<BlockTable const> per_rank(std::vector<std::int64_t> bytes);
  /// One block a pair, for alltoall: bytes[source * ranks + destination].
  [[nodiscard]] static std::shared_ptr<BlockTable const> per_pair(std::vector<std::int64_t> bytes, Rank ranks);

  [[nodiscard]] bool pairs() const { return !by_destination_.empty(); }
  [[nodiscard]] std::int64_t entries() const { return static_cast<std::int64_t>(bytes_.size()); }
  [[nodiscard]] std::int64_t longest() const { return longest_; }
  [[nodiscard]] std::int64_t total() const { return begin_.back(); }
  [[nodiscard]] std::int64_t bytes(std::int64_t i) const { return bytes_[static_cast<std::size_t>(i)]; }
  /// Where block i begins when all blocks lie one behind the other; i = entries(): the end.
  [[nodiscard]] std::int64_t begin(std::int64_t i) const { return begin_[static_cast<std::size_t>(i)]; }
  /// Where block i begins among those of its destination, by source.
  [[nodiscard]] std::int64_t begin_at_destination(std::int64_t i) const {
    return by_destination_[static_cast<std::size_t>(i)];
  }
  /// The block that holds byte `at` of all blocks.
  [[nodiscard]] std::int64_t find(std::int64_t at) const;

  friend bool operator==(BlockTable const& a, BlockTable const& b) { return a.bytes_ == b.bytes_; }

 private:
  explicit BlockTable(std::vector<std::int64_t> bytes);

  std::vector<std::int64_t> bytes_;
  std::vector<std::int64_t> begin_;           // and the end
  std::vector<std::int64_t> by_destination_;  // of pairs
  std::int64_t longest_ = 0;
};

/// Bytes of the caller's buffers on a rank.
struct Extents {
  std::int64_t input = 0;
  std::int64_t output = 0;

  friend bool operator==(Extents const&, Extents const&) = default;
};

/// What a schedule promises: who holds what before, and who must hold what after.
///   broadcast: `bytes` of root's output reach everyone's output; where there are targets, theirs (a multicast), and
///              who is neither root nor target has no output.
///   reduce:    input of `bytes` on every rank, combined over all ranks element by element into root's output.
/// The block collectives follow the same lines with `bytes` per (source, destination) block. A barrier moves nothing:
/// it promises that no rank ends before every rank has begun. `none` promises nothing, and has no buffers but scratch
/// where `buffers` does not say which.
struct Contract {
  Collective what = Collective::broadcast;
  Rank ranks = 1;
  Rank root = 0;
  std::int64_t bytes = 0;
  std::int64_t element = 1;  ///< bytes that must not be cut apart (an element of the datatype); 1 for data movers
  /// Block collectives whose blocks differ in length; `bytes` is then the longest block's. The same on all ranks.
  std::shared_ptr<BlockTable const> blocks{};
  /// Of a broadcast that is not for all: who must get it, ascending. The root may be among them.
  std::shared_ptr<std::vector<Rank> const> targets{};
  /// Of `none`: the buffers of each rank.
  std::shared_ptr<std::vector<Extents> const> buffers{};

  /// Throws Error naming the argument: ranks >= 1, 0 <= root < ranks, bytes >= 0, element >= 1, bytes % element == 0;
  /// blocks with one entry a rank (a pair for alltoall), each of whole elements, the longest of `bytes`; targets only
  /// of a broadcast, each a rank, once; buffers only of `none`, one entry a rank.
  void check() const;
  /// Bytes that the caller's buffers have on a rank.
  [[nodiscard]] std::int64_t input_bytes(Rank r) const;
  [[nodiscard]] std::int64_t output_bytes(Rank r) const;
  /// Whether a broadcast's message is for rank r.
  [[nodiscard]] bool wanted_by(Rank r) const;

  /// Bytes that `source` has for `destination`: of a block, or of the whole message where there are no blocks.
  [[nodiscard]] std::int64_t block(Rank source, Rank destination) const;
  /// Where the block for `destination` begins in rank r's input.
  [[nodiscard]] std::int64_t input_offset(Rank r, Rank destination) const;
  /// Where the block from `source` begins in rank r's output.
  [[nodiscard]] std::int64_t output_offset(Rank r, Rank source) const;
  /// Bytes of all blocks (each pair's for alltoall), or of the one message.
  [[nodiscard]] std::int64_t total() const;

  friend bool operator==(Contract const& a, Contract const& b);
};

/// Contract of a v-variant.
[[nodiscard]] Contract with_blocks(Collective what, Rank ranks, Rank root, std::shared_ptr<BlockTable const> blocks,
                                   std::int64_t element = 1);

/// Contract of a multicast; targets in any order, each may be named more than once.
/// @throws Error naming the target that is no rank
[[nodiscard]] Contract multicast_contract(Rank ranks, Rank root, std::int64_t bytes, std::vector<Rank> targets);

/// How a schedule was cut; carried along for reports.
struct Cut {
  std::int64_t segment = 64 * 1024;  ///< bytes at most
  std::int32_t window = 2;           ///< segments in flight per stream, >= 1

  friend bool operator==(Cut const&, Cut const&) = default;
};

/// A schedule is a function from rank to program, computed on demand and storing nothing per rank; or a shared,
/// immutable table. Copies are cheap. program() may be called from several threads at once.
class Schedule {
 public:
  using Maker = std::function<void(Rank, Program&)>;

  /// `trees`: number of spanning trees (or other parallel parts); channel t belongs to tree t % trees.
  Schedule(std::string algorithm, Contract contract, Cut cut, int trees, Maker maker)
      : algorithm_(std::move(algorithm)), contract_(contract), cut_(cut), trees_(trees), maker_(std::move(maker)) {}

  [[nodiscard]] std::string const& algorithm() const { return algorithm_; }
  [[nodiscard]] Contract const& contract() const { return contract_; }
  [[nodiscard]] Cut const& cut() const { return cut_; }
  [[nodiscard]] int trees() const { return trees_; }
  [[nodiscard]] Rank ranks() const { return contract_.ranks; }

  /// @pre 0 <= r < ranks()
  void program(Rank r, Program& into) const {
    ensure(r >= 0 && r < ranks(), "rank", r, "0 <= rank < ranks() of the schedule");
    into.clear();
    maker_(r, into);
  }
  [[nodiscard]] Program program(Rank r) const {
    Program p;
    program(r, p);
    return p;
  }

 private:
  std::string algorithm_;
  Contract contract_;
  Cut cut_;
  int trees_ = 1;
  Maker maker_;
};

/// Messages and bytes that a rank sends and receives, read off its program.
struct Traffic {
  std::int64_t messages_sent = 0;
  std::int64_t messages_received = 0;
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;

  Traffic& operator+=(Traffic const& o);
  friend bool operator==(Traffic const&, Traffic const&) = default;
};
[[nodiscard]] Traffic traffic(Program const& program);

}  // namespace allport
