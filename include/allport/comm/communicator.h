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
struct TurnState;  // a place among the starts
}  // namespace engine

/// A place among the starts of a communicator, for schedules that run one after another as the parts of one operation.
/// Given back when destroyed, after waiting for what was started under it last.
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
/// one lock, which every call takes and every waiting call lets go again and again. Several threads may use different
/// communicators of a family at once, and any transfers; MPI must have been started with MPI_THREAD_MULTIPLE, or with
/// MPI_THREAD_SERIALIZED where all MPI calls of the process are made through one family. As in MPI, the collective
/// calls of one communicator must come in one order on all ranks, so that two threads that start collectives on the
/// same communicator must order them. One Transfer, one Persistent is used by one thread at a time. An operator
/// (Combine) runs with the lock held: it may call progress(), but neither wait nor wait for another thread that does.
class Communicator : public CollectiveCalls {
 public:
  /// Collective over `comm`. Rank i of comm is rank i of the machine (x-fastest).
  /// @throws Error on every rank when sizes differ or when ranks pass different machines
  Communicator(MpiComm comm, Machine machine);
  /// As above where the launcher has put ranks elsewhere: rank r of comm is at place mapping.place(r) of the machine.
  /// @throws Error on every rank also when ranks pass different mappings, or one of another size
  Communicator(MpiComm comm, Machine machine, Mapping const& mapping);
  /// As above, for places that are yet to be checked: what is wrong with them on any rank is an error on all.
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
  /// The box of the machine that this communicator is. Where it is none: the line through its places that the machine
  /// has for it (line_through), beside which selection knows trees over the network among them (SubNetwork); or
  /// Machine::flat(size) where no machine was named.
  [[nodiscard]] Machine const& machine() const;
  /// What reductions choose by: machine(), but for rates that were measured at start.
  [[nodiscard]] Machine const& named_machine() const;
  [[nodiscard]] bool is_box() const;
  /// What selection chooses from on machine(): the registered ones, beside trees where this is no box. Valid as long as
  /// the communicator.
  [[nodiscard]] AlgorithmList algorithms() const;
  /// As above on named_machine().
  [[nodiscard]] AlgorithmList named_algorithms() const;
  /// By which a contract that combines is done where named_machine() is not machine(): algorithm_for_any_rates(). Empty
  /// elsewhere: prices on machine() decide.
  /// @param mapping where the contract's ranks are on named_machine(); none: rank r at place r
  [[nodiscard]] std::string algorithm_by_name(Contract const& contract, std::optional<Mapping> mapping = {}) const;
  /// What no schedule over positions beats; where this is no box, on the machine that it is part of. None where none is
  /// known.
  [[nodiscard]] std::optional<model::Bound> lower_bounds(Contract const& contract) const;
  /// Whether both are of the same processes in the same order, so that ranks of one are ranks of the other
  /// (MPI_IDENT and MPI_CONGRUENT). Local.
  [[nodiscard]] bool is_congruent(Communicator const& other) const;
  /// The schedule's rank (position in machine()) of a rank of this communicator, and back.
  [[nodiscard]] Rank position(Rank r) const;
  [[nodiscard]] Rank at_position(Rank p) const;
  /// position() of every rank.
  [[nodiscard]] Mapping mapping() const;
  /// ALLPORT_CHECK: ranks that start say what, and differing starts are errors on all of them.
  [[nodiscard]] bool checks() const;
  [[nodiscard]] MpiComm mpi() const;  ///< the shadow communicator; for messages of the caller's own use duplicate()
  /// A duplicate of mpi(), for messages of the caller's own, who frees it. Called by all ranks; what has been started
  /// moves along until all are here. Its errors return.
  [[nodiscard]] MpiComm duplicate() const;

