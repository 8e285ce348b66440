// Module graph in Python: what reads a task graph.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/graph/draw.h"
#include "allport/graph/price.h"
#include "allport/graph/simulate.h"
#include "arrays_of.h"
#include "task_graph.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using Transport = graph::Transport;

nb::dict check(TaskGraph const& graph, std::int64_t exhaustive, std::int64_t paths, std::uint64_t seed) {
  graph::CheckReport report;
  {
    auto const unlocked = nb::gil_scoped_release();
    report = graph::check(graph, {exhaustive, paths, seed});
  }
  nb::dict d;
  d["tasks"] = report.tasks;
  d["edges"] = report.edges;
  d["longest"] = report.longest;
  d["exhaustive"] = report.exhaustive;
  d["unreached_unknown"] = report.unreached_unknown;
  return d;
}

/// None where some rank does not know.
std::optional<std::int64_t> total(TaskGraph const& graph) {
  auto const unlocked = nb::gil_scoped_release();
  std::int64_t sum = 0;
  for (Rank r = 0; r < graph.ranks(); ++r) {
    auto const own = graph.count(r);
    if (!own) return std::nullopt;
    sum += *own;
  }
  return sum;
}

nb::list count(TaskGraph const& graph, Transport const& transport) {
  std::vector<graph::Count> counts;
  {
    auto const unlocked = nb::gil_scoped_release();
    counts = graph::count(graph, transport);
  }
  nb::list list;
  for (auto const& c : counts) list.append(dict_of(c));
  return list;
}

nb::dict price(TaskGraph const& graph, Machine const& machine, Transport const& transport, int workers, double factor,
               std::int64_t segment) {
  graph::Price price;
  {
    auto const unlocked = nb::gil_scoped_release();
    graph::PriceOptions options;
    options.workers = workers;
    options.factor = factor;
    options.segment = segment;
    price = graph::price(graph, machine, transport, options);
  }
  nb::dict d;
  d["work"] = price.work.value();
  d["links"] = price.links.value();
  d["chain"] = price.chain.value();
  d["total"] = price.total.value();
  return d;
}

nb::dict columns(TaskGraph const& graph, std::vector<graph::Span> const& spans) {
  nb::list names;
  nb::list kinds;
  for (auto const& s : spans) {
    names.append(graph.name(s.task));
    kinds.append(s.to < 0 ? name(graph.work(s.task).kernel) : std::string_view("none"));
  }
  nb::dict d;
  d["name"] = names;
  d["kernel"] = kinds;
  d["rank"] = column_of<std::int32_t>(spans, [](auto const& s) { return s.rank; });
  d["to"] = column_of<std::int32_t>(spans, [](auto const& s) { return s.to; });
  d["worker"] = column_of<std::int32_t>(spans, [](auto const& s) { return s.worker; });
  d["bytes"] = column_of<std::int64_t>(spans, [](auto const& s) { return s.bytes; });
  d["begin"] = column_of<double>(spans, [](auto const& s) { return s.begin; });
  d["end"] = column_of<double>(spans, [](auto const& s) { return s.end; });
  d["cause"] = column_of<std::int64_t>(spans, [](auto const& s) { return s.cause; });
  return d;
}

/// @param windows, warm, span, tail  as in Sampling; windows = 0: all steps
nb::dict simulate(TaskGraph const& graph, Machine const& machine, Transport const& transport,
                  graph::SimulateOptions options, int windows, int warm, int span, int tail,
                  nb::object const& progress) {
  Signals signals;
  options.progress = [&](std::int64_t done) {
    signals.look();
    auto const locked = nb::gil_scoped_acquire();
    progress(done);
    return true;
  };
  graph::Sampled sampled;
  signals.guard([&] {
    auto const unlocked = nb::gil_scoped_release();
    if (windows > 0) {
      sampled = graph::simulate_sampled(graph, machine, transport, options, {windows, warm, span, tail});
    } else {
      sampled.result = graph::simulate(graph, machine, transport, options);
      sampled.steps = sampled.simulated = graph.steps();
    }
  });
  auto& result = sampled.result;
  nb::dict d;
  d["seconds"] = result.seconds;
  d["steps"] = sampled.steps;
  d["simulated_steps"] = options.end > 0 ? options.end - options.first : sampled.simulated;
  d["tasks"] = result.tasks;
  d["messages"] = result.hops;
  d["most_waiting"] = result.most_waiting;
  d["longest_work"] = result.longest_work;
  d["longest_tasks"] = result.longest_tasks;
  d["compute"] = column_of<double>(result.ranks, [](auto const& r) { return r.compute; });
  d["communicate"] = column_of<double>(result.ranks, [](auto const& r) { return r.communicate; });
  d["idle"] = column_of<double>(result.ranks, [](auto const& r) { return r.idle; });
  d["link_busy"] = array_of(std::move(result.link_busy));
  d["last"] = result.last;
  d["spans"] = columns(graph, result.spans);
  return d;
}

}  // namespace

nb::dict dict_of(graph::Count const& c) {
  nb::dict d;
  d["tasks"] = c.tasks;
  d["flops"] = c.flops;
  d["messages_sent"] = c.traffic.messages_sent;
  d["messages_received"] = c.traffic.messages_received;
  d["bytes_sent"] = c.traffic.bytes_sent;
  d["bytes_received"] = c.traffic.bytes_received;
  d["expected_bytes"] = c.expected_bytes;
  d["expected_messages"] = c.expected_messages;
  return d;
}

void bind_graph(nb::module_& m) {
  nb::class_<Transport>(m, "Transport", "The messages by which an output or a sum reaches other ranks.");
  m.def(
      "transport", [](std::string const& name) { return graph::transport(name); }, "name"_a);
  m.def("graph_total", total, "graph"_a);
  m.def("graph_check", check, "graph"_a, "exhaustive"_a, "paths"_a, "seed"_a);
  m.def("graph_count", count, "graph"_a, "transport"_a);
  m.def("graph_price", price, "graph"_a, "machine"_a, "transport"_a, "workers"_a, "factor"_a, "segment"_a);
  nb::class_<graph::SimulateOptions>(m, "GraphSimOptions", "What of a task graph is simulated, and what is kept.")
      .def(
          "__init__",
          [](graph::SimulateOptions* self, int workers, double factor, std::int64_t segment, bool trace,
             std::int64_t trace_limit, std::int64_t first, std::int64_t end, bool in_steps, Machine const* memory) {
            new (self) graph::SimulateOptions{workers, factor, segment, trace, trace_limit, first, end, in_steps};
            if (memory != nullptr) self->levels = memory->levels();
          },
          nb::kw_only(), "workers"_a, "factor"_a, "segment"_a, "trace"_a, "trace_limit"_a, "first"_a, "end"_a,
          "in_steps"_a, "memory"_a.none());
  m.def("graph_simulate", simulate, "graph"_a, "machine"_a, "transport"_a, "options"_a, "windows"_a, "warm"_a, "span"_a,
        "tail"_a, "progress"_a);
  m.def(
      "graph_draw",
      [](TaskGraph const& graph, std::int64_t most) {
        auto const unlocked = nb::gil_scoped_release();
        return graph::draw(graph, most);
      },
      "graph"_a, "most"_a);
}

}  // namespace allport::python
