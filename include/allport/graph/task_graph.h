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

/// How an edge carries: whether it is local or a multicast follows from the owners of its two ends.
enum class EdgeKind : std::uint8_t {
  data,   ///< the child gets the parent's output: a reference on the same rank, one copy a rank elsewhere
  sum,    ///< the child gets the sum of several tasks' outputs, in the order of TaskGraph::contributors
  order,  ///< nothing travels: the child overwrites what the parent has read. Both are on one rank
  sent,   ///< likewise, once the parent's output has left: the child overwrites the memory that it is sent from
};

struct Edge {
  Task child;
  int input = 0;   ///< which of the child's inputs; of no meaning for order and sent
  int output = 0;  ///< which of the parent's outputs
  EdgeKind kind = EdgeKind::data;
};

/// What an edge carries: a block of elements, and bytes beside it (the pivots of a panel). May be empty.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t header = 0;  ///< bytes

  [[nodiscard]] std::int64_t bytes(std::int64_t element) const { return rows * cols * element + header; }
  friend bool operator==(Shape const&, Shape const&) = default;
};

/// What a task mostly does, by which the machine's rates are looked up. Of QR, by LAPACK's names: geqrt and tpqrt
/// factor a tile, and a tile below a triangle; gemqrt and tpmqrt apply their reflectors.
enum class Kernel : std::uint8_t { none, gemm, syrk, trsm, potrf, panel, add, copy, own, geqrt, tpqrt, gemqrt, tpmqrt };
inline constexpr int kernels = 13;
[[nodiscard]] std::string_view name(Kernel kernel);

struct Work {
  Kernel kernel = Kernel::none;
  double flops = 0;  ///< of the graph's element type: a complex multiply-add counts as two here, as a real one does
  double bytes = 0;  ///< of memory that are touched
};

/// Memory of a rank that tasks overwrite: its name is the algorithm's own, and means nothing on other ranks.
using Tile = Task;

/// A collective that the members of a gang call together while they run.
struct GangCollective {
  Collective what = Collective::broadcast;
  int root = 0;              ///< index in Gang::members
  std::int64_t bytes = 0;    ///< as Contract::bytes
  std::int64_t element = 1;  ///< as Contract::element
  std::int64_t times = 1;    ///< so often, one after the other
};

/// Tasks of different ranks that run at the same time, because their bodies communicate: a panel with one reduction a
/// column. None of them starts before all can. Where tasks have steps, all are in one.
/// Or tasks that change data whose amount only bodies know, like rows that change places: of a gang that `exchanges`,
/// each member sends what it has for the others as soon as it can (TaskGraph::exchange()), whatever they do, and runs
/// when what it expects has come. Nobody waits in its body.
/// Or tasks that begin each as soon as it can, and wait in their bodies for those that come later: a gang that meets
/// `inside`. Nobody need hear that all can begin. As a rank does nothing else while a member waits there, whatever is
/// on a member's rank and comes before another member must come before that one, too (check() looks).
struct Gang {
  std::vector<Task> members;                ///< one a rank; the first one names the gang
  std::vector<GangCollective> collectives;  ///< what is known beforehand; nothing for one that exchanges
  bool exchanges = false;
  bool inside = false;
  /// What depends on the data, as expected of each member on average; counted apart.
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

/// How the body of a gang's member talks to the others, who run at the same time. Members are told by their place in
/// Gang::members. Collectives are called by all members in the same order. By one thread at a time.
class GangContext {
 public:
  GangContext() = default;
  GangContext(GangContext const&) = delete;
  GangContext& operator=(GangContext const&) = delete;
  virtual ~GangContext() = default;
  [[nodiscard]] virtual int members() const = 0;
  [[nodiscard]] virtual int me() const = 0;

  /// Messages that depend on the data: Gang::expected_bytes. What is sent is copied, and the call returns at once; what
  /// one member sends another is received in that order, whatever its length.
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
  /// What keeps an input's or an output's memory beyond the body's end; null where it is a tile, or empty.
  [[nodiscard]] virtual std::shared_ptr<void> keep_input(int index) const { return nullptr; }
  [[nodiscard]] virtual std::shared_ptr<void> keep_output(int index) { return nullptr; }
  /// Moves communication along; bodies of more than 2e7 flops call it now and then.
  virtual void progress() = 0;
  /// The other members of the task's gang.
  /// @throws Error where it is in none
  [[nodiscard]] virtual GangContext& gang();
  /// Threads of this process that have nothing to do just now, this one not among them: into so many parts, and one, a
  /// body may be spread. It changes at any moment, so that results must not hang on it.
  [[nodiscard]] virtual int idle() const { return 0; }
  /// body(part) for part = 0 ... parts - 1, by this thread and by those that have nothing else to do (deck 3). Ends
  /// when all have run. @throws what the first of them threw; later ones are dropped
  virtual void parallel_for(std::int64_t parts, FunctionRef<void(std::int64_t)> body) {
    for (std::int64_t part = 0; part < parts; ++part) body(part);
  }
};

/// The tree in which the contributions to a sum meet on their way to the child's rank (sum_tree.h).
enum class SumTree {
  halves,  ///< as few messages one after the other as may be
  chain    ///< from each contributor to the next one: every message is one of neighbours
};

/// Functions of a task's identity, the same on every rank; never a table. All may be called from several threads.
/// The checker, the counter, the price, the simulator, the drawing and the executor read it.
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