  /// Sub-communicator of `members` (ranks of this one, in the new order); called by exactly the members. Knows whether
  /// it is a line or box of the machine. Shares counters and progress with its parent.
  [[nodiscard]] Communicator sub(std::span<Rank const> members) const;
  /// As above over `given`, a communicator of exactly these members in this order, which this takes over. Local.
  [[nodiscard]] Communicator sub(std::span<Rank const> members, MpiComm given) const;
  /// As above without an MPI communicator of its own, of which libraries have few: messages travel on this one's, under
  /// tags that context `context` of 0..contexts() - 1 sets aside. Local. The same number on all members, for each of
  /// which no other communicator of that number lives. What needs a communicator of these ranks alone throws
  /// Error(unsupported): barrier, split, sub, all_gather, ensure_agreement, ensure_all_well, mpi; so does
  /// ALLPORT_CHECK.
  /// @pre this has an MPI communicator of its own
  [[nodiscard]] Communicator sub_in_context(std::span<Rank const> members, int context) const;
  /// 0 where MPI has too few tags.
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
  /// Runs schedule_for(contract) at once where this rank's part of it is a few short messages: many times quicker to
  /// start than run(). False where it is not; then nothing was done, and run() meets the other ranks that did.
  /// `pause` as in Transfer::wait().
  [[nodiscard]] bool run_short(Contract const& contract, Buffers buffers, Combine const& combine,
                               FunctionRef<void()> pause = {}) const;
  /// As above in a place that was set aside; false for one that lasts.
  [[nodiscard]] bool run_short(Turn const& under, Contract const& contract, Buffers buffers, Combine const& combine,
                               FunctionRef<void()> pause = {}) const;
  /// Makes what run_short() keeps of a contract, so that the first call need not; sends nothing. Whether it would run
  /// it.
  bool prepare_short(Contract const& contract) const;
  /// Sets a place among the starts aside, for several to be made under it, one when the other is done. Called by all
  /// ranks in one order with the starts, the first of which follows at once. Starts that come much later (1024, or
  /// fewer where MPI has few tags) go only when this is given back.
  [[nodiscard]] Turn reserve() const;
  /// As reserve(), for what is started again and again, in any order with others: no later start waits for it.
  /// @throws Error(unsupported) on every rank when too many (23551 with Open MPI) are kept
  [[nodiscard]] Turn reserve_lasting() const;
  /// As start(), but in the place that was set aside.
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
  /// schedule_for()'s of what the description comes to over positions. An error on one rank leaves the other ranks'
  /// next starts right.
  Transfer start(CollectiveCall const& call) const;
  void run(CollectiveCall const& call) const;
  [[nodiscard]] Persistent prepare(CollectiveCall const& call) const;
  /// Waits until all ranks are here.
  void barrier() const;

  /// Counted point-to-point messages, matched by (peer, tag) in order, 0 <= tag < 4096; apart from schedules' messages.
  /// Zero bytes send nothing (both sides know the size).
  Transfer start_send(std::span<std::byte const> data, Rank to, int tag) const;
  Transfer start_receive(std::span<std::byte> data, Rank from, int tag) const;

  /// Sends and receives these blocks, all at once, and waits for all of them, as run_short() does. For short blocks
  /// whose lengths only the two ranks know; which ranks call it, and with whom, is theirs to agree on. Blocks between
  /// two ranks are matched in the order of the calls and, within one, of the lists. Zero bytes send nothing, as in
  /// start_send().
  /// @param longest  bytes of a message: longer blocks go in several. The same on all ranks
  /// @pre 1 <= longest <= longest_message
  /// @throws Error(mismatch) where other bytes come than are expected
  void exchange(std::span<Outgoing const> out, std::span<Incoming const> in, FunctionRef<void()> pause = {},
                Bytes longest = longest_message) const;

  /// Moves all transfers of the communicator family along; cheap when nothing is in flight. Called between pieces of
  /// local work so that communication overlaps with it.
  void progress() const;

  /// Something that lives as long as this communicator, found again by its key; made by `make` the first time. Few are
  /// kept, the longest unused goes. `make` may communicate, so all ranks must ask for the same keys in the same order.
  [[nodiscard]] std::shared_ptr<void> cached(std::string const& key,
                                             std::function<std::shared_ptr<void>()> const& make) const;

  /// What this rank has sent and received since reset, over the whole family.
  [[nodiscard]] Traffic counted() const;
  void reset_counted() const;

  /// The family's lock, for a program that keeps data of its own under it. Outlives the family.
  [[nodiscard]] std::shared_ptr<EngineLock> lock() const;

  /// Throws Error(mismatch) on every rank unless all ranks pass the same value; the message names the ranks that
  /// differ.
  void ensure_agreement(std::string_view name, std::int64_t value) const;
  /// Throws on every rank when any rank brings an error: the first failing rank's message and kind are told to all.
  /// Call with the text of the local error, or empty.
  void ensure_all_well(std::string const& local_error, ErrorKind kind = ErrorKind::argument) const;
  /// Ends the whole job with a line on stderr: for what goes wrong on one rank while others wait for it. Needs no
  /// memory.
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
