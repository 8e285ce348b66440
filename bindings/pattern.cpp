// Modules pattern and mapping in Python, and the choice among the orders of ranks.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <tuple>

#include "allport/mapping/mapping.h"
#include "allport/pattern/on_grids.h"
#include "allport/select/rank_order.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;

using Triples = std::vector<std::tuple<Rank, Rank, std::int64_t>>;

Triples messages_of(Pattern const& pattern) {
  Triples all;
  for (Rank r = 0; r < pattern.ranks(); ++r) {
    for (auto const& f : pattern.flows().of(r)) all.emplace_back(r, f.peer, f.bytes);
  }
  return all;
}

nb::dict dict_of(Machine const& machine, Score const& s) {
  nb::dict d;
  d["predicted_s"] = s.predicted.value();
  d["busiest_link"] = s.busiest.link < 0 ? nb::object(nb::none()) : nb::cast(machine.link_name(s.busiest.link));
  d["busiest_link_bytes"] = s.busiest.bytes;
  d["busiest_link_s"] = s.busiest.seconds;
  d["hop_bytes"] = s.hop_bytes;
  d["mean_dilation"] = s.mean_dilation;
  d["dilation"] = s.dilation;
  d["bytes_between_nodes"] = s.bytes_between_nodes;
  d["bytes_over_dead_links"] = s.bytes_over_dead;
  return d;
}

nb::dict dict_of(Machine const& machine, OrderChoice const& choice) {
  nb::list candidates;
  for (auto const& c : choice.candidates) {
    nb::dict d;
    if (c.why_not.empty()) d = dict_of(machine, c.score);
    d["order"] = c.order;
    d["places"] = c.places;
    d["why_not"] = c.why_not;
    candidates.append(d);
  }
  nb::dict d;
  d["candidates"] = candidates;
  d["best"] = choice.best;
  d["fastest"] = choice.fastest;
  d["declined"] = choice.declined;
  d["reason"] = choice.reason;
  return d;
}

void bind_class(nb::module_& m) {
  nb::class_<Pattern>(m, "Pattern",
                      "Messages, or schedules, that run at the same time between the ranks of a program. Immutable.")
      .def(
          "__init__",
          [](Pattern* self, std::string const& name, Rank ranks, Triples const& messages,
             std::optional<CartGrid> const& grid) {
            std::vector<Message> all;
            all.reserve(messages.size());
            for (auto const& [from, to, bytes] : messages) all.push_back({from, to, bytes});
            new (self) Pattern(Pattern::of_messages(name, ranks, all, grid));
          },
          "name"_a, "ranks"_a, "messages"_a, "grid"_a.none() = nb::none())
      .def_prop_ro("name", &Pattern::name, "What reports call it.")
      .def_prop_ro("ranks", &Pattern::ranks, "Ranks of the program, 0 to ranks - 1.")
      .def_prop_ro("bytes", &Pattern::bytes, "Of all messages together.")
      .def_prop_ro("chain", &Pattern::chain, "Messages in the longest chain in which each waits for the one before.")
      .def_prop_ro(
          "grid", [](Pattern const& p) { return p.grid() ? p.grid()->lengths : std::vector<std::int32_t>{}; },
          "Lengths of the process grid, last axis fastest; empty where it has none.")
      .def_prop_ro("messages", messages_of, "(from, to, bytes) of every pair that has any.")
      .def("__add__", &Pattern::plus, "other"_a)
      .def("named", &Pattern::named, "name"_a, "The same under another name.")
      .def("to_json", &Pattern::to_json, "As from_json() reads it.")
      .def(
          "schedule",
          [](Pattern const& p, std::int64_t segment, std::int32_t window) {
            return p.schedule({segment, window});
          },
          "segment"_a = std::int64_t{1} << 20, "window"_a = 2,
          "All of it as one schedule without a promise, for simulate().")
      .def_static(
          "from_json",
          [](std::string const& text, std::string const& origin) { return Pattern::from_json(text, origin); }, "text"_a,
          "origin"_a = "pattern file",
          "Reads JSON: of to_json(), or {\"ranks\": n, \"messages\": [[from, to, bytes], ...]}.");
}

}  // namespace

