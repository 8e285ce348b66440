// Module model in Python: the closed forms of Solomonik11 and Chan06. Bytes, seconds, words and flops are plain numbers
// here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "allport/model/link_loads.h"
#include "allport/model/mpi_cost.h"
#include "allport/model/multicast_cost.h"
#include "allport/model/multilink_cost.h"
#include "allport/model/spread_cost.h"
#include "bindings.h"

namespace allport::python {

namespace {

using namespace nb::literals;
using model::MulticastTerms;
using model::MultilinkTerms;

void bind_terms(nb::module_& m) {
  nb::class_<MulticastTerms>(m, "MulticastTerms", "The symbols of Solomonik11, slides 20, 21 and 31.")
      .def_prop_ro(
          "bandwidth", [](MulticastTerms const& t) { return t.bandwidth.value(); },
          "B_n, bytes/s; 0: one node, nothing is sent.")
      .def_prop_ro(
          "overhead", [](MulticastTerms const& t) { return t.overhead.value(); }, "o, seconds.")
      .def_prop_ro(
          "latency", [](MulticastTerms const& t) { return t.latency.value(); }, "L, seconds.")
      .def_ro("axes", &MulticastTerms::axes, "d, axes longer than 1.")
      .def_prop_ro(
          "path", [](MulticastTerms const& t) { return t.path.value(); },
          "Path overhead, seconds: sum over axes of n_a (2o + L).");
  m.def("multicast_terms", &model::multicast_terms, "machine"_a,
        "Terms of a machine: B_n the rectangular trees' together, path the sum of its axes (Solomonik11, slide 20).");
  m.def(
      "cubic_terms",
      [](double nodes, int axes, double link, double overhead, double latency) {
        return model::cubic_terms(nodes, axes, BytesPerSecond(link), Seconds(overhead), Seconds(latency));
      },
      "nodes"_a, "axes"_a, "link"_a, "overhead"_a, "latency"_a,
      "Terms of a cubic torus: B_n = 2d * link, path = d P^(1/d) (2o + L) (Solomonik11, slides 20 and 25).");
  m.def(
      "link_sum",
      [](Machine const& machine, std::int64_t node) {
        ensure(node >= 0 && node < machine.nodes(), "node", node, "a node of the machine");
        return model::link_sum(machine, static_cast<Node>(node)).value();
      },
      "machine"_a, "node"_a = 0, "Bytes/s that all outgoing links of a node carry at once.");
  m.def(
      "t_mcast",
      [](std::int64_t message, MulticastTerms const& terms) { return model::t_mcast(Bytes(message), terms).value(); },
      "message"_a, "terms"_a,
      "Seconds of a rectangular multicast: m/B_n + 2(d+1)o + 3L + path (Solomonik11, slide 20).");
  m.def(
      "t_bnm",
      [](std::int64_t message, double nodes, double bandwidth, double overhead, double latency) {
        return model::t_bnm(Bytes(message), nodes, BytesPerSecond(bandwidth), Seconds(overhead), Seconds(latency))
            .value();
      },
      "message"_a, "nodes"_a, "bandwidth"_a, "overhead"_a, "latency"_a,
      "Seconds of a binomial multicast without contention: log2 P (m/B_n + 2o + L) (Solomonik11, slide 21).");
  m.def(
      "t_red",
      [](std::int64_t message, MulticastTerms const& terms, double adds, double memory) {
        return model::t_red(Bytes(message), terms, FlopsPerSecond(adds), BytesPerSecond(memory)).value();
      },
      "message"_a, "terms"_a, "adds"_a, "memory"_a,
      "Seconds of a rectangular reduction of doubles: max[m/8gamma, 3m/beta, m/B_n] + start-up + path "
      "(Solomonik11, slide 31).");
}

Rank root_of(Machine const& machine, std::int64_t root) {
  ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine");
  return static_cast<Rank>(root);
}

void bind_contended(nb::module_& m) {
  auto const loads = [](Machine const& machine, std::int64_t root, std::vector<Node> const& placement, bool up) {
    auto const from = root_of(machine, root);
    return placement.empty() ? *model::binomial_loads(machine, from, up)
                             : model::binomial_loads(machine, from, placement, up);
  };
  m.def(
      "t_binomial",
      [loads](Machine const& machine, std::int64_t message, std::int64_t root, std::vector<Node> const& placement,
              bool combines) {
        return model::t_binomial(machine, Bytes(message), loads(machine, root, placement, combines), combines).value();
      },
      "machine"_a, "message"_a, "root"_a = 0, "placement"_a = std::vector<Node>{}, "combines"_a = false,
      "Seconds of a binomial multicast or reduction, each round with the links that its messages share.\n"
      "placement: the node of every rank; without it ranks count x-fastest.");
  m.def(
      "binomial_flows",
      [loads](Machine const& machine, std::int64_t root, std::vector<Node> const& placement) {
        std::vector<std::int32_t> flows;
        for (auto const& round : loads(machine, root, placement, false).rounds) {
          flows.push_back(round.flows);
        }
        return flows;
      },
      "machine"_a, "root"_a = 0, "placement"_a = std::vector<Node>{},
      "Most messages on one link in every round of a binomial tree, first round first. Their sum is by how much the\n"
      "bandwidth of a link is divided.");
  using Price = Seconds (*)(Machine const&, Rank, Bytes, std::span<Rank const>);
  using Rootless = Seconds (*)(Machine const&, Bytes, std::span<Rank const>);
  m.def(
      "mpi_textbook",
      [](std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes) {
        static std::pair<char const*, Price> const rooted[] = {{"bcast", model::mpi_bcast},
                                                               {"reduce", model::mpi_reduce},
                                                               {"scatter", model::mpi_scatter},
                                                               {"gather", model::mpi_scatter}};
        static std::pair<char const*, Rootless> const rootless[] = {{"allgather", model::mpi_allgather},
                                                                    {"reduce_scatter", model::mpi_reduce_scatter},
                                                                    {"allreduce", model::mpi_allreduce},
                                                                    {"alltoall", model::mpi_alltoall}};
        for (auto const& [name, price] : rooted) {
          if (what == name) return price(machine, root_of(machine, root), Bytes(bytes), {}).value();
        }
        for (auto const& [name, price] : rootless) {
          if (what == name) return price(machine, Bytes(bytes), {}).value();
        }
        throw Error::argument("collective", what, "bcast, reduce, scatter, gather, allgather, reduce_scatter, ...");
      },
      "collective"_a, "machine"_a, "root"_a, "bytes"_a,
      "Seconds of the best textbook algorithm over rank order, one message at a time; bytes of the message or block.");
}

void bind_spread(nb::module_& m) {
  m.def(
      "spread_time",
      [](int spread, int cores, std::int64_t objects, double grain, double fork, double fork_each, double loss_each,
         int domain, double loss_across, double traffic, double injection, double message, double latency, double moved,
         double memory, double core_memory) {
        model::SpreadTerms const terms{cores,
                                       objects,
                                       Seconds(grain),
                                       Seconds(fork),
                                       Seconds(fork_each),
                                       loss_each,
                                       domain,
                                       loss_across,
                                       Bytes(static_cast<std::int64_t>(traffic)),
                                       BytesPerSecond(injection),
                                       Bytes(static_cast<std::int64_t>(message)),
                                       Seconds(latency),
                                       Bytes(static_cast<std::int64_t>(moved)),
                                       BytesPerSecond(memory),
                                       BytesPerSecond(core_memory)};
        return model::spread_time(terms, spread).value();
      },
      "spread"_a, nb::kw_only(), "cores"_a, "objects"_a, "grain"_a, "fork"_a = 0.0, "fork_each"_a = 0.0,
      "loss_each"_a = 0.0, "domain"_a = 0, "loss_across"_a = 0.0, "traffic"_a = 0.0, "injection"_a = 1.0,
      "message"_a = 0.0, "latency"_a = 0.0, "moved"_a = 0.0, "memory"_a = 0.0, "core_memory"_a = 0.0,
      "Seconds of an iteration on a node of `cores` over `objects` of `grain` seconds each, `spread` cores on each\n"
      "(Robson18): w/S + max{ceil(n / M) (w/S (1 + eta) + t_f), V/B} + tail, M = cores / spread teams. Objects that\n"
      "move `moved` bytes share the memory bandwidth of a domain, and a core gets core_memory at most.");
}

void bind_multilink(nb::module_& m) {
  nb::class_<MultilinkTerms>(m, "MultilinkTerms", "alpha, beta and tau of Chan06.")
      .def(
          "__init__",
          [](MultilinkTerms* self, double alpha, double link, double tau, double tau_short) {
            new (self) MultilinkTerms{Seconds(alpha), BytesPerSecond(link), tau, tau_short};
          },
          "alpha"_a, "link"_a, "tau"_a = 0.0, "tau_short"_a = -1.0,
          "alpha: start-up, s; link = 1/beta, bytes/s; tau: 0 simultaneous sends cost as one, 1 they are serial; "
          "tau_short: the same of their starts alone, as tau when negative.")
      .def_prop_ro(
          "alpha", [](MultilinkTerms const& t) { return t.alpha.value(); }, "Seconds to start a message.")
      .def_prop_ro(
          "link", [](MultilinkTerms const& t) { return t.link.value(); }, "1/beta: bytes per second of a link.")
      .def_ro("tau", &MultilinkTerms::tau, "0: simultaneous sends cost as one; 1: they are serial.")
      .def_ro("tau_short", &MultilinkTerms::tau_short, "tau of the starts of messages; negative: as tau.");
  auto const bytes = [](std::int64_t n) { return Bytes(n); };
  m.def(
      "simultaneous_sends",
      [bytes](std::int64_t n, std::int64_t sends, MultilinkTerms const& t) {
        return model::simultaneous_sends(bytes(n), sends, t).value();
      },
      "message"_a, "sends"_a, "terms"_a, "Seconds: (alpha + n beta)(1 + (m - 1) tau) (Chan06).");
  m.def("tree_rounds", &model::tree_rounds, "nodes"_a, "links"_a,
        "ceil(log_(links + 1) nodes): rounds of a tree whose nodes send to `links` others at once.");
  m.def(
      "t_mst_bcast",
      [bytes](std::int64_t n, std::int64_t nodes, std::int64_t links, MultilinkTerms const& t) {
        return model::t_mst_bcast(bytes(n), nodes, links, t).value();
      },
      "message"_a, "nodes"_a, "links"_a, "terms"_a, "Seconds of the (generalised) minimum-spanning-tree broadcast.");
  m.def(
      "t_mst_scatter",
      [bytes](std::int64_t n, std::int64_t nodes, std::int64_t links, MultilinkTerms const& t) {
        return model::t_mst_scatter(bytes(n), nodes, links, t).value();
      },
      "total"_a, "nodes"_a, "links"_a, "terms"_a, "Seconds of the (generalised) minimum-spanning-tree scatter.");
  m.def(
      "t_ring_allgather",
      [bytes](std::int64_t n, std::int64_t nodes, MultilinkTerms const& t) {
        return model::t_ring_allgather(bytes(n), nodes, t).value();
      },
      "total"_a, "nodes"_a, "terms"_a, "Seconds of the bucket allgather round a ring of all nodes.");
  m.def(
      "t_bucket_allgather",
      [bytes](std::int64_t n, std::vector<std::int32_t> const& lengths, MultilinkTerms const& t) {
        return model::t_bucket_allgather(bytes(n), lengths, t).value();
      },
      "total"_a, "lengths"_a, "terms"_a, "Seconds of the bucket allgather in all axes at once.");
  m.def(
      "t_long_bcast",
      [bytes](std::int64_t n, std::vector<std::int32_t> const& lengths, std::int64_t links, MultilinkTerms const& t) {
        return model::t_long_bcast(bytes(n), lengths, links, t).value();
      },
      "message"_a, "lengths"_a, "links"_a, "terms"_a, "Seconds of the long-vector broadcast: scatter, then buckets.");
}

}  // namespace

void bind_model_costs(nb::module_& m) {
  bind_terms(m);
  bind_contended(m);
  bind_spread(m);
  bind_multilink(m);
}

}  // namespace allport::python
