// Errors that name the argument, the value and the remedy; `ensure` states a precondition and checks it.
#pragma once

#include <concepts>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace allport {

/// What kind of failure an Error is; the C interface returns it as a code (see allport.h).
enum class ErrorKind : int {
  argument = 1,    ///< a caller's value is out of its domain
  io = 2,          ///< a file is missing, truncated, unreadable or of the wrong kind
  memory = 3,      ///< the memory contract would be broken
  machine = 4,     ///< a machine spec or machine file is wrong
  schedule = 5,    ///< a schedule breaks its contract
  mpi = 6,         ///< the MPI library reported an error
  mismatch = 7,    ///< ranks disagree about something that must be equal
  unsupported = 8  ///< well-formed, but this build or algorithm cannot do it
};

/// The only exception that Allport throws on purpose.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, std::string const& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const { return kind_; }

  /// "root = 17: expected a rank in 0..15; pass ..." (remedy may be empty).
  [[nodiscard]] static Error argument(std::string_view name, std::string_view value, std::string_view expected,
                                      std::string_view remedy = "", ErrorKind kind = ErrorKind::argument);

 private:
  ErrorKind kind_;
};

/// Text of a value in an error message.
template <class T>
std::string show(T const& value) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    std::string text(1, '\'');
    text += std::string_view(value);
    text += '\'';
    return text;
  } else {
    return show(value.value());  // a Quantity
  }
}

/// Throws Error::argument(name, value, expected, remedy) unless `holds`.
template <class T>
void ensure(bool holds, std::string_view name, T const& value, std::string_view expected, std::string_view remedy = "",
            ErrorKind kind = ErrorKind::argument) {
  if (!holds) [[unlikely]] {
    throw Error::argument(name, show(value), expected, remedy, kind);
  }
}

}  // namespace allport
