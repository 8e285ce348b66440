// 2.5D LU (deck 1 slides 14 to 19): c layers hold partial sums of the matrix and share every part of the work.
//
// Layer 0 begins with A, the others with zeros; A is the sum over the layers. A big panel of B_g columns is summed over
// the layers in such a way that its rows are distributed over all of them, so it is a 2D problem on a (p_r c) x p_c
// grid (A); the rows of U beside it are summed likewise with their columns distributed, a triangular solve on p_r x
// (p_c c) (D). Then each layer gets the whole of its share of the inner dimension (B) and multiplies once (C).
// Exchanged rows change places in every layer's sums alike. Words per rank: O(n^2 / sqrt(c P)), and O(n^2 c / P) over
// the layers.
#include <algorithm>

#include "lu_layers.h"
#include "lu_team.h"

namespace allport::lu_detail {

namespace {

constexpr int tag_of_l = 12;
constexpr int tag_of_u = 13;
constexpr int tag_to_layer_0 = 14;

template <class T>
class Layered {
 public:
  Layered(Team& team, Order const& order, View<T> const& a)
      : team_(team),
        order_(order),
        c_(team.grid.layers),
        l_(team.me.l),
        b_(order.chosen.block),
        m_(order.problem.m),
        n_(order.problem.n),
        count_(std::min(m_, n_)),
        big_(std::max(b_, order.chosen.big)),
        sums_(a) {
    auto const rows = sums_.local_rows();
    auto const cols = sums_.local_cols();
    if (l_ > 0) {
      sums_.data = room(rows * cols);
      sums_.ld = std::max<Index>(rows, 1);
      if (!dry()) std::fill_n(sums_.data, rows * cols, T(0));
    }
    auto const wide = std::min(big_, count_);
    tall_ = room(most(m_, team.grid.rows * c_) * most(wide, team.grid.cols));
    upper_ = room(most(wide, team.grid.rows) * most(n_, team.grid.cols * c_));
    pack_ = room(std::max(rows * most(wide, team.grid.cols), most(wide, team.grid.rows) * cols));
    corner_ = room(most(wide, team.grid.rows) * wide);
    auto const share = (wide + c_ - 1) / c_ + 2 * b_;
    left_ = room(rows * share);
    right_ = room(share * cols);
    travel_ = room(b_ * std::max(rows, cols));
  }

