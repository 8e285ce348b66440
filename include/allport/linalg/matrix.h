// A distributed matrix on one rank: its distribution, this rank's part, and the communicator.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "allport/comm/communicator.h"
#include "allport/linalg/distribution.h"

namespace allport {

/// One rank's elements: [local rows x local columns], column-major, (i, j) at data[i + j * ld].
template <class T>
struct Part {
  T* data = nullptr;
  Index ld = 1;  ///< >= max(1, local rows)
};

/// A matrix over the ranks of a communicator, of float, double or complex of either; Matrix<T const> is read-only. A
/// matrix made from the caller's memory is a view of it, as std::span, and must not outlive it; allocate() and zeros()
/// give it memory of its own, which copies share and the last one frees.
///
/// The constructors are local and check nothing: an error on one rank has to become an error on all of them, which it
/// does where the matrix is used.
template <class T>
class Matrix {
 public:
  using Element = std::remove_const_t<T>;

  /// A view of `data`, which may be null if this rank has no elements. @pre ld >= max(1, local rows)
  Matrix(Communicator comm, Distribution distribution, T* data, Index ld)
      : comm_(std::move(comm)),
        distribution_(std::make_shared<Distribution const>(std::move(distribution))),
        local_rows_(distribution_->local_rows(comm_.rank())),
        local_cols_(distribution_->local_cols(comm_.rank())),
        part_{data, ld} {}
  /// As above with contiguous columns.
  Matrix(Communicator comm, Distribution distribution, T* data)
      : Matrix(std::move(comm), std::move(distribution), data, 1) {
    part_.ld = std::max<Index>(local_rows_, 1);
  }
  /// Conversion to a read-only matrix.
  template <class U>
  requires std::is_same_v<U const, T> Matrix(Matrix<U> const& other)  // NOLINT(google-explicit-constructor)
      : comm_(other.comm_),
        distribution_(other.distribution_),
        memory_(other.memory_),
        local_rows_(other.local_rows_),
        local_cols_(other.local_cols_),
        part_{other.part_.data, other.part_.ld} {}

  /// With memory of its own, uninitialized. Local. @throws std::bad_alloc
  [[nodiscard]] static Matrix allocate(Communicator const& comm,
                                       Distribution distribution) requires(!std::is_const_v<T>) {
    Matrix made(comm, std::move(distribution), nullptr);
    if (made.local_rows_ * made.local_cols_ > 0) {
      made.memory_ = std::make_shared_for_overwrite<T[]>(static_cast<std::size_t>(made.local_rows_ * made.local_cols_));
      made.part_.data = made.memory_.get();
    }
    return made;
  }
  /// As above with zeros.
  [[nodiscard]] static Matrix zeros(Communicator const& comm, Distribution distribution) requires(!std::is_const_v<T>) {
    auto made = allocate(comm, std::move(distribution));
    std::fill_n(made.data(), made.local_rows_ * made.local_cols_, T(0));
    return made;
  }

  [[nodiscard]] Communicator const& comm() const { return comm_; }
  [[nodiscard]] Distribution const& distribution() const { return *distribution_; }
  /// Of the whole matrix.
  [[nodiscard]] Index rows() const { return distribution_->rows().extent(); }
  [[nodiscard]] Index cols() const { return distribution_->cols().extent(); }

  /// Of this rank; 0 if it is not in the process grid.
  [[nodiscard]] Index local_rows() const { return local_rows_; }
  [[nodiscard]] Index local_cols() const { return local_cols_; }
  [[nodiscard]] Part<T> const& part() const { return part_; }
  [[nodiscard]] T* data() const { return part_.data; }
  [[nodiscard]] Index ld() const { return part_.ld; }

  /// visit(i, j, element) for this rank's elements, column by column; i and j are global.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (local_rows_ * local_cols_ == 0) return;
    auto const place = distribution_->position(comm_.rank());
    auto const rows = distribution_->rows().runs(place.row);
    for (auto const& c : distribution_->cols().runs(place.col)) {
      for (Index j = 0; j < c.length; ++j) {
        T* const column = part_.data + (c.local + j) * part_.ld;
        for (auto const& r : rows) {
          for (Index i = 0; i < r.length; ++i) visit(r.global + i, c.global + j, column[r.local + i]);
        }
      }
    }
  }

  /// Checks the matrix. All functions that take matrices call it on every rank. Local.
  /// @throws Error naming the matrix `name` if the process grid has ranks that the communicator has not, the local part
  /// is null though this rank has elements, or ld is too short
  void check(std::string_view name) const;

 private:
  template <class U>
  friend class Matrix;

  Communicator comm_;
  std::shared_ptr<Distribution const> distribution_;
  std::shared_ptr<Element[]> memory_;  // null for a view
  Index local_rows_ = 0;
  Index local_cols_ = 0;
  Part<T> part_;
};

/// macro(T) for each type of elements T.
#define ALLPORT_FOR_SCALARS(macro) macro(float) macro(double) macro(std::complex<float>) macro(std::complex<double>)
/// macro(prefix, T) for each of them; the prefix is `extern`, or nothing where templates are instantiated.
#define ALLPORT_INSTANCES(macro, prefix) \
  macro(prefix, float);                  \
  macro(prefix, double);                 \
  macro(prefix, std::complex<float>);    \
  macro(prefix, std::complex<double>)

#define ALLPORT_MATRIX_INSTANCE(prefix, T) \
  prefix template class Matrix<T>;         \
  prefix template class Matrix<T const>
ALLPORT_INSTANCES(ALLPORT_MATRIX_INSTANCE, extern);

}  // namespace allport
