// Packing by a datatype, and memory for elements that do not lie one behind the other.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allport/base/error.h"
#include "datatypes.h"

namespace allport::dropin {
namespace {

constexpr std::intptr_t alignment = 64;
constexpr std::int64_t most = std::int64_t{1} << 30;  ///< bytes a call: MPI_Pack counts in an int

/// Elements that one call packs; none where a single one is too long for it.
std::int64_t chunk_of(TypeLayout const& layout) { return layout.size == 0 ? most : most / layout.size; }

void check(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  throw Error(ErrorKind::mpi, fmt::format("{}: {}", call, text.data()));
}

/// The type that describes the same bytes from another base. MPICH packs nothing from MPI_BOTTOM, which is null.
class Shifted {
 public:
  Shifted(std::int64_t count, MPI_Datatype type) {
    auto const n = static_cast<int>(count);
    auto const back = -static_cast<MPI_Aint>(reinterpret_cast<std::intptr_t>(&anchor_));
    PMPI_Type_create_hindexed(1, &n, &back, type, &type_);
    PMPI_Type_commit(&type_);
  }
  ~Shifted() { PMPI_Type_free(&type_); }
  Shifted(Shifted const&) = delete;
  Shifted& operator=(Shifted const&) = delete;
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] void* base() { return &anchor_; }

 private:
  std::byte anchor_{};
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

#if MPI_VERSION >= 4
/// One element of any length.
void pack_long(void const* from, MPI_Datatype type, TypeLayout const& layout, std::byte* to) {
  MPI_Count position = 0;
  check(PMPI_Pack_c(from, 1, type, to, layout.size, &position, quiet_communicator()), "MPI_Pack_c");
}

void unpack_long(std::byte const* from, void* to, MPI_Datatype type, TypeLayout const& layout) {
  MPI_Count position = 0;
  check(PMPI_Unpack_c(from, layout.size, &position, to, 1, type, quiet_communicator()), "MPI_Unpack_c");
}
#else
/// A type of so many bytes, also more than an int counts.
class Bytes {
 public:
  explicit Bytes(std::int64_t count) {
    MPI_Datatype piece = MPI_DATATYPE_NULL;
    int const lengths[] = {static_cast<int>(count / most), static_cast<int>(count % most)};
    MPI_Aint const begins[] = {0, static_cast<MPI_Aint>(count / most * most)};
    PMPI_Type_contiguous(static_cast<int>(most), MPI_BYTE, &piece);
    MPI_Datatype const types[] = {piece, MPI_BYTE};
    PMPI_Type_create_struct(2, lengths, begins, types, &type_);
    PMPI_Type_commit(&type_);
    PMPI_Type_free(&piece);
  }
  ~Bytes() { PMPI_Type_free(&type_); }
  Bytes(Bytes const&) = delete;
  Bytes& operator=(Bytes const&) = delete;
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// A message to oneself from one type into another, of any length.
void to_self(void const* from, MPI_Datatype type, void* to, MPI_Datatype into) {
  check(PMPI_Sendrecv(from, 1, type, 0, packing_tag, to, 1, into, 0, packing_tag, quiet_communicator(),
                      MPI_STATUS_IGNORE),
        "MPI_Sendrecv");
}

/// One element of any length.
void pack_long(void const* from, MPI_Datatype type, TypeLayout const& layout, std::byte* to) {
  Bytes const bytes(layout.size);
  to_self(from, type, to, bytes.type());
}

void unpack_long(std::byte const* from, void* to, MPI_Datatype type, TypeLayout const& layout) {
  Bytes const bytes(layout.size);
  to_self(from, bytes.type(), to, type);
}
#endif

}  // namespace

void pack(void const* from, std::int64_t count, MPI_Datatype type, TypeLayout const& layout, std::byte* to) {
  auto const chunk = std::max<std::int64_t>(1, chunk_of(layout));
  for (std::int64_t i = 0; i < count; i += chunk) {
    auto const n = std::min(chunk, count - i);
    auto const* const element = static_cast<std::byte const*>(from) + i * layout.extent;
    auto* const packed = to + i * layout.size;
    int position = 0;
    auto const bytes = static_cast<int>(n * layout.size);
    if (layout.size > most) {
      pack_long(element, type, layout, packed);
    } else if (element == nullptr) {
      Shifted shifted(n, type);
      check(PMPI_Pack(shifted.base(), 1, shifted.type(), packed, bytes, &position, quiet_communicator()), "MPI_Pack");
    } else {
      check(PMPI_Pack(element, static_cast<int>(n), type, packed, bytes, &position, quiet_communicator()), "MPI_Pack");
    }
  }
}

void unpack(std::byte const* from, void* to, std::int64_t count, MPI_Datatype type, TypeLayout const& layout) {
  auto const chunk = std::max<std::int64_t>(1, chunk_of(layout));
  for (std::int64_t i = 0; i < count; i += chunk) {
    auto const n = std::min(chunk, count - i);
    auto* const element = static_cast<std::byte*>(to) + i * layout.extent;
    auto const* const packed = from + i * layout.size;
    int position = 0;
    auto const bytes = static_cast<int>(n * layout.size);
    if (layout.size > most) {
      unpack_long(packed, element, type, layout);
    } else if (element == nullptr) {
      Shifted shifted(n, type);
      check(PMPI_Unpack(packed, bytes, &position, shifted.base(), 1, shifted.type(), quiet_communicator()),
            "MPI_Unpack");
    } else {
      check(PMPI_Unpack(packed, bytes, &position, element, static_cast<int>(n), type, quiet_communicator()),
            "MPI_Unpack");
    }
  }
}

Elements::Elements(std::int64_t count, TypeLayout const& layout) : base_(nullptr) {
  if (count == 0) return;
  auto const last = (count - 1) * layout.extent;  // negative where the extent is
  auto const low = layout.true_lb + std::min<std::int64_t>(0, last);
  auto const high = layout.true_lb + layout.true_extent + std::max<std::int64_t>(0, last);
  store_.resize(static_cast<std::size_t>(high - low + alignment));
  // The type's displacements count from an address that is aligned for anything, as a caller's buffer is.
  auto const first = reinterpret_cast<std::intptr_t>(store_.data());
  auto const base = (first - low + alignment - 1) / alignment * alignment;
  base_ = store_.data() + (base - first);
}

}  // namespace allport::dropin
