// The two ways to solve with distributed factors, and what both see of the grid.
#pragma once

#include <array>

#include "allport/linalg/solve.h"
#include "lu_team.h"

namespace allport::lu_detail {

/// Unknowns that are solved for at once, at most.
inline constexpr Index widest_block = 128;
/// Right-hand sides whose sums travel at once, at most.
inline constexpr Index widest_sides = 256;

/// The lines of a solve with op(A), op(A) = A, A^T or A^H. A transposed solve is a plain one on the mirror image of the
/// grid: its unknowns are distributed as the factors' columns are, and rows and columns of ranks change places.
[[nodiscard]] constexpr Way along_way(Trans trans) { return trans == Trans::none ? Way::row : Way::col; }
[[nodiscard]] constexpr Way across_way(Trans trans) { return trans == Trans::none ? Way::col : Way::row; }

/// Right-hand sides where a solve wants them, with their columns distributed so.
[[nodiscard]] Distribution sides_distribution(Trans trans, Distribution const& lu_distribution,
                                              AxisDistribution const& sides);

/// One of op(A)'s two triangles, in the order in which they are solved with.
struct Sweep {
  bool forward = true;  ///< op(T) is lower: the first unknown first
  blas::Triangle triangle = blas::Triangle::lower;
  blas::Diagonal diagonal = blas::Diagonal::unit;
};
[[nodiscard]] constexpr std::array<Sweep, 2> sweeps_of(Trans trans) {
  Sweep const l{trans == Trans::none, blas::Triangle::lower, blas::Diagonal::unit};
  Sweep const u{trans != Trans::none, blas::Triangle::upper, blas::Diagonal::stored};
  return trans == Trans::none ? std::array{l, u} : std::array{u, l};
}

/// This rank's part of op(A)'s factors, and its lines; without data in a dry run.
template <class T>
struct Factors {
  Factors(Team& team, Trans how, Distribution const& distribution, Part<T const> factors)
      : trans(how),
        along(team.line(along_way(how))),
        across(team.line(across_way(how))),
        rows(how == Trans::none ? distribution.rows() : distribution.cols()),
        cols(how == Trans::none ? distribution.cols() : distribution.rows()),
        part(factors),
        ledger(team.ledger) {}

  [[nodiscard]] bool dry() const { return along.dry(); }
  /// Where local rows and columns of op(T) of global index >= g begin.
  [[nodiscard]] Index row(Index g) const { return rows.before(across.index(), g); }
  [[nodiscard]] Index col(Index g) const { return cols.before(along.index(), g); }
  [[nodiscard]] Index local_rows() const { return rows.count(across.index()); }
  /// How far apart two rows of op(T) are that are `distance` apart, in memory with this leading dimension.
  [[nodiscard]] Index step(Index distance, Index ld) const { return trans == Trans::none ? distance : distance * ld; }
  /// Element (local row, local column) of op(T).
  [[nodiscard]] T const* at(Index row, Index col) const {
    if (part.data == nullptr) return nullptr;
    return trans == Trans::none ? part.data + row + col * part.ld : part.data + col + row * part.ld;
  }

  Trans trans;
  Line const& along;      ///< ranks with the same unknowns: a row of op(T)'s blocks lies along it
  Line const& across;     ///< ranks with the other unknowns
  AxisDistribution rows;  ///< over the ranks of `across`
  AxisDistribution cols;  ///< over the ranks of `along`
  Part<T const> part;
  Ledger& ledger;
};

/// A sweep over the panels of op(T), as this rank sees it.
template <class T>
class Course {
 public:
  struct Rows {
    Index begin = 0;
    Index end = 0;
  };

  Course(Factors<T> const& factors, std::vector<Panel> const& panels, Sweep const& sweep)
      : f_(factors), panels_(panels), sweep_(sweep) {}

  [[nodiscard]] Sweep const& sweep() const { return sweep_; }
  [[nodiscard]] std::size_t size() const { return panels_.size(); }
  /// The k-th panel in the order of the sweep.
  [[nodiscard]] Panel at(std::size_t k) const { return panels_[sweep_.forward ? k : size() - 1 - k]; }
  /// Where on the lines its diagonal block lies.
  [[nodiscard]] int i(std::size_t k) const { return f_.rows.owner(at(k).begin); }
  [[nodiscard]] int j(std::size_t k) const { return f_.cols.owner(at(k).begin); }
  /// Local rows of its unknowns.
  [[nodiscard]] Rows block(std::size_t k) const { return {f_.row(at(k).begin), f_.row(at(k).end)}; }
  /// Local rows of the unknowns that are solved for after it.
  [[nodiscard]] Rows after(std::size_t k) const {
    auto const own = block(k);
    return sweep_.forward ? Rows{own.end, f_.local_rows()} : Rows{0, own.begin};
  }
  /// Both.
  [[nodiscard]] Rows from(std::size_t k) const {
    auto const own = block(k);
    return sweep_.forward ? Rows{own.begin, f_.local_rows()} : Rows{0, own.end};
  }

 private:
  Factors<T> const& f_;
  std::vector<Panel> const& panels_;
  Sweep sweep_;
};

/// B = op(LU)^-1 B: the factors stay. `sides` distributes the right-hand sides along the line; b: [local rows x own
/// sides].
template <class T>
void solve_with_sums(Factors<T> const& factors, AxisDistribution const& sides, Part<T> b);
/// As above: panels of the factors travel, to every rank that has right-hand sides.
template <class T>
void solve_with_panels(Factors<T> const& factors, AxisDistribution const& sides, Part<T> b);

template <class T>
void solve_in_form(SolveForm form, Factors<T> const& factors, AxisDistribution const& sides, Part<T> b) {
  (form == SolveForm::sums ? solve_with_sums<T> : solve_with_panels<T>)(factors, sides, b);
}

/// plan_solve() without the traffic. @pre the grid of `seats` is lu_distribution's
[[nodiscard]] SolvePlan decide(SolveProblem const& problem, Distribution const& lu_distribution,
                               Distribution const& b_distribution, Machine const& machine, Seats const& seats,
                               Pricer& pricer, std::optional<SolveForm> form);

}  // namespace allport::lu_detail
