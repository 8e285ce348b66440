// One call of an MPI collective, in words that serve all of them.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "allport/schedule/schedule.h"

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

struct FunctionTraits {
  std::string_view name;  ///< MPI's
  Collective collective;  ///< what it comes to; of neighbourhood collectives the nearest
  bool has_root = false;
  bool lengths_are_secret = false;  ///< only the root, or only each pair of ranks, knows how long the blocks are
};
inline constexpr std::array<FunctionTraits, functions> function_traits{{
    {"MPI_Barrier", Collective::barrier},
    {"MPI_Bcast", Collective::broadcast, true},
    {"MPI_Reduce", Collective::reduce, true},
    {"MPI_Allreduce", Collective::allreduce},
    {"MPI_Reduce_scatter", Collective::reduce_scatter},
    {"MPI_Reduce_scatter_block", Collective::reduce_scatter},
    {"MPI_Scatter", Collective::scatter, true},
    {"MPI_Scatterv", Collective::scatter, true, true},
    {"MPI_Gather", Collective::gather, true},
    {"MPI_Gatherv", Collective::gather, true, true},
    {"MPI_Allgather", Collective::allgather},
    {"MPI_Allgatherv", Collective::allgather},
    {"MPI_Alltoall", Collective::alltoall},
    {"MPI_Alltoallv", Collective::alltoall, false, true},
    {"MPI_Neighbor_allgather", Collective::alltoall},
    {"MPI_Neighbor_allgatherv", Collective::alltoall, false, true},
    {"MPI_Neighbor_alltoall", Collective::alltoall},
    {"MPI_Neighbor_alltoallv", Collective::alltoall, false, true},
    {"MPI_Neighbor_alltoallw", Collective::alltoall, false, true},
}};
[[nodiscard]] constexpr FunctionTraits const& traits(Function what) {
  return function_traits[static_cast<std::size_t>(what)];
}
[[nodiscard]] constexpr std::string_view name(Function what) { return traits(what).name; }
[[nodiscard]] constexpr Collective collective(Function what) { return traits(what).collective; }
[[nodiscard]] constexpr bool has_root(Function what) { return traits(what).has_root; }
[[nodiscard]] constexpr bool lengths_are_secret(Function what) { return traits(what).lengths_are_secret; }
/// True for the reductions.
[[nodiscard]] constexpr bool reduces(Function what) {
  return what >= Function::reduce && what <= Function::reduce_scatter_block;
}
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

/// Which of its buffers a rank uses.
struct Uses {
  bool send = false;
  bool receive = false;
};
[[nodiscard]] constexpr Uses uses_of(Function what, bool is_root) {
  auto const c = collective(what);
  if (c == Collective::barrier) return {};
  return {c != Collective::broadcast && (c != Collective::scatter || is_root),
          (c != Collective::reduce && c != Collective::gather) || is_root};
}

/// How a call of ours is done; as it stands here: however is expected to be quickest.
struct Variant {
  std::string algorithm{};
  std::int64_t segment = 0;  ///< bytes; 0: those that are expected to be quickest

  [[nodiscard]] bool is_default() const { return algorithm.empty(); }
  friend bool operator==(Variant const&, Variant const&) = default;
};

}  // namespace allport::dropin
