// What hangs on a BLACS grid's communicator: ours over the same processes, what was agreed, and plans made.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/solve.h"
#include "blacs.h"
#include "handback/decide.h"

namespace allport::scalapack {

using handback::Decision;
using handback::Policy;

inline constexpr auto policy_variable = "ALLPORT_SCALAPACK";

class Record {
 public:
  /// Collective over the grid's processes.
  explicit Record(Grid const& grid);
  ~Record();
  Record(Record const&) = delete;
  Record& operator=(Record const&) = delete;

  [[nodiscard]] Communicator const& comm() const { return *comm_; }
  /// False where the machine is a flat one, for want of a named one that has these processes as a box.
  [[nodiscard]] bool knows_machine() const { return knows_machine_; }
  [[nodiscard]] Policy policy() const { return policy_; }
  [[nodiscard]] Pivoting pivoting() const { return pivoting_; }
  /// Our rank of grid place (r, c), at r + c * rows.
  [[nodiscard]] std::vector<Rank> const& ranks() const { return ranks_; }
  /// For messages of the drop-in itself.
  [[nodiscard]] MPI_Comm talk() const { return talk_; }
  /// Rank in talk() of the grid's first process.
  [[nodiscard]] int first() const { return first_; }

  /// A decision made before, or that `make` makes now; equal on all processes, as all ask in one order.
  template <class Plan, class Make>
  Decision<Plan> const& remember(std::map<std::string, Decision<Plan>>& made, std::string const& key,
                                 Make const& make) {
    constexpr std::size_t most = 64;
    auto const known = made.find(key);
    if (known != made.end()) return known->second;
    if (made.size() == most) made.clear();
    return made.emplace(key, make()).first->second;
  }
  std::map<std::string, Decision<GemmPlan>> gemm_decisions;
  std::map<std::string, Decision<LuPlan>> lu_decisions;
  std::map<std::string, Decision<SolvePlan>> solve_decisions;
  std::map<std::string, Decision<Seconds>> qr_decisions;
  std::map<std::string, Decision<CholeskyPlan>> cholesky_decisions;
  std::map<std::string, Decision<CholeskySolvePlan>> cholesky_solve_decisions;

 private:
  Policy policy_ = Policy::automatic;
  Pivoting pivoting_ = Pivoting::partial;
  bool knows_machine_ = false;
  std::optional<Communicator> comm_;
  MPI_Comm talk_ = MPI_COMM_NULL;
  int first_ = 0;
  std::vector<Rank> ranks_;
};

/// The grid's record, made the first time; collective over its processes. It goes with BLACS's communicator.
/// @pre grid.has_me()
[[nodiscard]] Record& record_of(Grid const& grid);

}  // namespace allport::scalapack
