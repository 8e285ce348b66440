// Distributes the cores of a computer among its ranks.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "allport/comm/communicator.h"
#include "allport/loops/cores.h"

namespace allport::loops {

namespace {

std::string host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// Identifies the running kernel: containers and namespaces with different host names share its processors.
std::string kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(file, line);
  return line.empty() ? host() : line;
}

std::int64_t hash_of(std::string const& text) { return static_cast<std::int64_t>(std::hash<std::string>()(text)); }

}  // namespace

Computers computers_of(Communicator const& comm) {
  std::int64_t const mine[] = {hash_of(host())};
  std::map<std::int64_t, int> ranks;
  for (auto const computer : comm.all_gather(mine)) ++ranks[computer];
  Computers found{static_cast<int>(ranks.size()), 1};
  for (auto const& [computer, count] : ranks) found.most_ranks = std::max(found.most_ranks, count);
  return found;
}

Cores cores_of_rank(Communicator const& comm) {
  auto const cores = usable_cores();
  std::string text;
  for (auto const& core : cores.all) {
    for (auto const p : core.processors) text += std::to_string(p) + ",";
  }
  std::int64_t const mine[] = {hash_of(kernel()), hash_of(text), cores.size()};
  auto const all = comm.all_gather(mine);
  // Ranks of a computer with equal cpusets share the cpuset; otherwise a rank has it for itself.
  int index = 0;
  int sharers = 0;
  for (Rank r = 0; r < comm.size(); ++r) {
    auto const at = static_cast<std::size_t>(3 * r);
    if (all[at] != mine[0] || all[at + 1] != mine[1]) continue;
    if (r < comm.rank()) ++index;
    ++sharers;
  }
  return share_of(cores, index, sharers);
}

}  // namespace allport::loops
