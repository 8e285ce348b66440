// What a collective promises, and where its blocks lie.
#include <algorithm>
#include <limits>
#include <utility>

#include "allport/schedule/schedule.h"

namespace allport {
namespace {

constexpr auto most_bytes = std::numeric_limits<std::int64_t>::max();

bool in_blocks(Collective what) {
  switch (what) {
    case Collective::scatter:
    case Collective::gather:
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
      return true;
    default:
      return false;
  }
}

/// Blocks of a rank's input belong to destinations, of its output to sources.
bool splits_input(Collective what) {
  return what == Collective::scatter || what == Collective::reduce_scatter || what == Collective::alltoall;
}
bool joins_output(Collective what) {
  return what == Collective::gather || what == Collective::allgather || what == Collective::alltoall;
}

}  // namespace

BlockTable::BlockTable(std::vector<std::int64_t> bytes) : bytes_(std::move(bytes)), begin_(bytes_.size() + 1, 0) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    ensure(bytes_[i] >= 0, "blocks[" + std::to_string(i) + "]", bytes_[i], "at least 0 bytes");
    ensure(bytes_[i] <= most_bytes - begin_[i], "blocks[" + std::to_string(i) + "]", bytes_[i],
           "at most 2^63 - 1 bytes over all blocks", "split the message");
    begin_[i + 1] = begin_[i] + bytes_[i];
    longest_ = std::max(longest_, bytes_[i]);
  }
}

std::shared_ptr<BlockTable const> BlockTable::per_rank(std::vector<std::int64_t> bytes) {
  return std::shared_ptr<BlockTable const>(new BlockTable(std::move(bytes)));
}

std::shared_ptr<BlockTable const> BlockTable::per_pair(std::vector<std::int64_t> bytes, Rank ranks) {
  auto const pairs = static_cast<std::int64_t>(ranks) * ranks;
  ensure(static_cast<std::int64_t>(bytes.size()) == pairs, "blocks", bytes.size(),
         std::to_string(pairs) + " lengths, one for each pair of ranks");
  auto* const table = new BlockTable(std::move(bytes));
  auto const owner = std::shared_ptr<BlockTable const>(table);
  table->by_destination_.resize(static_cast<std::size_t>(pairs));
  for (std::int64_t d = 0; d < ranks; ++d) {
    std::int64_t at = 0;
    for (std::int64_t s = 0; s < ranks; ++s) {
      table->by_destination_[static_cast<std::size_t>(s * ranks + d)] = at;
      at += table->bytes(s * ranks + d);
    }
  }
  return owner;
}

std::int64_t BlockTable::find(std::int64_t at) const {
  return std::ranges::upper_bound(begin_, at) - begin_.begin() - 1;
}

void Contract::check() const {
  ensure(ranks >= 1, "ranks", ranks, "at least 1");
  ensure(root >= 0 && root < ranks, "root", root, "a rank in 0.." + std::to_string(ranks - 1));
  ensure(bytes >= 0, "bytes", bytes, "at least 0");
  ensure(element >= 1, "element", element, "at least 1 byte", "pass the datatype's size, or 1 for data movers");
  ensure(what != Collective::none || bytes == 0, "bytes", bytes, "0 where nothing is promised");
  ensure(bytes % element == 0, "bytes", bytes, "a multiple of the element's " + std::to_string(element) + " bytes");
  if (in_blocks(what)) {
    ensure(bytes <= most_bytes / ranks, "bytes", bytes,
           "at most 2^63 - 1 over all " + std::to_string(ranks) + " blocks", "split the message");
  }
  for (std::size_t i = 0; targets && i < targets->size(); ++i) {
    auto const target = (*targets)[i];
    ensure(what == Collective::broadcast, "targets", targets->size(), "none for " + std::string(name(what)),
           "only a broadcast can be for some of the ranks");
    ensure(target >= 0 && target < ranks, "target", target, "a rank in 0.." + std::to_string(ranks - 1));
    ensure(i == 0 || (*targets)[i - 1] < target, "target", target, "ranks in ascending order, each once",
           "let multicast_contract() sort them");
  }
  if (buffers) {
    ensure(what == Collective::none, "buffers", buffers->size(), "none for " + std::string(name(what)),
           "the contract of a collective determines its buffers");
    ensure(buffers->size() == static_cast<std::size_t>(ranks), "buffers", buffers->size(),
           std::to_string(ranks) + " entries, one for each rank");
    for (auto const& b : *buffers)
      ensure(std::min(b.input, b.output) >= 0, "buffers", std::min(b.input, b.output), "at least 0 bytes");
  }
  if (!blocks) return;
  ensure(in_blocks(what), "blocks", blocks->entries(), "none for " + std::string(name(what)),
         "only scatter, gather, allgather, reduce_scatter and alltoall have blocks");
  auto const pairs = what == Collective::alltoall;
  auto const entries = pairs ? static_cast<std::int64_t>(ranks) * ranks : ranks;
  ensure(blocks->entries() == entries && blocks->pairs() == pairs, "blocks", blocks->entries(),
         std::to_string(entries) + (pairs ? " lengths, one for each pair of ranks" : " lengths, one for each rank"));
  ensure(blocks->longest() == bytes, "bytes", bytes, "the longest block's " + std::to_string(blocks->longest()));
  for (std::int64_t i = 0; element > 1 && i < entries; ++i) {
    ensure(blocks->bytes(i) % element == 0, "blocks[" + std::to_string(i) + "]", blocks->bytes(i),
           "a multiple of the element's " + std::to_string(element) + " bytes");
  }
}