  Found run() {
    std::vector<Panel> panels;
    for (Index begin = 0; begin < count_; begin += big_) {
      begin_ = begin;
      end_ = std::min(begin + big_, count_);
      factor_panel_of_all();
      for (Index at = begin_; at < end_; at += b_) panels.push_back({at, std::min(at + b_, end_), end_});
      if (n_ > end_) {
        exchange();
        gather_corner();
        sum_upper();
        solve_upper();
      }
      multiply();
      if (order_.progress && !dry()) {
        order_.progress(static_cast<int>(end_ / b_), static_cast<int>((count_ + b_ - 1) / b_));
      }
    }
    if (l_ == 0) permute_left(line(Way::col), sums_, panels, std::span<Index const>(found_.pivots));
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool dry() const { return team_.dry(); }
  [[nodiscard]] Line const& line(Way way) const { return team_.line(way); }
  T* room(Index elements) { return space<T>(team_.ledger, dry(), std::max<Index>(elements, 0)); }
  /// The most that one of so many parts gets of a block-cyclic distribution, wherever it begins.
  [[nodiscard]] Index most(Index extent, int parts) const { return ((extent + b_ - 1) / b_ / parts + 2) * b_; }
  /// The layer that multiplies by the small block that begins at column `at`.
  [[nodiscard]] int layer_of(Index at) const {
    auto const blocks = (end_ - begin_ + b_ - 1) / b_;
    return static_cast<int>((at - begin_) / b_ * c_ / blocks);
  }
  template <class Visit>
  void each_block(Visit&& visit) const {
    for (Index at = begin_; at < end_; at += b_) visit(Panel{at, std::min(at + b_, end_), end_});
  }
  /// Local rows (columns) of this grid row (column) from `begin` on that are distributed to `layer`.
  [[nodiscard]] std::vector<Index> rows_of(int layer, Index begin) const {
    return distributed(sums_.rows, AxisDistribution::cyclic(m_, team_.grid.rows * c_, b_),
                       team_.me.i + team_.grid.rows * layer, begin);
  }
  [[nodiscard]] std::vector<Index> cols_of(int layer, Index begin) const {
    return distributed(sums_.cols, AxisDistribution::cyclic(n_, team_.grid.cols * c_, b_),
                       team_.me.j + team_.grid.cols * layer, begin);
  }

  /// Sums elements (rows x cols of the layers' sums, local numbers) over the layers, onto one of them.
  void sum(int to, std::vector<Index> const& rows, std::vector<Index> const& cols, T* out) {
    auto const height = static_cast<Index>(rows.size());
    auto const elements = height * static_cast<Index>(cols.size());
    if (!dry()) {
      T* next = pack_;
      for (auto const col : cols) {
        for (auto const row : rows) *next++ = *sums_.at(row, col);
      }
    }
    auto const& layers = line(Way::layer);
    layers.wait(layers.reduce(to, static_cast<T const*>(pack_), out, elements, sum_of<T>()));
  }

  /// (A) The big panel as a 2D problem of all layers; (B) its parts to layer 0 and to the layers that multiply by them.
  void factor_panel_of_all() {
    auto const left = sums_.col(begin_);
    auto const right = sums_.col(end_);
    for (int l = 0; l < c_; ++l) sum(l, rows_of(l, begin_), range(left, right), tall_);
    auto const parts = team_.grid.rows * c_;
    View<T> const panel{rest_of(begin_, m_, parts, b_),
                        rest_of(begin_, end_, team_.grid.cols, b_),
                        line(Way::tall).index(),
                        team_.me.j,
                        tall_,
                        std::max<Index>(static_cast<Index>(rows_of(l_, begin_).size()), 1)};
    Grid const grid{line(Way::row), line(Way::tall)};
    auto found = factor_2d(grid, panel, end_ - begin_, b_, order_.problem.pivoting, {});
    for (auto const pivot : found.pivots) found_.pivots.push_back(pivot + begin_);
    found_.fell_back += found.fell_back;
    panel_ld_ = panel.ld;
    return_panel(left, right);
  }

  void return_panel(Index left, Index right) {
    auto const& layers = line(Way::layer);
    auto const width = right - left;
    auto const mine = rows_of(l_, begin_);
    auto const elements = static_cast<Index>(mine.size()) * width;
    if (l_ > 0) {
      layers.wait(layers.send(0, static_cast<T const*>(tall_), elements, tag_to_layer_0));
      return;
    }
    if (!dry()) unpack(mine, range(left, right), tall_);
    for (int l = 1; l < c_; ++l) {
      auto const rows = rows_of(l, begin_);
      layers.wait(layers.receive(l, pack_, static_cast<Index>(rows.size()) * width, tag_to_layer_0));
      if (!dry()) unpack(rows, range(left, right), pack_);
    }
  }

  void unpack(std::vector<Index> const& rows, std::vector<Index> const& cols, T const* values) {
    for (auto const col : cols) {
      for (auto const row : rows) *sums_.at(row, col) = *values++;
    }
  }

  void exchange() {
    auto const right = sums_.col(end_);
    auto const pivots = std::span<Index const>(found_.pivots).subspan(static_cast<std::size_t>(begin_));
    move_rows<T>(line(Way::col), sums_.rows,
                 {{sums_.at(0, right), sums_.local_cols() - right, sums_.ld, moves_of(pivots, begin_)}});
  }

  /// The big panel's corner: its rows of this grid row, all columns, on every rank of it.
  void gather_corner() {
    auto const& wide = line(Way::wide);
    auto const height = sums_.row(end_) - sums_.row(begin_);
    for (int l = 0; l < c_; ++l) {
      auto rows = rows_of(l, begin_);
      std::erase_if(rows, [&](Index row) { return row >= sums_.row(end_); });
      auto const count = static_cast<Index>(rows.size());
      each_block([&](Panel block) {
        auto const owner = sums_.cols.owner(block.begin);
        bool const root = owner == team_.me.j && l == l_;
        if (root && !dry()) {
          auto const first = sums_.col(block.begin) - sums_.col(begin_);
          gemm_detail::pack(count, block.width(), static_cast<T const*>(tall_ + first * panel_ld_), panel_ld_, travel_);
        }
        wide.wait(wide.broadcast(owner + team_.grid.cols * l, travel_, count * block.width()));
        for (Index x = 0; x < block.width() && !dry(); ++x) {
          for (Index r = 0; r < count; ++r) {
            corner_[rows[static_cast<std::size_t>(r)] - sums_.row(begin_) + (block.begin - begin_ + x) * height] =
                travel_[r + x * count];
          }
        }
      });
    }
  }

  /// (D) The rows of U beside the big panel, columns distributed to all layers.
  void sum_upper() {
    auto const rows = range(sums_.row(begin_), sums_.row(end_));
    for (int l = 0; l < c_; ++l) sum(l, rows, cols_of(l, end_), upper_);
  }

  /// U = L^-1 A by blocks; and layer 0 gets its rows back.
  void solve_upper() {
    auto const cols = static_cast<Index>(cols_of(l_, end_).size());
    auto const top = sums_.row(begin_);
    auto const height = sums_.row(end_) - top;
    auto const& col = line(Way::col);
    each_block([&](Panel block) {
      auto const owner = sums_.rows.owner(block.begin);
      auto const at = sums_.row(block.begin) - top;
      auto const below = sums_.row(block.end) - top;
      T const* const diagonal = corner_ + at + (block.begin - begin_) * height;
      if (owner == team_.me.i && !dry()) {
        Stopwatch const watch(team_.ledger.compute);
        blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, block.width(), cols,
                   diagonal, std::max<Index>(height, 1), upper_ + at, std::max<Index>(height, 1));
        gemm_detail::pack(block.width(), cols, static_cast<T const*>(upper_ + at), height, travel_);
      }
      col.wait(col.broadcast(owner, travel_, block.width() * cols));
      if (!dry()) {
        Stopwatch const watch(team_.ledger.compute);
        blas::gemm(Trans::none, Trans::none, height - below, cols, block.width(), T(-1),
                   static_cast<T const*>(corner_ + below + (block.begin - begin_) * height), std::max<Index>(height, 1),
                   static_cast<T const*>(travel_), block.width(), T(1), upper_ + below, std::max<Index>(height, 1));
      }
    });
    return_upper(range(top, top + height));
  }

