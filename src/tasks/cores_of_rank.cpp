// Ranks that share a computer share out its cores.
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>

#include "allport/comm/communicator.h"
#include "allport/tasks/cores.h"

namespace allport::tasks {

Cores cores_of_rank(Communicator const& comm) {
  auto const cores = usable_cores();
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string text;
  for (auto const& core : cores.all) {
    for (auto const p : core.processors) text += std::to_string(p) + ",";
  }
  std::int64_t const mine[] = {static_cast<std::int64_t>(std::hash<std::string_view>()(host)),
                               static_cast<std::int64_t>(std::hash<std::string>()(text)), cores.size()};
  auto const all = comm.all_gather(mine);
  // Ranks of a computer whose cpusets are equal share it; others have one each.
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

}  // namespace allport::tasks
