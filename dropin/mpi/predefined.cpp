// Which predefined operators MPI defines on which predefined types (MPI 4.0, section 6.9.2 and 6.9.4). Said here rather
// than asked of the library: its answer would be an error, by the error handler of MPI_COMM_WORLD, which is the
// program's own and serves other threads meanwhile.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "datatypes.h"

namespace allport::dropin {
namespace {

enum Group : unsigned {
  c_integer = 1,
  fortran_integer = 2,
  floating = 4,
  logical = 8,
  complex_number = 16,
  byte = 32,
  multi_language = 64,
  pair = 128,
};

using Groups = std::unordered_map<MPI_Datatype, unsigned>;

void add(Groups& groups, unsigned group, std::initializer_list<MPI_Datatype> types) {
  for (auto const type : types) {
    if (type != MPI_DATATYPE_NULL) groups[type] = group;  // a type that this library lacks
  }
}

Groups make_groups() {
  Groups g;
  add(g, c_integer,
      {MPI_INT, MPI_LONG, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_LONG_LONG,
       MPI_UNSIGNED_LONG_LONG, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T,
       MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T});
  add(g, fortran_integer, {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8});
  add(g, floating, {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8});
  add(g, logical, {MPI_LOGICAL, MPI_C_BOOL, MPI_CXX_BOOL});
  add(g, complex_number,
      {MPI_COMPLEX, MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
       MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8,
       MPI_COMPLEX16});
  add(g, byte, {MPI_BYTE});
  add(g, multi_language, {MPI_AINT, MPI_OFFSET, MPI_COUNT});
  add(g, pair,
      {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL,
       MPI_2DOUBLE_PRECISION, MPI_2INTEGER});
  return g;
}

unsigned group_of(MPI_Datatype type) {
  static auto const groups = make_groups();
  auto const found = groups.find(type);
  return found == groups.end() ? 0 : found->second;
}

struct Rule {
  MPI_Op op;
  unsigned groups;
};

auto const& rules() {
  constexpr unsigned ordered = c_integer | fortran_integer | floating | multi_language;
  constexpr unsigned bits = c_integer | fortran_integer | byte | multi_language;
  static auto const all = std::array{
      Rule{MPI_MAX, ordered},
      Rule{MPI_MIN, ordered},
      Rule{MPI_SUM, ordered | complex_number},
      Rule{MPI_PROD, ordered | complex_number},
      Rule{MPI_LAND, c_integer | logical},
      Rule{MPI_LOR, c_integer | logical},
      Rule{MPI_LXOR, c_integer | logical},
      Rule{MPI_BAND, bits},
      Rule{MPI_BOR, bits},
      Rule{MPI_BXOR, bits},
      Rule{MPI_MINLOC, pair},
      Rule{MPI_MAXLOC, pair},
      Rule{MPI_REPLACE, 0},  // for one-sided calls only
      Rule{MPI_NO_OP, 0},
  };
  return all;
}

}  // namespace

bool is_predefined_op(MPI_Op op) { return std::ranges::find(rules(), op, &Rule::op) != rules().end(); }

bool is_defined(MPI_Op op, MPI_Datatype type) {
  if (op == MPI_OP_NULL) return false;
  auto const rule = std::ranges::find(rules(), op, &Rule::op);
  return rule == rules().end() || (rule->groups & group_of(type)) != 0;
}

}  // namespace allport::dropin
