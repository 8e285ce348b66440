// Runs schedules on MPI: blocking, non-blocking and persistent, many in flight at once, on any communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/comm/collective_calls.h"
#include "allport/comm/engine_lock.h"
#include "allport/comm/messages.h"
#include "allport/comm/mpi_comm.h"
#include "allport/comm/transfer.h"
#include "allport/machine/machine.h"
#include "allport/mapping/mapping.h"
#include "allport/schedule/interpreter.h"
#include "allport/schedule/schedule.h"
#include "allport/select/select.h"

namespace allport {

namespace engine {
struct TurnState;  // a reserved place in the order of starts
}  // namespace engine

/// A reserved place in the order of a communicator's starts, for schedules that run one after another as parts of one
/// operation. The destructor waits for the last schedule started under it and releases the place.
class Turn {
 public:
  Turn() = default;

 private:
  friend class Communicator;
  explicit Turn(std::shared_ptr<engine::TurnState> state) : state_(std::move(state)) {}
  std::shared_ptr<engine::TurnState> state_;
};

/// A block for another rank, and one from another: Communicator::exchange().
struct Outgoing {
  std::span<std::byte const> data;
  Rank to;
};
struct Incoming {
  std::span<std::byte> data;
  Rank from;
};

/// An MPI communicator that knows what part of the machine it is. Copies share one state; the shadow communicator is
/// freed with the last copy (or at MPI_Finalize, whichever is first).
///
/// Threads: a communicator and all that came from it by sub() and split() are one family with one progress engine and
/// one lock, which every call takes and every waiting call releases repeatedly. Several threads may use different
/// communicators of a family at once, and any transfers; MPI must have been started with MPI_THREAD_MULTIPLE, or with
/// MPI_THREAD_SERIALIZED where all MPI calls of the process are made through one family. As in MPI, the collective
/// calls of one communicator must come in one order on all ranks, so that two threads that start collectives on the
/// same communicator must order them. One Transfer, one Persistent is used by one thread at a time. An operator
/// (Combine) runs with the lock held: it may call progress(), but must not wait, nor wait for another thread that does.
class Communicator : public CollectiveCalls {
 public:
  /// Collective over `comm`. Rank i of comm is rank i of the machine (x-fastest).
  /// @throws Error on every rank when sizes differ or when ranks pass different machines
  Communicator(MpiComm comm, Machine machine);
  /// As above for another placement of ranks: rank r of comm is at place mapping.place(r) of the machine.
  /// @throws Error on every rank also when ranks pass different mappings, or one of another size
  Communicator(MpiComm comm, Machine machine, Mapping const& mapping);
  /// As above, for places that have not been checked: an error in them on any rank is an error on all.
  /// @param machine none: from the environment, as below; a spec: as Machine::parse() reads it
  /// @param places rank r of comm is at places[r] of the machine
  Communicator(MpiComm comm, std::variant<std::monostate, Machine, std::string> machine, std::span<Rank const> places);
  /// As above; machine as Machine::parse() reads it, on every rank: one that cannot is an error on all of them.
  Communicator(MpiComm comm, std::string_view spec);
  /// As above for a machine whose rates were measured just now (measure_rates): reductions still choose their
  /// algorithm, and so the order of their sums, by `named`, which is the same in every run. Of equal shapes.
  Communicator(MpiComm comm, Machine measured, Machine named);
  /// As above; machine from the environment's ALLPORT_MACHINE, else Machine::flat.
  explicit Communicator(MpiComm comm);

  [[nodiscard]] Rank rank() const;
  [[nodiscard]] Rank size() const;
  /// The box of the machine that this communicator occupies. If it is no box: the line through its places
  /// (line_through), in addition to which selection knows trees over the network among them (SubNetwork). If no machine
  /// was named: Machine::flat(size).
  [[nodiscard]] Machine const& machine() const;
  /// The machine by which reductions are selected: machine() without rates that were measured at start.
  [[nodiscard]] Machine const& named_machine() const;
  [[nodiscard]] bool is_box() const;
  /// The algorithms from which selection chooses on machine(): the registered ones, and trees over the network if this
  /// is no box. Valid for the communicator's lifetime.
  [[nodiscard]] AlgorithmList algorithms() const;
  /// As above on named_machine().
  [[nodiscard]] AlgorithmList named_algorithms() const;
  /// The algorithm of a reduction if named_machine() differs from machine(): algorithm_for_any_rates(). Otherwise
  /// empty: prices on machine() decide.
  /// @param mapping where the contract's ranks are on named_machine(); none: rank r at place r
  [[nodiscard]] std::string algorithm_by_name(Contract const& contract, std::optional<Mapping> mapping = {}) const;
  /// Lower bound on the time of any schedule over positions; if this is no box, on the machine that it is part of.
  /// Nothing if no bound is known.
  [[nodiscard]] std::optional<model::Bound> lower_bounds(Contract const& contract) const;
  /// Whether both are of the same processes in the same order, so that ranks of one are ranks of the other
  /// (MPI_IDENT and MPI_CONGRUENT). Local.
  [[nodiscard]] bool is_congruent(Communicator const& other) const;
  /// The schedule's rank (position in machine()) of a rank of this communicator, and back.
  [[nodiscard]] Rank position(Rank r) const;
  [[nodiscard]] Rank at_position(Rank p) const;
  /// position() of every rank.
  [[nodiscard]] Mapping mapping() const;
  /// ALLPORT_CHECK: ranks compare what they start; if they differ, every rank gets an error.
  [[nodiscard]] bool checks() const;
  [[nodiscard]] MpiComm mpi() const;  ///< the shadow communicator; for messages of the caller's own use duplicate()
  /// A duplicate of mpi() for the caller's own messages; the caller frees it. Collective; transfers progress meanwhile.
  /// Its error handler is MPI_ERRORS_RETURN.
  [[nodiscard]] MpiComm duplicate() const;

