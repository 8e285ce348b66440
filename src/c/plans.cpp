// The C interface: plans of products and factorizations, and what they say.
#include "plan_handles.h"

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "allport/graph/simulate.h"
#include "allport/tasks/transport.h"
#include "linalg/plan/plan_price.h"
#include "options.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

constexpr auto handle_of_plan = "plan";

/// use(plan) of whichever kind it is.
template <class Use>
auto asked(allport_plan plan, Use const& use) {
  return std::visit(use, the(plan, handle_of_plan).plan);
}

std::optional<Distribution> given_by(allport_distribution given) {
  return given == nullptr ? std::nullopt : std::optional(given->distribution);
}

Index panel_of(GemmCandidate const& c) { return c.panel; }
Index panel_of(LuCandidate const& c) { return c.panel; }
Index panel_of(TiledCandidate const& c) { return c.nb; }

allport_plan_info info_of(auto const& plan) {
  auto const& chosen = plan.chosen;
  allport_plan_info info{};
  info.seconds = chosen.total.value();
  info.rows = chosen.grid.rows;
  info.cols = chosen.grid.cols;
  info.layers = chosen.grid.layers;
  info.panel = panel_of(chosen);
  info.words = chosen.words;
  info.messages = chosen.messages;
  info.memory = chosen.memory.value();
  info.bound_words = chosen.bound_words;
  return info;
}

/// What a plan is made for, as its caller gives it.
struct Wanted {
  allport_type type;
  std::string letters;
  std::int64_t m, n, k;
  allport_distribution given;
  char const* options;
};

/// The letters of an operation. @throws Error(argument) where there are more or fewer
char const* letters_of(Wanted const& wanted, std::size_t count, char const* expected) {
  ensure(wanted.letters.size() == count, "letters", show(wanted.letters), expected);
  return wanted.letters.c_str();
}

allport_plan_s* plan_of_gemm(allport_machine_s const& on, Wanted const& wanted) {
  auto const* const letters = letters_of(wanted, 2, "trans_a and trans_b, as \"NT\"");
  ensure(wanted.given == nullptr, "given", "a distribution", "NULL: gemm is planned for where its plan wants matrices");
  auto how = gemm_options(wanted.options);
  how.mapping = on.mapping;
  GemmProblem const problem{wanted.m,
                            wanted.n,
                            wanted.k,
                            scalar_of_type(wanted.type),
                            trans_of(letters[0], "trans_a"),
                            trans_of(letters[1], "trans_b")};
  return new allport_plan_s{plan_gemm(problem, on.machine, how)};
}

allport_plan_s* plan_of_getrf(allport_machine_s const& on, Wanted const& wanted) {
  letters_of(wanted, 0, "none");
  auto how = lu_options(wanted.options);
  how.options.mapping = on.mapping;
  how.options.given = given_by(wanted.given);
  LuProblem const problem{wanted.m, wanted.n, scalar_of_type(wanted.type), how.pivoting};
  return new allport_plan_s{plan_lu(problem, on.machine, how.options)};
}

allport_plan_s* plan_of_potrf(allport_machine_s const& on, Wanted const& wanted) {
  auto const uplo = uplo_of(letters_of(wanted, 1, "uplo, as \"L\"")[0]);
  ensure(wanted.m == wanted.n, "m", wanted.m, "n, " + std::to_string(wanted.n));
  auto how = tiled_plan_options(wanted.options);
  how.given = given_by(wanted.given);
  return new allport_plan_s{plan_cholesky({wanted.n, scalar_of_type(wanted.type), uplo}, on.machine, how)};
}

allport_plan_s* plan_of_geqrf(allport_machine_s const& on, Wanted const& wanted) {
  letters_of(wanted, 0, "none");
  auto how = tiled_plan_options(wanted.options);
  how.given = given_by(wanted.given);
  return new allport_plan_s{plan_qr({wanted.m, wanted.n, scalar_of_type(wanted.type)}, on.machine, how)};
}

Distribution wanted_by(allport_plan plan, char which) {
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
  std::unique_ptr<graph::Transport> transport;
  graph::SimulateOptions options;
};

template <class Plan>
Run run_of(Plan const& p) {
  Run run;
  if constexpr (requires { p.options.workers; }) run.options.workers = p.options.workers;
  if constexpr (requires { p.options.mapping; }) {
    if (p.options.mapping) {
      throw Error(ErrorKind::unsupported,
                  "plan: for ranks elsewhere on " + p.machine.name() + " than rank r at place r: cannot be simulated");
    }
  }
  run.graph = plan_graph(p);
  run.transport = plan_transport(p);
  run.options.factor = detail::rate_factor(p.problem.type);
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

int allport_plan_create(allport_machine machine, char const* operation, allport_type type, char const* letters,
                        int64_t m, int64_t n, int64_t k, allport_distribution given, char const* options,
                        allport_plan* created) {
  return made(created, [&] {
    constexpr auto known = "\"gemm\", \"getrf\", \"potrf\" or \"geqrf\"";
    auto const name = text_given(operation, "operation", known);
    auto const& on = whole(machine);
    Wanted const wanted{type, letters == nullptr ? "" : letters, m, n, k, given, options};
    if (name == "gemm") return plan_of_gemm(on, wanted);
    if (name == "getrf") return plan_of_getrf(on, wanted);
    if (name == "potrf") return plan_of_potrf(on, wanted);
    if (name == "geqrf") return plan_of_geqrf(on, wanted);
    throw Error::argument("operation", show(name), known);
  });
}

int allport_plan_free(allport_plan* plan) { return freed(plan, handle_of_plan); }

int allport_plan_query(allport_plan plan, allport_plan_info* info) {
  return guarded([&] { place(info, "info") = asked(plan, [](auto const& p) { return info_of(p); }); });
}

char const* allport_plan_text(allport_plan plan, char const* what) {
  return text_or_null([&] {
    auto& of = the(plan, handle_of_plan);
    auto const wanted = text_given(what, "what", "\"algorithm\" or \"json\"");
    if (wanted == "json") return of.json.get([&] { return asked(plan, [](auto const& p) { return p.to_json(); }); });
    ensure(wanted == "algorithm", "what", show(wanted), "\"algorithm\" or \"json\"");
    return asked(plan, [](auto const& p) { return p.chosen.algorithm.c_str(); });
  });
}

int allport_plan_distribution(allport_plan plan, char which, allport_distribution* created) {
  return made(created, [&] { return new allport_distribution_s{wanted_by(plan, which)}; });
}

int allport_plan_simulate(allport_plan plan, char const* options, double* seconds) {
  return guarded([&] {
    auto& result = place(seconds, "seconds");
    result = asked(plan, [&](auto const& p) {
      auto const run = run_of(p);
      auto const how = simulation_wanted(options, run.options);
      return graph::simulate(*run.graph, p.machine, *run.transport, how).seconds;
    });
  });
}

}  // extern "C"
