// What 2D, 2.5D and 3D matrix multiplication costs in the models of Solomonik11.
#pragma once

#include "allport/machine/machine.h"
#include "allport/model/gemm_bound.h"

namespace allport::model {

/// A process grid of rows x columns x layers, in which each layer has copies of A and B: 2D with one layer, 3D with
/// cbrt(P) layers, 2.5D in between.
struct GemmGrid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t layers = 1;

  friend bool operator==(GemmGrid const&, GemmGrid const&) = default;
};

/// Cost per process of SUMMA, which broadcasts A and B panel by panel.
struct GemmCost {
  double flops = 0.0;  ///< F = 2mnk/P
  double words = 0.0;  ///< W: panels mk/(rows * layers) + nk/(columns * layers), copies (mk + nk + mn)/(rows * columns)
                       ///< if layers > 1. On a square grid with c layers 2n^2/sqrt(cP) + 3n^2 c/P (after Solomonik11)
  double messages = 0.0;  ///< S: collectives, 2 * steps + 3 if layers > 1; 2 sqrt(P/c^3) + 3 on a square grid
  double memory = 0.0;    ///< words of the three matrices' blocks, without buffers: (mk + nk + mn)/(rows * columns)
};

/// Panels that each layer multiplies: max(rows, columns) / layers, rounded up.
/// @pre shape's dimensions >= 0, grid's sides >= 1 (here and below)
[[nodiscard]] std::int64_t gemm_steps(GemmGrid grid);
[[nodiscard]] GemmCost gemm_cost(GemmShape shape, GemmGrid grid);

enum class LineMulticast {
  rectangular,  ///< both directions of the line at once: t_mcast and t_red with d = 1
  binomial,     ///< t_bnm; reductions the same with the operator's time if that is larger
};

/// Seconds of one multiplication of doubles, per process. Nothing overlaps, except multicasts if tau < 1.
struct GemmTime {
  Seconds compute{};    ///< F / flops of a rank
  Seconds panels{};     ///< multicasts of A along rows and of B along columns
  Seconds replicate{};  ///< multicasts of A and B over the layers
  Seconds reduce{};     ///< sum of C over the layers

  [[nodiscard]] Seconds communication() const { return panels + replicate + reduce; }
  [[nodiscard]] Seconds total() const { return compute + communication(); }
  [[nodiscard]] double efficiency() const { return total().value() > 0.0 ? compute.value() / total().value() : 1.0; }
};

/// Rows, columns and layers are lines of the machine, so every multicast is one of a ring with d = 1 (Solomonik11,
/// slides 26 and 12): B_n = 2 * b on machines that wrap, b on an open line, b that of the slowest axis. `machine` gives
/// rates, not lengths.
/// @param tau cost of a multicast that runs beside another, as a fraction of its cost alone (Chan06): A's and B's take
///        larger + tau * smaller; 1, the default, means one after the other, as in Solomonik11
/// @param bn_binomial B_n of t_bnm; 0, the default, means the line's for both kinds of multicast (first reading of
///        Solomonik11); link_sum() is the second reading: a node drives all its links for one binomial tree
/// @pre machine.rates().flops > 0, 0 <= tau <= 1
[[nodiscard]] GemmTime gemm_time(Machine const& machine, GemmShape shape, GemmGrid grid, LineMulticast how,
                                 double tau = 1.0, BytesPerSecond bn_binomial = {});

}  // namespace allport::model
