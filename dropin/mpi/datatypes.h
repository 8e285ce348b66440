// What a datatype looks like in memory, and packing by it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace allport::dropin {

struct TypeLayout {
  std::int64_t size = 0;         ///< bytes of data
  std::int64_t extent = 0;       ///< from one element to the next
  std::int64_t true_lb = 0;      ///< where the first byte lies
  std::int64_t true_extent = 0;  ///< from the first to the last byte
  bool plain = false;            ///< elements lie one behind the other, without gaps, their bytes in packing order
};

[[nodiscard]] TypeLayout layout_of(MPI_Datatype type);

/// False for MPI_DATATYPE_NULL and for types that were not committed.
[[nodiscard]] bool is_usable(MPI_Datatype type);

/// Predefined by MPI, not made from others.
[[nodiscard]] bool is_predefined(MPI_Datatype type);
[[nodiscard]] bool is_predefined_op(MPI_Op op);

/// True where the MPI standard defines `op` on `type`; for user-defined operations always. What a library defines
/// beyond it (predefined operators on the program's own types, types of a compiler's extensions) is left to that
/// library.
[[nodiscard]] bool is_defined(MPI_Op op, MPI_Datatype type);

/// A type of our own that describes the same data, without the caller's attributes: the caller may free its own, by
/// names that we do not see, too (MPICH's mpi_f08 makes types of array sections and frees them by PMPI_Type_free).
class OwnType {
 public:
  explicit OwnType(MPI_Datatype of);
  OwnType(OwnType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  OwnType& operator=(OwnType&&) = delete;
  ~OwnType();

  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// count * layout.size bytes; elements of any length. @throws Error(mpi)
void pack(void const* from, std::int64_t count, MPI_Datatype type, TypeLayout const& layout, std::byte* to);
void unpack(std::byte const* from, void* to, std::int64_t count, MPI_Datatype type, TypeLayout const& layout);

/// Memory for elements of a type that is not plain, aligned for any of C's types.
class Elements {
 public:
  Elements(std::int64_t count, TypeLayout const& layout);
  [[nodiscard]] std::byte* base() { return base_; }  ///< what MPI calls take as buffer

 private:
  std::vector<std::byte> store_;
  std::byte* base_;
};

/// Made once per process at start: quiet about errors, never used for messages between ranks. The last of the tags that
/// MPI promises is packing's.
inline constexpr int packing_tag = 32767;
void make_quiet_communicator();
void free_quiet_communicator();
[[nodiscard]] MPI_Comm quiet_communicator();

}  // namespace allport::dropin
