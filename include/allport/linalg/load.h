// Distributed matrices from and to files; each rank reads or writes only its own part of the file.
#pragma once

#include <string>

#include "allport/comm/communicator.h"
#include "allport/linalg/matrix.h"

namespace allport {

/// Extents and type of the matrix in a file.
struct FileShape {
  Index rows = 0;
  Index cols = 0;
  Scalar scalar = Scalar::d;  ///< s for f2 and f4, c for c8, z for c16 and complex .mtx, d for all else
};
/// A name that ends with ".mtx" is Matrix Market, any other .npy. Called by all ranks; rank 0 reads.
/// @throws Error on every rank if rank 0 cannot read it
[[nodiscard]] FileShape shape_of_file(Communicator const& comm, std::string const& path);

/// matrix(i, j) = file(i, j), or file(j, i) if `transposed`. Called by all of the matrix's ranks with one path that
/// each can open. matrix: as many rows and columns as the file (or its transpose). Integers, bools and halves are
/// converted to T.
/// @throws Error on every rank, naming the path or the matrix, if anything is wrong on any
template <class T>
void load_npy(std::string const& path, Matrix<T> const& matrix, bool transposed = false);

/// file(i, j) = matrix(i, j), or matrix(j, i) if `transposed`. Written to a temporary file (path + ".part-" and a
/// number), which is renamed after all ranks have written; if one fails, the old file stays and the temporary file is
/// removed. Matrices with short runs are first redistributed to ranges of whole lines of the file (a second copy of the
/// part).
/// @throws Error on every rank, naming the path or the matrix, if anything is wrong on any
template <class T>
void save_npy(std::string const& path, Matrix<T const> const& matrix, bool fortran_order = false,
              bool transposed = false);

/// matrix(i, j) = file(i, j) of a Matrix Market file; missing elements are 0, repeated entries are added (in the file's
/// order). Each rank parses its share of the bytes.
/// @throws Error on every rank, naming the path, line or matrix, if anything is wrong on any
template <class T>
void load_mtx(std::string const& path, Matrix<T> const& matrix);

}  // namespace allport
