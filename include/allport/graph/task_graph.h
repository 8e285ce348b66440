// A computation: which task runs where, what it needs, who needs what it makes, and what it costs.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/function_ref.h"
#include "allport/base/units.h"
#include "allport/schedule/interpreter.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// A task's identity, all that any function of a graph needs. What `kind` and the numbers mean is the algorithm's own.
struct Task {
  std::uint16_t kind = 0;
  std::uint16_t layer = 0;
  std::int32_t i = 0;
  std::int32_t j = 0;
  std::int32_t k = 0;

  friend auto operator<=>(Task const&, Task const&) = default;
};
static_assert(sizeof(Task) == 16);

/// What an edge transfers. The owners of its two ends decide whether it is local or part of a multicast.
enum class EdgeKind : std::uint8_t {
  data,   ///< the child receives the parent's output: a reference on the same rank, one copy per other rank
  sum,    ///< the child receives the sum of several tasks' outputs, in the order of TaskGraph::contributors
  order,  ///< no data: the child overwrites what the parent has read. Both are on one rank
  sent,   ///< no data: the child overwrites the memory that the parent's output is sent from, after it has been sent
};

struct Edge {
  Task child;
  int input = 0;   ///< which of the child's inputs; not used for order and sent
  int output = 0;  ///< which of the parent's outputs
  EdgeKind kind = EdgeKind::data;
};

/// Size of the data of an edge: a block of elements and a header in bytes (e.g. the pivots of a panel). May be empty.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t header = 0;  ///< bytes

  [[nodiscard]] std::int64_t bytes(std::int64_t element) const { return rows * cols * element + header; }
  friend bool operator==(Shape const&, Shape const&) = default;
};

/// The kernel in which a task spends most of its time; it selects the machine's rate. QR kernels have LAPACK's names:
/// geqrt factors a tile, tpqrt a tile below a triangle; gemqrt and tpmqrt apply their reflectors.
enum class Kernel : std::uint8_t { none, gemm, syrk, trsm, potrf, panel, add, copy, own, geqrt, tpqrt, gemqrt, tpmqrt };
inline constexpr int kernels = 13;
[[nodiscard]] std::string_view name(Kernel kernel);

struct Work {
  Kernel kernel = Kernel::none;
  double flops = 0;  ///< in the graph's element type: a complex multiply-add counts as two, as a real one does
  double bytes = 0;  ///< bytes of memory that are read or written
  /// Bytes that a cache must hold so that none are read or written; 0: no cache does. Of the task's first tile.
  double footprint = 0;
  double seconds = 0;  ///< besides, at any rate: to start the loop of a team of threads
};

/// Name of a block of a rank's memory that tasks overwrite. The algorithm chooses it; it is local to the rank.
using Tile = Task;

/// A collective that the members of a gang call together while they run.
struct GangCollective {
  Collective what = Collective::broadcast;
  int root = 0;              ///< index in Gang::members
  std::int64_t bytes = 0;    ///< as Contract::bytes
  std::int64_t element = 1;  ///< as Contract::element
  std::int64_t times = 1;    ///< number of calls, one after the other
};

/// Tasks on different ranks that run at the same time because their bodies communicate (gang scheduling), e.g. a panel
/// with one reduction per column. In a graph with steps all members are in one step. A gang starts in one of three
/// ways:
/// - by default, no member starts before all are ready; start messages notify the ranks;
/// - `exchanges`: each member sends early through TaskGraph::exchange() and runs when its expected messages have
///   arrived; no body waits. For data whose amount only the bodies know, such as rows that are swapped;
/// - `inside`: each member starts when it is ready and waits in its body; no start messages are sent. A waiting member
///   occupies its rank, so every task that precedes a member on another member's rank must precede that member too
///   (check() verifies this).
struct Gang {
  std::vector<Task> members;                ///< one per rank; the first one names the gang
  std::vector<GangCollective> collectives;  ///< those known beforehand; empty for a gang that exchanges
  bool exchanges = false;
  bool inside = false;
  /// Data-dependent traffic, expected per member on average; counted separately.
  double expected_bytes = 0;
  double expected_messages = 0;

  /// Empty, with the memory that it has.
  void clear() {
    members.clear();
    collectives.clear();
    exchanges = inside = false;
    expected_bytes = expected_messages = 0;
  }
};

