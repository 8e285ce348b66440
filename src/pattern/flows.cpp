#include <fmt/format.h>

#include <limits>

#include "allport/pattern/pattern.h"
#include "index.h"

namespace allport {

namespace {
using pattern::at;
}  // namespace

Flows::Flows(Rank ranks, std::vector<Message> const& messages) : first_(at(ranks) + 1, 0) {
  auto const counts = [](Message const& m) { return m.bytes > 0 && m.from != m.to; };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    auto const& m = messages[i];
    auto const name = [i](char const* part) { return fmt::format("messages[{}].{}", i, part); };
    // ensure() is called only on errors: its name costs an allocation, too much for millions of messages.
    if (m.from < 0 || m.from >= ranks) ensure(false, name("from"), m.from, fmt::format("a rank in 0..{}", ranks - 1));
    if (m.to < 0 || m.to >= ranks) ensure(false, name("to"), m.to, fmt::format("a rank in 0..{}", ranks - 1));
    if (m.bytes < 0) ensure(false, name("bytes"), m.bytes, "a number >= 0");
    if (counts(m)) ++first_[at(m.from) + 1];
  }
  for (std::size_t r = 0; r < at(ranks); ++r) first_[r + 1] += first_[r];
  all_.resize(at(first_.back()));
  auto next = first_;
  for (auto const& m : messages) {
    if (counts(m)) all_[at(next[at(m.from)]++)] = {m.to, m.bytes};
  }
  // Flows to one rank are merged at the position of the first.
  std::vector<std::int64_t> seen(at(ranks), -1);
  std::int64_t kept = 0;
  for (std::size_t r = 0; r < at(ranks); ++r) {
    auto const begin = first_[r];
    auto const end = next[r];
    first_[r] = kept;
    for (auto i = begin; i < end; ++i) {
      auto const flow = all_[at(i)];
      auto& where = seen[at(flow.peer)];
      if (where >= first_[r]) {
        auto& sum = all_[at(where)].bytes;
        ensure(flow.bytes <= std::numeric_limits<std::int64_t>::max() - sum, "bytes of one pair", flow.bytes,
               "fewer than 2^63 in all");
        sum += flow.bytes;
      } else {
        where = kept;
        all_[at(kept++)] = flow;
      }
    }
  }
  first_.back() = kept;
  all_.resize(at(kept));
  all_.shrink_to_fit();
}

Flows Flows::reversed() const {
  Flows other;
  other.first_.assign(first_.size(), 0);
  other.all_.resize(all_.size());
  for (auto const& flow : all_) ++other.first_[at(flow.peer) + 1];
  for (std::size_t r = 1; r < first_.size(); ++r) other.first_[r] += other.first_[r - 1];
  auto next = other.first_;
  for (Rank r = 0; r < ranks(); ++r) {
    for (auto const& flow : of(r)) other.all_[at(next[at(flow.peer)]++)] = {r, flow.bytes};
  }
  return other;
}

}  // namespace allport
