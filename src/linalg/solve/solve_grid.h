// What solves, norms and residuals say to each other beside tasks.
#pragma once

#include <span>

#include "allport/comm/communicator.h"
#include "linalg/lu/lu_panel.h"
#include "linalg/lu/lu_view.h"
#include "linalg/matrix/operand.h"

namespace allport::lu_detail {

/// Moves rows of a matrix among the ranks of each grid column, so many columns at once that the buffers stay small
/// beside it. Called by all ranks of the distribution with equal moves.
template <class T>
void move_rows(Matrix<T> const& matrix, std::vector<Move> const& moves);

/// Sums of all ranks' values, on all ranks, in place.
template <class T>
void sum_over_all(Communicator const& comm, std::span<T> values);

/// Y = op(A) X; X and Y lie whole on every rank, packed: X [cols x count] for Trans::none, else [rows x count].
template <class T>
void apply(Trans trans, Matrix<T const> const& a, T const* x, Index count, std::span<T> y);

}  // namespace allport::lu_detail
