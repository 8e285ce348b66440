// Upper estimates of the multiplications of the busiest rank of a candidate: how evenly its distribution spreads the
// work, on which the lower bound of its words depends.
#pragma once

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/lu.h"
#include "gemm_frame.h"

namespace allport {

/// Of the m n k multiplications of a product.
[[nodiscard]] double most_products(GemmProblem const& problem, GemmCandidate const& candidate);
/// Of model::lu_products(). @param widest columns of the widest panel
[[nodiscard]] double most_products(LuProblem const& problem, LuCandidate const& candidate,
                                   Distribution const& distribution, Index widest);
/// Of model::cholesky_products(), whichever triangle is stored.
[[nodiscard]] double most_products(CholeskyProblem const& problem, Distribution const& tiles);

}  // namespace allport
