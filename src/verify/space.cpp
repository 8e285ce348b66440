#include "space.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "machine/dimensions.h"

namespace allport::verify {

Boxes::Boxes(Machine const& machine) {
  for (auto const& dim : dimensions(machine)) {
    length_[axes_] = dim.length;
    stride_[axes_] = dim.stride;
    ++axes_;
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

Space::Space(Contract const& contract, Machine const& machine)
    : contract_(contract), boxes_(machine), reduces_(combines(contract.what)) {
  switch (contract.what) {
    case Collective::gather:
    case Collective::allgather:
      by_source_ = true;
      break;
    case Collective::scatter:
    case Collective::reduce_scatter:
      by_destination_ = true;
      break;
    case Collective::alltoall:
      by_source_ = by_destination_ = true;
      ensure(contract.bytes <= std::numeric_limits<std::int64_t>::max() / contract.ranks / contract.ranks, "bytes",
             contract.bytes, "at most 2^63 - 1 over all pairs of ranks");
      break;
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::allreduce:
    case Collective::barrier:
    case Collective::none:
      break;
  }
}

Origin Space::origin(std::int64_t address) const {
  Origin o;
  if (contract_.bytes == 0) return o;
  auto block = contract_.blocks ? contract_.blocks->find(address) : address / contract_.bytes;
  o.offset = address - (contract_.blocks ? contract_.blocks->begin(block) : block * contract_.bytes);
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

Origin Space::nth(Piece const& piece, std::int64_t k) const {
  auto const destinations = by_destination_ ? boxes_.size(piece.destinations) : 1;
  return {boxes_.nth(piece.sources, lists_sources(piece) ? k / destinations : 0),
          boxes_.nth(piece.destinations, k % destinations), piece.bytes.begin};
}

std::int64_t Space::size(Piece const& piece, Origin const& block) const {
  auto const end = std::min(piece.bytes.end, contract_.block(block.source, block.destination));
  return std::max<std::int64_t>(end - piece.bytes.begin, 0);
}

std::int64_t Space::length(Piece const& piece) const {
  auto const count = blocks(piece);
  if (!contract_.blocks) return count * piece.bytes.size();
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < count; ++k) sum += size(piece, nth(piece, k));
  return sum;
}

Space::Found Space::find(Piece const& piece, std::int64_t p) const {
  if (!contract_.blocks) {
    auto const each = piece.bytes.size();
    auto origin = nth(piece, p / each);
    origin.offset += p % each;
    return {origin, each - p % each};
  }
  for (std::int64_t k = 0, count = blocks(piece); k < count; ++k) {
    auto origin = nth(piece, k);
    auto const here = size(piece, origin);
    if (p < here) {
      origin.offset += p;
      return {origin, here - p};
    }
    p -= here;
  }
  return {nth(piece, 0), 1};  // beyond the piece, whose wrong length was already reported
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
    case Collective::none:
      break;
  }
  return interval;
}

std::string Space::text(Piece const& piece, std::int64_t begin, std::int64_t end) const {
  if (piece.bytes.size() <= 0 || begin < 0 || begin >= end) {
    return fmt::format("bytes [{}, {})", piece.bytes.begin, piece.bytes.end);
  }
  auto const first = find(piece, begin);
  if (end - begin <= first.left) return block_text(first.origin, end - begin);
  return fmt::format("bytes [{}, {}) of the concatenated intervals [{}, {}) from {} to {}", begin, end,
                     piece.bytes.begin, piece.bytes.end, boxes_.text(piece.sources), boxes_.text(piece.destinations));
}

std::string Space::text(Piece const& piece) const { return text(piece, 0, length(piece)); }

std::string Space::text(std::int64_t begin, std::int64_t end) const {
  auto const o = origin(begin);
  auto const size = contract_.block(o.source, o.destination);
  auto const first = block_text(o, std::min(end - begin, size - o.offset));
  return o.offset + end - begin <= size ? first : first + " and what follows";
}

}  // namespace allport::verify