  /// Tasks of a rank that wait for nothing.
  virtual void entries(Rank rank, VisitTask visit) const = 0;
  /// Tasks of a rank that nobody waits for; they need to be said only where count() does not know.
  virtual void exits(Rank rank, VisitTask visit) const {}
  /// How many tasks a rank runs. Without it a run ends by its exits and a termination wave, and check() cannot find
  /// tasks that nothing leads to.
  [[nodiscard]] virtual std::optional<std::int64_t> count(Rank rank) const { return std::nullopt; }

  /// The rank that runs a task: owner computes.
  [[nodiscard]] virtual Rank owner(Task task) const = 0;
  /// Edges that lead to a task, of every kind; the contributions to a sum count one by one.
  [[nodiscard]] virtual int num_parents(Task task) const = 0;
  /// Edges that leave a task.
  virtual void children(Task task, VisitEdge visit) const = 0;
  /// The tasks whose outputs are summed into an input, in the order in which they are combined: neighbours first, where
  /// they meet on their way (sum_tree.h), by an operator that is associative. The child's own rank is
  /// among their owners, and every owner is once.
  virtual void contributors(Task child, int input, VisitTask visit) const {}
  /// Where neighbours among the contributors are neighbours on a line of the machine, a chain takes the fewest links.
  [[nodiscard]] virtual SumTree sum_tree(Task child, int input) const { return SumTree::halves; }
  /// Fills `gang` if the task is a member of one.
  [[nodiscard]] virtual bool gang(Task task, Gang& gang) const { return false; }
  /// The rank that says which gang begins next, of those with a member on `rank`: one for all ranks of a gang. Where
  /// gangs are of few ranks that are in no gang with others, one of these is nearer than rank 0.
  [[nodiscard]] virtual Rank orders_gangs(Rank rank) const { return 0; }

  /// What travels.
  [[nodiscard]] virtual Shape output(Task task, int index) const = 0;
  /// Of an output that is one of several parts of what goes to the same tasks: how many. They may take other ways, so
  /// that no link has all of it.
  [[nodiscard]] virtual int parts(Task task, int index) const { return 1; }
  /// Where parts of a block are outputs of several tasks, each by an index of its own: the task that stands for the
  /// block. Of several ways that are equally good each part takes another one.
  [[nodiscard]] virtual Task whole(Task task, int index) const { return task; }
  /// What an input expects, for check(); nothing where any shape will do.
  [[nodiscard]] virtual std::optional<Shape> input(Task task, int index) const { return std::nullopt; }
  [[nodiscard]] virtual Work work(Task task) const { return {}; }
  /// Larger first; among equals in the order of readiness.
  [[nodiscard]] virtual double priority(Task task) const { return 0; }
  /// Memory that a task overwrites, of its own rank, so that check() can find unordered overwriting.
  virtual void writes(Task task, VisitTask visit) const {}
  /// Whether an output lies in the first of the tiles that writes() names, and is read and sent from there; else it has
  /// memory of its own.
  [[nodiscard]] virtual bool in_place(Task task, int index) const { return false; }
  /// The input that an output is, in the same memory: a block that is handed on. It is there before the body runs,
  /// which neither asks for it nor writes it, and has the input's shape. -1: the body makes the output.
  [[nodiscard]] virtual int forwards(Task task, int index) const { return -1; }

  /// An order of the tasks that no edge runs against: tasks(rank, 0), tasks(rank, 1), ... 0 where there is none. Then
  /// the price samples it, and counting walks nothing else.
  [[nodiscard]] virtual std::int64_t steps() const { return 0; }
  virtual void tasks(Rank rank, std::int64_t step, VisitTask visit) const {}
  /// The step in which tasks() names a task; -1 where there are none, or nobody says. With it a run's memory is
  /// bounded: no task runs further ahead of the slowest rank than tasks::RunOptions::ahead.
  [[nodiscard]] virtual std::int64_t step(Task task) const { return -1; }
  /// The task of a step that the next steps wait for most, where it is known without looking at all ranks: the price of
  /// very many steps begins there instead of following the chain through all of them.
  [[nodiscard]] virtual std::optional<Task> leads(std::int64_t step) const { return std::nullopt; }

  /// Where a tile of the calling rank lies, in one piece: what in_place() outputs are read and sent from.
  /// @throws Error(unsupported) where the graph has none
  [[nodiscard]] virtual std::span<std::byte> memory(Tile tile) const;
  /// The body, for who runs the graph.
  /// @throws Error(unsupported) where the graph has none
  virtual void run(Task task, TaskContext& context) const;
  /// What comes before run() for a member of a gang that exchanges: it sends to others, by context.gang(), and says
  /// from whom it expects something, which run() receives. It makes no outputs.
  /// @throws Error(unsupported) where the graph has none
  virtual void exchange(Task task, TaskContext& context, FunctionRef<void(int member)> expect) const;
};

}  // namespace allport