  /// Sub-communicator of `members` (ranks of this one, in the new order); called by exactly the members. Knows whether
  /// it is a line or box of the machine. Shares counters and progress with its parent.
  [[nodiscard]] Communicator sub(std::span<Rank const> members) const;
  /// As above over `given`, a communicator of exactly these members in this order, which this takes over. Local.
  [[nodiscard]] Communicator sub(std::span<Rank const> members, MpiComm given) const;
  /// As above without an MPI communicator of its own, which are a limited resource: messages use this communicator with
  /// tags reserved for context `context`, 0..contexts() - 1. Local. All members pass the same number, and none of them
  /// has another live communicator with it. Functions that need a communicator of exactly these ranks throw
  /// Error(unsupported): barrier, split, sub, all_gather, ensure_agreement, ensure_all_well, mpi; so does
  /// ALLPORT_CHECK.
  /// @pre this has an MPI communicator of its own
  [[nodiscard]] Communicator sub_in_context(std::span<Rank const> members, int context) const;
  /// Number of contexts; 0 if MPI has too few tags.
  [[nodiscard]] int contexts() const;
  /// As sub(), for schedules that were planned over positions of a machine of the caller's: member i is at position
  /// mapping.place(i) of `machine`.
  /// @pre machine.ranks() == mapping.ranks() == members.size(); the same on all members
  [[nodiscard]] Communicator sub(std::span<Rank const> members, Machine machine, Mapping const& mapping) const;
  /// As MPI_Comm_split; nothing for color < 0. Called by all ranks.
  [[nodiscard]] std::optional<Communicator> split(int color, int key) const;

  /// Starts a schedule over machine() positions; contract().root is a position too. Called by all ranks in one order;
  /// never waits for another rank. `combine` is needed by reductions and must stay valid until done.
  Transfer start(Schedule const& schedule, Buffers buffers, Combine combine = {}) const;
  void run(Schedule const& schedule, Buffers buffers, Combine combine = {}) const;
  /// Runs schedule_for(contract) immediately if this rank's part of it is a few short messages; starts many times
  /// faster than run(). If it is not, returns false without any effect; run() then matches the other ranks'
  /// run_short(). `pause` as in Transfer::wait().
  [[nodiscard]] bool run_short(Contract const& contract, Buffers buffers, Combine const& combine,
                               FunctionRef<void()> pause = {}) const;
  /// As above in a reserved place; false for reserve_lasting().
  [[nodiscard]] bool run_short(Turn const& under, Contract const& contract, Buffers buffers, Combine const& combine,
                               FunctionRef<void()> pause = {}) const;
  /// Builds what run_short() caches for a contract, so that its first call is fast; sends nothing. Returns whether
  /// run_short() would run it.
  bool prepare_short(Contract const& contract) const;
  /// Reserves a place in the order of starts for several starts under it, each after the one before is complete. All
  /// ranks call it in the same order as their starts, and the first start follows immediately. Much later starts (1024,
  /// or fewer if MPI has few tags) wait until the place is released.
  [[nodiscard]] Turn reserve() const;
  /// As reserve(), for operations that are started repeatedly in any order: no later start waits for it.
  /// @throws Error(unsupported) on every rank if too many (23551 with Open MPI) exist
  [[nodiscard]] Turn reserve_lasting() const;
  /// As start(), but in a reserved place.
  Transfer start(Turn const& under, Schedule const& schedule, Buffers buffers, Combine combine = {}) const;
  /// Called by all ranks in one order. @throws Error(unsupported) as reserve_lasting()
  [[nodiscard]] Persistent prepare(Schedule const& schedule, Buffers buffers, Combine combine = {}) const;