/// Communication between the bodies of a gang. Members are numbered by their index in Gang::members. All members call
/// collectives in the same order. One thread at a time may call.
class GangContext {
 public:
  GangContext() = default;
  GangContext(GangContext const&) = delete;
  GangContext& operator=(GangContext const&) = delete;
  virtual ~GangContext() = default;
  [[nodiscard]] virtual int members() const = 0;
  [[nodiscard]] virtual int me() const = 0;

  /// Data-dependent messages (Gang::expected_bytes). send() copies the data and returns immediately. Messages between
  /// two members are received in the order in which they were sent.
  virtual void send(int to, std::span<std::byte const> data) = 0;
  [[nodiscard]] virtual std::vector<std::byte> receive(int from) = 0;

  /// Collectives that the graph knows: Gang::collectives. By binomial trees, of nothing where there are no bytes. What
  /// is combined is combined in an order that is always the same, though not the members': the same bits on every run.
  /// An allreduce goes to member 0 and back, in small gangs straight (graph::in_gangs()).
  virtual void broadcast(int root, std::span<std::byte> data) = 0;
  /// @param data the member's own; on the root all members' together when it returns, elsewhere rubbish
  virtual void reduce(int root, std::span<std::byte> data, Combine const& combine) = 0;
  virtual void allreduce(std::span<std::byte> data, Combine const& combine) {
    reduce(0, data, combine);
    broadcast(0, data);
  }
};

/// What a body has: its inputs as the graph names them, and where its outputs go.
class TaskContext {
 public:
  TaskContext() = default;
  TaskContext(TaskContext const&) = delete;
  TaskContext& operator=(TaskContext const&) = delete;
  virtual ~TaskContext() = default;
  [[nodiscard]] virtual std::span<std::byte const> input(int index) const = 0;
  [[nodiscard]] virtual std::span<std::byte> output(int index) = 0;
  /// Ownership of an input's or output's memory beyond the end of the body; null for tiles and empty blocks.
  [[nodiscard]] virtual std::shared_ptr<void> keep_input(int index) const { return nullptr; }
  [[nodiscard]] virtual std::shared_ptr<void> keep_output(int index) { return nullptr; }
  /// Progresses communication; bodies of more than 2e7 flops should call it repeatedly.
  virtual void progress() = 0;
  /// Communication with the other members of the task's gang.
  /// @throws Error if the task is in no gang
  [[nodiscard]] virtual GangContext& gang();
  /// Number of other idle threads of this process: a body can usefully be split into idle() + 1 parts. The value may
  /// change at any moment, so results must not depend on it.
  [[nodiscard]] virtual int idle() const { return 0; }
  /// body(part) for part = 0 ... parts - 1, by this thread and by those that have nothing else to do (Robson18). Ends
  /// when all have run. @throws what the first of them threw; later ones are dropped
  virtual void parallel_for(std::int64_t parts, FunctionRef<void(std::int64_t)> body) {
    for (std::int64_t part = 0; part < parts; ++part) body(part);
  }
};

/// The reduction tree of a sum (sum_tree.h).
enum class SumTree {
  halves,  ///< recursive bisection: the fewest dependent messages
  chain    ///< from each contributor to the next one: every message is between neighbours
};

/// A task graph as functions of a task's identity, the same on every rank, without stored tables. All functions must be
/// thread-safe. The checker, the counter, the price, the simulator, the drawing and the executor read it.
class TaskGraph {
 public:
  using VisitTask = FunctionRef<void(Task)>;
  using VisitEdge = FunctionRef<void(Edge const&)>;

  TaskGraph() = default;
  TaskGraph(TaskGraph const&) = delete;
  TaskGraph& operator=(TaskGraph const&) = delete;
  virtual ~TaskGraph() = default;

  [[nodiscard]] virtual Rank ranks() const = 0;
  /// Bytes of an element of a Shape.
  [[nodiscard]] virtual std::int64_t element() const { return 8; }
  /// For messages and drawings: "T(3, 1)".
  [[nodiscard]] virtual std::string name(Task task) const;

  /// Tasks of a rank without parents.
  virtual void entries(Rank rank, VisitTask visit) const = 0;
  /// Tasks of a rank without children; needed only if count() returns nothing.
  virtual void exits(Rank rank, VisitTask visit) const {}
  /// Number of tasks of a rank. Without it a run ends by its exits and a termination wave, and check() cannot find
  /// unreachable tasks.
  [[nodiscard]] virtual std::optional<std::int64_t> count(Rank rank) const { return std::nullopt; }

