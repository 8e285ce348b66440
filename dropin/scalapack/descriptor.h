// Descriptors, the checks that ScaLAPACK makes of them, and sub-matrices as distributions.
#pragma once

#include <string>
#include <vector>

#include "allport/linalg/matrix.h"
#include "blacs.h"
#include "call.h"

namespace allport::scalapack {

/// Types of descriptors that a routine accepts: the PBLAS both types, ScaLAPACK's own routines those with 9 entries, of
/// which no more may be read, whatever type they name.
enum class Takes { type_1, both_types };

/// A descriptor: type 1 (9 entries) has first blocks like all others, type 2 (11 entries) names them.
struct Descriptor {
  Descriptor(Int const* entries, Takes takes);

  Int type = 0, context = -1;
  /// Zeros for a type that is not accepted.
  Int m = 0, n = 0, imb = 0, inb = 0, mb = 0, nb = 0, rsrc = 0, csrc = 0, lld = 0;

  [[nodiscard]] bool is_replicated() const { return rsrc == -1 || csrc == -1; }
};

/// The first wrong argument, encoded as in ScaLAPACK: 100 * argument, plus the entry of a descriptor.
class Wrong {
 public:
  void argument(int position) { add(100 * position); }
  void entry(int position, int which) { add(100 * position + which); }
  [[nodiscard]] bool any() const { return least_ != none; }
  /// INFO: 0, -argument, or -(100 * argument + entry).
  [[nodiscard]] Int info() const { return info_of(least_); }
  [[nodiscard]] Int position() const { return least_; }
  [[nodiscard]] static Int info_of(Int position) {
    return position == none ? 0 : position % 100 == 0 ? -position / 100 : -position;
  }

 private:
  static constexpr Int none = 10000;
  void add(Int found) { least_ = found < least_ ? found : least_; }
  Int least_ = none;
};

/// rows x cols of a distributed matrix from global (i, j) on, counted from 0.
struct Operand {
  Operand(Argument const& argument, Index m, Index n, Takes takes)
      : desc(argument.desc, takes), i(*argument.i - Index{1}), j(*argument.j - Index{1}), rows(m), cols(n) {}

  Descriptor desc;
  Index i;
  Index j;
  Index rows;
  Index cols;
};

/// Checks a matrix argument on this process as ScaLAPACK does (CHK1MAT). The positions are those of rows, columns and
/// descriptor among the routine's arguments.
void check_scalapack(Operand const& x, int rows_at, int cols_at, int desc_at, Grid const& grid, Wrong& wrong);
/// As above for the PBLAS, which accept both types of descriptors and replicated matrices. Entries are counted as those
/// of type 2, whatever the type.
void check_pblas(Operand const& x, int rows_at, int cols_at, int desc_at, Grid const& grid, Wrong& wrong);

/// Further checks for factorizations: sub(A) starts at the beginning of blocks, and blocks are square.
void check_blocks(Operand const& a, int desc_at, Wrong& wrong);
/// As above, and the rows of sub(B) are distributed as those of sub(A).
void check_blocks(Operand const& a, int a_desc_at, Operand const& b, int b_desc_at, Grid const& grid, Wrong& wrong);

/// The distributions of the whole matrix over process rows and columns.
[[nodiscard]] AxisDistribution row_distribution(Descriptor const& desc, Grid const& grid);
[[nodiscard]] AxisDistribution col_distribution(Descriptor const& desc, Grid const& grid);

/// A sub-matrix in place: its distribution, and the local rows and columns before its first element.
struct View {
  Distribution distribution;
  Index rows_before = 0;
  Index cols_before = 0;
  Index ld = 1;

  /// The sub-matrix. @param local  local part of the whole matrix
  template <class T>
  [[nodiscard]] Matrix<T> matrix(Communicator const& comm, void* local) const {
    return {comm, distribution, static_cast<T*>(local) + rows_before + cols_before * ld, ld};
  }
};
/// @param ranks  of grid coordinates (r, c) at r + c * rows
/// @pre the descriptor was checked and is of a matrix that is not replicated; rows and cols >= 1
[[nodiscard]] View view_of(Operand const& x, Grid const& grid, std::vector<Rank> const& ranks, Rank me);
/// Text that identifies a view's distribution within one grid.
[[nodiscard]] std::string place_text(View const& view);

}  // namespace allport::scalapack
