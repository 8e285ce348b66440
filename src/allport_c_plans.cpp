// The C interface: plans of products and factorizations, and what they say.
#include "allport_c_plans.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "allport/graph/simulate.h"
#include "allport/tasks/transport.h"
#include "allport_c_options.h"
#include "linalg/tiled_plan.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

constexpr auto handle_of_plan = "plan";

/// Cholesky's and QR's, which have tiles.
template <class Plan>
constexpr bool is_tiled = std::is_same_v<Plan, CholeskyPlan> || std::is_same_v<Plan, QrPlan>;

/// use(plan) of whichever kind it is.
template <class Use>
auto asked(allport_plan_handle plan, Use const& use) {
  return std::visit(use, the(plan, handle_of_plan).plan);
}

std::optional<Distribution> lying(allport_distribution given) {
  return given == nullptr ? std::nullopt : std::optional(given->distribution);
}

struct Moved {
  std::int64_t words = -1;
  std::int64_t messages = -1;
  double bound_words = 0;
};

template <class Plan>
Moved moved_by(Plan const& plan) {
  if constexpr (is_tiled<Plan>) {
    Moved moved;
    if constexpr (std::is_same_v<Plan, CholeskyPlan>) moved.bound_words = plan.chosen.bound_words;
    if (plan.counts.empty()) return moved;
    std::int64_t bytes = 0;
    moved.messages = 0;
    for (auto const& rank : plan.counts) {
      bytes = std::max({bytes, rank.traffic.bytes_sent, rank.traffic.bytes_received});
      moved.messages = std::max({moved.messages, rank.traffic.messages_sent, rank.traffic.messages_received});
    }
    moved.words = bytes / bytes_of(plan.problem.type);
    return moved;
  } else {
    return {plan.chosen.words, plan.chosen.messages, plan.chosen.bound_words};
  }
}

Distribution wanted_by(allport_plan_handle plan, char which) {
  return asked(plan, [&](auto const& p) -> Distribution {
    using Plan = std::decay_t<decltype(p)>;
    if constexpr (std::is_same_v<Plan, GemmPlan>) {
      ensure(which == 'A' || which == 'B' || which == 'C', "which", std::string(1, which), "'A', 'B' or 'C'");
      return which == 'A' ? p.a : which == 'B' ? p.b : p.c;
    } else {
      ensure(which == 'A', "which", std::string(1, which), "'A', which is all that a factorization has");
      return p.distribution;
    }
  });
}

/// A plan's run, to simulate.
struct Run {
  std::unique_ptr<TaskGraph> graph;
  std::unique_ptr<graph::Transport> carrier;
  graph::SimulateOptions options;
};

template <class Plan>
Run run_of(Plan const& p) {
  Run run;
  if constexpr (is_tiled<Plan>) {
    run.carrier = tasks::transport(p.machine);
    run.options.workers = p.options.workers;
    if constexpr (std::is_same_v<Plan, CholeskyPlan>) {
      run.graph = cholesky_graph(p.distribution, p.problem.uplo, p.problem.type, p.chosen.nb);
    } else {
      run.graph = qr_graph(p.distribution, p.problem.type);
    }
  } else {
    if (p.options.mapping) {
      throw Error(ErrorKind::unsupported,
                  "plan: for ranks elsewhere on " + p.machine.name() + " than rank r at place r: cannot be simulated");
    }
    run.carrier = plan_carrier(p);
    if constexpr (std::is_same_v<Plan, GemmPlan>) {
      run.graph = gemm_graph(p);
    } else {
      run.graph = lu_graph(p);
    }
  }
  run.options.factor = tiled_plan::rate_factor(p.problem.type);
  run.options.segment = tasks::default_segment(p.machine).value();
  return run;
}

graph::SimulateOptions simulation_wanted(char const* text, graph::SimulateOptions options) {
  read_options(text, "workers= or segment=", [&](std::string const& key, std::string const& value) {
    if (key == "segment") {
      options.segment = whole_number(value, key);
    } else if (key == "workers") {
      options.workers = workers_given(value, key);
    } else {
      return false;
    }
    return true;
  });
  return options;
}

}  // namespace

