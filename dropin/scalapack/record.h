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
/// libraries have few. The communicators are made for the first call that the drop-in takes.
class Processes {
 public:
  /// @param theirs  some communicator of these processes. Collective
  /// @param world   their ranks in MPI_COMM_WORLD; empty: some are of another job
  /// @param alike   all have equal settings in the environment, and no machine named
  Processes(MPI_Comm theirs, std::vector<Rank> const& world, bool alike);
  ~Processes();
  Processes(Processes const&) = delete;
  Processes& operator=(Processes const&) = delete;
  /// Makes `comm`, once. Collective.
  /// @throws Error(mpi) on all processes, each time, where the MPI library has no communicators left
  void open(MPI_Comm theirs);
  /// Before MPI_Finalize.
  void free();

  handback::Settings settings{};
  std::vector<Rank> places{};  ///< by rank in `theirs`: rank in `comm`
  bool knows_machine = false;  ///< else it is a flat one
  std::optional<Communicator> comm{};
  /// Constructed at first use: constructing a flat machine takes longer than a short call.
  [[nodiscard]] Machine const& machine();

 private:
  std::optional<Machine> machine_{};
  bool has_opened_ = false;
  MPI_Comm own_ = MPI_COMM_NULL;
};

class Record {
 public:
  /// Collective over the grid's processes.
  Record(Grid const& grid, std::shared_ptr<Processes> processes);
  Record(Record const&) = delete;
  Record& operator=(Record const&) = delete;

  /// Not empty: every call is handed back, and why.
  [[nodiscard]] std::string const& why_not() const { return why_not_; }
  /// Before comm() is asked for. Collective.
  /// @throws Error(mpi) on all processes where the MPI library has no communicators left
  void open() { processes_->open(theirs_); }
  /// @pre open()
  [[nodiscard]] Communicator const& comm() const { return *processes_->comm; }
  /// Of this process in comm().
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] Machine const& machine() const { return processes_->machine(); }
  /// False where the machine is a flat one, for want of a named one that has these processes as a box.
  [[nodiscard]] bool knows_machine() const { return processes_->knows_machine; }
  [[nodiscard]] Policy policy() const { return policy_; }
  [[nodiscard]] Pivoting pivoting() const { return pivoting_; }
  /// Our rank of grid place (r, c), at r + c * rows.
  [[nodiscard]] std::vector<Rank> const& ranks() const { return ranks_; }
  /// Whether typical results (typical.h) decide instead of predicted times: the machine is unknown, or all processes
  /// are on one node of it, and ALLPORT_SELECT does not ask for both to be tried.
  [[nodiscard]] bool uses_typical_results() const {
    return policy_ == Policy::automatic && !tries_ && (!knows_machine() || machine().nodes() == 1);
  }
  /// Communicator of the grid that makes the call, for collectives by which its processes agree.
  [[nodiscard]] MPI_Comm talk() const { return theirs_; }
  /// Rank in talk() of the grid's first process.
  [[nodiscard]] int first() const { return first_; }
  /// @param theirs  communicator of the grid that makes the next call
  void set_caller(MPI_Comm theirs) { theirs_ = theirs; }

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
  MPI_Comm theirs_ = MPI_COMM_NULL;
  int first_ = 0;
  Rank rank_ = 0;
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

/// Frees what MPI made for all sets of processes, before MPI_Finalize.
void free_processes();

}  // namespace allport::scalapack
