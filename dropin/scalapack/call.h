// The intercepted routines and their arguments as Fortran passes them: all by address.
#pragma once

#include <cctype>
#include <complex>
#include <cstdint>
#include <string>

#include "allport/linalg/gemm.h"
#include "original.h"

namespace allport::scalapack {

/// INTEGER of the interface. BLACS and ScaLAPACK in ILP64 form have 64 bits everywhere.
#ifdef ALLPORT_ILP64
using Int = std::int64_t;
#else
using Int = int;
#endif

template <class T>
inline constexpr bool is_complex = scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z;

/// A matrix argument: local part, global row and column of its first element (from 1), descriptor.
struct Argument {
  void* data;
  Int const* i;
  Int const* j;
  Int const* desc;
};

struct GemmCall {
  char const* trans_a;
  char const* trans_b;
  Int const* m;
  Int const* n;
  Int const* k;
  void const* alpha;
  Argument a;
  Argument b;
  void const* beta;
  Argument c;
};
struct GetrfCall {
  Int const* m;
  Int const* n;
  Argument a;
  Int* pivots;
  Int* info;

  template <class T>
  static constexpr char const* routine = "getrf";
  void pass_to(Original const& original) const { original.call(m, n, a.data, a.i, a.j, a.desc, pivots, info); }
};
struct GetrsCall {
  char const* trans;
  Int const* n;
  Int const* nrhs;
  Argument a;
  Int* pivots;
  Argument b;
  Int* info;

  template <class T>
  static constexpr char const* routine = "getrs";
  void pass_to(Original const& original) const {
    original.call(trans, n, nrhs, a.data, a.i, a.j, a.desc, pivots, b.data, b.i, b.j, b.desc, info, std::size_t{1});
  }
};
struct GesvCall {
  Int const* n;
  Int const* nrhs;
  Argument a;
  Int* pivots;
  Argument b;
  Int* info;

  template <class T>
  static constexpr char const* routine = "gesv";
  void pass_to(Original const& original) const {
    original.call(n, nrhs, a.data, a.i, a.j, a.desc, pivots, b.data, b.i, b.j, b.desc, info);
  }
};
/// Workspace of ScaLAPACK: not used, but its length is checked.
struct Workspace {
  void* data;
  Int const* length;  ///< elements; -1: workspace query
};
struct GeqrfCall {
  Int const* m;
  Int const* n;
  Argument a;
  void* tau;
  Workspace work;
  Int* info;

  template <class T>
  static constexpr char const* routine = "geqrf";
  void pass_to(Original const& original) const {
    original.call(m, n, a.data, a.i, a.j, a.desc, tau, work.data, work.length, info);
  }
};
struct OrgqrCall {
  Int const* m;
  Int const* n;
  Int const* k;
  Argument a;
  void* tau;
  Workspace work;
  Int* info;

  template <class T>
  static constexpr char const* routine = is_complex<T> ? "ungqr" : "orgqr";
  void pass_to(Original const& original) const {
    original.call(m, n, k, a.data, a.i, a.j, a.desc, tau, work.data, work.length, info);
  }
};
struct OrmqrCall {
  char const* side;
  char const* trans;
  Int const* m;
  Int const* n;
  Int const* k;
  Argument a;
  void* tau;
  Argument c;
  Workspace work;
  Int* info;

  template <class T>
  static constexpr char const* routine = is_complex<T> ? "unmqr" : "ormqr";
  void pass_to(Original const& original) const {
    original.call(side, trans, m, n, k, a.data, a.i, a.j, a.desc, tau, c.data, c.i, c.j, c.desc, work.data, work.length,
                  info, std::size_t{1}, std::size_t{1});
  }
};
struct GelsCall {
  char const* trans;
  Int const* m;
  Int const* n;
  Int const* nrhs;
  Argument a;
  Argument b;
  Workspace work;
  Int* info;

  template <class T>
  static constexpr char const* routine = "gels";
  void pass_to(Original const& original) const {
    original.call(trans, m, n, nrhs, a.data, a.i, a.j, a.desc, b.data, b.i, b.j, b.desc, work.data, work.length, info,
                  std::size_t{1});
  }
};
struct PotrfCall {
  char const* uplo;
  Int const* n;
  Argument a;
  Int* info;

  template <class T>
  static constexpr char const* routine = "potrf";
  void pass_to(Original const& original) const {
    original.call(uplo, n, a.data, a.i, a.j, a.desc, info, std::size_t{1});
  }
};
struct PotrsCall {
  char const* uplo;
  Int const* n;
  Int const* nrhs;
  Argument a;
  Argument b;
  Int* info;

  template <class T>
  static constexpr char const* routine = "potrs";
  void pass_to(Original const& original) const {
    original.call(uplo, n, nrhs, a.data, a.i, a.j, a.desc, b.data, b.i, b.j, b.desc, info, std::size_t{1});
  }
};
struct PosvCall : PotrsCall {
  template <class T>
  static constexpr char const* routine = "posv";
};

struct Outcome;
struct Grid;
/// Performs a call, or returns the reason why it falls back to ScaLAPACK.
template <class T>
[[nodiscard]] Outcome take(GetrfCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(GetrsCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(GesvCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(PotrfCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(PotrsCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(PosvCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(GeqrfCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(OrgqrCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(OrmqrCall const& call, Grid const& grid);
template <class T>
[[nodiscard]] Outcome take(GelsCall const& call, Grid const& grid);
/// The whole call of gemm, which reports wrong arguments differently. @param caller  the return address
template <class T>
void gemm(GemmCall const& call, void const* caller);

/// "pdgemm_" for double.
template <class T>
std::string symbol(char const* routine) {
  return std::string("p") + "sdcz"[static_cast<int>(scalar_of<T>)] + routine + "_";
}

/// op(X) of ScaLAPACK's character in either case; false for any other. For real types C is T.
template <class T>
bool read_trans(char const* character, Trans& trans) {
  switch (std::toupper(static_cast<unsigned char>(*character))) {
    case 'N':
      trans = Trans::none;
      return true;
    case 'T':
      trans = Trans::transpose;
      return true;
    case 'C':
      trans = is_complex<T> ? Trans::conjugate : Trans::transpose;
      return true;
    default:
      return false;
  }
}

/// define(float), define(double), ... for all types.
#define ALLPORT_SCALAPACK_TYPES(define) \
  define(float) define(double) define(std::complex<float>) define(std::complex<double>)

/// Defines take() of a call for all types.
#define ALLPORT_SCALAPACK_TAKES(Call)                                   \
  template Outcome take<float>(Call const&, Grid const&);               \
  template Outcome take<double>(Call const&, Grid const&);              \
  template Outcome take<std::complex<float>>(Call const&, Grid const&); \
  template Outcome take<std::complex<double>>(Call const&, Grid const&);

}  // namespace allport::scalapack
