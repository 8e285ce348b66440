// Collective operations of solves, norms and residuals beside tasks.
#pragma once

#include <span>

#include "allport/comm/communicator.h"
#include "lu_panel.h"
#include "lu_view.h"
#include "operand.h"

namespace allport::lu_detail {

/// Moves rows of a matrix among the ranks of each grid column, in groups of columns so that the buffers stay small.
/// Called by all ranks of the distribution with equal moves.
template <class T>
void move_rows(Matrix<T> const& matrix, std::vector<Move> const& moves);

}  // namespace allport::lu_detail

namespace allport::detail {

/// Sums of all ranks' values, on all ranks, in place.
template <class T>
void sum_over_all(Communicator const& comm, std::span<T> values);

/// Y = op(A) X with all of X and Y on every rank. X: [cols x count] for Trans::none, else [rows x count], contiguous.
template <class T>
void apply(Trans trans, Matrix<T const> const& a, T const* x, Index count, std::span<T> y);

}  // namespace allport::detail
