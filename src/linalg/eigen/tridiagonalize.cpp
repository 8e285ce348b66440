#include "tridiagonalize.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "allport/linalg/redistribute.h"
#include "eigen_kernels.h"
#include "linalg/matrix/adjoint.h"
#include "linalg/matrix/checks.h"

namespace allport::detail {

namespace {

constexpr Index rows_at_once = 512;  ///< of a block that is multiplied from both sides while it is in cache

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& of, Index count) {
  return std::as_writable_bytes(std::span(of.data(), static_cast<std::size_t>(count)));
}

/// The lower triangle of `a` as a matrix of whole columns, in blocks of nb over all ranks.
template <class T>
Matrix<T> in_columns(Matrix<T const> const& a, Uplo uplo, Index nb) {
  auto const& comm = a.comm();
  auto const n = a.rows();
  auto const one_row = AxisDistribution::cuts({0, n});
  Distribution const columns(one_row, AxisDistribution::cyclic(n, comm.size(), nb),
                             ProcessGrid::row_major(1, comm.size()));
  auto made = allocate_on_all<T>(comm, columns);
  if (uplo == Uplo::lower) {
    redistribute(a, made);
  } else {
    std::optional<Matrix<T>> turned;
    on_all(comm, [&] { turned = adjoint(a); });
    redistribute(Matrix<T const>(*turned), made);
  }
  return made;
}

template <class T>
class Reduction {
 public:
  Reduction(Matrix<T> const& a, Index nb)
      : a_(a), comm_(a.comm()), n_(a.rows()), nb_(nb), ld_(std::max<Index>(a.rows(), 1)) {
    auto const words = static_cast<std::size_t>(ld_ * nb);
    on_all(comm_, [&] {
      v_.resize(words);
      w_.resize(words);
      for (auto* const of : {&message_, &mine_, &sum_}) of->resize(static_cast<std::size_t>(n_ + 3));
      row_.resize(static_cast<std::size_t>(2 * nb));
    });
  }

  void run(Tridiagonal<T>& into, std::function<void(Index, Index)> const& look) {
    for (Index k = 0; k < n_; k += nb_) {
      if (look) look(k, n_);
      auto const width = std::min(nb_, n_ - k);
      for (Index c = 0; c < width; ++c) column(into, k, c);
      update(k + width, width);
    }
    if (look) look(n_, n_);
  }

 private:
  /// Column c of the panel that begins with column k.
  void column(Tridiagonal<T>& into, Index k, Index c) {
    auto const j = k + c;
    auto const below = n_ - j - 1;
    auto const owner = a_.distribution().cols().owner(j);
    if (comm_.rank() == owner) reflect(j, c);
    comm_.broadcast(bytes_of(message_, below + 3), owner);
    auto const at = static_cast<std::size_t>(j);
    auto const* const tail = message_.data() + below;
    into.tau[at] = tail[0];
    into.d[at] = std::real(tail[1]);
    if (below == 0) return;
    into.e[at] = std::real(tail[2]);
    // Rows of V and W are those of the matrix; those up to j are zero in V and not used in W.
    auto* const v = v_.data() + c * ld_;
    std::fill_n(v, j + 1, T(0));
    std::copy_n(message_.data(), below, v + j + 1);
    multiply(j, c, v + j + 1);
    auto const size = below * static_cast<Index>(sizeof(T));
    auto const element = static_cast<std::int64_t>(sizeof(T));
    if (comm_.size() > 1) {
      comm_.allreduce(std::as_bytes(std::span(mine_)).first(static_cast<std::size_t>(size)), bytes_of(sum_, below),
                      element, sum_of<T>());
    } else {
      std::copy_n(mine_.begin(), below, sum_.begin());
    }
    auto* const w = w_.data() + c * ld_ + j + 1;
    auto const tau = into.tau[at];
    T inner(0);
    for (Index i = 0; i < below; ++i) {
      w[i] = tau * sum_[static_cast<std::size_t>(i)];
      inner += conjugate(w[i]) * v[j + 1 + i];
    }
    auto const alpha = -tau * inner / T(2);
    for (Index i = 0; i < below; ++i) w[i] += alpha * v[j + 1 + i];
  }

