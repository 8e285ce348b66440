// How Fortran's names reach C's: arguments come by reference and are translated by the C function's own type.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <utility>

#include "exported.h"

namespace allport::dropin {

/// One argument as Fortran passes it, in C's form.
template <class T>
struct Argument;

template <>
struct Argument<int> {
  void* at;
  [[nodiscard]] int value() const { return *static_cast<MPI_Fint*>(at); }
};

template <>
struct Argument<int*> {
  void* at;
  [[nodiscard]] int* value() const { return static_cast<int*>(at); }
};

template <class... A, std::size_t... I>
int call(int (*function)(A...), void* const* arguments, std::index_sequence<I...>) {
  // What is written back goes so when these temporaries end: after the call.
  return function(Argument<A>{arguments[I]}.value()...);
}

/// Calls the C function and stores its code, for which mpi_f08 may pass no place.
template <class... A, class... P>
void through_c(int (*function)(A...), MPI_Fint* code, P*... arguments) {
  static_assert(sizeof...(A) == sizeof...(P), "as many arguments as the C function has");
  void* const list[] = {arguments..., nullptr};
  auto const result = call(function, list, std::index_sequence_for<A...>{});
  if (code != nullptr) *code = result;
}

/// Calls the library's own function behind ours, which dlsym() has found.
template <class... P>
void call_library(void* function, P*... arguments) {
  reinterpret_cast<void (*)(P * ...)>(function)(arguments...);
}

inline int init() { return MPI_Init(nullptr, nullptr); }
inline int init_thread(int required, int* provided) { return MPI_Init_thread(nullptr, nullptr, required, provided); }

}  // namespace allport::dropin

#define ALLPORT_P0
#define ALLPORT_P1 void *a1,
#define ALLPORT_P2 ALLPORT_P1 void *a2,
#define ALLPORT_P3 ALLPORT_P2 void *a3,
#define ALLPORT_P4 ALLPORT_P3 void *a4,
#define ALLPORT_P5 ALLPORT_P4 void *a5,
#define ALLPORT_P6 ALLPORT_P5 void *a6,
#define ALLPORT_P7 ALLPORT_P6 void *a7,
#define ALLPORT_P8 ALLPORT_P7 void *a8,
#define ALLPORT_P9 ALLPORT_P8 void *a9,
#define ALLPORT_P10 ALLPORT_P9 void *a10,
#define ALLPORT_P11 ALLPORT_P10 void *a11,
#define ALLPORT_P12 ALLPORT_P11 void *a12,
#define ALLPORT_A0
#define ALLPORT_A1 , a1
#define ALLPORT_A2 ALLPORT_A1, a2
#define ALLPORT_A3 ALLPORT_A2, a3
#define ALLPORT_A4 ALLPORT_A3, a4
#define ALLPORT_A5 ALLPORT_A4, a5
#define ALLPORT_A6 ALLPORT_A5, a6
#define ALLPORT_A7 ALLPORT_A6, a7
#define ALLPORT_A8 ALLPORT_A7, a8
#define ALLPORT_A9 ALLPORT_A8, a9
#define ALLPORT_A10 ALLPORT_A9, a10
#define ALLPORT_A11 ALLPORT_A10, a11
#define ALLPORT_A12 ALLPORT_A11, a12

// `symbol` with `n` arguments beside the code.
#define ALLPORT_FORTRAN_NAME(symbol, n, function) \
  ALLPORT_EXPORTED void symbol(ALLPORT_P##n MPI_Fint* code) { allport::dropin::through_c(function, code ALLPORT_A##n); }
