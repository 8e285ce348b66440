// ScaLAPACK's names, as Fortran compilers spell them in lower case with an underscore.
#include <complex>

#include "enter.h"
#include "exported.h"

namespace ours = allport::scalapack;
using ours::Int;

// The hidden lengths that Fortran appends for characters are not used: only the first character counts.
#define ALLPORT_SCALAPACK(prefix, T)                                                                                  \
  ALLPORT_EXPORTED void p##prefix##gemm_(char const* transa, char const* transb, Int const* m, Int const* n,          \
                                         Int const* k, void const* alpha, void* a, Int const* ia, Int const* ja,      \
                                         Int const* desca, void* b, Int const* ib, Int const* jb, Int const* descb,   \
                                         void const* beta, void* c, Int const* ic, Int const* jc, Int const* descc) { \
    ours::gemm<T>({transa, transb, m, n, k, alpha, {a, ia, ja, desca}, {b, ib, jb, descb}, beta, {c, ic, jc, descc}}, \
                  __builtin_return_address(0));                                                                       \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##getrf_(Int const* m, Int const* n, void* a, Int const* ia, Int const* ja,          \
                                          Int const* desca, Int* ipiv, Int* info) {                                   \
    ours::enter<T>(ours::GetrfCall{m, n, {a, ia, ja, desca}, ipiv, info}, __builtin_return_address(0));               \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##getrs_(char const* trans, Int const* n, Int const* nrhs, void* a, Int const* ia,   \
                                          Int const* ja, Int const* desca, Int* ipiv, void* b, Int const* ib,         \
                                          Int const* jb, Int const* descb, Int* info) {                               \
    ours::enter<T>(ours::GetrsCall{trans, n, nrhs, {a, ia, ja, desca}, ipiv, {b, ib, jb, descb}, info},               \
                   __builtin_return_address(0));                                                                      \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##gesv_(Int const* n, Int const* nrhs, void* a, Int const* ia, Int const* ja,        \
                                         Int const* desca, Int* ipiv, void* b, Int const* ib, Int const* jb,          \
                                         Int const* descb, Int* info) {                                               \
    ours::enter<T>(ours::GesvCall{n, nrhs, {a, ia, ja, desca}, ipiv, {b, ib, jb, descb}, info},                       \
                   __builtin_return_address(0));                                                                      \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##potrf_(char const* uplo, Int const* n, void* a, Int const* ia, Int const* ja,      \
                                          Int const* desca, Int* info) {                                              \
    ours::enter<T>(ours::PotrfCall{uplo, n, {a, ia, ja, desca}, info}, __builtin_return_address(0));                  \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##potrs_(char const* uplo, Int const* n, Int const* nrhs, void* a, Int const* ia,    \
                                          Int const* ja, Int const* desca, void* b, Int const* ib, Int const* jb,     \
                                          Int const* descb, Int* info) {                                              \
    ours::enter<T>(ours::PotrsCall{uplo, n, nrhs, {a, ia, ja, desca}, {b, ib, jb, descb}, info},                      \
                   __builtin_return_address(0));                                                                      \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##posv_(char const* uplo, Int const* n, Int const* nrhs, void* a, Int const* ia,     \
                                         Int const* ja, Int const* desca, void* b, Int const* ib, Int const* jb,      \
                                         Int const* descb, Int* info) {                                               \
    ours::enter<T>(ours::PosvCall{uplo, n, nrhs, {a, ia, ja, desca}, {b, ib, jb, descb}, info},                       \
                   __builtin_return_address(0));                                                                      \
  }

#define ALLPORT_SCALAPACK_QR(prefix, T, orgqr_name, ormqr_name)                                                       \
  ALLPORT_EXPORTED void p##prefix##geqrf_(Int const* m, Int const* n, void* a, Int const* ia, Int const* ja,          \
                                          Int const* desca, void* tau, void* work, Int const* lwork, Int* info) {     \
    ours::enter<T>(ours::GeqrfCall{m, n, {a, ia, ja, desca}, tau, {work, lwork}, info}, __builtin_return_address(0)); \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##orgqr_name##_(Int const* m, Int const* n, Int const* k, void* a, Int const* ia,    \
                                                 Int const* ja, Int const* desca, void* tau, void* work,              \
                                                 Int const* lwork, Int* info) {                                       \
    ours::enter<T>(ours::OrgqrCall{m, n, k, {a, ia, ja, desca}, tau, {work, lwork}, info},                            \
                   __builtin_return_address(0));                                                                      \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##ormqr_name##_(char const* side, char const* trans, Int const* m, Int const* n,     \
                                                 Int const* k, void* a, Int const* ia, Int const* ja,                 \
                                                 Int const* desca, void* tau, void* c, Int const* ic, Int const* jc,  \
                                                 Int const* descc, void* work, Int const* lwork, Int* info) {         \
    ours::enter<T>(                                                                                                   \
        ours::OrmqrCall{side, trans, m, n, k, {a, ia, ja, desca}, tau, {c, ic, jc, descc}, {work, lwork}, info},      \
        __builtin_return_address(0));                                                                                 \
  }                                                                                                                   \
  ALLPORT_EXPORTED void p##prefix##gels_(char const* trans, Int const* m, Int const* n, Int const* nrhs, void* a,     \
                                         Int const* ia, Int const* ja, Int const* desca, void* b, Int const* ib,      \
                                         Int const* jb, Int const* descb, void* work, Int const* lwork, Int* info) {  \
    ours::enter<T>(ours::GelsCall{trans, m, n, nrhs, {a, ia, ja, desca}, {b, ib, jb, descb}, {work, lwork}, info},    \
                   __builtin_return_address(0));                                                                      \
  }

extern "C" {
ALLPORT_SCALAPACK(s, float)
ALLPORT_SCALAPACK(d, double)
ALLPORT_SCALAPACK(c, std::complex<float>)
ALLPORT_SCALAPACK(z, std::complex<double>)
ALLPORT_SCALAPACK_QR(s, float, orgqr, ormqr)
ALLPORT_SCALAPACK_QR(d, double, orgqr, ormqr)
ALLPORT_SCALAPACK_QR(c, std::complex<float>, ungqr, unmqr)
ALLPORT_SCALAPACK_QR(z, std::complex<double>, ungqr, unmqr)
}  // extern "C"