  void return_upper(std::vector<Index> const& rows) {
    auto const& layers = line(Way::layer);
    auto const height = static_cast<Index>(rows.size());
    auto const mine = cols_of(l_, end_);
    if (l_ > 0) {
      layers.wait(
          layers.send(0, static_cast<T const*>(upper_), height * static_cast<Index>(mine.size()), tag_to_layer_0));
      return;
    }
    if (!dry()) unpack(rows, mine, upper_);
    for (int l = 1; l < c_; ++l) {
      auto const cols = cols_of(l, end_);
      layers.wait(layers.receive(l, pack_, height * static_cast<Index>(cols.size()), tag_to_layer_0));
      if (!dry()) unpack(rows, cols, pack_);
    }
  }

  /// (C) Every layer takes its share of the inner dimension out of its sums with one multiplication.
  void multiply() {
    auto const below = sums_.row(end_);
    auto const right = sums_.col(end_);
    auto const height = sums_.local_rows() - below;
    auto const width = sums_.local_cols() - right;
    Index depth = 0;
    each_block([&](Panel block) {
      if (layer_of(block.begin) == l_) depth += block.width();
    });
    Index at = 0;
    each_block([&](Panel block) {
      auto const layer = layer_of(block.begin);
      auto const i = sums_.rows.owner(block.begin);
      auto const j = sums_.cols.owner(block.begin);
      if (m_ > end_ && j == team_.me.j) collect_left(block, layer);
      if (m_ > end_ && n_ > end_ && i == team_.me.i) collect_right(block, layer);
      if (layer != l_ || m_ == end_ || n_ == end_) return;
      auto const& row = line(Way::row);
      auto const& col = line(Way::col);
      T* const l = left_ + at * height;
      if (j == team_.me.j && !dry()) std::copy_n(landing_.data(), height * block.width(), l);
      row.wait(row.broadcast(j, l, height * block.width()));
      if (i == team_.me.i && !dry()) std::copy_n(landing_right_.data(), width * block.width(), travel_);
      col.wait(col.broadcast(i, travel_, block.width() * width));
      for (Index x = 0; x < width && !dry(); ++x) {
        std::copy_n(travel_ + x * block.width(), block.width(), right_ + at + x * depth);
      }
      at += block.width();
    });
    if (dry() || depth == 0 || m_ == end_ || n_ == end_) {
      return;
    }
    Stopwatch const watch(team_.ledger.compute);
    blas::gemm(Trans::none, Trans::none, height, width, depth, T(-1), static_cast<T const*>(left_),
               std::max<Index>(height, 1), static_cast<T const*>(right_), depth, T(1), sums_.at(below, right),
               sums_.ld);
  }

