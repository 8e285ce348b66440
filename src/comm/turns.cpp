#include "turns.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/base/error.h"
#include "execution.h"

namespace allport::engine {

std::int64_t TagSpace::channels_for(std::int64_t ranks) {
  constexpr std::int64_t most_trees = 16;
  return std::clamp(ranks * most_trees, fewest_channels, most_channels);
}

TagSpace TagSpace::up_to(std::int64_t top, std::int64_t channels) {
  constexpr std::int64_t single_starts = 1024, most_lasting = 65536;
  auto const available = top + 1 - schedules;
  auto const blocks = std::clamp<std::int64_t>(available / channels, 2, 2 * single_starts);
  TagSpace tags;
  tags.channels = static_cast<int>(std::min(available / blocks, most_channels));
  tags.sequences = static_cast<int>(blocks / 2);
  tags.lasting = static_cast<int>(std::min(available / tags.channels - tags.sequences, most_lasting));
  return tags;
}

std::int64_t greatest_tag(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  // MPI keeps MPI_TAG_UB with the world; some libraries do not answer for other communicators.
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  if (found == 0) MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found);
  return found != 0 ? *static_cast<int*>(value) : 32767;  // the least that MPI allows
}

ContextTags ContextTags::up_to(std::int64_t top) {
  ContextTags shared;
  shared.count = static_cast<int>(std::min<std::int64_t>((top + 1) / 4 / tags, most));
  shared.first = static_cast<int>(top + 1 - std::int64_t{shared.count} * tags);
  return shared;
}

std::int64_t& Turns::on(std::int64_t number) {
  auto const block = static_cast<std::size_t>(number % tags_.sequences);
  while (on_.size() <= block) on_.push_back(static_cast<std::int64_t>(on_.size()));
  return on_[block];
}

bool Turns::is_on(std::int64_t number) { return on(number) == number; }

void Turns::give_back(std::int64_t number) {
  if (!is_on(number)) {
    later_[number] = nullptr;
    return;
  }
  for (auto& turn = on(number);;) {
    turn += tags_.sequences;
    auto const next = later_.find(turn);
    if (next == later_.end()) return;
    auto* const execution = next->second;
    later_.erase(next);
    if (execution == nullptr) continue;
    execution->go(first_tag(turn));  // may end at once, and give back its turn in its turn
    return;
  }
}

std::vector<std::uint64_t> LastingTurns::in_use() const {
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(tags_.lasting + 63) / 64);
  for (std::size_t i = 0; i < used_.size(); ++i) bits[i / 64] |= std::uint64_t{used_[i]} << i % 64;
  return bits;
}

void LastingTurns::learn(std::vector<std::uint64_t> const& in_use_anywhere) {
  free_.clear();
  for (auto i = static_cast<std::size_t>(tags_.lasting); i-- > 0;) {
    if ((in_use_anywhere[i / 64] >> i % 64 & 1U) == 0) free_.push_back(static_cast<int>(i));
  }
}

int LastingTurns::take() {
  ensure(!must_ask(), "persistent collectives of one communicator", tags_.lasting,
         fmt::format("at most {} at a time", tags_.lasting), "destroy those that are done with",
         ErrorKind::unsupported);
  int block = fresh_;
  if (fresh_ < tags_.lasting) {
    ++fresh_;
    used_.push_back(true);
    return block;
  }
  block = free_.back();
  free_.pop_back();
  used_[static_cast<std::size_t>(block)] = true;
  return block;
}

}  // namespace allport::engine
