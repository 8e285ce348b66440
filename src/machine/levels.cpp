#include "allport/machine/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "allport/base/error.h"

namespace allport {
namespace {

constexpr std::string_view core = "core";

void check(std::vector<Level> const& all, std::size_t l) {
  auto const& level = all[l];
  auto const field = [&](std::string_view name) { return fmt::format("levels[{}].{}", l, name); };
  bool const spelled =
      !level.name.empty() && std::ranges::all_of(level.name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  ensure(spelled, field("name"), level.name, "small letters, such as host, socket or core", "", ErrorKind::machine);
  for (std::size_t k = 0; k < l; ++k) {
    ensure(all[k].name != level.name, field("name"), level.name, "a name that no other level has", "",
           ErrorKind::machine);
  }
  ensure(level.count >= 1, field("count"), level.count, "a number of parts >= 1", "", ErrorKind::machine);
  auto const rate = [&](double value, std::string_view name) {
    ensure(std::isfinite(value) && value >= 0.0, field(name), value, "a finite number >= 0", "", ErrorKind::machine);
  };
  rate(level.bandwidth.value(), "bandwidth");
  rate(level.latency.value(), "latency");
  rate(level.injection.value(), "injection");
  rate(level.memory_bandwidth.value(), "memory_bandwidth");
  ensure(level.cache.value() >= 0, field("cache"), level.cache.value(), "bytes >= 0 (0: none)", "", ErrorKind::machine);
}

std::vector<Level> cores(int count) {
  ensure(count >= 1, "ranks_per_node", count, "a number >= 1", "", ErrorKind::machine);
  if (count == 1) return {};
  return {Level{.name = std::string(core), .count = count}};
}

}  // namespace

Levels::Levels(int cores) : Levels(allport::cores(cores)) {}

Levels::Levels(std::vector<Level> all) : all_(std::move(all)), inner_(all_.size()) {
  ensure(all_.size() <= max_levels, "levels", static_cast<int>(all_.size()), fmt::format("at most {}", max_levels), "",
         ErrorKind::machine);
  std::int64_t ranks = 1;
  for (auto l = all_.size(); l-- > 0;) {
    check(all_, l);
    inner_[l] = static_cast<std::int32_t>(ranks);
    ranks *= all_[l].count;
    ensure(ranks <= std::numeric_limits<std::int32_t>::max(), "levels", ranks, "fewer than 2^31 ranks in a node", "",
           ErrorKind::machine);
  }
  ranks_ = static_cast<std::int32_t>(ranks);
}

bool Levels::plain() const { return all_.empty() || *this == Levels(ranks_); }

int Levels::parting(std::int32_t a, std::int32_t b) const {
  for (int l = 0; l < size(); ++l) {
    if (a % ranks_ / ranks_of_part(l) != b % ranks_ / ranks_of_part(l)) return l;
  }
  return size();
}

Levels Levels::with_ranks(int ranks) const {
  if (ranks == ranks_) return *this;
  if (plain() || ranks == 1) return ranks;
  auto const text = [this] {
    std::string out;
    for (auto const& level : all_) out += fmt::format("{}{} {}s", out.empty() ? "" : " of ", level.count, level.name);
    return out;
  };
  ensure(ranks > 0 && ranks % ranks_ == 0 && all_.back().name != core && all_.size() < max_levels, "ranks_per_node",
         ranks,
         fmt::format("1 or {}, the ranks of {}{}", ranks_, text(),
                     all_.back().name == core ? "" : ", or a multiple of them"),
         "name other levels in a machine file", ErrorKind::machine);
  auto all = all_;
  all.push_back({.name = std::string(core), .count = ranks / ranks_});
  return Levels(std::move(all));
}

}  // namespace allport
