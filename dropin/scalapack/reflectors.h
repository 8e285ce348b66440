// What geqrf, orgqr, ormqr and gels share: tau as ScaLAPACK keeps it, its workspace, and whether a QR is ours.
#pragma once

#include <string>
#include <vector>

#include "descriptor.h"
#include "enter.h"
#include "record.h"

namespace allport::scalapack {

/// Local rows and columns of a sub-matrix together with what is before it in its first block: MP0 and NQ0.
struct Extents {
  Index rows = 0;
  Index cols = 0;
};
[[nodiscard]] Extents extents_of(Operand const& x, Grid const& grid);

/// Fewer elements than ScaLAPACK itself would ask for are a wrong argument.
inline bool asks_for_length(Workspace const& work) { return *work.length == -1; }
inline void check_length(Workspace const& work, Index least, int position, Wrong& wrong) {
  if (!asks_for_length(work) && *work.length < least) wrong.argument(position);
}
/// WORK(1), as ScaLAPACK leaves it.
template <class T>
void tell_length(Workspace const& work, Index least) {
  *static_cast<T*>(work.data) = static_cast<T>(static_cast<decltype(std::abs(T()))>(least));
}
/// What was asked: the length alone, or `act() -> Outcome`, which leaves the length, too, unless it handed back.
template <class T, class Act>
Outcome answer(Workspace const& work, Index least, Act const& act) {
  auto outcome = asks_for_length(work) ? taken("a workspace query") : act();
  if (outcome.why_not.empty()) tell_length<T>(work, least);
  return outcome;
}

/// The scalars of k reflectors, at the local columns of every process that has those of sub(A).
template <class T>
void write_tau(std::vector<T> const& tau, View const& a, Grid const& grid, void* local);
/// All of them on every process. Collective.
template <class T>
[[nodiscard]] std::vector<T> read_tau(Index k, Record const& record, View const& a, Grid const& grid,
                                      void const* local);

/// The plan for factoring a sub-matrix where it lies, or why it is handed back. `cost`: what is done takes so many
/// times the tiles' price.
[[nodiscard]] Verdict<QrPlan> decide_qr(Grid const& grid, Record& record, Operand const& a, View const& view,
                                        Scalar type, double cost);
/// Why products with a given Q are handed back; empty: they are ours.
[[nodiscard]] inline std::string why_not_product(Record const& record) {
  return record.policy() == Policy::always ? "" : "products with V and tau: ScaLAPACK's own is as fast";
}

}  // namespace allport::scalapack