std::int64_t Contract::input_bytes(Rank r) const {
  switch (what) {
    case Collective::broadcast:
    case Collective::barrier:
      return 0;
    case Collective::none:
      return buffers ? (*buffers)[static_cast<std::size_t>(r)].input : 0;
    case Collective::scatter:
      return r == root ? total() : 0;
    case Collective::reduce_scatter:
      return total();
    case Collective::alltoall:
      return blocks ? blocks->begin((r + std::int64_t{1}) * ranks) - blocks->begin(r * std::int64_t{ranks})
                    : ranks * bytes;
    case Collective::reduce:
    case Collective::allreduce:
      return bytes;
    case Collective::gather:
    case Collective::allgather:
      return block(r, 0);
  }
  return 0;
}

std::int64_t Contract::output_bytes(Rank r) const {
  switch (what) {
    case Collective::barrier:
      return 0;
    case Collective::none:
      return buffers ? (*buffers)[static_cast<std::size_t>(r)].output : 0;
    case Collective::reduce:
      return r == root ? bytes : 0;
    case Collective::gather:
      return r == root ? total() : 0;
    case Collective::allgather:
      return total();
    case Collective::alltoall:
      return output_offset(r, ranks - 1) + block(ranks - 1, r);
    case Collective::broadcast:
      return r == root || wanted_by(r) ? bytes : 0;
    case Collective::allreduce:
      return bytes;
    case Collective::scatter:
    case Collective::reduce_scatter:
      return block(0, r);
  }
  return 0;
}

bool Contract::wanted_by(Rank r) const {
  return what == Collective::broadcast && (!targets || std::ranges::binary_search(*targets, r));
}

std::int64_t Contract::block(Rank source, Rank destination) const {
  if (!blocks) return bytes;
  if (what == Collective::alltoall) return blocks->bytes(static_cast<std::int64_t>(source) * ranks + destination);
  return blocks->bytes(joins_output(what) ? source : destination);
}

std::int64_t Contract::input_offset(Rank r, Rank destination) const {
  if (!splits_input(what)) return 0;
  if (!blocks) return destination * bytes;
  if (what != Collective::alltoall) return blocks->begin(destination);
  auto const row = static_cast<std::int64_t>(r) * ranks;
  return blocks->begin(row + destination) - blocks->begin(row);
}

std::int64_t Contract::output_offset(Rank r, Rank source) const {
  if (!joins_output(what)) return 0;
  if (!blocks) return source * bytes;
  if (what != Collective::alltoall) return blocks->begin(source);
  return blocks->begin_at_destination(static_cast<std::int64_t>(source) * ranks + r);
}

std::int64_t Contract::total() const {
  if (blocks) return blocks->total();
  if (!in_blocks(what)) return bytes;
  return ranks * bytes * (what == Collective::alltoall ? ranks : 1);
}

bool operator==(Contract const& a, Contract const& b) {
  auto const same = [](auto const& x, auto const& y) { return x == y || (x != nullptr && y != nullptr && *x == *y); };
  return a.what == b.what && a.ranks == b.ranks && a.root == b.root && a.bytes == b.bytes && a.element == b.element &&
         same(a.blocks, b.blocks) && same(a.targets, b.targets) && same(a.buffers, b.buffers);
}

Contract with_blocks(Collective what, Rank ranks, Rank root, std::shared_ptr<BlockTable const> blocks,
                     std::int64_t element) {
  auto const longest = blocks->longest();
  return {what, ranks, root, longest, element, std::move(blocks)};
}

Contract multicast_contract(Rank ranks, Rank root, std::int64_t bytes, std::vector<Rank> targets) {
  std::ranges::sort(targets);
  auto const repeated = std::ranges::unique(targets);
  targets.erase(repeated.begin(), repeated.end());
  Contract contract{Collective::broadcast, ranks, root, bytes, 1};
  contract.targets = std::make_shared<std::vector<Rank> const>(std::move(targets));
  contract.check();
  return contract;
}

}  // namespace allport
