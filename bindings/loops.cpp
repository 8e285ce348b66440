// Module loops in Python: grids in blocks, and what the memory of loops says.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <memory>
#include <utility>

#include "allport/loops/cores.h"
#include "allport/loops/loop_advice.h"
#include "allport/loops/team.h"
#include "allport/loops/teams.h"
#include "arrays.h"
#include "loops/blocks_graph.h"
#include "loops/untyped_blocks.h"

// What nanobind calls at an object's end: other threads may want the interpreter's lock, other ranks this one.
template <>
void nanobind::detail::wrap_destruct<allport::loops::UntypedBlocks>(void* object) noexcept {
  auto const unlocked = nanobind::gil_scoped_release();
  static_cast<allport::loops::UntypedBlocks*>(object)->~UntypedBlocks();
}
template <>
void nanobind::detail::wrap_destruct<allport::loops::Teams>(void* object) noexcept {
  auto const unlocked = nanobind::gil_scoped_release();
  static_cast<allport::loops::Teams*>(object)->~Teams();
}

namespace allport::python {
namespace {

using namespace nb::literals;

using loops::BlockPart;
using loops::UntypedBlocks;
using Lengths = std::vector<std::int64_t>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

loops::LoopSchedule schedule_of(std::string const& name) {
  if (name == "static") return loops::LoopSchedule::static_;
  if (name == "dynamic") return loops::LoopSchedule::dynamic;
  if (name == "guided") return loops::LoopSchedule::guided;
  throw Error::argument("schedule", "'" + name + "'", "'static', 'dynamic' or 'guided'");
}

/// A function of Python's, called by threads that have no lock. The first exception is kept, for its traceback.
class PythonBody {
 public:
  explicit PythonBody(nb::object const& body) : body_(&body) {}

  template <class Call>
  void operator()(Call&& call) {
    auto const locked = nb::gil_scoped_acquire();
    try {
      call(*body_);
    } catch (nb::python_error& error) {
      if (!raised_.is_valid()) raised_ = nb::borrow(error.value());
      throw Error(ErrorKind::argument, text_of(error));
    }
  }
  /// What was raised, with the interpreter's lock; None: nothing.
  [[nodiscard]] nb::object raised() const { return raised_.is_valid() ? raised_ : nb::none(); }