void bind_pattern(nb::module_& m) {
  nb::class_<CartGrid>(m, "CartGrid")
      .def(
          "__init__",
          [](CartGrid* self, std::vector<std::int32_t> const& lengths, bool last_fastest,
             std::vector<bool> const& periodic) {
            CartGrid grid{lengths, last_fastest, periodic};
            grid.check();
            new (self) CartGrid(std::move(grid));
          },
          "lengths"_a, "last_fastest"_a, "periodic"_a)
      .def_prop_ro("ranks", &CartGrid::ranks);
  bind_class(m);
  m.def(
      "pattern_halo",
      [](CartGrid const& grid, int points, std::vector<std::int64_t> const& local, std::int64_t element) {
        return halo(grid, points, local, element);
      },
      "grid"_a, "points"_a, "local"_a, "element"_a);
  m.def(
      "pattern_alltoall",
      [](CartGrid const& grid, std::vector<int> const& axes, std::int64_t bytes) {
        return alltoall_along(grid, axes, bytes);
      },
      "grid"_a, "axes"_a, "bytes"_a);
  m.def(
      "pattern_allgather",
      [](CartGrid const& grid, std::vector<int> const& axes, std::int64_t bytes) {
        return allgather_along(grid, axes, bytes);
      },
      "grid"_a, "axes"_a, "bytes"_a);
  m.def("pattern_transpose", &transpose, "grid"_a, "bytes"_a);
  m.def(
      "pattern_link_bytes",
      [](Machine const& machine, Pattern const& pattern, std::vector<Rank> const& places) {
        return link_bytes(machine, pattern, places);
      },
      "machine"_a, "pattern"_a, "places"_a, "Bytes over every directed link, by link ID.");
  m.def(
      "mapping_score",
      [](Machine const& machine, Pattern const& pattern, std::vector<Rank> const& places) {
        return dict_of(machine, score(machine, pattern, places));
      },
      "machine"_a, "pattern"_a, "places"_a);
  m.def(
      "mapping_choose",
      [](Machine const& machine, Pattern const& pattern, std::vector<Rank> const& allocation, double least_gain,
         int refined, std::vector<std::string> const& among, double most_hops, std::int64_t effort) {
        OrderOptions options;
        options.least_gain = least_gain;
        options.refined = refined;
        options.most_hops = most_hops;
        options.refine.effort = effort;
        options.among = among;
        auto const task = MappingTask(machine, pattern, allocation);
        OrderChoice choice;
        {
          nb::gil_scoped_release const others;
          choice = choose_order(task, options);
        }
        return dict_of(machine, choice);
      },
      "machine"_a, "pattern"_a, "allocation"_a, "least_gain"_a, "refined"_a, "among"_a, "most_hops"_a, "effort"_a);
  m.def(
      "machine_of",
      [](Machine const& machine, std::vector<Rank> const& members) {
        ensure(!members.empty(), "members", "none", "at least one place");
        for (auto const m : members) {
          ensure(m >= 0 && m < machine.ranks(), "members", m, fmt::format("places in 0..{}", machine.ranks() - 1));
        }
        auto box = find_box(machine, members);
        auto places = std::vector<Rank>(members.size());
        std::iota(places.begin(), places.end(), 0);
        if (box) places = box->mapping.list();
        return std::pair(box ? std::move(box->machine) : line_through(machine, members), std::move(places));
      },
      "machine"_a, "members"_a,
      "The machine that Communicator.sub() of these places has, and where in it each of them is.");
  m.def(
      "mapping_orders",
      [] {
        std::vector<std::tuple<std::string, std::string>> all;
        for (auto const& o : orders()) all.emplace_back(o.name, o.summary);
        return all;
      },
      "(name, summary) of every order.");
}

}  // namespace allport::python
