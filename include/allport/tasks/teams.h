// All cores of a process as teams: M masters, each with D drones, changed between iterations (deck 3, slides 24 to 28).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/tasks/cores.h"
#include "allport/tasks/team.h"

namespace allport::tasks {

/// How many threads somebody else's library runs, in this process.
struct ThreadCount {
  std::function<int()> get;
  std::function<void(int)> set;
};

/// What bodies that run on a master use the cores of its team for.
enum class Bodies : std::uint8_t {
  loops,   ///< the team's own parallel_for; OpenMP and BLAS run one thread
  openmp,  ///< OpenMP's parallel regions, or a threaded BLAS; drones sleep
};

struct TeamsOptions {
  /// In all, the calling one among them. 0: one a core. More than cores: nobody is pinned, and who waits yields.
  int threads = 0;
  bool pinned = true;
  Bodies bodies = Bodies::loops;
  /// Set with the teams and restored with the last of them, as OpenMP's are where it is loaded. These are one number a
  /// process: under Bodies::openmp a single team's is its size; where there are several masters they get 1.
  std::vector<ThreadCount> counts{};
};

/// M masters x (1 + D): who they are changes between two run(), in which threads are neither ended nor started.
///
///     Teams teams(cores_of_rank(comm));
///     for (...) {
///       teams.configure(masters, drones);
///       teams.run([&](int master, Team& team) { team.parallel_for(...); });
///     }
///
/// Teams lie inside NUMA domains where these have room for them (place_teams), a thread on each core. The calling
/// thread is master 0; it gets its processors back when the teams are destroyed.
class Teams {
 public:
  /// One team of all threads.
  /// @pre cores.size() >= 1, options.threads >= 0
  explicit Teams(Cores cores = usable_cores(), TeamsOptions options = {});
  ~Teams();
  Teams(Teams const&) = delete;
  Teams& operator=(Teams const&) = delete;

  [[nodiscard]] Cores const& cores() const;
  [[nodiscard]] int threads() const;
  [[nodiscard]] int leaders() const;
  [[nodiscard]] int members() const;
  /// Whether threads are kept on their cores.
  [[nodiscard]] bool pinned() const;

  /// Other teams from now on; returns when every thread is in its place. Threads that are in none sleep. By the thread
  /// that made this, outside of run().
  /// @pre masters >= 1, drones >= 0, masters * (1 + drones) <= threads()
  void configure(int leaders, int members);

  /// body(master, team) on every master. By the thread that made this.
  /// @throws what the body of the lowest master threw, after all have returned
  void run(FunctionRef<void(int, Team&)> body);

  /// Of all masters, and no drones: a master that opens a loop in it is helped by those that call its help(), which
  /// nobody has to. Until configure().
  [[nodiscard]] Team& shared() const;

  /// Indices of cores().all; empty where threads are more than cores.
  [[nodiscard]] std::vector<int> cores_of(int leader) const;
  /// Keeps the calling thread, one of OpenMP's in a parallel region of `master`, on the core of the team's thread
  /// `member`: OpenMP's own affinities are fixed when it starts, and its threads outlive a configuration (slide 27).
  /// Nothing where threads are not pinned; free where this one is there already, so that every region may begin with
  /// it.
  /// @pre 0 <= master < masters(), 0 <= member <= drones()
  void pin(int leader, int thread) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct TeamsShape {
  int leaders = 1;
  int members = 0;

  friend bool operator==(TeamsShape const&, TeamsShape const&) = default;
};
/// All whose masters x (1 + drones) is `threads`, most masters first.
/// @pre threads >= 1
[[nodiscard]] std::vector<TeamsShape> shapes_of(int threads);

}  // namespace allport::tasks
