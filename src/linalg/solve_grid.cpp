#include "solve_grid.h"

namespace allport::lu_detail {

template <class T>
void move_rows(Matrix<T> const& matrix, std::vector<Move> const& moves) {
  constexpr Index columns_at_once = 1024;
  constexpr int tag = 11;
  auto const& comm = matrix.comm();
  auto const& distribution = matrix.distribution();
  auto const& grid = distribution.grid();
  auto const at = grid.position(comm.rank());
  if (at.row < 0) return;
  for (Index from = 0; from < matrix.local_cols(); from += columns_at_once) {
    auto const count = std::min(columns_at_once, matrix.local_cols() - from);
    RowMoves<T> const job{matrix.data() + from * matrix.ld(), count, matrix.ld(), moves};
    RowExchange<T> const exchange(distribution.rows(), at.row, std::span(&job, 1));
    std::map<int, std::vector<T>> incoming;
    std::map<int, std::vector<T>> outgoing;
    std::vector<Transfer> transfers;
    for (auto const& [peer, elements] : exchange.incoming()) {
      auto& buffer = incoming[peer];
      buffer.resize(static_cast<std::size_t>(elements));
      transfers.push_back(
          comm.start_receive(std::as_writable_bytes(std::span(buffer)), grid.rank_at(peer, at.col), tag));
    }
    for (auto const& [peer, elements] : exchange.outgoing()) {
      auto const& buffer = outgoing[peer] = exchange.packed(peer);
      transfers.push_back(comm.start_send(std::as_bytes(std::span(buffer)), grid.rank_at(peer, at.col), tag));
    }
    exchange.move_here();
    for (auto& transfer : transfers) transfer.wait();
    for (auto const& [peer, buffer] : incoming) exchange.unpack(peer, buffer.data());
  }
}

#define ALLPORT_MOVE_ROWS(T) template void move_rows(Matrix<T> const&, std::vector<Move> const&);
ALLPORT_FOR_SCALARS(ALLPORT_MOVE_ROWS)

}  // namespace allport::lu_detail

namespace allport::detail {

template <class T>
void sum_over_all(Communicator const& comm, std::span<T> values) {
  if (comm.size() == 1 || values.empty()) {
    return;
  }
  std::vector<T> const mine(values.begin(), values.end());
  auto const element = static_cast<std::int64_t>(sizeof(T));
  auto const bytes = Bytes(static_cast<std::int64_t>(values.size()) * element);
  comm.run(comm.schedule_for(Collective::allreduce, 0, bytes, element),
           {std::as_bytes(std::span<T const>(mine)), std::as_writable_bytes(values)}, sum_of<T>());
}

template <class T>
void apply(Trans trans, Matrix<T const> const& a, T const* x, Index count, std::span<T> y) {
  std::fill(y.begin(), y.end(), T(0));
  auto const& distribution = a.distribution();
  auto const tall = trans == Trans::none ? a.rows() : a.cols();
  auto const deep = trans == Trans::none ? a.cols() : a.rows();
  auto const place = distribution.position(a.comm().rank());
  if (place.row >= 0) {
    for (auto const& r : distribution.rows().runs(place.row)) {
      for (auto const& c : distribution.cols().runs(place.col)) {
        auto const& out = trans == Trans::none ? r : c;
        auto const& in = trans == Trans::none ? c : r;
        blas::gemm(trans, Trans::none, out.length, count, in.length, T(1), a.data() + r.local + c.local * a.ld(),
                   a.ld(), x + in.global, std::max<Index>(deep, 1), T(1), y.data() + out.global,
                   std::max<Index>(tall, 1));
      }
    }
  }
  sum_over_all(a.comm(), y);
}

#define ALLPORT_GRID(T)                                          \
  template void sum_over_all(Communicator const&, std::span<T>); \
  template void apply(Trans, Matrix<T const> const&, T const*, Index, std::span<T>);
ALLPORT_FOR_SCALARS(ALLPORT_GRID)

}  // namespace allport::detail
