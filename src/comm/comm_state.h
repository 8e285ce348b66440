// The state shared by a Communicator and its copies.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "allport/comm/communicator.h"
#include "allport/machine/machine.h"
#include "allport/select/scattered.h"
#include "collective_call.h"
#include "execution.h"
#include "progress_engine.h"
#include "schedule_cache.h"
#include "turns.h"

namespace allport::engine {

struct CommState;

/// The MPI communicator and tags of a communicator's messages.
struct MessageContext {
  MPI_Comm mpi = MPI_COMM_NULL;
  std::vector<Rank> ranks{};            ///< in `mpi`, by rank; empty: the identity
  int first_tag = 0;                    ///< that stands for tag 0
  int top_tag = 0;                      ///< tags go up to this one, counted from first_tag
  std::shared_ptr<CommState> lender{};  ///< whose own communicator `mpi` is; none: it is this one's own

  /// An MPI communicator of one's own.
  [[nodiscard]] static MessageContext of(MPI_Comm mpi);
  /// Context `number` of a family's first communicator, for `members` of it.
  [[nodiscard]] static MessageContext within(std::shared_ptr<CommState> lender, std::span<Rank const> members,
                                             int number);
};

/// Protected by the family's lock, except constant members.
struct CommState : std::enable_shared_from_this<CommState> {
  /// Takes an MPI communicator of its own over. `ranks`: by position in `machine`; `whole`: positions in
  /// the family's machine by rank; both empty for the identity.
  CommState(std::shared_ptr<ProgressEngine> engine, MessageContext context, Machine machine, bool box,
            std::vector<Rank> ranks, std::vector<Rank> whole);

  [[nodiscard]] Rank rank_at(Rank position) const {
    return ranks.empty() ? position : ranks[static_cast<std::size_t>(position)];
  }
  [[nodiscard]] Rank position_of(Rank r) const {
    return positions.empty() ? r : positions[static_cast<std::size_t>(r)];
  }
  [[nodiscard]] Rank whole_position(Rank r) const { return whole.empty() ? r : whole[static_cast<std::size_t>(r)]; }
  /// "rank 5 (node (1,1))", the node in the whole machine's coordinates.
  [[nodiscard]] std::string rank_text(Rank r) const;
  /// @throws Error(mpi) after MPI_Finalize
  void ensure_alive() const;
  void ensure_rank(std::string_view argument, Rank r) const;

  /// The MPI communicator of exactly these ranks, for collective calls. @throws Error if there is only a context
  [[nodiscard]] MPI_Comm mpi() const;
  /// Starts a message to or from a rank, under a tag of this communicator's. @throws Error(mpi)
  void send(void const* data, std::int64_t bytes, Rank to, int tag, MPI_Request& request) const;
  void receive(void* data, std::int64_t bytes, Rank from, int tag, MPI_Request& request) const;
  /// Bitwise or of all members' words, by messages among them; also a barrier. Progresses the family meanwhile. Members
  /// call it in the same order. (Dissemination: Hensgen, Finkel, Manber 1988.)
  void join(std::span<Rank const> members, Rank place, std::span<std::uint64_t> words, std::string_view what) const;
  /// Waits for an MPI request; progresses the family meanwhile.
  void await(MPI_Request request, std::string_view what) const;
  /// A barrier that progresses the family meanwhile.
  void meet(std::string_view what) const;
  /// The algorithms for selection.
  [[nodiscard]] AlgorithmList algorithms(std::optional<Scattered> const& trees) const;
  /// Communicator::algorithm_by_name().
  [[nodiscard]] std::string algorithm_by_name(Contract const& contract, std::optional<Mapping> mapping = {}) const;
  /// The schedule chosen by selection, or of the named algorithm.
  [[nodiscard]] ScheduleCache::Entry& schedule_for(Contract const& contract, std::string_view algorithm,
                                                   std::int64_t segment = 0);
  /// The same where this rank's program is short; else, and with ALLPORT_CHECK, null.
  [[nodiscard]] ScheduleCache::Entry* short_entry(Contract const& contract);
  /// Reserves a block of tags. Called by all ranks in the same order.
  [[nodiscard]] int take_lasting_turn();
  [[nodiscard]] EngineLock& lock() const { return *engine->lock(); }
  /// Throws on every rank if any rank passes a non-empty text.
  void all_well(std::string const& trouble, ErrorKind kind) const;
  /// Throws on every rank unless `value` is equal on all; `text` is what a
  /// message shows of it (cut to 119 characters).
  void agree(std::string_view name, std::int64_t value, std::string const& text) const;

