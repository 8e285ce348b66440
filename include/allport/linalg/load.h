// Distributed matrices from and to files; each rank touches only its own part of the file.
#pragma once

#include <string>

#include "allport/comm/communicator.h"
#include "allport/linalg/matrix.h"

namespace allport {

/// What a matrix file holds, before anything is allocated for it.
struct FileShape {
  Index rows = 0;
  Index cols = 0;
  Scalar scalar = Scalar::d;  ///< s for f2 and f4, c for c8, z for c16 and complex .mtx, d for all else
};
/// By its name: ".mtx" is Matrix Market, all else .npy. Called by all ranks; every rank gets what rank 0 reads.
/// @throws Error on every rank when rank 0 cannot read it
[[nodiscard]] FileShape shape_of_file(Communicator const& comm, std::string const& path);

/// matrix(i, j) = file(i, j), or file(j, i) when `transposed`. Called by all of the matrix's ranks with one path, that
/// each can open. matrix: as many rows and columns as the file (or its transpose). Integers, bools and halves convert
/// to T.
/// @throws Error on every rank, naming the path or the matrix, when anything is wrong on any
template <class T>
void load_npy(std::string const& path, Matrix<T> const& matrix, bool transposed = false);

/// file(i, j) = matrix(i, j), or matrix(j, i) when `transposed`. The file is written aside (path + ".part-" and a
/// number) and takes its name when all ranks have written; when one fails the old file stays and nothing is left aside.
/// Distributions whose runs are short are first moved to ranges of whole lines of the file (a second copy of the part).
/// @throws Error on every rank, naming the path or the matrix, when anything is wrong on any
template <class T>
void save_npy(std::string const& path, Matrix<T const> const& matrix, bool fortran_order = false,
              bool transposed = false);

/// matrix(i, j) = file(i, j) of a Matrix Market file, elements that it does not name are 0, entries that it gives
/// several times are added up (in the file's order). Each rank parses its share of the bytes.
/// @throws Error on every rank, naming the path, line or matrix, when anything is wrong on any
template <class T>
void load_mtx(std::string const& path, Matrix<T> const& matrix);

}  // namespace allport
