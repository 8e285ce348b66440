// Every collective as methods of Communicator; written by tools/make_interfaces.py from tools/interface_table.py.
#include <utility>

#include "allport/comm/communicator.h"

namespace allport {

Communicator const& CollectiveCalls::whole() const { return static_cast<Communicator const&>(*this); }

Transfer CollectiveCalls::start_barrier(std::string_view algorithm) const {
  return whole().start({.what = Collective::barrier, .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_barrier(std::string_view algorithm) const {
  return whole().prepare({.what = Collective::barrier, .algorithm = algorithm});
}

void CollectiveCalls::broadcast(std::span<std::byte> data, Rank root, std::string_view algorithm) const {
  whole().run({.what = Collective::broadcast, .output = data, .root = root, .algorithm = algorithm});
}

Transfer CollectiveCalls::start_broadcast(std::span<std::byte> data, Rank root, std::string_view algorithm) const {
  return whole().start({.what = Collective::broadcast, .output = data, .root = root, .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_broadcast(std::span<std::byte> data, Rank root, std::string_view algorithm) const {
  return whole().prepare({.what = Collective::broadcast, .output = data, .root = root, .algorithm = algorithm});
}

void CollectiveCalls::reduce(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element,
                             Combine combine, Rank root, std::string_view algorithm) const {
  whole().run({.what = Collective::reduce,
               .input = input,
               .output = output,
               .root = root,
               .element = element,
               .combine = std::move(combine),
               .algorithm = algorithm});
}

Transfer CollectiveCalls::start_reduce(std::span<std::byte const> input, std::span<std::byte> output,
                                       std::int64_t element, Combine combine, Rank root,
                                       std::string_view algorithm) const {
  return whole().start({.what = Collective::reduce,
                        .input = input,
                        .output = output,
                        .root = root,
                        .element = element,
                        .combine = std::move(combine),
                        .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_reduce(std::span<std::byte const> input, std::span<std::byte> output,
                                           std::int64_t element, Combine combine, Rank root,
                                           std::string_view algorithm) const {
  return whole().prepare({.what = Collective::reduce,
                          .input = input,
                          .output = output,
                          .root = root,
                          .element = element,
                          .combine = std::move(combine),
                          .algorithm = algorithm});
}

void CollectiveCalls::allreduce(std::span<std::byte const> input, std::span<std::byte> output, std::int64_t element,
                                Combine combine, std::string_view algorithm) const {
  whole().run({.what = Collective::allreduce,
               .input = input,
               .output = output,
               .element = element,
               .combine = std::move(combine),
               .algorithm = algorithm});
}

Transfer CollectiveCalls::start_allreduce(std::span<std::byte const> input, std::span<std::byte> output,
                                          std::int64_t element, Combine combine, std::string_view algorithm) const {
  return whole().start({.what = Collective::allreduce,
                        .input = input,
                        .output = output,
                        .element = element,
                        .combine = std::move(combine),
                        .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_allreduce(std::span<std::byte const> input, std::span<std::byte> output,
                                              std::int64_t element, Combine combine, std::string_view algorithm) const {
  return whole().prepare({.what = Collective::allreduce,
                          .input = input,
                          .output = output,
                          .element = element,
                          .combine = std::move(combine),
                          .algorithm = algorithm});
}

void CollectiveCalls::scatter(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                              std::string_view algorithm) const {
  whole().run({.what = Collective::scatter, .input = input, .output = output, .root = root, .algorithm = algorithm});
}

Transfer CollectiveCalls::start_scatter(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                                        std::string_view algorithm) const {
  return whole().start(
      {.what = Collective::scatter, .input = input, .output = output, .root = root, .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_scatter(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                                            std::string_view algorithm) const {
  return whole().prepare(
      {.what = Collective::scatter, .input = input, .output = output, .root = root, .algorithm = algorithm});
}

void CollectiveCalls::gather(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                             std::string_view algorithm) const {
  whole().run({.what = Collective::gather, .input = input, .output = output, .root = root, .algorithm = algorithm});
}

Transfer CollectiveCalls::start_gather(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                                       std::string_view algorithm) const {
  return whole().start(
      {.what = Collective::gather, .input = input, .output = output, .root = root, .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_gather(std::span<std::byte const> input, std::span<std::byte> output, Rank root,
                                           std::string_view algorithm) const {
  return whole().prepare(
      {.what = Collective::gather, .input = input, .output = output, .root = root, .algorithm = algorithm});
}

void CollectiveCalls::allgather(std::span<std::byte const> input, std::span<std::byte> output,
                                std::string_view algorithm) const {
  whole().run({.what = Collective::allgather, .input = input, .output = output, .algorithm = algorithm});
}

Transfer CollectiveCalls::start_allgather(std::span<std::byte const> input, std::span<std::byte> output,
                                          std::string_view algorithm) const {
  return whole().start({.what = Collective::allgather, .input = input, .output = output, .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_allgather(std::span<std::byte const> input, std::span<std::byte> output,
                                              std::string_view algorithm) const {
  return whole().prepare({.what = Collective::allgather, .input = input, .output = output, .algorithm = algorithm});
}

void CollectiveCalls::reduce_scatter(std::span<std::byte const> input, std::span<std::byte> output,
                                     std::int64_t element, Combine combine, std::string_view algorithm) const {
  whole().run({.what = Collective::reduce_scatter,
               .input = input,
               .output = output,
               .element = element,
               .combine = std::move(combine),
               .algorithm = algorithm});
}

Transfer CollectiveCalls::start_reduce_scatter(std::span<std::byte const> input, std::span<std::byte> output,
                                               std::int64_t element, Combine combine,
                                               std::string_view algorithm) const {
  return whole().start({.what = Collective::reduce_scatter,
                        .input = input,
                        .output = output,
                        .element = element,
                        .combine = std::move(combine),
                        .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_reduce_scatter(std::span<std::byte const> input, std::span<std::byte> output,
                                                   std::int64_t element, Combine combine,
                                                   std::string_view algorithm) const {
  return whole().prepare({.what = Collective::reduce_scatter,
                          .input = input,
                          .output = output,
                          .element = element,
                          .combine = std::move(combine),
                          .algorithm = algorithm});
}

void CollectiveCalls::alltoall(std::span<std::byte const> input, std::span<std::byte> output,
                               std::string_view algorithm) const {
  whole().run({.what = Collective::alltoall, .input = input, .output = output, .algorithm = algorithm});
}

Transfer CollectiveCalls::start_alltoall(std::span<std::byte const> input, std::span<std::byte> output,
                                         std::string_view algorithm) const {
  return whole().start({.what = Collective::alltoall, .input = input, .output = output, .algorithm = algorithm});
}

Persistent CollectiveCalls::prepare_alltoall(std::span<std::byte const> input, std::span<std::byte> output,
                                             std::string_view algorithm) const {
  return whole().prepare({.what = Collective::alltoall, .input = input, .output = output, .algorithm = algorithm});
}

void CollectiveCalls::scatterv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output,
                               Rank root, std::string_view algorithm) const {
  whole().run({.what = Collective::scatter,
               .input = input,
               .output = output,
               .root = root,
               .algorithm = algorithm,
               .varies = true,
               .blocks = blocks});
}

Transfer CollectiveCalls::start_scatterv(std::span<std::byte const> input, BlockList const& blocks,
                                         std::span<std::byte> output, Rank root, std::string_view algorithm) const {
  return whole().start({.what = Collective::scatter,
                        .input = input,
                        .output = output,
                        .root = root,
                        .algorithm = algorithm,
                        .varies = true,
                        .blocks = blocks});
}

Persistent CollectiveCalls::prepare_scatterv(std::span<std::byte const> input, BlockList const& blocks,
                                             std::span<std::byte> output, Rank root, std::string_view algorithm) const {
  return whole().prepare({.what = Collective::scatter,
                          .input = input,
                          .output = output,
                          .root = root,
                          .algorithm = algorithm,
                          .varies = true,
                          .blocks = blocks});
}

void CollectiveCalls::gatherv(std::span<std::byte const> input, std::span<std::byte> output, BlockList const& blocks,
                              Rank root, std::string_view algorithm) const {
  whole().run({.what = Collective::gather,
               .input = input,
               .output = output,
               .root = root,
               .algorithm = algorithm,
               .varies = true,
               .blocks = blocks});
}

Transfer CollectiveCalls::start_gatherv(std::span<std::byte const> input, std::span<std::byte> output,
                                        BlockList const& blocks, Rank root, std::string_view algorithm) const {
  return whole().start({.what = Collective::gather,
                        .input = input,
                        .output = output,
                        .root = root,
                        .algorithm = algorithm,
                        .varies = true,
                        .blocks = blocks});
}

Persistent CollectiveCalls::prepare_gatherv(std::span<std::byte const> input, std::span<std::byte> output,
                                            BlockList const& blocks, Rank root, std::string_view algorithm) const {
  return whole().prepare({.what = Collective::gather,
                          .input = input,
                          .output = output,
                          .root = root,
                          .algorithm = algorithm,
                          .varies = true,
                          .blocks = blocks});
}

void CollectiveCalls::allgatherv(std::span<std::byte const> input, std::span<std::byte> output, BlockList const& blocks,
                                 std::string_view algorithm) const {
  whole().run({.what = Collective::allgather,
               .input = input,
               .output = output,
               .algorithm = algorithm,
               .varies = true,
               .blocks = blocks});
}

Transfer CollectiveCalls::start_allgatherv(std::span<std::byte const> input, std::span<std::byte> output,
                                           BlockList const& blocks, std::string_view algorithm) const {
  return whole().start({.what = Collective::allgather,
                        .input = input,
                        .output = output,
                        .algorithm = algorithm,
                        .varies = true,
                        .blocks = blocks});
}

Persistent CollectiveCalls::prepare_allgatherv(std::span<std::byte const> input, std::span<std::byte> output,
                                               BlockList const& blocks, std::string_view algorithm) const {
  return whole().prepare({.what = Collective::allgather,
                          .input = input,
                          .output = output,
                          .algorithm = algorithm,
                          .varies = true,
                          .blocks = blocks});
}

void CollectiveCalls::reduce_scatterv(std::span<std::byte const> input, BlockList const& blocks,
                                      std::span<std::byte> output, std::int64_t element, Combine combine,
                                      std::string_view algorithm) const {
  whole().run({.what = Collective::reduce_scatter,
               .input = input,
               .output = output,
               .element = element,
               .combine = std::move(combine),
               .algorithm = algorithm,
               .varies = true,
               .blocks = blocks});
}

Transfer CollectiveCalls::start_reduce_scatterv(std::span<std::byte const> input, BlockList const& blocks,
                                                std::span<std::byte> output, std::int64_t element, Combine combine,
                                                std::string_view algorithm) const {
  return whole().start({.what = Collective::reduce_scatter,
                        .input = input,
                        .output = output,
                        .element = element,
                        .combine = std::move(combine),
                        .algorithm = algorithm,
                        .varies = true,
                        .blocks = blocks});
}

Persistent CollectiveCalls::prepare_reduce_scatterv(std::span<std::byte const> input, BlockList const& blocks,
                                                    std::span<std::byte> output, std::int64_t element, Combine combine,
                                                    std::string_view algorithm) const {
  return whole().prepare({.what = Collective::reduce_scatter,
                          .input = input,
                          .output = output,
                          .element = element,
                          .combine = std::move(combine),
                          .algorithm = algorithm,
                          .varies = true,
                          .blocks = blocks});
}

void CollectiveCalls::alltoallv(std::span<std::byte const> input, BlockList const& blocks, std::span<std::byte> output,
                                BlockList const& received, std::string_view algorithm) const {
  whole().run({.what = Collective::alltoall,
               .input = input,
               .output = output,
               .algorithm = algorithm,
               .varies = true,
               .blocks = blocks,
               .received = received});
}

Transfer CollectiveCalls::start_alltoallv(std::span<std::byte const> input, BlockList const& blocks,
                                          std::span<std::byte> output, BlockList const& received,
                                          std::string_view algorithm) const {
  return whole().start({.what = Collective::alltoall,
                        .input = input,
                        .output = output,
                        .algorithm = algorithm,
                        .varies = true,
                        .blocks = blocks,
                        .received = received});
}

Persistent CollectiveCalls::prepare_alltoallv(std::span<std::byte const> input, BlockList const& blocks,
                                              std::span<std::byte> output, BlockList const& received,
                                              std::string_view algorithm) const {
  return whole().prepare({.what = Collective::alltoall,
                          .input = input,
                          .output = output,
                          .algorithm = algorithm,
                          .varies = true,
                          .blocks = blocks,
                          .received = received});
}

}  // namespace allport