 private:
  nb::object const* body_;
  nb::object raised_;
};

/// run(body) without the interpreter's lock: (exception, None) where it threw because Python did, else what it threw.
template <class Run>
nb::object calling(nb::object const& function, Run&& run) {
  PythonBody body(function);
  std::exception_ptr thrown;
  {
    auto const unlocked = nb::gil_scoped_release();
    try {
      run(body);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  if (!thrown) return nb::none();
  try {
    std::rethrow_exception(thrown);
  } catch (Error const& error) {
    return nb::make_tuple(std::string(error.what()), kind_name(error.kind()), body.raised());
  }
}

/// The memory of a block from the first to the last cell of a part's halo; it stays while the array does.
nb::object with_halo(BlockPart const& part, std::byte* at, std::shared_ptr<std::byte[]> const& memory, int axes,
                     std::int64_t halo, std::int64_t element) {
  std::int64_t before = 0;
  std::int64_t bytes = element;
  for (std::size_t a = 0; a < static_cast<std::size_t>(axes); ++a) {
    before += halo * part.stride[a];
    bytes += (part.cells[a] + 2 * halo - 1) * part.stride[a];
  }
  auto held = std::make_unique<std::shared_ptr<std::byte[]>>(memory);
  nb::capsule const owner(held.release(),
                          [](void* p) noexcept { delete static_cast<std::shared_ptr<std::byte[]>*>(p); });
  return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(reinterpret_cast<std::uint8_t*>(at - before),
                                                           {static_cast<std::size_t>(bytes)}, owner)
      .cast();
}

/// body(block, iteration, first, cells, strides, now, next)
void give_part(nb::object const& body, BlockPart const& part, UntypedBlocks const& blocks) {
  auto const& grid = blocks.engine().grid();
  auto const axes = grid.axes();
  auto const tuple = [&](auto const& values) {
    nb::list all;
    for (int a = 0; a < axes; ++a) all.append(values[static_cast<std::size_t>(a)]);
    return nb::tuple(all);
  };
  auto const copy = static_cast<std::size_t>(part.iteration % 2);
  auto const array = [&](std::byte* at, std::size_t which) {
    return with_halo(part, at, part.cells_of->memory[which], axes, grid.shape().halo, blocks.element());
  };
  body(part.block, part.iteration, tuple(part.first), tuple(part.cells), tuple(part.stride), array(part.now, copy),
       array(part.next, 1 - copy));
}

nb::object visit(UntypedBlocks& blocks, bool fills, nb::object const& function) {
  return calling(function, [&](PythonBody& body) {
    blocks.visit(fills, [&](BlockPart const& part) { body([&](auto const& f) { give_part(f, part, blocks); }); });
  });
}

nb::object iterate(UntypedBlocks& blocks, std::int64_t count, nb::object const& function, std::string const& schedule,
                   std::int64_t chunk) {
  return calling(function, [&](PythonBody& body) {
    std::string wrong;
    loops::LoopOptions loop{.chunk = chunk};
    try {
      loop.schedule = schedule_of(schedule);
      ensure(chunk >= 0, "chunk", chunk, "a number of rows, or 0 for the schedule's own");
    } catch (Error const& error) {
      wrong = error.what();
    }
    blocks.comm().ensure_all_well(wrong);
    blocks.iterate(count, loop,
                   [&](BlockPart const& part) { body([&](auto const& f) { give_part(f, part, blocks); }); });
  });
}

nb::object parallel_for(loops::Team& team, std::int64_t begin, std::int64_t end, nb::object const& function,
                        std::string const& schedule, std::int64_t chunk) {
  return calling(function, [&](PythonBody& body) {
    team.parallel_for(loops::Range{begin, end},
                      [&](loops::Range rows) { body([&](auto const& f) { f(rows.begin, rows.end); }); },
                      {schedule_of(schedule), chunk});
  });
}

void select(UntypedBlocks& blocks, loops::Teams const& teams, std::vector<Lengths> const& sizes,
            std::vector<std::pair<std::string, std::int64_t>> const& schedules, bool fewer, std::string const& site) {
  std::string wrong;
  std::vector<loops::LoopConfiguration> all;
  try {
    std::vector<loops::LoopOptions> loops_of;
    for (auto const& [schedule, chunk] : schedules) {
      ensure(chunk >= 0, "chunk", chunk, "a number of rows, or 0 for the schedule's own");
      loops_of.push_back({schedule_of(schedule), chunk});
    }
    all = loops::loop_configurations(teams.threads(), loops_of, fewer ? loops::Threads::fewer_too : loops::Threads::all,
                                     sizes);
  } catch (Error const& error) {
    wrong = error.what();
  }
  blocks.comm().ensure_all_well(wrong);
  blocks.select(std::move(all), site);
}

std::string selection(UntypedBlocks const& blocks, bool explained) {
  auto const* const selector = blocks.selector();
  ensure(selector != nullptr, "select", "not called", "blocks whose configuration is selected", "call select() before");
  return explained ? selector->selector().explain() : loops::name(selector->best());
}

void bind_teams(nb::module_& m) {
  nb::class_<loops::Team>(m, "Team", "Threads that run loops together.")
      .def(
          "__init__",
          [](loops::Team* self, int threads) {
            ensure(threads >= 0 && threads <= 4096, "threads", threads, "0 (one for each processor) to 4096");
            new (self) loops::Team((threads == 0 ? loops::processors() : threads) - 1);
          },
          "threads"_a)
      .def_prop_ro("size", &loops::Team::size)
      .def("parallel_for", parallel_for, "begin"_a, "end"_a, "body"_a, "schedule"_a, "chunk"_a,
           nb::sig("def parallel_for(self, begin: int, end: int, body: object, schedule: str, chunk: int) -> "
                   "tuple[str, str, object] | None"));
  nb::class_<loops::Teams>(m, "Teams", "All cores of a rank as teams.")
      .def(
          "__init__",
          [](loops::Teams* self, Communicator const& comm, int threads) {
            auto const cores = loops::cores_of_rank(comm);
            std::string wrong;
            if (threads < 0 || threads > 4096) wrong = "threads = " + std::to_string(threads) + ": expected 0 to 4096";
            comm.ensure_all_well(wrong);
            new (self) loops::Teams(cores, {.threads = threads});
          },
          "comm"_a, "threads"_a, Unlocked())
      .def_prop_ro("threads", &loops::Teams::threads)
      .def_prop_ro("leaders", &loops::Teams::leaders)
      .def_prop_ro("members", &loops::Teams::members)
      .def_prop_ro("pinned", &loops::Teams::pinned)
      .def("configure", &loops::Teams::configure, "leaders"_a, "members"_a, Unlocked());
}

void bind_blocks(nb::module_& m) {
  nb::class_<UntypedBlocks>(m, "Blocks", "A grid in blocks that ranks own.")
      .def(
          "__init__",
          [](UntypedBlocks* self, Communicator const& comm, loops::Teams& teams, Lengths const& grid,
             Lengths const& block, std::vector<bool> const& periodic, std::int64_t halo, std::int64_t element,
             std::vector<int> const& owners) {
            new (self) UntypedBlocks(comm, {grid, block, periodic, halo}, teams, element, {.owners = owners});
          },
          "comm"_a, "teams"_a, "grid"_a, "block"_a, "periodic"_a, "halo"_a, "element"_a, "owners"_a,
          nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), Unlocked())
      .def_prop_ro("block", [](UntypedBlocks const& b) { return b.engine().grid().shape().block; })
      .def_prop_ro("owners", [](UntypedBlocks const& b) { return b.engine().owners(); })
      .def_prop_ro("iteration", [](UntypedBlocks const& b) { return b.engine().iteration(); })
      .def("visit", visit, "fills"_a, "body"_a,
           nb::sig("def visit(self, fills: bool, body: object) -> tuple[str, str, object] | None"))
      .def("iterate", iterate, "count"_a, "body"_a, "schedule"_a, "chunk"_a,
           nb::sig("def iterate(self, count: int, body: object, schedule: str, chunk: int) -> "
                   "tuple[str, str, object] | None"))
      .def(
          "balance",
          [](UntypedBlocks& b, std::string const& balancer, double tolerance) {
            loops::BalanceReport report;
            {
              auto const unlocked = nb::gil_scoped_release();
              std::string wrong;
              loops::BalanceOptions options{.tolerance = tolerance};
              try {
                options.balancer = loops::parse_balancer(balancer);
                ensure(tolerance >= 1, "tolerance", tolerance, "at least 1");
              } catch (Error const& error) {
                wrong = error.what();
              }
              b.comm().ensure_all_well(wrong);
              report = b.engine().balance(options);
            }
            return nb::make_tuple(report.between_ranks, report.between_leaders, report.before, report.after);
          },
          "balancer"_a, "tolerance"_a)
      .def(
          "recut", [](UntypedBlocks& b, Lengths const& block) { b.engine().recut(block); }, "block"_a, Unlocked())
      .def(
          "loads", [](UntypedBlocks const& b) { return b.engine().loads(); }, Unlocked())
      .def("select", select, "teams"_a, "sizes"_a, "schedules"_a, "fewer"_a, "site"_a, Unlocked())
      .def("selection", selection, "explained"_a);
}

nb::list advice(std::string const& path) {
  nb::list all;
  for (auto const& one : loops::loop_advice(load_memory(path))) {
    nb::dict d;
    d["site"] = one.site;
    d["found"] = one.found;
    d["change"] = one.change;
    d["compared"] = one.compared;
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_loops(nb::module_& m) {
  m.def("loop_advice", advice, "path"_a, nb::sig("def loop_advice(path: str) -> list[dict]"));
  bind_teams(m);
  bind_blocks(m);
  m.def(
      "block_owners",
      [](Lengths const& grid, Lengths const& block, std::vector<bool> const& periodic, Rank ranks) {
        return loops::BlockGrid({grid, block, periodic}).boxes(ranks);
      },
      "grid"_a, "block"_a, "periodic"_a, "ranks"_a);
  nb::class_<loops::BlocksWork>(m, "BlocksWork", "What the blocks of a blocks_graph compute, move and send.")
      .def(
          "__init__",
          [](loops::BlocksWork* self, int iterations, double flops, double noise, std::uint64_t seed, bool sends,
             double bytes, double footprint, double seconds) {
            new (self) loops::BlocksWork{iterations, flops, noise, seed, sends, bytes, footprint, seconds};
          },
          "iterations"_a, "flops"_a, "noise"_a, "seed"_a, "sends"_a, "bytes"_a, "footprint"_a, "seconds"_a);
  m.def(
      "blocks_graph",
      [](Lengths const& grid, Lengths const& block, std::vector<bool> const& periodic, std::vector<int> const& owners,
         Rank ranks, loops::BlocksWork const& work) -> std::unique_ptr<TaskGraph> {
        return std::make_unique<loops::BlocksGraph>(loops::BlockGrid({grid, block, periodic}), owners, ranks, work);
      },
      "grid"_a, "block"_a, "periodic"_a, "owners"_a, "ranks"_a, "work"_a,
      nb::sig("def blocks_graph(grid: Sequence[int], block: Sequence[int], periodic: Sequence[bool], "
              "owners: Sequence[int], ranks: int, work: BlocksWork) -> TaskGraph"));
}

}  // namespace allport::python
