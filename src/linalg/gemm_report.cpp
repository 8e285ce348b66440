// Plans and reports of products as JSON, for programs and for the tables of the command line.
#include "report_json.h"

namespace allport {

namespace {

using nlohmann::json;

json gemm_candidate(GemmCandidate const& c) { return report::candidate(c, {{"panel", c.panel}}); }

}  // namespace

std::string GemmPlan::to_json() const {
  json const shape{{"m", problem.m},
                   {"n", problem.n},
                   {"k", problem.k},
                   {"type", report::type_name(problem.type)},
                   {"trans_a", std::string(1, static_cast<char>(problem.trans_a))},
                   {"trans_b", std::string(1, static_cast<char>(problem.trans_b))}};
  return report::plan(*this, shape, gemm_candidate).dump();
}

std::string GemmReport::to_json() const { return report::measured(*this, gemm_candidate(chosen)).dump(); }

}  // namespace allport
