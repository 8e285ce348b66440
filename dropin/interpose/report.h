// Which calls were taken, which were passed on to the library and why, and their times beside lower bounds.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "allport/base/units.h"

namespace allport::interpose {

/// Seconds since some moment.
[[nodiscard]] double now();

/// What the calls of one routine came to.
struct Figures {
  std::int64_t taken = 0;
  std::map<std::string, std::int64_t> how;  ///< taken, by what: an algorithm; not all calls say it
  std::int64_t bytes = 0;
  double seconds = 0;
  std::int64_t bounded = 0;                     ///< calls taken of which a lower bound is known
  double bounded_seconds = 0;                   ///< what these took
  double bound = 0;                             ///< seconds, the sum of their lower bounds
  std::map<std::string, std::int64_t> reasons;  ///< of calls passed on, with their numbers
  double seconds_passed_on = 0;
  std::int64_t inner = 0;  ///< calls that the library made to itself
  double growth = 0;       ///< the largest of factorizations

  [[nodiscard]] std::int64_t passed_on() const;
};
using Table = std::map<std::string, Figures, std::less<>>;

/// A call that was taken.
struct Taken {
  std::string how{};
  std::int64_t bytes = 0;
  Seconds bound{};  ///< no way to do it takes less on the machine; 0: none is known
};

/// Counts calls, from any thread. Who counts: one process of those that make a call together, so that sums over
/// processes count calls.
class Report {
 public:
  void count_taken(std::string_view routine, Taken const& call, double seconds);
  void count_passed_on(std::string_view routine, std::string const& why, double seconds);
  void count_inner(std::string_view routine);
  /// Of a factorization; what is not finite is left out.
  void count_growth(std::string_view routine, double growth);

  /// The sum over all ranks, on rank 0; nothing elsewhere. Collective.
  [[nodiscard]] Table sum(MPI_Comm comm) const;

 private:
  Figures& of(std::string_view routine);

  mutable std::mutex mutex_;
  Table table_;
};

/// All routines together: taken, seconds_passed_on and so on; `how` and `reasons` by their texts.
[[nodiscard]] Figures total(Table const& table);
/// A line for each routine, and under it how its calls were taken, why they were passed on, and the bound.
[[nodiscard]] std::string in_words(Table const& table);
/// {routine: {"taken", "how", "bytes", "seconds", "passed_on", "reasons", "passed_on_seconds"}} and, where there
/// is any, "bounded_calls", "bounded_seconds", "bound_seconds", "of_bound" (the bound over their seconds),
/// "inside_scalapack", "largest_growth".
[[nodiscard]] nlohmann::json to_json(Table const& table);

/// Where ALLPORT_REPORT wants it: stderr for "1", else that file.
void print(std::string const& words);
/// To the file that the variable names; false, with a warning, where that cannot be written.
bool write(char const* variable, std::string const& path, nlohmann::json const& content, int indent = 2);

}  // namespace allport::interpose
