// What the files of the C interface share: handles, and exceptions that end here as codes with a message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>

#include "allport/allport.h"
#include "allport/comm/communicator.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/graphs.h"

struct allport_comm_s {
  allport::Communicator comm;
  std::string report;
};

struct allport_distribution_s {
  allport::Distribution distribution;
};

namespace allport::c_interface {

/// Of the calling thread: allport_error()'s text.
std::string& last_error() noexcept;

/// Runs `body`; what it throws becomes a code and allport_error()'s text.
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
    return ALLPORT_INTERNAL;
  } catch (...) {
    last_error() = "unknown exception";
    return ALLPORT_INTERNAL;
  }
}

template <class Handle>
auto& the(Handle handle, char const* name) {
  ensure(handle != nullptr, name, "NULL", "a handle that was created and not freed");
  return *handle;
}

/// A rank's part of a matrix.
template <class T>
Matrix<T> matrix(allport_comm_s const& on, T* data, std::int64_t ld, allport_distribution lies, char const* name) {
  return {on.comm, the(lies, name).distribution, data, ld};
}

Trans trans_of(char c, char const* name);
Scalar type_named(char c);
Uplo uplo_of(char c);
std::int64_t whole_number(std::string const& text, std::string const& key);
/// Threads of a rank.
int workers_given(std::string const& text, std::string const& key);
GemmGrid grid_named(std::string const& text);

/// take(key, value) for each word `key=value` of the options; false: no such key. @param keys  all there are
template <class Take>
void read_options(char const* text, char const* keys, Take const& take) {
  std::string const all = text == nullptr ? "" : text;
  for (std::size_t at = 0; at < all.size();) {
    auto const end = std::min(all.find(' ', at), all.size());
    auto const word = all.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    auto const equals = word.find('=');
    auto const value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
    if (!take(word.substr(0, equals), value)) {
      throw Error::argument("options", show(word), keys, "separate them by spaces");
    }
  }
}

}  // namespace allport::c_interface
