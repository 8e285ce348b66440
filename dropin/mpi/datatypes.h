// What a datatype looks like in memory, and packing by it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace allport::dropin {

struct Layout {
  std::int64_t size = 0;         ///< bytes of data
  std::int64_t extent = 0;       ///< from one element to the next
  std::int64_t true_lb = 0;      ///< where the first byte lies
  std::int64_t true_extent = 0;  ///< from the first to the last byte
  bool plain = false;            ///< elements lie one behind the other, without gaps, their bytes in packing order
};

[[nodiscard]] Layout layout_of(MPI_Datatype type);

/// False for MPI_DATATYPE_NULL and for types that were not committed.
[[nodiscard]] bool is_usable(MPI_Datatype type);

/// Predefined by MPI, not made from others.
[[nodiscard]] bool is_predefined(MPI_Datatype type);

/// True where MPI defines `op` on `type`; for user-defined operations always.
[[nodiscard]] bool is_defined(MPI_Op op, MPI_Datatype type);

/// count * layout.size bytes. @throws Error(mpi)
void pack(void const* from, std::int64_t count, MPI_Datatype type, Layout const& layout, std::byte* to);
void unpack(std::byte const* from, void* to, std::int64_t count, MPI_Datatype type, Layout const& layout);

/// Memory for elements of a type that is not plain.
class Elements {
 public:
  Elements(std::int64_t count, Layout const& layout);
  [[nodiscard]] std::byte* base() { return base_; }  ///< what MPI calls take as buffer

 private:
  std::vector<std::byte> store_;
  std::byte* base_;
};

/// Made once per process at start: quiet about errors, never used for messages between ranks.
void make_quiet_communicator();
void free_quiet_communicator();
[[nodiscard]] MPI_Comm quiet_communicator();

}  // namespace allport::dropin
