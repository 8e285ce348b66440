// The algorithms of registry.def, declared.
#pragma once

#include "allport/collectives/registry.h"

namespace allport {

#define ALLPORT_ALGORITHM(NAME) extern Algorithm const NAME;
#include "registry.def"
#undef ALLPORT_ALGORITHM

/// Reasons that several algorithms share.
[[nodiscard]] std::optional<std::string> nothing_against(Machine const&, Contract const&);
/// Trees over the machine's own links cannot go round dead ones.
[[nodiscard]] std::optional<std::string> needs_all_links(Machine const&, Contract const&);
/// The same, and programs that hold the trees of all roots.
[[nodiscard]] std::optional<std::string> needs_few_roots(Machine const&, Contract const&);

}  // namespace allport
