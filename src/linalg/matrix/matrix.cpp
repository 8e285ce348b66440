#include "allport/linalg/matrix.h"

#include <fmt/format.h>

namespace allport {

template <class T>
void Matrix<T>::check(std::string_view name) const {
  auto const largest = *std::ranges::max_element(distribution().grid());
  ensure(largest < comm_.size(), fmt::format("{}: rank in grid", name), largest,
         fmt::format("a rank in 0..{}", comm_.size() - 1), "distribute the matrix over ranks of its communicator");
  auto const shortest = std::max<Index>(1, local_rows_);
  ensure(ld() >= shortest, fmt::format("{}: ld on rank {}", name, comm_.rank()), ld(),
         fmt::format("at least max(1, local rows) = {}", shortest));
  ensure(data() != nullptr || local_rows_ * local_cols_ == 0, fmt::format("{}: data on rank {}", name, comm_.rank()),
         "null", fmt::format("{} x {} elements", local_rows_, local_cols_));
}

ALLPORT_INSTANCES(ALLPORT_MATRIX_INSTANCE, );

}  // namespace allport
