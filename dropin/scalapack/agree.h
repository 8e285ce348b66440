// Arguments that must be equal on all processes of a grid: checked once per call, as ScaLAPACK does.
#pragma once

#include <cstdint>
#include <vector>

#include "descriptor.h"
#include "enter.h"
#include "record.h"
#include "typical.h"

namespace allport::scalapack {

/// Entries of a descriptor that INFO names.
constexpr int ctxt_entry = 2;
constexpr int mb_entry = 5;
constexpr int nb_entry = 6;

/// A value that must be equal on all processes, and 100 * argument + entry.
struct Shared {
  std::int64_t value;
  int position;
};

/// A matrix among a routine's arguments, with the positions of its rows, columns and descriptor.
struct Given {
  Argument const& matrix;
  Int const* rows;
  Int const* cols;
  int rows_at;
  int cols_at;
  int desc_at;
};

/// Adds all of a matrix argument but its context and LLD_.
void share(std::vector<Shared>& values, Operand const& x, Given const& given);
/// True on every process if no process has found a wrong argument and all values are equal.
[[nodiscard]] bool all_well(Record const& record, std::vector<Shared> const& values, Wrong const& wrong);
/// The INFO of ScaLAPACK otherwise: the smallest of all processes. Collective.
[[nodiscard]] Int common_info(Record const& record, std::vector<Shared> const& values, Wrong const& wrong);

/// Whether the table of typical results (typical.h) has calls of a routine.
enum class Typical : std::uint8_t { some_calls, no_calls };

/// Checks the arguments of a call on all processes, then performs the call or returns the reason why it falls back to
/// ScaLAPACK. Does not communicate if typical results decide and have no calls of the routine.
/// @param values  further values that must be equal
/// @param check   (std::vector<Operand> const&, Wrong&): conditions beside those of CHK1MAT
/// @param act     (Record&, std::vector<Operand> const&) -> Outcome; called with INFO = 0 if all arguments are valid
template <class Check, class Act>
Outcome agree(Typical typical, Grid const& grid, std::vector<Given> const& matrices, std::vector<Shared> values,
              Int* info, Check const& check, Act const& act) {
  if (auto outcome = why_no_grid(grid, matrices.front().desc_at)) return *outcome;
  auto& record = record_of(grid);
  if (!record.why_not().empty()) return fall_back(record.why_not());
  if (typical == Typical::no_calls && record.uses_typical_results()) return fall_back(often_slower);
  std::vector<Operand> operands;
  Wrong wrong;
  for (auto const& g : matrices) {
    auto const& x = operands.emplace_back(g.matrix, *g.rows, *g.cols, Takes::type_1);
    check_scalapack(x, g.rows_at, g.cols_at, g.desc_at, grid, wrong);
    share(values, x, g);
  }
  if (!wrong.any()) check(operands, wrong);
  if (!all_well(record, values, wrong)) return fall_back("a wrong argument", common_info(record, values, wrong));
  *info = 0;
  return act(record, operands);
}

}  // namespace allport::scalapack
