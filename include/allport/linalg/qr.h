// QR factorization of distributed matrices of any shape, and products with its Q.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>

#include "allport/linalg/graphs.h"
#include "allport/linalg/matrix.h"
#include "allport/tasks/run.h"

namespace allport {

struct QrOptions {
  /// Tile size; 0: by the price of the graph with the machine's rates and of redistribution. Products with Q and least
  /// squares use that of the factors.
  Index nb = 0;
  /// Threads that run tasks on each rank. With more than one, each BLAS call uses one thread.
  int workers = 1;
  /// How reflectors are sent to several ranks; none: tasks::default_tree().
  std::optional<MulticastTree> tree{};
  /// Records tasks and messages of the factorization, in QrReport::run.
  bool record = false;
  /// As tasks::RunOptions::attend.
  std::function<void()> attend{};
  /// As tasks::RunOptions::progress, of the factorization.
  std::function<void(std::int64_t done, std::int64_t all)> progress{};
};

struct QrReport {
  Index nb = 0;          ///< of the tiles
  bool moved = false;    ///< the matrix was redistributed to the distribution of the tiles, and back
  tasks::RunReport run;  ///< of this rank
};

/// The reflectors of the tiles and trees of a factorization; private to src/linalg.
template <class T>
class QrReflectors;

/// Q of A = Q R as its reflectors: V and T of the tiles and of the trees, distributed as the tiles. Copies share them.
/// Returned by qr().
template <class T>
class QrFactors {
 public:
  explicit QrFactors(std::shared_ptr<QrReflectors<T> const> reflectors);

  /// Of the factored matrix: Q is rows x rows; its first min(rows, cols) columns span those of A.
  [[nodiscard]] Index rows() const;
  [[nodiscard]] Index cols() const;
  [[nodiscard]] Communicator const& comm() const;
  /// Of the tiles.
  [[nodiscard]] Distribution const& distribution() const;
  /// Bytes of this rank's reflectors.
  [[nodiscard]] Bytes memory() const;
  [[nodiscard]] QrReflectors<T> const& reflectors() const { return *reflectors_; }

 private:
  std::shared_ptr<QrReflectors<T> const> reflectors_;
};

/// A = Q R by the graph of qr_graph() (tile QR with reduction trees: Demmel, Grigori, Hoemmen, Langou 2012). R replaces
/// A on and above the diagonal, which is real; below are the reflectors of the tiles, which are of use only with those
/// of the trees in the returned factors. Called by all ranks of the matrix's communicator. NaN and inf propagate to the
/// factors.
/// @param a  m x n of any shape and distribution; overwritten
/// @throws Error on every rank naming the wrong argument: ld, nb, workers
template <class T>
QrFactors<T> qr(Matrix<T> const& a, QrOptions const& options = {}, QrReport* report = nullptr);

/// C = Q C (Trans::none) or Q^H C (otherwise; Trans::transpose for real types only).
/// @param c  rows() x any number of columns, of any distribution over the same ranks
/// @throws Error on every rank naming the wrong argument
template <class T>
QrReport apply_q(QrFactors<T> const& factors, Trans trans, Matrix<std::type_identity_t<T>> const& c,
                 QrOptions const& options = {});

/// The first columns of Q.
/// @param q  rows() x any number of columns up to rows(), of any distribution over the same ranks
/// @throws Error on every rank naming the wrong argument
template <class T>
QrReport form_q(QrFactors<T> const& factors, Matrix<std::type_identity_t<T>> const& q, QrOptions const& options = {});

/// Copies R, the upper triangle of the first rows of a factored matrix, with zeros below.
/// @param factored  m x n, as qr() leaves it
/// @param r         min(m, n) x n, of any distribution over the same ranks
/// @throws Error on every rank naming the wrong argument
template <class T>
void copy_r(Matrix<std::type_identity_t<T> const> const& factored, Matrix<T> const& r);

#define ALLPORT_QR_INSTANCE(prefix, T)                                                                 \
  prefix template void copy_r<T>(Matrix<T const> const&, Matrix<T> const&);                            \
  prefix template class QrFactors<T>;                                                                  \
  prefix template QrFactors<T> qr(Matrix<T> const&, QrOptions const&, QrReport*);                      \
  prefix template QrReport apply_q<T>(QrFactors<T> const&, Trans, Matrix<T> const&, QrOptions const&); \
  prefix template QrReport form_q<T>(QrFactors<T> const&, Matrix<T> const&, QrOptions const&)
ALLPORT_INSTANCES(ALLPORT_QR_INSTANCE, extern);

}  // namespace allport
