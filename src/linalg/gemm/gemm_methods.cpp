#include <fmt/format.h>

#include "gemm_frame.h"

namespace allport {

namespace gemm_detail {

#define ALLPORT_GEMM_METHOD(name) extern Method const name;
#include "gemm_methods.def"
#undef ALLPORT_GEMM_METHOD

std::vector<Method const*> const& methods() {
  static std::vector<Method const*> const all{
#define ALLPORT_GEMM_METHOD(name) &(name),
#include "gemm_methods.def"
#undef ALLPORT_GEMM_METHOD
  };
  return all;
}

Method const& method(std::string_view name) {
  std::string names;
  std::string remedy = "leave it out to have it chosen";
  for (auto const* m : methods()) {
    if (m->name == name) return *m;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", m->name);
    if (name == fmt::format("{}_tasks", m->name)) remedy = fmt::format("its name is '{}' now", m->name);
  }
  throw Error::argument("algorithm", "'" + std::string(name) + "'", "one of " + names, remedy);
}

}  // namespace gemm_detail

std::vector<GemmAlgorithmName> gemm_algorithms() {
  std::vector<GemmAlgorithmName> names;
  for (auto const* m : gemm_detail::methods()) names.push_back({m->name, m->summary});
  return names;
}

}  // namespace allport
