#include "datatypes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <unordered_map>

#include "allport/base/error.h"

namespace allport::dropin {
namespace {

MPI_Comm quiet = MPI_COMM_NULL;

struct Envelope {
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
};

Envelope envelope_of(MPI_Datatype type) {
  Envelope e;
  PMPI_Type_get_envelope(type, &e.integers, &e.addresses, &e.datatypes, &e.combiner);
  return e;
}

bool is_named(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

/// Elements that follow each other in packing order: named types, and duplicates and repetitions of such.
bool is_sequence(MPI_Datatype type) {
  auto const e = envelope_of(type);
  if (is_named(e.combiner)) return true;
  if (e.combiner != MPI_COMBINER_DUP && e.combiner != MPI_COMBINER_CONTIGUOUS) return false;
  if (e.integers > 1 || e.addresses > 1 || e.datatypes != 1) return false;
  std::array<int, 1> integers{};
  std::array<MPI_Aint, 1> addresses{};
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  if (PMPI_Type_get_contents(type, e.integers, e.addresses, 1, integers.data(), addresses.data(), &inner) !=
      MPI_SUCCESS) {
    return false;
  }
  auto const answer = is_sequence(inner);
  if (!is_predefined(inner)) PMPI_Type_free(&inner);
  return answer;
}

Layout measure(MPI_Datatype type) {
  Layout l;
  MPI_Count size = 0;
  MPI_Aint lb = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lb = 0;
  MPI_Aint true_extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent(type, &lb, &extent);
  PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
  l.size = size;
  l.extent = extent;
  l.true_lb = true_lb;
  l.true_extent = true_extent;
  l.plain = size == extent && lb == 0 && true_lb == 0 && true_extent == extent && is_sequence(type);
  return l;
}

/// At most so many elements a call: MPI_Pack counts bytes in an int.
std::int64_t chunk_of(Layout const& layout) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (layout.size > most) {
    throw Error(ErrorKind::unsupported,
                fmt::format("one element of the datatype has {} bytes; at most {} can be packed", layout.size, most));
  }
  return layout.size == 0 ? most : std::max<std::int64_t>(1, most / layout.size);
}

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

/// Predefined operations know which types they are for.
bool is_predefined_op(MPI_Op op) {
  auto const all = std::array{MPI_MAX, MPI_MIN,  MPI_SUM,  MPI_PROD,   MPI_LAND,   MPI_BAND,    MPI_LOR,
                              MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  return std::ranges::find(all, op) != all.end();
}

/// Asks the library, whose answer to a wrong pair is an error.
bool ask_whether_defined(MPI_Op op, MPI_Datatype type) {
  MPI_Errhandler callers = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &callers);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  alignas(16) std::array<std::byte, 64> left{};
  alignas(16) std::array<std::byte, 64> right{};
  auto const code = PMPI_Reduce_local(left.data(), right.data(), 0, type, op);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, callers);
  PMPI_Errhandler_free(&callers);
  return code == MPI_SUCCESS;
}

}  // namespace

void make_quiet_communicator() {
  PMPI_Comm_dup(MPI_COMM_SELF, &quiet);
  PMPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
}

void free_quiet_communicator() {
  if (quiet != MPI_COMM_NULL) PMPI_Comm_free(&quiet);
}

MPI_Comm quiet_communicator() { return quiet; }

bool is_predefined(MPI_Datatype type) { return is_named(envelope_of(type).combiner); }

Layout layout_of(MPI_Datatype type) {
  // Predefined types never go, so what was measured stays true.
  static std::mutex mutex;
  static std::unordered_map<MPI_Datatype, Layout> known;
  {
    std::scoped_lock const lock(mutex);
    if (auto const found = known.find(type); found != known.end()) return found->second;
  }
  auto const layout = measure(type);
  if (is_predefined(type)) {
    std::scoped_lock const lock(mutex);
    known.emplace(type, layout);
  }
  return layout;
}

bool is_usable(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return false;
  if (is_predefined(type)) return true;
  std::array<char, 8> nothing{};
  int position = 0;
  return PMPI_Pack(nothing.data(), 0, type, nothing.data(), 8, &position, quiet) == MPI_SUCCESS;
}

bool is_defined(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL) return false;
  if (!is_predefined_op(op)) return true;
  if (!is_predefined(type)) return ask_whether_defined(op, type);
  static std::mutex mutex;
  static std::map<std::pair<MPI_Op, MPI_Datatype>, bool> known;
  std::scoped_lock const lock(mutex);
  auto const [entry, fresh] = known.try_emplace({op, type}, false);
  if (fresh) entry->second = ask_whether_defined(op, type);
  return entry->second;
}

void pack(void const* from, std::int64_t count, MPI_Datatype type, Layout const& layout, std::byte* to) {
  auto const chunk = chunk_of(layout);
  if (from == nullptr && count <= chunk) {
    Shifted shifted(count, type);
    int position = 0;
    check(PMPI_Pack(shifted.base(), 1, shifted.type(), to, static_cast<int>(count * layout.size), &position, quiet),
          "MPI_Pack");
    return;
  }
  for (std::int64_t i = 0; i < count; i += chunk) {
    auto const n = std::min(chunk, count - i);
    int position = 0;
    auto const bytes = static_cast<int>(n * layout.size);
    check(PMPI_Pack(static_cast<std::byte const*>(from) + i * layout.extent, static_cast<int>(n), type,
                    to + i * layout.size, bytes, &position, quiet),
          "MPI_Pack");
  }
}

void unpack(std::byte const* from, void* to, std::int64_t count, MPI_Datatype type, Layout const& layout) {
  auto const chunk = chunk_of(layout);
  if (to == nullptr && count <= chunk) {
    Shifted shifted(count, type);
    int position = 0;
    check(PMPI_Unpack(from, static_cast<int>(count * layout.size), &position, shifted.base(), 1, shifted.type(), quiet),
          "MPI_Unpack");
    return;
  }
  for (std::int64_t i = 0; i < count; i += chunk) {
    auto const n = std::min(chunk, count - i);
    int position = 0;
    auto const bytes = static_cast<int>(n * layout.size);
    check(PMPI_Unpack(from + i * layout.size, bytes, &position, static_cast<std::byte*>(to) + i * layout.extent,
                      static_cast<int>(n), type, quiet),
          "MPI_Unpack");
  }
}

Elements::Elements(std::int64_t count, Layout const& layout) : base_(nullptr) {
  if (count == 0) return;
  auto const last = (count - 1) * layout.extent;  // negative where the extent is
  auto const low = layout.true_lb + std::min<std::int64_t>(0, last);
  auto const high = layout.true_lb + layout.true_extent + std::max<std::int64_t>(0, last);
  store_.resize(static_cast<std::size_t>(high - low));
  base_ = store_.data() - low;
}

}  // namespace allport::dropin
