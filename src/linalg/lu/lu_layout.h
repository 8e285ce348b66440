// The grid of an LU factorization over ranks.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "lu_panel.h"

namespace allport::lu_detail {

/// The order of a single row of ranks that are those of the caller's grid (LuOptions::given), each with the columns of
/// which its process column has the most.
inline constexpr std::string_view rows_of_given = "given";

/// The candidate's grid over ranks in its order, or the grid of LuOptions::given if A is factored in place.
[[nodiscard]] GridLayout layout_of(LuCandidate const& candidate, LuOptions const& options);

}  // namespace allport::lu_detail
