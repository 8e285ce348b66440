#include "allport/loops/loop_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/words.h"

namespace allport::loops {

namespace {

/// Relative scatter of times.
constexpr double as_good = 1.03;

std::string in_words(Launch const& launch) {
  return fmt::format("{} rank{} x {} thread{}{}", launch.ranks, launch.ranks == 1 ? "" : "s", launch.threads,
                     launch.threads == 1 ? "" : "s", launch.smt ? " with SMT" : "");
}

/// Of "2 x (1 + 3), static"; all where it is another name.
int busy_threads(std::string const& configuration, int threads) {
  int leaders = 0;
  int members = 0;
  if (std::sscanf(configuration.c_str(), "%d x (1 + %d)", &leaders, &members) != 2) return threads;
  return std::clamp(leaders * (1 + members), 1, threads);
}

std::optional<LaunchTime> time_of(Launch const& launch, Remembered const& known) {
  auto const best = std::ranges::min_element(known.seconds, {}, [](auto const& entry) { return entry.second; });
  if (best == known.seconds.end() || best->second <= Seconds{}) return std::nullopt;
  return LaunchTime{launch, best->second, best->first, busy_threads(best->first, launch.threads)};
}

/// Another number of ranks with the same total number of threads; unchanged if there is no other.
Launch untried(Launch launch) {
  if (launch.threads % 2 == 0) return {launch.computers, launch.ranks * 2, launch.threads / 2, launch.smt};
  if (launch.ranks % 2 == 0) return {launch.computers, launch.ranks / 2, launch.threads * 2, launch.smt};
  return {launch.computers, 1, launch.ranks * launch.threads, launch.smt};
}

std::string next_start(std::vector<LaunchTime> const& runs) {
  auto const& best = runs.front();
  std::vector<std::string> parts;
  if (runs.size() == 1) {
    auto const other = untried(best.launch);
    if (other != best.launch)
      parts.push_back(fmt::format("run it once with {} a computer, to compare", in_words(other)));
  } else if (runs.back().seconds > as_good * best.seconds) {
    parts.push_back(fmt::format("start {} a computer", in_words(best.launch)));
  }
  if (best.busy < best.launch.threads) {
    parts.push_back(
        fmt::format("memory is the limit: {} of a rank's {} threads do it ({}), so leave {} idle or give "
                    "them to others",
                    best.busy, best.launch.threads, best.configuration, best.launch.threads - best.busy));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string name_of(std::string const& site, Launch const& launch) {
  return fmt::format("{} [{} computers x {} ranks x {} threads{}]", site, launch.computers, launch.ranks,
                     launch.threads, launch.smt ? ", SMT" : "");
}

std::optional<std::pair<std::string, Launch>> site_of(std::string const& name) {
  auto const at = name.rfind(" [");
  if (at == std::string::npos) return std::nullopt;
  Launch launch;
  launch.smt = name.ends_with(", SMT]");
  if (std::sscanf(name.c_str() + at, " [%d computers x %d ranks x %d threads", &launch.computers, &launch.ranks,
                  &launch.threads) != 3) {
    return std::nullopt;
  }
  auto site = name.substr(0, at);
  // Accepts only the output of name_of().
  if (std::min({launch.computers, launch.ranks, launch.threads}) < 1 || name_of(site, launch) != name) {
    return std::nullopt;
  }
  return std::pair(std::move(site), launch);
}

std::vector<LoopAdvice> loop_advice(Memory const& memory) {
  std::map<std::pair<std::string, int>, std::vector<LaunchTime>> by_site;
  for (auto const& [name, known] : memory) {
    auto const site = site_of(name);
    if (!site) continue;
    if (auto const time = time_of(site->second, known)) {
      by_site[{site->first, site->second.computers}].push_back(*time);
    }
  }
  std::vector<LoopAdvice> all;
  for (auto& [where, runs] : by_site) {
    std::ranges::stable_sort(runs, {}, &LaunchTime::seconds);
    std::vector<std::string> lines;
    for (auto const& run : runs) {
      lines.push_back(
          fmt::format("{}: {} a step ({})", in_words(run.launch), seconds_in_words(run.seconds), run.configuration));
    }
    auto found = fmt::format("{}{}", where.second > 1 ? fmt::format("on {} computers, ", where.second) : "",
                             fmt::join(lines, "; "));
    auto change = next_start(runs);
    all.push_back({where.first, std::move(runs), std::move(found), std::move(change)});
    all.back().compared = all.back().runs.size() > 1;
  }
  return all;
}

}  // namespace allport::loops
