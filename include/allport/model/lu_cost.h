// Cost of 2D and 2.5D LU factorization in the models of Solomonik11, and lower bounds on its critical path.
#pragma once

#include <cstdint>

#include "allport/machine/machine.h"
#include "allport/model/gemm_cost.h"

namespace allport::model {

enum class LuPivoting {
  none,        ///< Solomonik11, slides 18 and 35: NO-pivot
  tournament,  ///< Solomonik11, slides 18 and 36: CA-pivot, winners of a tournament per panel
};

/// Widths in columns. Matrices are block-cyclic by `panel`; with copies (c > 1) an outer panel is factored before the
/// layers update their shares of the rest.
struct LuBlocks {
  std::int64_t panel = 1;        ///< b
  std::int64_t outer_panel = 1;  ///< B_g; b if there is one layer

  friend bool operator==(LuBlocks const&, LuBlocks const&) = default;
};

/// Per process: means over the steps, for the busiest process of each [derived from Solomonik11, slides 14 to 17].
struct LuCost {
  double flops = 0.0;     ///< F = 2n^3/3P, work shared evenly
  double idle = 0.0;      ///< flops of the critical path beyond F: corners, panels, blocks that do not divide evenly
  double words = 0.0;     ///< W, the sum of the following
  double corner = 0.0;    ///< b x b corners to rows, columns and layers; to these the rest of an outer corner, too
  double panels = 0.0;    ///< pieces of L and U within an outer panel: (1 - b/B_g) (n^2/sqrt(cP) + n B_g/q)
  double update = 0.0;    ///< L and U for the rest of the matrix: n^2/sqrt(cP), n^2/sqrt(P) in 2D
  double exchange = 0.0;  ///< each layer's part of L and U to all layers: n^2 c/P
  double reduce = 0.0;    ///< next panels summed over the layers and spread again: 2n^2 c/P; the first ones spread
  double pivot = 0.0;     ///< tournaments, winners and exchanged rows
  double messages = 0.0;  ///< S: collectives and single messages
  double memory = 0.0;    ///< words: n^2 c/P, and both outer panels if c > 1
};

/// @pre n >= 1, grid's sides >= 1, 1 <= panel <= outer_panel <= n (in 2D: equal); layers <= max(rows, columns)
[[nodiscard]] LuCost lu_cost(std::int64_t n, GemmGrid grid, LuBlocks blocks, LuPivoting pivoting);

/// Seconds of one factorization of doubles, per process, without overlap. Parts as in LuCost.
struct LuTime {
  Seconds compute{};
  Seconds idle{};
  Seconds corner{};
  Seconds panels{};
  Seconds update{};
  Seconds exchange{};
  Seconds reduce{};
  Seconds pivot{};

  [[nodiscard]] Seconds communication() const { return corner + panels + update + exchange + reduce + pivot; }
  [[nodiscard]] Seconds total() const { return compute + idle + communication(); }
  [[nodiscard]] double efficiency() const { return compute.value() / total().value(); }
};

/// F / flops of a rank, and for every collective of LuCost t_mcast, t_bnm or t_red along a line of the machine, as
/// gemm_time. Tournaments send single messages over one link; exchanged rows cross their column by the shortest route.
/// @param bn_binomial as in gemm_time
/// @pre as lu_cost; machine.rates().flops > 0
[[nodiscard]] LuTime lu_time(Machine const& machine, std::int64_t n, GemmGrid grid, LuBlocks blocks,
                             LuPivoting pivoting, LineMulticast how, BytesPerSecond bn_binomial = {});

/// The widths with the least lu_time, among powers of two b and B_g = b * max(rows, columns) * 2^i. They are near
/// B_g = n/c for bandwidth, b = n/sqrt(cP) for latency (Solomonik11, slide 34: sqrt(cP) blocks at least).
[[nodiscard]] LuBlocks lu_blocks(Machine const& machine, std::int64_t n, GemmGrid grid, LuPivoting pivoting,
                                 LineMulticast how, BytesPerSecond bn_binomial = {});

/// Lower bounds on the critical path of an LU factorization with d diagonal blocks (Solomonik11, slide 34), each of
/// which is factored and forwarded before the next.
struct LuPath {
  double flops = 0.0;     ///< 2n^3/(3 d^2)
  double words = 0.0;     ///< n^2/d
  double messages = 0.0;  ///< d
};
/// @pre n >= 1, d >= 1
[[nodiscard]] LuPath lu_path(std::int64_t n, double d);

/// Least d with which the critical path costs no more than an even share (Solomonik11, slide 34).
struct LuLeastBlocks {
  double by_flops = 0.0;  ///< sqrt(P): path flops <= 2n^3/3P
  double by_words = 0.0;  ///< sqrt(cP): path words <= n^2/sqrt(cP)
};
/// @pre ranks, layers >= 1
[[nodiscard]] LuLeastBlocks lu_least_blocks(std::int64_t ranks, std::int64_t layers);

}  // namespace allport::model
