// The cores that this process may use, and which of them a team of threads gets.
#pragma once

#include <string>
#include <vector>

namespace allport {
class Communicator;
}

namespace allport::loops {

/// A core, or one of its hardware threads where these are counted one by one.
struct Core {
  std::vector<int> processors;  ///< hardware threads, by the operating system's numbers
  int domain = 0;               ///< the NUMA domain that its memory lies in

  friend bool operator==(Core const&, Core const&) = default;
};

struct Cores {
  std::vector<Core> all;  ///< neighbours stand beside each other, and so do those of a domain
  bool shared = false;    ///< threads of other processes run on them too: threads are not pinned
  std::string source{};   ///< origin of the data: "hwloc", "/sys", "the caller"
  bool smt = false;       ///< several of them are hardware threads of one core: hardware_threads()

  [[nodiscard]] int size() const { return static_cast<int>(all.size()); }
};

/// Hardware threads on which the calling thread may run.
[[nodiscard]] int processors();

/// Those of the cpuset that this process was started with, whichever of its threads have been pinned since; one with
/// several hardware threads (SMT) is one core, with those of them that may be used. From hwloc where Allport was built
/// with it, else from Linux's /sys.
[[nodiscard]] Cores usable_cores();
/// Of `usable` processors, from the files below `root`/sys that Linux describes its processors in; a processor of
/// which nothing is said there is a core of domain 0.
/// @pre usable is not empty
[[nodiscard]] Cores cores_by_sys(std::string const& root, std::vector<int> const& usable);
/// One `Core` for each hardware thread: teams on SMT. Those of a core stand beside each other.
[[nodiscard]] Cores hardware_threads(Cores const& cores);

/// This rank's part of what the ranks of its computer were started on. Ranks with a cpuset of their own have it for
/// themselves; where several share cores, each gets as many of them, in the order of ranks; where there are fewer
/// cores than ranks the whole is every one's, and `shared`. Ranks under one kernel share a computer, whatever names
/// their namespaces have. Collective.
[[nodiscard]] Cores cores_of_rank(Communicator const& comm);
/// Computers that the ranks run on, and how many ranks the fullest of them has, by their names. Collective.
struct Computers {
  int count = 1;
  int most_ranks = 1;
};
[[nodiscard]] Computers computers_of(Communicator const& comm);
/// The part of sharer `index` of `sharers`.
/// @pre 0 <= index < sharers
[[nodiscard]] Cores share_of(Cores const& cores, int index, int sharers);

/// cores[team][member] as indices of `cores.all`: teams in order, each inside one NUMA domain where one has room for
/// it, the last ones across domains where none has.
/// @pre leaders >= 1, size >= 1, leaders * size <= cores.size()
[[nodiscard]] std::vector<std::vector<int>> place_teams(Cores const& cores, int leaders, int size);

/// Pins the calling thread to these processors. False if the system refuses.
bool pin_thread(std::vector<int> const& processors);
/// The processors that the calling thread is kept on.
[[nodiscard]] std::vector<int> pinned_to();

}  // namespace allport::loops
