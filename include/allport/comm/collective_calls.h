// Every collective as methods of Communicator: blocking, started, prepared; written by tools/make_interfaces.py from
// tools/interface_table.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "allport/comm/transfer.h"

namespace allport {

/// What every rank of a communicator calls in one order. NAME() returns when this rank's part is done; start_NAME() at
/// once: the result is there when the Transfer has been waited for; prepare_NAME() makes what can be started again and
/// again, with the buffers as they are then. Buffers are bytes, blocks in the order of ranks; input and output may not
/// overlap. combine works on whole elements of `element` bytes and is associative. algorithm: a registered one; none:
/// by price.
/// @throws Error naming the argument, on the ranks where it is wrong; with ALLPORT_CHECK on all
class CollectiveCalls {
 public:
  /// Waits until all ranks are here.
  Transfer start_barrier(std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_barrier(std::string_view algorithm = {}) const;
  /// Sends the root's data to every rank. data: as many bytes on every rank.
  void broadcast(std::span<std::byte> data, Rank root, std::string_view algorithm = {}) const;
  Transfer start_broadcast(std::span<std::byte> data, Rank root, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_broadcast(std::span<std::byte> data, Rank root,
                                             std::string_view algorithm = {}) const;
  /// Combines every rank's elements, one by one, on the root. input: as many elements on every rank. output: likewise,
  /// on the root.
  void reduce(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element, Combine combine,
              Rank root, std::string_view algorithm = {}) const;
  Transfer start_reduce(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element,
                        Combine combine, Rank root, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_reduce(std::span<std::byte const> input, std::span<std::byte> output,
                                          std::int64_t element, Combine combine, Rank root,
                                          std::string_view algorithm = {}) const;
  /// Combines every rank's elements, one by one, on every rank, with the same bits. input, output: as many elements on
  /// every rank.
  void allreduce(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element, Combine combine,
                 std::string_view algorithm = {}) const;
  Transfer start_allreduce(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element,
                           Combine combine, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_allreduce(std::span<std::byte const> input, std::span<std::byte> output,
                                             std::int64_t element, Combine combine,
                                             std::string_view algorithm = {}) const;
  /// Sends block r of the root's data to rank r. input: a block for every rank, on the root. output: one block.
  void scatter(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
               std::string_view algorithm = {}) const;
  Transfer start_scatter(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                         std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_scatter(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                                           std::string_view algorithm = {}) const;
  /// Collects every rank's block on the root, by rank. input: one block. output: one from every rank, on the root.
  void gather(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
              std::string_view algorithm = {}) const;
  Transfer start_gather(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                        std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_gather(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                                          std::string_view algorithm = {}) const;
  /// Collects every rank's block on every rank, by rank. input: one block. output: one from every rank.
  void allgather(std::span<std::byte const> input, std::span<std::byte> output, std::string_view algorithm = {}) const;
  Transfer start_allgather(std::span<std::byte const> input, std::span<std::byte> output,
                           std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_allgather(std::span<std::byte const> input, std::span<std::byte> output,
                                             std::string_view algorithm = {}) const;
  /// Combines every rank's elements, one by one; rank r gets block r of the result. input: a block for every rank.
  /// output: one block.
  void reduce_scatter(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element,
                      Combine combine, std::string_view algorithm = {}) const;
  Transfer start_reduce_scatter(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element,
                                Combine combine, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_reduce_scatter(std::span<std::byte const> input, std::span<std::byte> output,
                                                  std::int64_t element, Combine combine,
                                                  std::string_view algorithm = {}) const;
  /// Sends block r to rank r, and gets block s from rank s. input, output: a block for every rank, and from every rank.
  void alltoall(std::span<std::byte const> input, std::span<std::byte> output, std::string_view algorithm = {}) const;
  Transfer start_alltoall(std::span<std::byte const> input, std::span<std::byte> output,
                          std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_alltoall(std::span<std::byte const> input, std::span<std::byte> output,
                                            std::string_view algorithm = {}) const;
  /// Sends blocks of different lengths from the root. input: on the root, where `blocks` says, which is the same on
  /// every rank. output: this rank's block.
  void scatterv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output, Rank root,
                std::string_view algorithm = {}) const;
  Transfer start_scatterv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output,
                          Rank root, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_scatterv(std::span<std::byte const> input, BlockList const& blocks,
                                            std::span<std::byte> output, Rank root,
                                            std::string_view algorithm = {}) const;
  /// Collects blocks of different lengths on the root. input: this rank's block. output: on the root, where `blocks`
  /// says, which is the same on every rank.
  void gatherv(std::span<std::byte const> input, std::span<std::byte> output, BlockList const& blocks, Rank root,
               std::string_view algorithm = {}) const;
  Transfer start_gatherv(std::span<std::byte const> input, std::span<std::byte> output, BlockList const& blocks,
                         Rank root, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_gatherv(std::span<std::byte const> input, std::span<std::byte> output,
                                           BlockList const& blocks, Rank root, std::string_view algorithm = {}) const;
  /// Collects blocks of different lengths on every rank. input: this rank's block. output: where `blocks` says, which
  /// is the same on every rank.
  void allgatherv(std::span<std::byte const> input, std::span<std::byte> output, BlockList const& blocks,
                  std::string_view algorithm = {}) const;
  Transfer start_allgatherv(std::span<std::byte const> input, std::span<std::byte> output, BlockList const& blocks,
                            std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_allgatherv(std::span<std::byte const> input, std::span<std::byte> output,
                                              BlockList const& blocks, std::string_view algorithm = {}) const;
  /// Combines every rank's elements, one by one; rank r gets its block of the result. input: where `blocks` says, which
  /// is the same on every rank. output: this rank's block.
  void reduce_scatterv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output,
                       std::int64_t element, Combine combine, std::string_view algorithm = {}) const;
  Transfer start_reduce_scatterv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output,
                                 std::int64_t element, Combine combine, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_reduce_scatterv(std::span<std::byte const> input, BlockList const& blocks,
                                                   std::span<std::byte> output, std::int64_t element, Combine combine,
                                                   std::string_view algorithm = {}) const;
  /// Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms first
  /// send all lengths to all ranks, choose by price, and raise on every rank if lengths differ. input: where `blocks`
  /// says, by rank that gets it. output: where `received` says, by rank that it is from.
  void alltoallv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output,
                 BlockList const& received, std::string_view algorithm = {}) const;
  Transfer start_alltoallv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output,
                           BlockList const& received, std::string_view algorithm = {}) const;
  [[nodiscard]] Persistent prepare_alltoallv(std::span<std::byte const> input, BlockList const& blocks,
                                             std::span<std::byte> output, BlockList const& received,
                                             std::string_view algorithm = {}) const;

 protected:
  CollectiveCalls() = default;
  ~CollectiveCalls() = default;
  CollectiveCalls(CollectiveCalls const&) = default;
  CollectiveCalls(CollectiveCalls&&) = default;
  CollectiveCalls& operator=(CollectiveCalls const&) = default;
  CollectiveCalls& operator=(CollectiveCalls&&) = default;

 private:
  [[nodiscard]] Communicator const& whole() const;
};

}  // namespace allport