  /// The owner of column j brings it up to date and makes its reflector: v, tau, and elements of T as the message.
  void reflect(Index j, Index c) {
    auto* const column = a_.data() + a_.distribution().cols().local(j) * a_.ld();
    auto const below = n_ - j - 1;
    for (Index q = 0; q < c; ++q) {
      row_[static_cast<std::size_t>(q)] = conjugate(w_[static_cast<std::size_t>(j + q * ld_)]);
      row_[static_cast<std::size_t>(nb_ + q)] = conjugate(v_[static_cast<std::size_t>(j + q * ld_)]);
    }
    blas::gemv(Trans::none, n_ - j, c, T(-1), v_.data() + j, ld_, row_.data(), column + j);
    blas::gemv(Trans::none, n_ - j, c, T(-1), w_.data() + j, ld_, row_.data() + nb_, column + j);
    auto* const tail = message_.data() + below;
    tail[0] = T(0);
    tail[1] = T(std::real(column[j]));
    tail[2] = T(0);
    if (below == 0) return;
    tail[0] = blas::larfg(below, column[j + 1], column + std::min(j + 2, n_ - 1));
    tail[2] = T(std::real(column[j + 1]));
    message_[0] = T(1);
    std::copy_n(column + j + 2, below - 1, message_.data() + 1);
  }

  /// This rank's part of (A - V W^H - W V^H) v, rows j + 1 and below, to mine_.
  void multiply(Index j, Index c, T const* v) {
    auto const below = n_ - j - 1;
    std::fill_n(mine_.begin(), below, T(0));
    auto* const y = mine_.data();
    auto const first = j + 1;
    auto const& cols = a_.distribution().cols();
    for (auto local = cols.before(comm_.rank(), first); local < a_.local_cols();) {
      auto const from = global_column(local);
      auto const width = std::min(cols.block_end(from), n_) - from;
      auto const* const block = a_.data() + local * a_.ld();
      blas::hemv_lower(width, block + from, a_.ld(), v + (from - first), y + (from - first));
      for (auto row = from + width; row < n_; row += rows_at_once) {
        auto const rows = std::min(rows_at_once, n_ - row);
        blas::gemv(Trans::none, rows, width, T(1), block + row, a_.ld(), v + (from - first), y + (row - first));
        blas::gemv(Trans::conjugate, rows, width, T(1), block + row, a_.ld(), v + (row - first), y + (from - first));
      }
      local += width;
    }
    // Each rank takes a share of the columns of V and W.
    auto const begin = c * comm_.rank() / comm_.size();
    auto const share = c * (comm_.rank() + 1) / comm_.size() - begin;
    auto const* const vs = v_.data() + begin * ld_ + first;
    auto const* const ws = w_.data() + begin * ld_ + first;
    std::fill_n(row_.begin(), 2 * nb_, T(0));
    blas::gemv(Trans::conjugate, below, share, T(1), ws, ld_, v, row_.data());
    blas::gemv(Trans::conjugate, below, share, T(1), vs, ld_, v, row_.data() + nb_);
    blas::gemv(Trans::none, below, share, T(-1), vs, ld_, row_.data(), y);
    blas::gemv(Trans::none, below, share, T(-1), ws, ld_, row_.data() + nb_, y);
  }

  /// A = A - V W^H - W V^H for this rank's columns from `first` on, on and below the diagonal.
  void update(Index first, Index width) {
    auto const& cols = a_.distribution().cols();
    for (auto local = cols.before(comm_.rank(), std::min(first, n_)); local < a_.local_cols();) {
      auto const from = global_column(local);
      auto const columns = std::min(cols.block_end(from), n_) - from;
      auto const rows = n_ - from;
      auto* const block = a_.data() + from + local * a_.ld();
      blas::gemm(Trans::none, Trans::conjugate, rows, columns, width, T(-1), v_.data() + from, ld_, w_.data() + from,
                 ld_, T(1), block, a_.ld());
      blas::gemm(Trans::none, Trans::conjugate, rows, columns, width, T(-1), w_.data() + from, ld_, v_.data() + from,
                 ld_, T(1), block, a_.ld());
      local += columns;
    }
  }

  [[nodiscard]] Index global_column(Index local) const {
    auto const block = local / nb_;
    return (block * comm_.size() + comm_.rank()) * nb_ + local % nb_;
  }

