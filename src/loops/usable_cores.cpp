// Discovery of a computer's cores by hwloc, or from Linux's /sys.
#include <dirent.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>

#include "allport/base/error.h"
#include "allport/loops/cores.h"
#ifdef ALLPORT_HWLOC
#include <hwloc.h>
#endif

namespace allport::loops {

namespace {

/// Of "0-3,8".
std::set<int> numbers(std::string const& text) {
  std::set<int> found;
  for (char const* at = text.c_str(); *at != '\0';) {
    char* end = nullptr;
    auto const first = std::strtol(at, &end, 10);
    if (end == at) break;
    auto last = first;
    if (*end == '-') last = std::strtol(end + 1, &end, 10);
    for (auto n = first; n <= last; ++n) found.insert(static_cast<int>(n));
    at = *end == ',' ? end + 1 : end;
    if (at == end && *end != '\0') break;
  }
  return found;
}

std::string first_line(std::string const& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// The union of the affinities of this process's threads, since teams have pinned some of them.
std::vector<int> processors_of_process() {
  std::set<int> all;
  auto const close = [](DIR* folder) { closedir(folder); };
  std::unique_ptr<DIR, decltype(close)> const folder(opendir("/proc/self/task"), close);
  while (auto const* entry = folder ? readdir(folder.get()) : nullptr) {
    auto const thread = std::atoi(entry->d_name);
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (thread <= 0 || sched_getaffinity(thread, sizeof mask, &mask) != 0) continue;
    for (int p = 0; p < CPU_SETSIZE; ++p) {
      if (CPU_ISSET(p, &mask)) all.insert(p);
    }
  }
  if (all.empty()) {
    auto const mine = pinned_to();
    all.insert(mine.begin(), mine.end());
  }
  return {all.begin(), all.end()};
}

#ifdef ALLPORT_HWLOC
/// Empty where hwloc cannot tell.
Cores cores_by_hwloc(std::vector<int> const& usable) {
  hwloc_topology_t topology = nullptr;
  Cores cores{.all = {}, .shared = false, .source = "hwloc"};
  if (hwloc_topology_init(&topology) != 0) return cores;
  std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> const hold(topology, hwloc_topology_destroy);
  if (hwloc_topology_load(topology) != 0) return cores;
  std::set<int> const wanted(usable.begin(), usable.end());
  std::set<int> seen;
  auto const add = [&](hwloc_obj_t object) {
    auto const domain = object->nodeset != nullptr ? hwloc_bitmap_first(object->nodeset) : 0;
    Core core{{}, std::max(domain, 0)};
    for (int p = hwloc_bitmap_first(object->cpuset); p >= 0; p = hwloc_bitmap_next(object->cpuset, p)) {
      if (wanted.contains(p) && seen.insert(p).second) core.processors.push_back(p);
    }
    if (!core.processors.empty()) cores.all.push_back(std::move(core));
  };
  // Where cores are not known, their hardware threads are.
  for (auto const kind : {HWLOC_OBJ_CORE, HWLOC_OBJ_PU}) {
    for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(topology, kind, o)) != nullptr;) add(o);
  }
  std::ranges::stable_sort(cores.all, {}, &Core::domain);
  return cores;
}
#endif

}  // namespace

Cores cores_by_sys(std::string const& root, std::vector<int> const& usable) {
  ensure(!usable.empty(), "usable", usable.size(), "at least one processor");
  std::map<int, int> domain_of;
  auto const nodes = root + "/sys/devices/system/node/";
  for (auto const node : numbers(first_line(nodes + "online"))) {
    for (auto const p : numbers(first_line(nodes + "node" + std::to_string(node) + "/cpulist"))) domain_of[p] = node;
  }
  std::set<int> left(usable.begin(), usable.end());
  Cores cores{.all = {}, .shared = false, .source = "/sys"};
  while (!left.empty()) {
    auto const first = *left.begin();
    auto threads = numbers(
        first_line(root + "/sys/devices/system/cpu/cpu" + std::to_string(first) + "/topology/thread_siblings_list"));
    threads.insert(first);
    Core core{{}, domain_of.contains(first) ? domain_of[first] : 0};
    for (auto const p : threads) {
      if (left.erase(p) > 0) core.processors.push_back(p);
    }
    cores.all.push_back(std::move(core));
  }
  std::ranges::stable_sort(cores.all, {}, &Core::domain);
  return cores;
}

Cores usable_cores() {
  auto const usable = processors_of_process();
#ifdef ALLPORT_HWLOC
  auto cores = cores_by_hwloc(usable);
  if (!cores.all.empty()) return cores;
#endif
  return cores_by_sys("", usable);
}

}  // namespace allport::loops