  /// The rank that runs a task: owner computes.
  [[nodiscard]] virtual Rank owner(Task task) const = 0;
  /// Number of incoming edges of every kind; each contribution to a sum counts as one.
  [[nodiscard]] virtual int num_parents(Task task) const = 0;
  /// Outgoing edges.
  virtual void children(Task task, VisitEdge visit) const = 0;
  /// The tasks whose outputs are summed into an input, in order. Consecutive ones are combined first (sum_tree.h) by an
  /// associative operator. The child's own rank is among their owners; all owners are different.
  virtual void contributors(Task child, int input, VisitTask visit) const {}
  /// The reduction tree. If consecutive contributors are neighbours on a line of the machine, a chain uses the fewest
  /// links.
  [[nodiscard]] virtual SumTree sum_tree(Task child, int input) const { return SumTree::halves; }
  /// Fills `gang` if the task is a member of one.
  [[nodiscard]] virtual bool gang(Task task, Gang& gang) const { return false; }
  /// The rank that orders the gangs with a member on `rank`; the same for all ranks of a gang. If gangs form disjoint
  /// groups of ranks, a rank of each group is nearer than rank 0.
  [[nodiscard]] virtual Rank orders_gangs(Rank rank) const { return 0; }

  /// Size of an output.
  [[nodiscard]] virtual Shape output(Task task, int index) const = 0;
  /// Number of parts of the block that this output belongs to, all sent to the same tasks. Parts may take different
  /// routes, so that no link carries the whole block.
  [[nodiscard]] virtual int parts(Task task, int index) const { return 1; }
  /// If the parts of a block are outputs of several tasks, each with its own index: the task that identifies the block.
  /// Parts are spread over equally good routes.
  [[nodiscard]] virtual Task whole(Task task, int index) const { return task; }
  /// The size that an input expects, for check(); nothing if any size is accepted.
  [[nodiscard]] virtual std::optional<Shape> input(Task task, int index) const { return std::nullopt; }
  [[nodiscard]] virtual Work work(Task task) const { return {}; }
  /// Higher values run first; tasks of equal priority in the order in which they become ready.
  [[nodiscard]] virtual double priority(Task task) const { return 0; }
  /// Tiles of its own rank that a task overwrites, so that check() can find unordered overwriting.
  virtual void writes(Task task, VisitTask visit) const {}
  /// Whether an output is stored in the first tile of writes(), and is read and sent from there; otherwise it has
  /// memory of its own.
  [[nodiscard]] virtual bool in_place(Task task, int index) const { return false; }
  /// The input whose memory an output shares: a block that is forwarded unchanged. It is available before the body
  /// runs, which neither requests nor writes it, and has the input's size. -1: the body writes the output.
  [[nodiscard]] virtual int forwards(Task task, int index) const { return -1; }

  /// Number of steps of an order of the tasks, tasks(rank, 0), tasks(rank, 1), ..., that is consistent with all edges;
  /// 0: none is known. With it the price samples steps, and counting walks step by step.
  [[nodiscard]] virtual std::int64_t steps() const { return 0; }
  virtual void tasks(Rank rank, std::int64_t step, VisitTask visit) const {}
  /// The step of a task; -1: unknown. With it the memory of a run is bounded: no task runs further ahead of the slowest
  /// rank than tasks::RunOptions::ahead.
  [[nodiscard]] virtual std::int64_t step(Task task) const { return -1; }
  /// The task of a step on which later steps depend most, if it is known without a search over ranks: the price of very
  /// many steps begins there instead of following the whole chain.
  [[nodiscard]] virtual std::optional<Task> leads(std::int64_t step) const { return std::nullopt; }

  /// Contiguous memory of a tile of the calling rank, from which in_place() outputs are read and sent.
  /// @throws Error(unsupported) if the graph defines none
  [[nodiscard]] virtual std::span<std::byte> memory(Tile tile) const;
  /// The body of a task.
  /// @throws Error(unsupported) if the graph defines none
  virtual void run(Task task, TaskContext& context) const;
  /// Runs before run() for a member of a gang that exchanges: it sends to other members through context.gang() and
  /// calls expect(member) for each member whose message run() will receive. It writes no outputs.
  /// @throws Error(unsupported) if the graph defines none
  virtual void exchange(Task task, TaskContext& context, FunctionRef<void(int member)> expect) const;
};

}  // namespace allport
