// Attributes of a BLACS grid's communicator: our communicator of the same processes, agreed settings, and plans. Grids
// of the same processes at the same coordinates share them, as some programs make a grid for every matrix and never
// free it.
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
#include "interpose/decide.h"
#include "interpose/settings.h"
#include "tuning_run.h"

namespace allport::scalapack {

using interpose::Policy;

/// A plan, or the reason for falling back to ScaLAPACK.
template <class Plan>
struct Decision : interpose::Decision<Plan> {
  std::optional<Plan> possible{};  ///< our plan, even if ScaLAPACK is predicted to be faster; nothing if there is none
  Seconds theirs{};                ///< predicted
  Seconds ours{};
};

/// The decision on one call.
template <class Plan>
struct Choice {
  Plan const* plan = nullptr;
  std::string why_not;  ///< not empty: why it falls back to ScaLAPACK
};

inline constexpr auto policy_variable = "ALLPORT_SCALAPACK";

/// A set of processes that grids are made of: their settings, and our communicator, of which MPI libraries have few. It
/// is created for the first call that the drop-in performs.
class Processes {
 public:
  /// @param comm    any communicator of these processes. Collective
  /// @param world   their ranks in MPI_COMM_WORLD; empty: some are of another job
  /// @param alike   all have equal settings in the environment, and no machine named
  Processes(MPI_Comm comm, std::vector<Rank> const& world, bool alike);
  ~Processes();
  Processes(Processes const&) = delete;
  Processes& operator=(Processes const&) = delete;
  /// Creates `comm`, once. Collective.
  /// @throws Error(mpi) on all processes, each time, if the MPI library has no communicators left
  void open(MPI_Comm given);
  /// Before MPI_Finalize.
  void free();

  interpose::Settings settings{};
  std::vector<Rank> places{};  ///< by rank in the given communicator: rank in `comm`
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

  /// Not empty: why every call falls back to ScaLAPACK.
  [[nodiscard]] std::string const& why_not() const { return why_not_; }
  /// Creates comm() unless it exists. Collective.
  /// @throws Error(mpi) on all processes if the MPI library has no communicators left
  void open() { processes_->open(caller_); }
  /// @pre open()
  [[nodiscard]] Communicator const& comm() const { return *processes_->comm; }
  /// Of this process in comm().
  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] Machine const& machine() const { return processes_->machine(); }
  /// Whether a machine is named that has these processes as a box; else the machine is a flat one.
  [[nodiscard]] bool knows_machine() const { return processes_->knows_machine; }
  [[nodiscard]] Policy policy() const { return policy_; }
  [[nodiscard]] Pivoting pivoting() const { return pivoting_; }
  /// Ranks in comm() of grid coordinates (r, c), at r + c * rows.
  [[nodiscard]] std::vector<Rank> const& ranks() const { return ranks_; }
  /// Whether typical results (typical.h) decide instead of predicted times: the machine is unknown, or all processes
  /// are on one node of it, and ALLPORT_SELECT does not request tuning.
  [[nodiscard]] bool uses_typical_results() const {
    return policy_ == Policy::automatic && !tunes_ && (!knows_machine() || machine().nodes() == 1);
  }
  /// Communicator of the grid that makes the call, for collectives by which its processes agree.
  [[nodiscard]] MPI_Comm caller() const { return caller_; }
  /// Rank in caller() of the grid's first process.
  [[nodiscard]] int first() const { return first_; }
  /// @param comm  communicator of the grid that makes the next call
  void set_caller(MPI_Comm comm) { caller_ = comm; }

  /// Decides on a call: by a cached decision, by make(), or by the tuning run of such calls. Equal on all processes,
  /// which call it in the same order.
  template <class Plan, class Make>
  Choice<Plan> choose(std::map<std::string, Decision<Plan>>& made, std::string const& key, Make const& make) {
    constexpr std::size_t most = 64;
    auto known = made.find(key);
    if (known == made.end()) {
      if (made.size() == most) made.clear();
      known = made.emplace(key, make()).first;
    }
    auto const& decision = known->second;
    auto const* const tuning = decision.possible ? tuning_of(key, decision.theirs, decision.ours) : nullptr;
    if (tuning != nullptr && tuning->is_ours()) return {&*decision.possible, {}};
    if (tuning != nullptr) return {nullptr, "ScaLAPACK's own, which is being timed or was the fastest"};
    return {decision.plan ? &*decision.plan : nullptr, decision.why_not};
  }
  std::map<std::string, Decision<GemmPlan>> gemm_decisions;
  std::map<std::string, Decision<LuPlan>> lu_decisions;
  std::map<std::string, Decision<SolvePlan>> solve_decisions;
  std::map<std::string, Decision<QrPlan>> qr_decisions;
  std::map<std::string, Decision<CholeskyPlan>> cholesky_decisions;
  std::map<std::string, Decision<CholeskySolvePlan>> cholesky_solve_decisions;

 private:
  /// The tuning run of the current call; null: there is none.
  [[nodiscard]] TuningRun const* tuning_of(std::string const& key, Seconds theirs, Seconds ours);

  std::string why_not_;
  Policy policy_ = Policy::automatic;
  Pivoting pivoting_ = Pivoting::partial;
  std::shared_ptr<Processes> processes_;
  MPI_Comm caller_ = MPI_COMM_NULL;
  int first_ = 0;
  Rank rank_ = 0;
  std::vector<Rank> ranks_;
  bool tunes_ = false;
  bool explains_ = false;
  std::string site_;  ///< beginning of the names of all tuning runs
  Memory known_;
  std::map<std::string, TuningRun> tuning_;
};

/// The record of a grid; it may be shared with an earlier grid of the same processes at the same coordinates.
/// Collective over its processes the first time.
/// @pre grid.has_me()
[[nodiscard]] Record& record_of(Grid const& grid);

/// Frees what MPI made for all sets of processes, before MPI_Finalize.
void free_processes();

}  // namespace allport::scalapack
