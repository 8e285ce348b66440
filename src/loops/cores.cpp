#include "allport/loops/cores.h"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "allport/base/error.h"

namespace allport::loops {

namespace {

/// As many processors as Linux has had anywhere; its masks have any length.
constexpr int most_processors = 8192;

/// A mask that is long enough for any Linux.
class Mask {
 public:
  Mask() : set_(CPU_ALLOC(most_processors)) { CPU_ZERO_S(bytes(), set_); }
  ~Mask() { CPU_FREE(set_); }
  Mask(Mask const&) = delete;
  Mask& operator=(Mask const&) = delete;
  [[nodiscard]] static std::size_t bytes() { return CPU_ALLOC_SIZE(most_processors); }
  [[nodiscard]] cpu_set_t* get() { return set_; }
  void add(int processor) { CPU_SET_S(static_cast<std::size_t>(processor), bytes(), set_); }
  [[nodiscard]] bool has(int processor) const {
    return CPU_ISSET_S(static_cast<std::size_t>(processor), bytes(), set_) != 0;
  }

 private:
  cpu_set_t* set_;
};

}  // namespace

std::vector<int> pinned_to() {
  Mask mask;
  std::vector<int> found;
  if (sched_getaffinity(0, Mask::bytes(), mask.get()) != 0) return found;
  for (int p = 0; p < most_processors; ++p) {
    if (mask.has(p)) found.push_back(p);
  }
  return found;
}

int processors() {
  auto const count = static_cast<int>(pinned_to().size());
  return count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

bool pin_thread(std::vector<int> const& processors) {
  Mask mask;
  for (auto const p : processors) {
    ensure(p >= 0 && p < most_processors, "processor", p, "the number of a hardware thread");
    mask.add(p);
  }
  return sched_setaffinity(0, Mask::bytes(), mask.get()) == 0;
}

Cores hardware_threads(Cores const& cores) {
  Cores split{.all = {}, .shared = cores.shared, .source = cores.source};
  for (auto const& core : cores.all) {
    split.smt = split.smt || core.processors.size() > 1;
    for (auto const p : core.processors) split.all.push_back({{p}, core.domain});
  }
  return split;
}

Cores share_of(Cores const& cores, int index, int sharers) {
  ensure(sharers >= 1, "sharers", sharers, "at least 1");
  ensure(index >= 0 && index < sharers, "index", index, "one of the sharers");
  if (cores.size() < sharers) {
    auto all = cores;
    all.shared = true;
    return all;
  }
  auto const each = cores.size() / sharers;
  Cores part{.all = {}, .shared = cores.shared, .source = cores.source, .smt = cores.smt};
  for (int c = 0; c < each; ++c) part.all.push_back(cores.all[static_cast<std::size_t>(index * each + c)]);
  return part;
}

std::vector<std::vector<int>> place_teams(Cores const& cores, int leaders, int size) {
  ensure(leaders >= 1, "leaders", leaders, "at least 1");
  ensure(size >= 1, "size", size, "at least 1");
  ensure(std::int64_t{leaders} * size <= cores.size(), "leaders x size", std::int64_t{leaders} * size,
         "at most as many threads as cores");
  std::vector<std::vector<int>> free;  // by domain, as they are met
  std::vector<int> names;
  for (int c = 0; c < cores.size(); ++c) {
    auto const domain = cores.all[static_cast<std::size_t>(c)].domain;
    auto const at = std::ranges::find(names, domain);
    if (at == names.end()) {
      names.push_back(domain);
      free.push_back({c});
    } else {
      free[static_cast<std::size_t>(at - names.begin())].push_back(c);
    }
  }
  auto const take = [](std::vector<int>& from, std::vector<int>& to, std::size_t count) {
    to.insert(to.end(), from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
  };
  auto const wanted = static_cast<std::size_t>(size);
  std::vector<std::vector<int>> teams;
  while (static_cast<int>(teams.size()) < leaders) {
    auto& team = teams.emplace_back();
    auto const whole = std::ranges::find_if(free, [&](auto const& domain) { return domain.size() >= wanted; });
    if (whole != free.end()) {
      take(*whole, team, wanted);
      continue;
    }
    // Across as few domains as there can be.
    while (team.size() < wanted) {
      auto& most = *std::ranges::max_element(free, {}, [](auto const& domain) { return domain.size(); });
      take(most, team, std::min(most.size(), wanted - team.size()));
    }
  }
  return teams;
}

}  // namespace allport::loops
