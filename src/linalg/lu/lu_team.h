// A factorization's grid laid over ranks.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "lu_panel.h"

namespace allport::lu_detail {

using gemm_detail::Place;

/// The lines of a place (i, j, l).
enum class Way : std::uint8_t {
  row,    ///< (i, *, l), indexed by j
  col,    ///< (*, j, l), indexed by i
  layer,  ///< (i, j, *), indexed by l
};

/// The order of one row of ranks that are those of the caller's grid (LuOptions::given), each with the columns of which
/// its process column has the most.
inline constexpr std::string_view rows_of_given = "given";

/// p_r x p_c x c ranks of a communicator.
class Seats {
 public:
  /// The candidate's grid over ranks in its order (Frame); or that of `given`, where it is to be used as it lies.
  Seats(LuCandidate const& candidate, LuOptions const& options);

  [[nodiscard]] GemmGrid const& grid() const { return grid_; }
  [[nodiscard]] Rank rank(Place p) const {
    return ranks_[static_cast<std::size_t>(p.i + grid_.rows * (p.j + grid_.cols * p.l))];
  }
  [[nodiscard]] std::optional<Place> place(Rank rank) const;
  [[nodiscard]] std::vector<Rank> members(Place p, Way way) const;
  [[nodiscard]] int length(Way way) const;
  [[nodiscard]] static int index(Place p, Way way);
  /// The ranks of layer 0, as Distribution wants them.
  [[nodiscard]] std::vector<Rank> layer() const;

 private:
  GemmGrid grid_;
  std::vector<Rank> ranks_;
  std::vector<int> seats_;  // in ranks_, of ranks; -1 where there is none
};

}  // namespace allport::lu_detail