  /// The schedule that selection (or the named algorithm) makes for a collective with `root` a rank of this
  /// communicator; cached. The same on all ranks, and the same as a plan computes without MPI.
  [[nodiscard]] Schedule schedule_for(Collective what, Rank root, Bytes bytes, std::int64_t element = 1,
                                      std::string_view algorithm = {}) const;
  /// As above for any contract over machine() positions, with blocks of different lengths, too.
  /// @param segment  bytes in which the algorithm sends what it cuts; 0: those that are expected to be quickest
  /// @pre segment >= 0
  [[nodiscard]] Schedule schedule_for(Contract const& contract, std::string_view algorithm = {},
                                      std::int64_t segment = 0) const;
  /// A collective by its description; the methods of CollectiveCalls are made of these. The schedule is
  /// schedule_for() of the equivalent contract over positions. An error on one rank does not affect later starts of the
  /// other ranks.
  Transfer start(CollectiveCall const& call) const;
  void run(CollectiveCall const& call) const;
  [[nodiscard]] Persistent prepare(CollectiveCall const& call) const;
  /// Waits until all ranks have called it.
  void barrier() const;

  /// Counted point-to-point messages, matched by (peer, tag) in order, 0 <= tag < 4096; apart from schedules' messages.
  /// Zero bytes send nothing (both sides know the size).
  Transfer start_send(std::span<std::byte const> data, Rank to, int tag) const;
  Transfer start_receive(std::span<std::byte> data, Rank from, int tag) const;

  /// Sends and receives these blocks simultaneously and waits for all of them, as run_short() does. For short blocks
  /// whose lengths only the two ranks know; the caller ensures that sends and receives match. Blocks between two ranks
  /// are matched in the order of the calls and, within one call, of the lists. Zero bytes send nothing, as in
  /// start_send().
  /// @param longest  maximum bytes of a message: longer blocks are split. The same on all ranks
  /// @pre 1 <= longest <= longest_message
  /// @throws Error(mismatch) if a received length differs from the expected one
  void exchange(std::span<Outgoing const> out, std::span<Incoming const> in, FunctionRef<void()> pause = {},
                Bytes longest = longest_message) const;

  /// Progresses all transfers of the communicator family; cheap when nothing is in flight. Call it between pieces of
  /// local work so that communication overlaps with it.
  void progress() const;

  /// An object cached with this communicator under a key; `make` creates it if it is not cached. The cache is small and
  /// evicts the least recently used entry. `make` may communicate, so all ranks must use the same keys in the same
  /// order.
  [[nodiscard]] std::shared_ptr<void> cached(std::string const& key,
                                             std::function<std::shared_ptr<void>()> const& make) const;

  /// Traffic of this rank since reset, over the whole family.
  [[nodiscard]] Traffic counted() const;
  void reset_counted() const;

  /// The family's lock, for programs that protect their own data with it. Outlives the family.
  [[nodiscard]] std::shared_ptr<EngineLock> lock() const;

  /// Throws Error(mismatch) on every rank unless all ranks pass the same value; the message names the ranks that
  /// differ.
  void ensure_agreement(std::string_view name, std::int64_t value) const;
  /// Throws on every rank if any rank passes an error: all ranks throw the first failing rank's message and kind. Call
  /// with the text of the local error, or empty.
  void ensure_all_well(std::string const& local_error, ErrorKind kind = ErrorKind::argument) const;
  /// Ends the whole job with a line on stderr: for an error on one rank while others wait for it. Allocates no memory.
  [[noreturn]] void give_up(std::string_view what, std::string_view why) const;
  /// Every rank's values, in rank order; all ranks pass equally many. For reports: not counted, not fast.
  [[nodiscard]] std::vector<std::int64_t> all_gather(std::span<std::int64_t const> mine) const;

 private:
  explicit Communicator(std::shared_ptr<engine::CommState> state) : state_(std::move(state)) {}
  [[nodiscard]] engine::TurnState& free_turn(Turn const& under) const;
  std::shared_ptr<engine::CommState> state_;
};

/// output[i] = left[i] + right[i] on doubles, floats, complex: a Combine for sums of T.
template <class T>
Combine sum_of() {
  return [](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    auto const* a = reinterpret_cast<T const*>(left);
    auto const* b = reinterpret_cast<T const*>(right);
    auto* c = reinterpret_cast<T*>(out);
    for (std::int64_t i = 0, n = bytes / static_cast<std::int64_t>(sizeof(T)); i < n; ++i) {
      c[i] = a[i] + b[i];
    }
  };
}

}  // namespace allport
