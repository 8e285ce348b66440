// Plans and reports of factorizations as JSON, for programs and for the tables of the command line.
#include <algorithm>
#include <array>

#include "allport/linalg/lu.h"
#include "linalg/plan/report_json.h"

namespace allport {

namespace {

using nlohmann::json;

json lu_candidate(LuCandidate const& c) {
  return report::candidate(c,
                           {{"in_place", c.in_place},
                            {"panel", c.panel},
                            {"nb", c.nb},
                            {"ahead", c.ahead},
                            {"outer_panel", c.outer_panel},
                            {"exchanged_words", c.exchanged_words},
                            {"bound_memory_dependent", c.bound_memory},
                            {"bound_memory_independent", c.bound_extents}},
                           c.exchanged_words);
}

constexpr std::array pivotings{Pivoting::none, Pivoting::partial, Pivoting::tournament};

}  // namespace

std::string_view name(Pivoting pivoting) {
  return pivoting == Pivoting::none ? "none" : pivoting == Pivoting::partial ? "partial" : "tournament";
}

Pivoting pivoting_named(std::string_view argument, std::string_view text) {
  auto const* const found =
      std::find_if(pivotings.begin(), pivotings.end(), [&](Pivoting p) { return name(p) == text; });
  ensure(found != pivotings.end(), argument, std::string(text), "tournament, partial or none");
  return *found;
}

std::string LuPlan::to_json() const {
  json const shape{{"m", problem.m},
                   {"n", problem.n},
                   {"type", report::type_name(problem.type)},
                   {"pivoting", name(problem.pivoting)}};
  return report::plan(*this, shape, lu_candidate).dump();
}

std::string LuReport::to_json() const {
  auto j = report::measured(*this, lu_candidate(chosen));
  auto const rows = report::busiest(exchanged);
  j["pivoting"] = name(pivoting);
  j["info"] = info;
  j["growth"] = report::number(growth);
  j["fell_back_panels"] = fell_back;
  j["seconds"]["panel"] = panel.value();
  j["exchanged_bytes"] = rows.bytes;
  j["exchanged_messages"] = rows.messages;
  j["exchanged"] = report::traffic(exchanged);
  return j.dump();
}

}  // namespace allport
