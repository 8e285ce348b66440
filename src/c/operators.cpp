// The C interface: operators of reductions, Allport's and the program's own.
#include <complex>
#include <deque>
#include <mutex>
#include <type_traits>

#include "allport/schedule/elementwise.h"
#include "requests.h"

namespace allport::c_interface {
namespace {

constexpr int first_own = 100;

struct OwnOperator {
  allport_operator function;
  void* context;
  std::int64_t element;
};

std::mutex own_lock;
std::deque<OwnOperator>& own_operators() {
  static std::deque<OwnOperator> all;
  return all;
}

template <class T>
Operator operator_on(int op) {
  Operator found{sizeof(T), {}};
  if (op == ALLPORT_SUM) found.combine = combine_elements<T>(Elementwise::sum);
  if (op == ALLPORT_PROD) found.combine = combine_elements<T>(Elementwise::product);
  if (op == ALLPORT_MAX) found.combine = combine_elements<T>(Elementwise::largest);
  if (op == ALLPORT_MIN) found.combine = combine_elements<T>(Elementwise::least);
  if (found.combine) return found;
  throw Error::argument("op", show(op),
                        std::is_arithmetic_v<T> ? "one of enum allport_op, or one that allport_op_create() made"
                                                : "ALLPORT_SUM or ALLPORT_PROD for complex numbers");
}

}  // namespace

Operator operator_of(int op, allport_type type) {
  if (op >= first_own) {
    std::scoped_lock const hold(own_lock);
    auto const& all = own_operators();
    ensure(op - first_own < static_cast<int>(all.size()), "op", op, "one that allport_op_create() made");
    auto const own = all[static_cast<std::size_t>(op - first_own)];
    return {own.element, [own](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
              own.function(left, right, out, bytes / own.element, own.context);
            }};
  }
  switch (type) {
    case ALLPORT_FLOAT:
      return operator_on<float>(op);
    case ALLPORT_DOUBLE:
      return operator_on<double>(op);
    case ALLPORT_FLOAT_COMPLEX:
      return operator_on<std::complex<float>>(op);
    case ALLPORT_DOUBLE_COMPLEX:
      return operator_on<std::complex<double>>(op);
    case ALLPORT_INT8_T:
      return operator_on<std::int8_t>(op);
    case ALLPORT_INT16_T:
      return operator_on<std::int16_t>(op);
    case ALLPORT_INT32_T:
      return operator_on<std::int32_t>(op);
    case ALLPORT_INT64_T:
      return operator_on<std::int64_t>(op);
    case ALLPORT_UINT8_T:
      return operator_on<std::uint8_t>(op);
    case ALLPORT_UINT16_T:
      return operator_on<std::uint16_t>(op);
    case ALLPORT_UINT32_T:
      return operator_on<std::uint32_t>(op);
    case ALLPORT_UINT64_T:
      return operator_on<std::uint64_t>(op);
    default:
      throw Error::argument("type", show(type), "one of allport_type, from ALLPORT_FLOAT on");
  }
}

}  // namespace allport::c_interface

extern "C" int allport_op_create(allport_operator function, void* context, int64_t element_bytes, int* op) {
  using namespace allport;
  using namespace allport::c_interface;
  return guarded([&] {
    ensure(function != nullptr, "function", "NULL", "a function");
    ensure(element_bytes >= 1, "element_bytes", element_bytes, "at least 1");
    ensure(op != nullptr, "op", "NULL", "a place for its number");
    std::scoped_lock const hold(own_lock);
    auto& all = own_operators();
    all.push_back({function, context, element_bytes});
    *op = first_own + static_cast<int>(all.size()) - 1;
  });
}
