#include "space.h"

#include <fmt/format.h>

#include <limits>

namespace allport::verify {

Boxes::Boxes(Machine const& machine) {
  length_[0] = machine.ranks_per_node();
  for (int a = 0; a < machine.axes(); ++a) length_[a + 1] = machine.axis(a).length;
  axes_ = machine.axes() + 1;
  std::int32_t stride = 1;
  for (int a = 0; a < axes_; ++a) {
    stride_[a] = stride;
    stride *= length_[a];
  }
}

std::int32_t Boxes::extent(RankBox box, int a) const {
  auto const lo = box.lo / stride_[a] % length_[a];
  auto const hi = box.hi / stride_[a] % length_[a];
  return (hi < lo ? hi + length_[a] : hi) - lo + 1;
}

std::int64_t Boxes::size(RankBox box) const {
  if (box.lo == box.hi) return 1;
  std::int64_t count = 1;
  for (int a = 0; a < axes_; ++a) count *= extent(box, a);
  return count;
}

Rank Boxes::nth(RankBox box, std::int64_t k) const {
  if (k == 0) return box.lo;
  Rank rank = 0;
  for (int a = 0; a < axes_; ++a) {
    auto const along = extent(box, a);
    auto const step = static_cast<std::int32_t>(k % along);
    k /= along;
    rank += (box.lo / stride_[a] % length_[a] + step) % length_[a] * stride_[a];
  }
  return rank;
}

std::string Boxes::text(RankBox box) const {
  return box.lo == box.hi ? fmt::format("rank {}", box.lo)
                          : fmt::format("the {} ranks of box {}..{}", size(box), box.lo, box.hi);
}

Space::Space(Contract const& contract, Machine const& machine) : contract_(contract), boxes_(machine) {
  switch (contract.what) {
    case Collective::gather:
    case Collective::allgather:
      by_source_ = true;
      break;
    case Collective::scatter:
      by_destination_ = true;
      break;
    case Collective::alltoall:
      by_source_ = by_destination_ = true;
      ensure(contract.bytes <= std::numeric_limits<std::int64_t>::max() / contract.ranks / contract.ranks, "bytes",
             contract.bytes, "at most 2^63 - 1 over all pairs of ranks");
      break;
    case Collective::reduce:
    case Collective::allreduce:
      reduces_ = true;
      break;
    case Collective::reduce_scatter:
      by_destination_ = reduces_ = true;
      break;
    case Collective::broadcast:
    case Collective::barrier:
      break;
  }
}

Origin Space::origin(std::int64_t address) const {
  Origin o;
  if (contract_.bytes == 0) return o;
  o.offset = address % contract_.bytes;
  auto block = address / contract_.bytes;
  if (by_destination_) {
    o.destination = static_cast<Rank>(block % contract_.ranks);
    block /= contract_.ranks;
  }
  o.source = static_cast<Rank>(block);
  return o;
}

std::int64_t Space::blocks(Piece const& piece) const {
  return (lists_sources(piece) ? boxes_.size(piece.sources) : 1) *
         (by_destination_ ? boxes_.size(piece.destinations) : 1);
}

Origin Space::at(Piece const& piece, std::int64_t p) const {
  auto const block = p / piece.bytes.size();
  auto const destinations = by_destination_ ? boxes_.size(piece.destinations) : 1;
  return {boxes_.nth(piece.sources, lists_sources(piece) ? block / destinations : 0),
          boxes_.nth(piece.destinations, block % destinations), piece.bytes.begin + p % piece.bytes.size()};
}

std::string Space::block_text(Origin const& o, std::int64_t bytes) const {
  auto const interval = fmt::format("bytes [{}, {})", o.offset, o.offset + bytes);
  switch (contract_.what) {
    case Collective::broadcast:
      return fmt::format("{} of root {}'s message", interval, contract_.root);
    case Collective::reduce:
    case Collective::allreduce:
      return fmt::format("{} of the reduction", interval);
    case Collective::reduce_scatter:
      return fmt::format("{} of rank {}'s reduction", interval, o.destination);
    case Collective::scatter:
      return fmt::format("{} of the block for rank {}", interval, o.destination);
    case Collective::gather:
    case Collective::allgather:
      return fmt::format("{} of rank {}'s block", interval, o.source);
    case Collective::alltoall:
      return fmt::format("{} of the block from rank {} to rank {}", interval, o.source, o.destination);
    case Collective::barrier:
      break;
  }
  return interval;
}

std::string Space::text(Piece const& piece, std::int64_t begin, std::int64_t end) const {
  auto const size = piece.bytes.size();
  if (size <= 0 || begin < 0 || begin >= end) return fmt::format("bytes [{}, {})", piece.bytes.begin, piece.bytes.end);
  if (begin / size == (end - 1) / size) return block_text(at(piece, begin), end - begin);
  return fmt::format("bytes [{}, {}) of the concatenated intervals [{}, {}) from {} to {}", begin, end,
                     piece.bytes.begin, piece.bytes.end, boxes_.text(piece.sources), boxes_.text(piece.destinations));
}

std::string Space::text(Piece const& piece) const { return text(piece, 0, blocks(piece) * piece.bytes.size()); }

std::string Space::text(std::int64_t begin, std::int64_t end) const {
  auto const o = origin(begin);
  auto const first = block_text(o, std::min(end - begin, contract_.bytes - o.offset));
  return o.offset + end - begin <= contract_.bytes ? first : first + " and what follows";
}

}  // namespace allport::verify
