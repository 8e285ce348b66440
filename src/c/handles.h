// What the files of the C interface share: handles, and exceptions that end here as codes with a message.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include "allport/allport.h"
#include "allport/comm/communicator.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/graphs.h"

struct allport_comm_s {
  allport::Communicator comm;
  std::string report;  ///< of the last multiply
};

struct allport_distribution_s {
  allport::Distribution distribution;
};

namespace allport::c_interface {

/// The text of allport_error() of the calling thread.
std::string& last_error() noexcept;

/// Runs `body`; an exception becomes a code and the text of allport_error().
template <class Body>
int guarded(Body&& body) noexcept {
  try {
    body();
    return ALLPORT_SUCCESS;
  } catch (Error const& e) {
    last_error() = e.what();
    return static_cast<int>(e.kind());
  } catch (std::exception const& e) {
    last_error() = e.what();
    return ALLPORT_ERR_INTERNAL;
  } catch (...) {
    last_error() = "unknown exception";
    return ALLPORT_ERR_INTERNAL;
  }
}

template <class Handle>
auto& the(Handle handle, char const* name) {
  ensure(handle != nullptr, name, "NULL", "a handle that was created and not freed");
  return *handle;
}

/// What a pointer that results are written to points to.
template <class T>
T& place(T* result, char const* name) {
  ensure(result != nullptr, name, "NULL", "a place for it");
  return *result;
}

/// Writes what `make` returns as a new handle.
template <class Handle, class Make>
int made(Handle* created, Make&& make) noexcept {
  return guarded([&] {
    place(created, "created") = nullptr;
    *created = make();
  });
}

/// Frees what a handle stands for, and sets it to NULL.
template <class Handle>
int freed(Handle* handle, char const* name) noexcept {
  return guarded([&] { delete std::exchange(place(handle, name), nullptr); });
}

/// The text that `body` returns, or NULL where it throws.
template <class Body>
char const* text_or_null(Body&& body) noexcept {
  char const* text = nullptr;
  return guarded([&] { text = body(); }) == ALLPORT_SUCCESS ? text : nullptr;
}

inline std::string text_given(char const* text, char const* name, char const* expected) {
  ensure(text != nullptr, name, "NULL", expected);
  return text;
}

/// A text that is made when it is first asked for, by any thread, and then stored.
class CachedText {
 public:
  template <class Make>
  char const* get(Make const& make) {
    std::call_once(made_, [&] { text_ = make(); });
    return text_.c_str();
  }

 private:
  std::once_flag made_;
  std::string text_;
};

/// A rank's part of a matrix.
template <class T>
Matrix<T> matrix(allport_comm_s const& on, T* data, std::int64_t ld, allport_distribution distribution,
                 char const* name) {
  return {on.comm, the(distribution, name).distribution, data, ld};
}

/// @throws Error(argument) where matrices of that type do not exist
Scalar scalar_of_type(allport_type type);
/// use(x), x being a zero of the type.
template <class Use>
void with_scalar(allport_type type, Use const& use) {
  switch (scalar_of_type(type)) {
    case Scalar::s:
      return use(float{});
    case Scalar::d:
      return use(double{});
    case Scalar::c:
      return use(std::complex<float>{});
    case Scalar::z:
      return use(std::complex<double>{});
  }
}

Trans trans_of(char c, char const* name);
Uplo uplo_of(char c);

}  // namespace allport::c_interface
