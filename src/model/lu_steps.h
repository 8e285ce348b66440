// The communication of an LU factorization as a list: per grid line, the kind of message, how often, how many words.
#pragma once

#include <functional>

#include "allport/model/lu_cost.h"
#include "line.h"

namespace allport::model {

/// The arguments by the letters of the formulas.
struct LuShape {
  GemmGrid grid;
  double n = 0.0, b = 0.0, big = 0.0;  ///< big: B_g
  double rows = 1.0, columns = 1.0, layers = 1.0;
};

/// @throws Error as lu_cost
[[nodiscard]] LuShape lu_shape(std::int64_t n, GemmGrid grid, LuBlocks blocks);

/// F = 2n^3/3P.
[[nodiscard]] inline double lu_even_flops(LuShape const& s) {
  return 2.0 / 3.0 * s.n * s.n * s.n / (s.rows * s.columns * s.layers);
}

enum class LuPart { corner, panels, update, exchange, reduce, pivot };

struct LuStep {
  enum class Kind {
    multicast,
    reduction,
    message,   ///< one to one over a link
    exchange,  ///< each node's words in equal parts to the other nodes of the line
  };
  LuPart part = LuPart::corner;
  Kind kind = Kind::multicast;
  std::int64_t nodes = 1;  ///< of the line
  double count = 0.0;      ///< number in the whole factorization
  double words = 0.0;      ///< of each, mean over the steps; costs are affine in it, so the sum is exact
};

/// Every step of the factorization [in the order of Solomonik11, slides 14 to 17].
void visit_lu_steps(LuShape const& shape, LuPivoting pivoting, std::function<void(LuStep const&)> const& visit);

}  // namespace allport::model
