// What hangs on a BLACS grid's communicator: ours over the same processes, what was agreed, and plans made. Grids of
// the same processes in the same places share it, as some programs make a grid for every matrix, and leave none.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/qr_plan.h"
#include "allport/linalg/solve.h"
#include "blacs.h"
#include "handback/decide.h"
#include "handback/settings.h"
#include "trial.h"

namespace allport::scalapack {

using handback::Policy;

/// What we would do, or why ScaLAPACK does the call.
template <class Plan>
struct Decision : handback::Decision<Plan> {
  std::optional<Plan> possible{};  ///< what we would do, whoever is expected to take less; nothing where we cannot
  Seconds theirs{};                ///< expected
  Seconds ours{};
};

/// Of one call.
template <class Plan>
struct Verdict {
  Plan const* plan = nullptr;
  std::string why_not;  ///< not empty: handed back, and why
};

inline constexpr auto policy_variable = "ALLPORT_SCALAPACK";

/// A set of processes that grids are made of: what the environment says to them, and our communicators, of which MPI
/// libraries have few.
class Processes {
 public:
  /// @param theirs  some communicator of these processes, on which a program may have its own messages. Collective
  explicit Processes(MPI_Comm theirs);
  ~Processes() { free(); }
  Processes(Processes const&) = delete;
  Processes& operator=(Processes const&) = delete;
  /// Before MPI_Finalize.
  void free();

  /// Not empty: there is no communicator, and why.
  std::string why_not{};
  handback::Settings settings{};
  std::vector<Rank> places{};  ///< by rank in `theirs`: rank in `comm`
  bool knows_machine = false;
  std::optional<Communicator> comm{};
  MPI_Comm talk = MPI_COMM_NULL;  ///< the same ranks, for messages of the drop-in itself
};

class Record {
 public:
  /// Collective over the grid's processes.
  Record(Grid const& grid, std::shared_ptr<Processes> processes);
  Record(Record const&) = delete;
  Record& operator=(Record const&) = delete;

  /// Not empty: every call is handed back, and why.
  [[nodiscard]] std::string const& why_not() const { return why_not_; }
  /// @pre why_not() is empty
  [[nodiscard]] Communicator const& comm() const { return *processes_->comm; }
  /// False where the machine is a flat one, for want of a named one that has these processes as a box.
  [[nodiscard]] bool knows_machine() const { return processes_->knows_machine; }
  [[nodiscard]] Policy policy() const { return policy_; }
  [[nodiscard]] Pivoting pivoting() const { return pivoting_; }
  /// Our rank of grid place (r, c), at r + c * rows.
  [[nodiscard]] std::vector<Rank> const& ranks() const { return ranks_; }
  /// For messages of the drop-in itself.
  [[nodiscard]] MPI_Comm talk() const { return processes_->talk; }
  /// Rank in talk() of the grid's first process.
  [[nodiscard]] int first() const { return first_; }

  /// By a decision made before, or that `make` makes now, or by the trial of such calls; equal on all processes, as all
  /// ask in one order.
  template <class Plan, class Make>
  Verdict<Plan> verdict(std::map<std::string, Decision<Plan>>& made, std::string const& key, Make const& make) {
    constexpr std::size_t most = 64;
    auto known = made.find(key);
    if (known == made.end()) {
      if (made.size() == most) made.clear();
      known = made.emplace(key, make()).first;
    }
    auto const& decision = known->second;
    auto const* const trial = decision.possible ? trial_of(key, decision.theirs, decision.ours) : nullptr;
    if (trial != nullptr && trial->is_ours()) return {&*decision.possible, {}};
    if (trial != nullptr) return {nullptr, "ScaLAPACK's own, which is being tried or was best when it was"};
    return {decision.plan ? &*decision.plan : nullptr, decision.why_not};
  }
  std::map<std::string, Decision<GemmPlan>> gemm_decisions;
  std::map<std::string, Decision<LuPlan>> lu_decisions;
  std::map<std::string, Decision<SolvePlan>> solve_decisions;
  std::map<std::string, Decision<QrPlan>> qr_decisions;
  std::map<std::string, Decision<CholeskyPlan>> cholesky_decisions;
  std::map<std::string, Decision<CholeskySolvePlan>> cholesky_solve_decisions;

 private:
  /// That of the call under way; null: it is not tried.
  [[nodiscard]] Trial const* trial_of(std::string const& key, Seconds theirs, Seconds ours);

  std::string why_not_;
  Policy policy_ = Policy::automatic;
  Pivoting pivoting_ = Pivoting::partial;
  std::shared_ptr<Processes> processes_;
  int first_ = 0;
  std::vector<Rank> ranks_;
  bool tries_ = false;
  bool explains_ = false;
  std::string place_;  ///< what all sites of trials begin with
  Memory known_;
  std::map<std::string, Trial> trials_;
};

/// The grid's record, which one of the same processes in the same places may have left, or made now. Collective over
/// its processes the first time.
/// @pre grid.has_me()
[[nodiscard]] Record& record_of(Grid const& grid);

/// Frees what MPI made for all of them, before MPI_Finalize.
void free_processes();

}  // namespace allport::scalapack
