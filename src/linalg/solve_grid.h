// What solves, norms and residuals say to each other beside tasks.
#pragma once

#include <span>

#include "allport/comm/communicator.h"
#include "lu_panel.h"
#include "lu_view.h"
#include "operand.h"

namespace allport::lu_detail {

/// The ranks of this rank's grid column, who hold the same columns: rows change places among them (move_rows()).
class GridColumn {
 public:
  GridColumn(Communicator const& comm, Distribution const& distribution)
      : comm_(comm), grid_(distribution.grid()), at_(grid_.position(comm.rank())) {}

  /// Of this rank; -1 where it has no place in the grid.
  [[nodiscard]] int index() const { return at_.row; }
  template <class T>
  [[nodiscard]] Transfer send(int to, T const* data, Index elements, int tag) const {
    return comm_.start_send(std::as_bytes(std::span(data, static_cast<std::size_t>(elements))), rank(to), tag);
  }
  template <class T>
  [[nodiscard]] Transfer receive(int from, T* data, Index elements, int tag) const {
    return comm_.start_receive(std::as_writable_bytes(std::span(data, static_cast<std::size_t>(elements))), rank(from),
                               tag);
  }
  static void wait(Transfer& transfer) { transfer.wait(); }

 private:
  [[nodiscard]] Rank rank(int row) const { return grid_.rank_at(row, at_.col); }

  Communicator const& comm_;
  ProcessGrid const& grid_;
  ProcessGrid::Position at_;
};

/// Sums of all ranks' values, on all ranks, in place.
template <class T>
void sum_over_all(Communicator const& comm, std::span<T> values);

/// Y = op(A) X; X and Y lie whole on every rank, packed: X [cols x count] for Trans::none, else [rows x count].
template <class T>
void apply(Trans trans, Matrix<T const> const& a, T const* x, Index count, std::span<T> y);

}  // namespace allport::lu_detail
