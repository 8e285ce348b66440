// The operators of MPI as our schedules' combinations.
#include <algorithm>
#include <cstring>

#include "operation.h"

namespace allport::dropin {
namespace {

/// MPI's operator: inout[i] = in[i] op inout[i].
void apply(std::byte const* in, std::byte* inout, std::int64_t count, MPI_Datatype type, MPI_Op op) {
  PMPI_Reduce_local(const_cast<std::byte*>(in), inout, static_cast<int>(count), type, op);
}

}  // namespace

Combine combine_by(MPI_Op op, MPI_Datatype type, TypeLayout const& layout, bool commutative) {
  if (layout.plain) {
    return [op, type, layout, commutative](std::byte const* left, std::byte const* right, std::byte* out,
                                           std::int64_t bytes) {
      auto const count = bytes / layout.size;
      if (out == left && commutative) {
        apply(right, out, count, type, op);
      } else if (out == left) {
        std::vector<std::byte> result(right, right + bytes);
        apply(left, result.data(), count, type, op);
        std::memcpy(out, result.data(), static_cast<std::size_t>(bytes));
      } else {
        if (out != right) std::memcpy(out, right, static_cast<std::size_t>(bytes));
        apply(left, out, count, type, op);
      }
    };
  }
  // Elements with gaps travel packed; the operator sees them as the caller laid them out.
  return [op, type, layout](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    auto const count = bytes / layout.size;
    Elements a(count, layout);
    Elements b(count, layout);
    unpack(left, a.base(), count, type, layout);
    unpack(right, b.base(), count, type, layout);
    apply(a.base(), b.base(), count, type, op);
    pack(b.base(), count, type, layout, out);
  };
}

}  // namespace allport::dropin
