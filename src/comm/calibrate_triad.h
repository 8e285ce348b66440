// The memory bandwidth that threads of a rank get together, by the size of what they work on.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "allport/base/units.h"

namespace allport::engine {

/// Threads that a rank can run beside its neighbours on its host, and sizes for them. The same on all ranks.
struct TriadPlan {
  std::vector<int> threads;         ///< 1, 2, 4, ... and as many as a rank has processors of its own
  std::vector<std::int64_t> bytes;  ///< of three arrays, all threads together; ascending
};
/// @param shared_cores  the machine's ranks share processors, which then have one thread each
[[nodiscard]] TriadPlan plan_triads(MPI_Comm comm, bool quick, bool shared_cores);

/// a[i] = b[i] + s c[i] (STREAM's triad, McCalpin 1995) by a team of threads, each on its own part, which it has
/// touched first. It counts 24 bytes an element, as STREAM does: a cache line that is read to be written is not
/// counted.
class Triad {
 public:
  /// @pre threads >= 1, bytes >= 24 * threads
  Triad(int threads, std::int64_t bytes);
  Triad(Triad const&) = delete;
  Triad& operator=(Triad const&) = delete;
  ~Triad();

  /// Once over all arrays.
  void run();
  /// Of one run.
  [[nodiscard]] double bytes() const;
  /// Whether all elements are what so many runs leave.
  [[nodiscard]] bool is_right() const;

 private:
  struct Team;
  std::unique_ptr<Team> team_;
};

}  // namespace allport::engine