  Matrix<T> const& a_;
  Communicator const& comm_;
  Index n_, nb_, ld_;
  std::vector<T> v_, w_;                 // [n x nb] of the panel, on every rank
  std::vector<T> message_, mine_, sum_;  // of one column
  std::vector<T> row_;                   // [2 nb]
};

/// A panel's reflectors as I - V T V^H: V [rows x width], then T [width x width], in one buffer.
template <class T>
struct BlockReflector {
  Index first = 0;  ///< row of the matrix where V begins
  Index rows = 0;
  Index width = 0;
  std::vector<T> words;
  [[nodiscard]] Index size() const { return (rows + width) * width; }
  [[nodiscard]] T* v() { return words.data(); }
  [[nodiscard]] T* t() { return words.data() + rows * width; }
};

/// Copies the reflectors of columns k, k + 1, ... from their owner's columns and makes T (LAPACK's larft).
template <class T>
void pack(Tridiagonal<T> const& from, Index k, BlockReflector<T>& to) {
  auto const& a = from.reflectors;
  auto const local = a.distribution().cols().local(k);
  auto const rows = to.rows, width = to.width;
  for (Index c = 0; c < width; ++c) {
    auto* const v = to.v() + c * rows;
    std::fill_n(v, c, T(0));
    v[c] = T(1);
    std::copy_n(a.data() + (local + c) * a.ld() + to.first + c + 1, rows - c - 1, v + c + 1);
  }
  std::vector<T> gram(static_cast<std::size_t>(width * width));
  blas::gemm(Trans::conjugate, Trans::none, width, width, rows, T(1), to.v(), rows, to.v(), rows, T(0), gram.data(),
             width);
  auto* const t = to.t();
  std::fill_n(t, width * width, T(0));
  for (Index c = 0; c < width; ++c) {
    auto const tau = from.tau[static_cast<std::size_t>(k + c)];
    for (Index r = 0; r < c; ++r) {
      T sum(0);
      for (auto q = r; q < c; ++q) sum += t[r + q * width] * gram[static_cast<std::size_t>(q + c * width)];
      t[r + c * width] = -tau * sum;
    }
    t[c + c * width] = tau;
  }
}

}  // namespace

template <class T>
Tridiagonal<T> tridiagonalize(Matrix<T const> const& a, Uplo uplo, Index nb,
                              std::function<void(Index, Index)> const& look) {
  auto const n = static_cast<std::size_t>(a.rows());
  Tridiagonal<T> made{in_columns(a, uplo, nb), {}, {}, {}};
  made.tau.resize(n);
  made.d.resize(n);
  made.e.resize(n == 0 ? 0 : n - 1);
  or_give_up(a.comm(), "eigh", [&] { Reduction<T>(made.reflectors, nb).run(made, look); });
  return made;
}

template <class T>
void apply_tridiagonal_q(Tridiagonal<T> const& from, Matrix<T> const& z) {
  auto const& comm = z.comm();
  auto const n = from.reflectors.rows();
  auto const& cols = from.reflectors.distribution().cols();
  auto const nb = cols.nb();
  if (n < 2) return;
  std::array<BlockReflector<T>, 2> blocks;
  std::array<Transfer, 2> transfers;
  std::vector<T> product, turned;
  on_all(comm, [&] {
    for (auto& block : blocks) block.words.resize(static_cast<std::size_t>((n + nb) * nb));
    product.resize(static_cast<std::size_t>(nb * z.local_cols()));
    turned.resize(product.size());
  });
  auto const start = [&](Index k, std::size_t at) {
    auto& block = blocks[at];
    block.first = k + 1;
    block.rows = n - k - 1;
    block.width = std::min(nb, block.rows);
    if (comm.rank() == cols.owner(k)) pack(from, k, block);
    transfers[at] = comm.start_broadcast(bytes_of(block.words, block.size()), cols.owner(k));
  };
  auto const last = (n - 2) / nb * nb;  // the last column that has a reflector is n - 2
  start(last, 0);
  for (Index k = last, at = 0; k >= 0; k -= nb, at = 1 - at) {
    auto const here = static_cast<std::size_t>(at);
    transfers[here].wait();
    if (k >= nb) start(k - nb, 1 - here);
    auto& block = blocks[here];
    auto const columns = z.local_cols();
    if (columns == 0) continue;
    auto* const rows = z.data() + block.first;
    blas::gemm(Trans::conjugate, Trans::none, block.width, columns, block.rows, T(1), block.v(), block.rows, rows,
               z.ld(), T(0), product.data(), block.width);
    blas::gemm(Trans::none, Trans::none, block.width, columns, block.width, T(1), block.t(), block.width,
               product.data(), block.width, T(0), turned.data(), block.width);
    blas::gemm(Trans::none, Trans::none, block.rows, columns, block.width, T(-1), block.v(), block.rows, turned.data(),
               block.width, T(1), rows, z.ld());
  }
}

#define ALLPORT_TRIDIAGONALIZE(T)                                                      \
  template Tridiagonal<T> tridiagonalize<T>(Matrix<T const> const&, Uplo, Index,       \
                                            std::function<void(Index, Index)> const&); \
  template void apply_tridiagonal_q<T>(Tridiagonal<T> const&, Matrix<T> const&);
ALLPORT_FOR_SCALARS(ALLPORT_TRIDIAGONALIZE)

}  // namespace allport::detail