  std::shared_ptr<ProgressEngine> engine;
  MessageContext context;
  std::optional<Shadow> shadow;  // after family: freed before it
  Rank rank = 0;
  Rank size = 1;
  Machine machine;
  /// As it was named, where `machine` has rates that were measured at start: the order of sums must not depend on
  /// those.
  std::optional<Machine> named;
  bool box = true;
  /// Beside what the family knows, for ranks that form no box: by the rates of `machine`, and of `named`.
  std::optional<Scattered> scattered;
  std::optional<Scattered> scattered_named;
  std::vector<Rank> ranks;      ///< by position; empty: identity
  std::vector<Rank> positions;  ///< by rank; empty: identity
  std::vector<Rank> whole;      ///< position in engine->machine() by rank; empty: identity
  TagSpace tags;
  Turns turns;
  LastingTurns lasting_turns;
  ScheduleCache schedules;
  std::list<std::pair<std::string, std::shared_ptr<void>>> cached;  ///< Communicator::cached, latest first

 private:
  [[noreturn]] void disagree(std::string_view name, std::int64_t value, std::string const& text) const;
};

/// During its lifetime this thread may be in a blocking MPI call of all members. @pre all of them have reached it or
/// will soon (CommState::meet), since the call does not progress Allport's transfers. If MPI supports several threads,
/// the lock is released: another rank may reach the call only after another thread of this process has got the lock.
class MayBlock {
 public:
  explicit MayBlock(EngineLock& lock);

 private:
  std::optional<EngineLock::Released> meanwhile_;
};

/// A turn that ends with a scope.
struct GivesBack {
  GivesBack(CommState& comm_, std::int64_t number_) : comm(comm_), number(number_) {}
  ~GivesBack() { comm.turns.give_back(number); }
  GivesBack(GivesBack const&) = delete;
  GivesBack& operator=(GivesBack const&) = delete;

  CommState& comm;
  std::int64_t number;
};

/// One rank's part of a collective or message, and all that it needs to live.
struct TransferState {
  /// A schedule's.
  TransferState(std::shared_ptr<CommState> comm, Schedule schedule, Buffers buffers, Combine combine);
  /// A message's, under its own tag.
  TransferState(std::shared_ptr<CommState> comm, Program program, Buffers buffers, int tag);
  /// Of a start that failed on this rank, so that ALLPORT_CHECK can report it on the others.
  explicit TransferState(std::shared_ptr<CommState> comm);
  /// Waits unless waiting is impossible.
  ~TransferState();
  TransferState(TransferState const&) = delete;
  TransferState& operator=(TransferState const&) = delete;

  // With the lock:
  void start(Tags tags, std::shared_ptr<StartCheck> check = {});
  /// The first tag of the block that it keeps.
  [[nodiscard]] int lasting_tag() const { return comm->lasting_turns.first_tag(lasting_turn); }

  // Without:
  [[nodiscard]] bool test();
  void wait(FunctionRef<void()> pause = {});
  /// Until the buffers hold all that will come.
  void wait_for_data();
  /// For destructors: waits unless waiting is impossible.
  void settle() noexcept;
  [[nodiscard]] std::string text() const;

  std::shared_ptr<CommState> comm;
  std::unique_ptr<Schedule> schedule;  ///< none: a message
  int tag = 0;                         ///< of a message
  int lasting_turn = -1;               ///< of a Persistent
  std::unique_ptr<Staging> staging;    ///< none: the caller's buffers are as the schedule has them
  Execution execution;

 private:
  /// What comes after an execution's end, or when all that it gets is there.
  void arrived();
};

/// The state of a Turn.
struct TurnState {
  TurnState(std::shared_ptr<CommState> comm, bool lasts);
  ~TurnState();
  TurnState(TurnState const&) = delete;
  TurnState& operator=(TurnState const&) = delete;

  std::shared_ptr<CommState> comm;
  std::int64_t number = -1;
  int lasting = -1;
  bool used = false;
  std::shared_ptr<TransferState> latest;  ///< that was started under it
};

/// Description of the values that all ranks must pass alike.
[[nodiscard]] std::string schedule_text(Schedule const& schedule);

}  // namespace allport::engine
