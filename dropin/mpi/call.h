// One call of an MPI collective, in words that serve all of them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace allport::dropin {

enum class Function : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scatter,
  scatterv,
  gather,
  gatherv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
};
inline constexpr int functions = 19;

/// MPI's name: "MPI_Bcast".
[[nodiscard]] std::string_view name(Function what);
/// Of a topology's neighbours.
[[nodiscard]] constexpr bool is_of_neighbours(Function what) { return what >= Function::neighbor_allgather; }

/// An array of counts or displacements: of int, or of MPI_Count and MPI_Aint in the `_c` forms.
class Numbers {
 public:
  Numbers() = default;
  Numbers(int const* data) : narrow_(data) {}
  Numbers(std::int64_t const* data) : wide_(data) {}

  [[nodiscard]] std::int64_t operator[](std::int64_t i) const { return narrow_ != nullptr ? narrow_[i] : wide_[i]; }
  [[nodiscard]] bool given() const { return narrow_ != nullptr || wide_ != nullptr; }

 private:
  int const* narrow_ = nullptr;
  std::int64_t const* wide_ = nullptr;
};
static_assert(sizeof(MPI_Aint) == 8, "addresses of 64 bits");

/// One side's buffer: `count` elements (a block, or the message), or `counts` and `displacements` per rank,
/// or per neighbour.
struct Operand {
  void* buffer = nullptr;
  std::int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Numbers counts{};
  Numbers displacements{};              ///< in extents of the type; none: one block behind the other
  MPI_Datatype const* types = nullptr;  ///< of each block; displacements are then in bytes

  [[nodiscard]] bool in_place() const { return buffer == MPI_IN_PLACE; }
  [[nodiscard]] MPI_Datatype type_of(std::int64_t block) const { return types != nullptr ? types[block] : type; }
  [[nodiscard]] std::int64_t count_of(std::int64_t rank) const { return counts.given() ? counts[rank] : count; }
};

struct Call {
  Function what = Function::barrier;
  MPI_Comm comm = MPI_COMM_NULL;
  Operand send{};
  Operand receive{};  ///< the one buffer of a broadcast
  int root = 0;
  MPI_Op op = MPI_OP_NULL;
};

/// How a call of ours is done; as it stands here: however is expected to be quickest.
struct Variant {
  std::string algorithm{};
  std::int64_t segment = 0;  ///< bytes; 0: those that are expected to be quickest

  [[nodiscard]] bool is_default() const { return algorithm.empty(); }
  friend bool operator==(Variant const&, Variant const&) = default;
};

}  // namespace allport::dropin