  /// (B) One block of L, rows below the big panel, from all layers onto the one that multiplies by it.
  void collect_left(Panel block, int layer) {
    auto const& layers = line(Way::layer);
    auto const below = sums_.row(end_);
    auto const height = sums_.local_rows() - below;
    auto const first = sums_.col(block.begin) - sums_.col(begin_);
    auto const mine = rows_of(l_, end_);
    auto const count = static_cast<Index>(mine.size());
    auto const skip = static_cast<Index>(rows_of(l_, begin_).size()) - count;
    if (!dry()) {
      gemm_detail::pack(count, block.width(), static_cast<T const*>(tall_ + skip + first * panel_ld_), panel_ld_,
                        travel_);
    }
    if (l_ != layer) {
      layers.wait(layers.send(layer, static_cast<T const*>(travel_), count * block.width(), tag_of_l));
      return;
    }
    if (!dry()) landing_.resize(static_cast<std::size_t>(height * block.width()));
    auto const land = [&](std::vector<Index> const& rows, T const* values) {
      for (Index x = 0; x < block.width(); ++x) {
        for (auto const row : rows) landing_[static_cast<std::size_t>(row - below + x * height)] = *values++;
      }
    };
    if (!dry()) land(mine, travel_);
    for (int l = 0; l < c_; ++l) {
      if (l == l_) continue;
      auto const rows = rows_of(l, end_);
      layers.wait(layers.receive(l, travel_, static_cast<Index>(rows.size()) * block.width(), tag_of_l));
      if (!dry()) land(rows, travel_);
    }
  }

  /// (B) One block of U, columns right of the big panel, likewise.
  void collect_right(Panel block, int layer) {
    auto const& layers = line(Way::layer);
    auto const right = sums_.col(end_);
    auto const width = sums_.local_cols() - right;
    auto const height = sums_.row(end_) - sums_.row(begin_);
    auto const first = sums_.row(block.begin) - sums_.row(begin_);
    auto const mine = cols_of(l_, end_);
    auto const count = static_cast<Index>(mine.size());
    if (!dry()) {
      gemm_detail::pack(block.width(), count, static_cast<T const*>(upper_ + first), std::max<Index>(height, 1),
                        travel_);
    }
    if (l_ != layer) {
      layers.wait(layers.send(layer, static_cast<T const*>(travel_), count * block.width(), tag_of_u));
      return;
    }
    if (!dry()) landing_right_.resize(static_cast<std::size_t>(width * block.width()));
    auto const land = [&](std::vector<Index> const& cols, T const* values) {
      for (auto const col : cols) {
        for (Index x = 0; x < block.width(); ++x) {
          landing_right_[static_cast<std::size_t>(x + (col - right) * block.width())] = *values++;
        }
      }
    };
    if (!dry()) land(mine, travel_);
    for (int l = 0; l < c_; ++l) {
      if (l == l_) continue;
      auto const cols = cols_of(l, end_);
      layers.wait(layers.receive(l, travel_, static_cast<Index>(cols.size()) * block.width(), tag_of_u));
      if (!dry()) land(cols, travel_);
    }
  }

  Team& team_;
  Order const& order_;
  int c_;
  int l_;
  Index b_;
  Index m_;
  Index n_;
  Index count_;
  Index big_;
  View<T> sums_;  // this layer's share of A; on layer 0 the caller's own memory, where the factors come to lie
  Index begin_ = 0;
  Index end_ = 0;
  Index panel_ld_ = 1;
  T* tall_ = nullptr;   // big panel, this rank's rows
  T* upper_ = nullptr;  // rows of U, this rank's columns
  T* pack_ = nullptr;
  T* corner_ = nullptr;
  T* left_ = nullptr;  // this layer's share of L and U for one multiplication
  T* right_ = nullptr;
  T* travel_ = nullptr;
  std::vector<T> landing_;
  std::vector<T> landing_right_;
  Found found_;
};

}  // namespace

template <class T>
Found factor_25d(Team& team, Order const& order, View<T> const& a) {
  return Layered<T>(team, order, a).run();
}

#define ALLPORT_25D(T) template Found factor_25d(Team&, Order const&, View<T> const&);
ALLPORT_FOR_SCALARS(ALLPORT_25D)

}  // namespace allport::lu_detail
