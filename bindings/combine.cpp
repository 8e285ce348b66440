// Reduction operators by numpy's names of operator and element type.
#include <complex>
#include <cstdint>
#include <type_traits>

#include "allport/schedule/elementwise.h"
#include "bindings.h"

namespace allport::python {
namespace {

template <class T>
Combine for_type(std::string const& op, std::string const& dtype) {
  Combine combine;
  if (op == "sum") combine = combine_elements<T>(Elementwise::sum);
  if (op == "prod") combine = combine_elements<T>(Elementwise::product);
  if (op == "max") combine = combine_elements<T>(Elementwise::largest);
  if (op == "min") combine = combine_elements<T>(Elementwise::least);
  if (combine) return combine;
  throw Error::argument("op", show(op),
                        std::is_arithmetic_v<T> ? "sum, prod, max or min" : "sum or prod for complex " + dtype);
}

}  // namespace

Combine combine_of(std::string const& op, std::string const& dtype) {
  auto const code =
      dtype.size() > 1 && (dtype[0] == '<' || dtype[0] == '=' || dtype[0] == '|') ? dtype.substr(1) : dtype;
  if (code == "f4") return for_type<float>(op, dtype);
  if (code == "f8") return for_type<double>(op, dtype);
  if (code == "c8") return for_type<std::complex<float>>(op, dtype);
  if (code == "c16") return for_type<std::complex<double>>(op, dtype);
  if (code == "i1") return for_type<std::int8_t>(op, dtype);
  if (code == "i2") return for_type<std::int16_t>(op, dtype);
  if (code == "i4") return for_type<std::int32_t>(op, dtype);
  if (code == "i8") return for_type<std::int64_t>(op, dtype);
  if (code == "u1") return for_type<std::uint8_t>(op, dtype);
  if (code == "u2") return for_type<std::uint16_t>(op, dtype);
  if (code == "u4") return for_type<std::uint32_t>(op, dtype);
  if (code == "u8") return for_type<std::uint64_t>(op, dtype);
  throw Error::argument("dtype", show(dtype), "a native integer, float or complex type of numpy",
                        "convert with astype()");
}

}  // namespace allport::python
