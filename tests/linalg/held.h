// Matrices with spare rows below the local ones, which must not be written.
#pragma once

#include <vector>

#include "allport/linalg/matrix.h"

namespace allport::samples {

template <class T>
struct Held {
  static constexpr int untouched = -7;

  Held(Communicator const& comm, Distribution const& distribution, Index spare)
      : data(elements(distribution, comm.rank(), spare), T(untouched)),
        matrix(comm, distribution, data.data(), std::max<Index>(distribution.local_rows(comm.rank()), 1) + spare) {}
  Held(Held const&) = delete;  // the matrix views the data
  Held& operator=(Held const&) = delete;
  Held(Held&&) = default;
  Held& operator=(Held&&) = default;

  /// Spare elements that were written all the same.
  [[nodiscard]] Index overwritten() const {
    Index count = 0;
    for (Index j = 0; j < matrix.local_cols(); ++j) {
      for (Index i = matrix.local_rows(); i < matrix.ld(); ++i) count += matrix.data()[i + j * matrix.ld()] != T(-7);
    }
    return count;
  }

  std::vector<T> data;
  Matrix<T> matrix;

 private:
  static std::size_t elements(Distribution const& distribution, Rank rank, Index spare) {
    return static_cast<std::size_t>((std::max<Index>(distribution.local_rows(rank), 1) + spare) *
                                    std::max<Index>(distribution.local_cols(rank), 1));
  }
};

}  // namespace allport::samples
