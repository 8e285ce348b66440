// What the memory of loops says before the next run: how many processes a computer, with how many threads, on cores or
// on their hardware threads, and whether some are better left idle.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allport/base/units.h"
#include "allport/select/selector.h"

namespace allport::loops {

/// How a program was started. A Selector cannot change it while the program runs.
struct Launch {
  int computers = 1;
  int ranks = 1;     ///< on each computer; on the fullest one
  int threads = 1;   ///< of a rank; of the one that has most
  bool smt = false;  ///< several of them share a core: hardware_threads()

  friend auto operator<=>(Launch const&, Launch const&) = default;
};

/// "plate 4096 [2 computers x 4 ranks x 7 threads]", with ", SMT" inside: a site of loops as memories name it.
[[nodiscard]] std::string name_of(std::string const& site, Launch const& launch);
/// Nothing where it is no name of that kind.
[[nodiscard]] std::optional<std::pair<std::string, Launch>> site_of(std::string const& name);

/// The quickest step of the runs that were started alike.
struct LaunchTime {
  Launch launch;
  Seconds seconds{};
  std::string configuration;  ///< with which; of name(LoopConfiguration)
  int busy = 1;               ///< threads of a rank that it uses
};

struct LoopAdvice {
  std::string site;
  std::vector<LaunchTime> runs;  ///< on as many computers each, quickest first
  std::string found;             ///< the same in words
  std::string change;     ///< how to start the next run; how it should be tried, where there is nothing to compare
  bool compared = false;  ///< runs were started in more than one way
};

/// For each site and number of computers, in their order. Steps are compared as they are: a site names one problem. A
/// start that takes up to 3 % more is as good.
/// @param memory  of Selectors; other than loops' are passed over
[[nodiscard]] std::vector<LoopAdvice> loop_advice(Memory const& memory);

}  // namespace allport::loops
