// All cores of a process as teams: L leaders with M members each, changed between iterations (Robson18, slides 24 to
// 28).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/loops/cores.h"
#include "allport/loops/team.h"

namespace allport::loops {

/// Accessors of the number of threads of another library in this process.
struct ThreadCount {
  std::function<int()> get;
  std::function<void(int)> set;
};

/// How bodies that run on a leader use the cores of its team.
enum class Bodies : std::uint8_t {
  loops,   ///< the team's parallel_for; OpenMP and BLAS run one thread
  openmp,  ///< OpenMP's parallel regions, or a threaded BLAS; members sleep
};

struct TeamsOptions {
  /// Total number, including the calling thread. 0: one per core. If more than cores: threads are not pinned, and
  /// waiting ones yield.
  int threads = 0;
  bool pinned = true;
  Bodies bodies = Bodies::loops;
  /// Thread counts of other libraries, set with the teams and restored with the last of them, as OpenMP's is if it is
  /// loaded. Each is one number per process: under Bodies::openmp a single team's is its size; with several leaders it
  /// is 1.
  std::vector<ThreadCount> counts{};
};

/// L leaders with M members each: L x (1 + M) threads. The shape may change between two calls of run(); threads are
/// neither ended nor started for that.
///
///     Teams teams(cores_of_rank(comm));
///     for (...) {
///       teams.configure(leaders, members);
///       teams.run([&](int leader, Team& team) { team.parallel_for(...); });
///     }
///
/// Teams are placed inside NUMA domains that are large enough (place_teams), one thread per core. The calling thread is
/// leader 0; its affinity is restored when the teams are destroyed.
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
  /// Whether threads are pinned to cores.
  [[nodiscard]] bool pinned() const;

  /// Changes the shape; returns when every thread has its new role. Threads in no team sleep. Called by the thread that
  /// constructed this, outside of run().
  /// @pre leaders >= 1, members >= 0, leaders * (1 + members) <= threads()
  void configure(int leaders, int members);

  /// body(leader, team) on every leader. Called by the thread that constructed this.
  /// @throws what the body of the lowest leader threw, after all have returned
  void run(FunctionRef<void(int, Team&)> body);

  /// A team of all leaders without members: a loop in it is shared by those leaders that call help(). Valid until
  /// configure().
  [[nodiscard]] Team& shared() const;

  /// Indices of cores().all; empty if there are more threads than cores.
  [[nodiscard]] std::vector<int> cores_of(int leader) const;
  /// Pins the calling thread, an OpenMP thread in a parallel region of `leader`, to the core of the team's thread
  /// `thread`: OpenMP's own affinities are fixed when it starts, and its threads outlive a configuration (Robson18,
  /// slide 27). No effect if threads are not pinned; no cost if the thread is there already, so every region may begin
  /// with it.
  /// @pre 0 <= leader < leaders(), 0 <= thread <= members()
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
/// All shapes with leaders * (1 + members) == threads, most leaders first.
/// @pre threads >= 1
[[nodiscard]] std::vector<TeamsShape> shapes_of(int threads);

}  // namespace allport::loops
