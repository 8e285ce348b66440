// Tau as ScaLAPACK stores it, workspaces, and the decision on QR: shared by geqrf, orgqr, ormqr and gels.
#pragma once

#include <string>
#include <vector>

#include "descriptor.h"
#include "enter.h"
#include "record.h"

namespace allport::scalapack {

/// Local rows and columns of a sub-matrix including those before it in its first block: MP0 and NQ0.
struct Extents {
  Index rows = 0;
  Index cols = 0;
};
[[nodiscard]] Extents extents_of(Operand const& x, Grid const& grid);

/// Checks that a workspace has as many elements as ScaLAPACK requires.
inline bool asks_for_length(Workspace const& work) { return *work.length == -1; }
inline void check_length(Workspace const& work, Index least, int position, Wrong& wrong) {
  if (!asks_for_length(work) && *work.length < least) wrong.argument(position);
}
/// Sets WORK(1) as ScaLAPACK does.
template <class T>
void write_length(Workspace const& work, Index least) {
  *static_cast<T*>(work.data) = static_cast<T>(static_cast<decltype(std::abs(T()))>(least));
}
/// Answers a workspace query, or calls act() -> Outcome; both set WORK(1) unless the call falls back.
template <class T, class Act>
Outcome answer(Workspace const& work, Index least, Act const& act) {
  auto outcome = asks_for_length(work) ? taken("a workspace query") : act();
  if (outcome.why_not.empty()) write_length<T>(work, least);
  return outcome;
}

/// Writes tau of k reflectors at the local columns of sub(A).
template <class T>
void write_tau(std::vector<T> const& tau, View const& a, Grid const& grid, void* local);
/// Reads tau of all reflectors on every process. Collective.
template <class T>
[[nodiscard]] std::vector<T> read_tau(Index k, Record const& record, View const& a, Grid const& grid,
                                      void const* local);

/// The plan for factoring a sub-matrix, or the reason for falling back to ScaLAPACK. @param cost  time of the call over
/// that of the factorization
[[nodiscard]] Choice<QrPlan> decide_qr(Grid const& grid, Record& record, Operand const& a, View const& view,
                                       Scalar type, double cost);
/// Why products with a given Q fall back to ScaLAPACK; empty if they do not.
[[nodiscard]] inline std::string why_not_product(Record const& record) {
  return record.policy() == Policy::always ? "" : "products with V and tau: ScaLAPACK's own is as fast";
}

}  // namespace allport::scalapack
