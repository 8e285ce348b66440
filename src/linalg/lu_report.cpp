// Plans and reports of factorizations as JSON, for programs and for the tables of the command line.
#include <cmath>

#include "allport/linalg/lu.h"
#include "report_json.h"

namespace allport {

namespace {

using nlohmann::json;

json number(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

std::string pivoting_name(Pivoting p) {
  return p == Pivoting::none ? "none" : p == Pivoting::partial ? "partial" : "tournament";
}

json lu_candidate(LuCandidate const& c) {
  return report::candidate(c, {{"in_place", c.in_place},
                               {"block", c.block},
                               {"nb", c.nb},
                               {"ahead", c.ahead},
                               {"big", c.big},
                               {"exchanged_words", c.exchanged_words},
                               {"bound_memory_dependent", c.bound_memory},
                               {"bound_memory_independent", c.bound_extents}});
}

}  // namespace

std::string LuPlan::to_json() const {
  json const shape{{"m", problem.m},
                   {"n", problem.n},
                   {"type", report::type_name(problem.type)},
                   {"pivot", pivoting_name(problem.pivoting)}};
  return report::plan(*this, shape, lu_candidate).dump();
}

std::string LuReport::to_json() const {
  auto j = report::measured(*this, lu_candidate(chosen));
  auto const rows = report::busiest(exchanged);
  j["pivot"] = pivoting_name(pivoting);
  j["info"] = info;
  j["growth"] = number(growth);
  j["fell_back_panels"] = fell_back;
  j["seconds"]["panel"] = panel.value();
  j["exchanged_bytes"] = rows.bytes;
  j["exchanged_messages"] = rows.messages;
  j["exchanged"] = report::traffic(exchanged);
  return j.dump();
}

}  // namespace allport
