#include "datatypes.h"

#include <array>
#include <mutex>
#include <unordered_map>

namespace allport::dropin {
namespace {

MPI_Comm quiet = MPI_COMM_NULL;

/// How a type was made. Of what the large-count constructors of MPI 4 made only their own forms can tell.
struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count counts = 0;
  MPI_Count datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
};

#if MPI_VERSION >= 4
Envelope envelope_of(MPI_Datatype type) {
  Envelope e;
  PMPI_Type_get_envelope_c(type, &e.integers, &e.addresses, &e.counts, &e.datatypes, &e.combiner);
  return e;
}

/// The one type that `type` was made from, by at most one number. @pre e.datatypes == 1
MPI_Datatype inner_of(MPI_Datatype type, Envelope const& e) {
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Count count = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents_c(type, e.integers, e.addresses, e.counts, e.datatypes, &integer, &address, &count, &inner);
  return inner;
}
#else
Envelope envelope_of(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  Envelope e;
  PMPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &e.combiner);
  e.integers = integers;
  e.addresses = addresses;
  e.datatypes = datatypes;
  return e;
}

/// The one type that `type` was made from, by at most one number. @pre e.datatypes == 1
MPI_Datatype inner_of(MPI_Datatype type, Envelope const& e) {
  int integer = 0;
  MPI_Aint address = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;
  PMPI_Type_get_contents(type, static_cast<int>(e.integers), static_cast<int>(e.addresses),
                         static_cast<int>(e.datatypes), &integer, &address, &inner);
  return inner;
}
#endif

bool is_named(int combiner) {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
         combiner == MPI_COMBINER_F90_INTEGER;
}

/// Elements that follow each other in packing order: named types, and duplicates and repetitions of such.
bool is_sequence(MPI_Datatype type) {
  auto const e = envelope_of(type);
  if (is_named(e.combiner)) return true;
  if (e.combiner != MPI_COMBINER_DUP && e.combiner != MPI_COMBINER_CONTIGUOUS) return false;
  if (e.integers > 1 || e.addresses > 1 || e.counts > 1 || e.datatypes != 1) return false;
  auto inner = inner_of(type, e);
  if (inner == MPI_DATATYPE_NULL) return false;
  auto const answer = is_sequence(inner);
  if (!is_predefined(inner)) PMPI_Type_free(&inner);
  return answer;
}

TypeLayout measure(MPI_Datatype type) {
  TypeLayout l;
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

TypeLayout layout_of(MPI_Datatype type) {
  // Predefined types never go, so what was measured stays true.
  static std::mutex mutex;
  static std::unordered_map<MPI_Datatype, TypeLayout> known;
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

OwnType::OwnType(MPI_Datatype of) {
  PMPI_Type_contiguous(1, of, &type_);  // MPI_Type_dup would call the program's attribute callbacks
  PMPI_Type_commit(&type_);
}

OwnType::~OwnType() {
  if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
}

bool is_usable(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return false;
  if (is_predefined(type)) return true;
  std::array<char, 8> nothing{};
  int position = 0;
  return PMPI_Pack(nothing.data(), 0, type, nothing.data(), 8, &position, quiet) == MPI_SUCCESS;
}

}  // namespace allport::dropin
