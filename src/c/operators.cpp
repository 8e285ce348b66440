// The C interface: operators of reductions, Allport's and the program's own.
#include <complex>
#include <deque>
#include <mutex>
#include <type_traits>

#include "allport/schedule/elementwise.h"
#include "calls.h"

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

Operator operator_of(int op, char type) {
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
    case 's':
      return operator_on<float>(op);
    case 'd':
      return operator_on<double>(op);
    case 'c':
      return operator_on<std::complex<float>>(op);
    case 'z':
      return operator_on<std::complex<double>>(op);
    case 'b':
      return operator_on<std::int8_t>(op);
    case 'h':
      return operator_on<std::int16_t>(op);
    case 'i':
      return operator_on<std::int32_t>(op);
    case 'l':
      return operator_on<std::int64_t>(op);
    case 'B':
      return operator_on<std::uint8_t>(op);
    case 'H':
      return operator_on<std::uint16_t>(op);
    case 'I':
      return operator_on<std::uint32_t>(op);
    case 'L':
      return operator_on<std::uint64_t>(op);
    default:
      throw Error::argument("type", show(std::string(1, type)),
                            "'s', 'd', 'c', 'z', 'b', 'h', 'i', 'l', 'B', 'H', 'I' or 'L'");
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