extern "C" {

int allport_plan_gemm(allport_machine_handle machine, char type, char trans_a, char trans_b, int64_t m, int64_t n,
                      int64_t k, char const* options, allport_plan_handle* created) {
  return made(created, [&] {
    auto const& on = whole(machine);
    auto how = gemm_options(options);
    how.mapping = on.mapping;
    GemmProblem const problem{m, n, k, type_named(type), trans_of(trans_a, "trans_a"), trans_of(trans_b, "trans_b")};
    return new allport_plan_s{plan_gemm(problem, on.machine, how)};
  });
}

int allport_plan_getrf(allport_machine_handle machine, char type, int64_t m, int64_t n, allport_distribution given,
                       char const* options, allport_plan_handle* created) {
  return made(created, [&] {
    auto const& on = whole(machine);
    auto wanted = lu_options(options);
    wanted.options.mapping = on.mapping;
    wanted.options.given = lying(given);
    return new allport_plan_s{plan_lu({m, n, type_named(type), wanted.pivoting}, on.machine, wanted.options)};
  });
}

int allport_plan_potrf(allport_machine_handle machine, char type, char uplo, int64_t n, allport_distribution given,
                       char const* options, allport_plan_handle* created) {
  return made(created, [&] {
    auto how = tiled_plan_options<CholeskyPlanOptions>(options);
    how.given = lying(given);
    return new allport_plan_s{plan_cholesky({n, type_named(type), uplo_of(uplo)}, whole(machine).machine, how)};
  });
}

int allport_plan_geqrf(allport_machine_handle machine, char type, int64_t m, int64_t n, allport_distribution given,
                       char const* options, allport_plan_handle* created) {
  return made(created, [&] {
    auto how = tiled_plan_options<QrPlanOptions>(options);
    how.given = lying(given);
    return new allport_plan_s{plan_qr({m, n, type_named(type)}, whole(machine).machine, how)};
  });
}

int allport_plan_free(allport_plan_handle* plan) { return freed(plan, handle_of_plan); }

char const* allport_plan_algorithm(allport_plan_handle plan) {
  return text_or_null([&] {
    return asked(plan, [](auto const& p) {
      if constexpr (is_tiled<std::decay_t<decltype(p)>>) {
        return "tiles";
      } else {
        return p.chosen.algorithm.c_str();
      }
    });
  });
}

int allport_plan_seconds(allport_plan_handle plan, double* seconds) {
  return guarded([&] {
    place(seconds, "seconds") = asked(plan, [](auto const& p) {
      if constexpr (is_tiled<std::decay_t<decltype(p)>>) {
        return p.chosen.total().value();
      } else {
        return p.chosen.total.value();
      }
    });
  });
}

int allport_plan_grid(allport_plan_handle plan, int* rows, int* cols, int* layers) {
  return guarded([&] {
    auto const grid = asked(plan, [](auto const& p) {
      if constexpr (is_tiled<std::decay_t<decltype(p)>>) {
        return GemmGrid{p.chosen.rows, p.chosen.cols, 1};
      } else {
        return p.chosen.grid;
      }
    });
    place(rows, "rows") = grid.rows;
    place(cols, "cols") = grid.cols;
    place(layers, "layers") = grid.layers;
  });
}

int allport_plan_block(allport_plan_handle plan, int64_t* block) {
  return guarded([&] {
    place(block, "block") = asked(plan, [](auto const& p) {
      using Plan = std::decay_t<decltype(p)>;
      if constexpr (is_tiled<Plan>) {
        return p.chosen.nb;
      } else if constexpr (std::is_same_v<Plan, GemmPlan>) {
        return p.chosen.panel;
      } else {
        return p.chosen.block;
      }
    });
  });
}

int allport_plan_traffic(allport_plan_handle plan, int64_t* words, int64_t* messages, double* bound_words) {
  return guarded([&] {
    auto const moved = asked(plan, [](auto const& p) { return moved_by(p); });
    place(words, "words") = moved.words;
    place(messages, "messages") = moved.messages;
    place(bound_words, "bound_words") = moved.bound_words;
  });
}

int allport_plan_memory(allport_plan_handle plan, int64_t* bytes) {
  return guarded([&] { place(bytes, "bytes") = asked(plan, [](auto const& p) { return p.chosen.memory.value(); }); });
}

int allport_plan_distribution(allport_plan_handle plan, char which, allport_distribution* created) {
  return made(created, [&] { return new allport_distribution_s{wanted_by(plan, which)}; });
}

int allport_plan_simulate(allport_plan_handle plan, char const* options, double* seconds) {
  return guarded([&] {
    auto& result = place(seconds, "seconds");
    result = asked(plan, [&](auto const& p) {
      auto const run = run_of(p);
      auto const how = simulation_wanted(options, run.options);
      return graph::simulate(*run.graph, p.machine, *run.carrier, how).seconds;
    });
  });
}

char const* allport_plan_json(allport_plan_handle plan) {
  return text_or_null([&] {
    auto& of = the(plan, handle_of_plan);
    return of.json.get([&] { return asked(plan, [](auto const& p) { return p.to_json(); }); });
  });
}

}  // extern "C"
