// Lower bounds on the time of matrix multiplication and of factorizations on a machine.
#pragma once

#include "allport/machine/machine.h"
#include "allport/model/gemm_bound.h"

namespace allport::model {

/// What an element of a matrix costs beside a double.
struct ElementCost {
  double bytes = 8.0;
  double work = 1.0;  ///< time of its multiplications and additions, of a double's
};

/// Work on `nodes` nodes, each one processor with the memory of all its ranks, takes as long as the larger of its flops
/// (2mnk; 2F of LuBound) at the nodes' peak, and gemm_bound().words() or lu_bound().words() of one node, at what all
/// links of the node with most of them carry in both directions: words * bytes / (2 * link_sum()). Latency and what
/// happens within a node are not counted; nor is work where the machine's flops are 0 (unknown).
/// @param nodes         at work, 1 <= nodes <= machine.nodes()
/// @param memory_words  M that a node really uses, as in gemm_bound()
/// @param most_products W of a node, as in gemm_bound(); 0: work spread evenly
[[nodiscard]] Seconds gemm_time_bound(Machine const& machine, GemmShape shape, std::int64_t nodes, double memory_words,
                                      ElementCost element = {}, double most_products = 0.0);
/// The same of an m x n matrix's factors.
[[nodiscard]] Seconds lu_time_bound(Machine const& machine, std::int64_t m, std::int64_t n, std::int64_t nodes,
                                    double memory_words, ElementCost element = {}, double most_products = 0.0);
/// The same of a Cholesky factor: n^3 / 3 flops, cholesky_bound() words.
[[nodiscard]] Seconds cholesky_time_bound(Machine const& machine, std::int64_t n, std::int64_t nodes,
                                          double memory_words, ElementCost element = {}, double most_products = 0.0);

}  // namespace allport::model
