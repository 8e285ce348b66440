// The routines that are taken, and their arguments as Fortran passes them: everything by address.
#pragma once

#include <cctype>
#include <complex>
#include <cstdint>
#include <string>

#include "allport/linalg/gemm.h"

namespace allport::scalapack {

/// INTEGER of the interface. BLACS and ScaLAPACK in ILP64 form have 64 bits everywhere.
#ifdef ALLPORT_ILP64
using Int = std::int64_t;
#else
using Int = int;
#endif

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
};
struct GetrsCall {
  char const* trans;
  Int const* n;
  Int const* nrhs;
  Argument a;
  Int* pivots;
  Argument b;
  Int* info;
};
struct GesvCall {
  Int const* n;
  Int const* nrhs;
  Argument a;
  Int* pivots;
  Argument b;
  Int* info;
};
/// Memory that ScaLAPACK works in: ours needs none, and looks whether it would be enough.
struct Workspace {
  void* data;
  Int const* length;  ///< elements; -1: how many would be enough is asked for
};
struct GeqrfCall {
  Int const* m;
  Int const* n;
  Argument a;
  void* tau;
  Workspace work;
  Int* info;
};
struct OrgqrCall {
  Int const* m;
  Int const* n;
  Int const* k;
  Argument a;
  void* tau;
  Workspace work;
  Int* info;
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
};
struct PotrfCall {
  char const* uplo;
  Int const* n;
  Argument a;
  Int* info;
};
struct PotrsCall {
  char const* uplo;
  Int const* n;
  Int const* nrhs;
  Argument a;
  Argument b;
  Int* info;
};
using PosvCall = PotrsCall;

/// `caller`: the address that the call returns to.
template <class T>
void gemm(GemmCall const& call, void const* caller);
template <class T>
void getrf(GetrfCall const& call, void const* caller);
template <class T>
void getrs(GetrsCall const& call, void const* caller);
template <class T>
void gesv(GesvCall const& call, void const* caller);
template <class T>
void potrf(PotrfCall const& call, void const* caller);
template <class T>
void potrs(PotrsCall const& call, void const* caller);
template <class T>
void posv(PosvCall const& call, void const* caller);
template <class T>
void geqrf(GeqrfCall const& call, void const* caller);
/// orgqr, for complex types ungqr; ormqr, unmqr.
template <class T>
void orgqr(OrgqrCall const& call, void const* caller);
template <class T>
void ormqr(OrmqrCall const& call, void const* caller);
template <class T>
void gels(GelsCall const& call, void const* caller);

/// "pdgemm_" for double.
template <class T>
std::string symbol(char const* routine) {
  return std::string("p") + "sdcz"[static_cast<int>(scalar_of<T>)] + routine + "_";
}

/// op(X) of ScaLAPACK's letter, in either case; nothing for any other letter. For real types C is T.
template <class T>
bool read_trans(char const* letter, Trans& trans) {
  constexpr bool complex = scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z;
  switch (std::toupper(static_cast<unsigned char>(*letter))) {
    case 'N':
      trans = Trans::none;
      return true;
    case 'T':
      trans = Trans::transpose;
      return true;
    case 'C':
      trans = complex ? Trans::conjugate : Trans::transpose;
      return true;
    default:
      return false;
  }
}

/// Defines what is exported: define(float), ...
#define ALLPORT_SCALAPACK_TYPES(define) \
  define(float) define(double) define(std::complex<float>) define(std::complex<double>)

}  // namespace allport::scalapack
