// Storage of a tile QR: contiguous tiles, and the reflectors that products with Q read.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "allport/linalg/qr.h"
#include "linalg/matrix/column_blocks.h"
#include "qr_graph.h"
#include "qr_kernels.h"

namespace allport::detail {

/// A rank's tiles, each contiguous in memory.
template <class T>
class LocalTiles {
 public:
  /// @param elements  (i, j) -> elements of tile (i, j), for this rank's tiles of [rows x cols]
  template <class Elements>
  LocalTiles(Index rows, Index cols, Distribution const& tiles, Rank me, Elements const& elements)
      : rows_(over(rows, tiles.rows())), cols_(over(cols, tiles.cols())) {
    auto const at = tiles.position(me);
    if (at.row < 0) return;
    local_rows_ = rows_.count(at.row);
    begins_.reserve(static_cast<std::size_t>(local_rows_ * cols_.count(at.col)));
    Index sum = 0;
    for (Index j = 0; j < cols; ++j) {
      if (cols_.owner(j) != at.col) continue;
      for (Index i = 0; i < rows; ++i) {
        if (rows_.owner(i) != at.row) continue;
        begins_.push_back(sum);
        sum += elements(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
      }
    }
    memory_.resize(static_cast<std::size_t>(sum));
  }

  /// @pre tile (i, j) is on this rank
  [[nodiscard]] T* at(Index i, Index j) {
    return memory_.data() + begins_[static_cast<std::size_t>(rows_.local(i) + cols_.local(j) * local_rows_)];
  }
  [[nodiscard]] T const* at(Index i, Index j) const { return const_cast<LocalTiles*>(this)->at(i, j); }
  [[nodiscard]] Bytes bytes() const { return Bytes(static_cast<std::int64_t>(memory_.size() * sizeof(T))); }

 private:
  static AxisDistribution over(Index tiles, AxisDistribution const& axis) {
    return AxisDistribution::cyclic(tiles, axis.parts(), 1, axis.source());
  }

  AxisDistribution rows_;
  AxisDistribution cols_;
  Index local_rows_ = 0;
  std::vector<Index> begins_;
  std::vector<T> memory_;
};

}  // namespace allport::detail

namespace allport {

/// The reflectors of a factorization. Of tile (i, k), i >= k: V and T. Of head i of panel k: its triangle during the
/// reduction; then V and T of the merge that eliminated it if i > k, and R if i = k.
template <class T>
class QrReflectors {
 public:
  QrReflectors(Communicator comm_, Distribution tiles, Index ib_)
      : comm(std::move(comm_)),
        distribution(std::move(tiles)),
        ib(ib_),
        sizes_(distribution, distribution, {.end_panel = QrGraph::panels_of(distribution)}, ib, scalar_of<T>),
        tiles_(stored([&](std::int32_t i, std::int32_t k) { return i < k ? 0 : elements(sizes_.rows_of(i), k); })),
        trees_(stored([&](std::int32_t i, std::int32_t k) {
          return i < k || !sizes_.order().is_head(i, k) ? 0 : elements(sizes_.triangle_rows(i, k), k);
        })) {}

  [[nodiscard]] std::int32_t panels() const { return sizes_.scope().end_panel; }
  [[nodiscard]] blas::Block<T> tile(std::int32_t i, std::int32_t k) { return {tiles_.at(i, k), sizes_.rows_of(i), ib}; }
  [[nodiscard]] blas::Block<T> tree(std::int32_t i, std::int32_t k) {
    return {trees_.at(i, k), sizes_.triangle_rows(i, k), ib};
  }
  [[nodiscard]] Index elements_of(std::int32_t i, std::int32_t k) const { return elements(sizes_.rows_of(i), k); }
  [[nodiscard]] Index elements_of_tree(std::int32_t i, std::int32_t k) const {
    return elements(sizes_.triangle_rows(i, k), k);
  }
  [[nodiscard]] Bytes bytes() const { return tiles_.bytes() + trees_.bytes(); }

  Communicator const comm;
  Distribution const distribution;
  Index const ib;

 private:
  [[nodiscard]] Index elements(Index rows, std::int32_t k) const { return (rows + ib) * sizes_.width_of(k); }
  template <class Elements>
  [[nodiscard]] detail::LocalTiles<T> stored(Elements const& of) const {
    auto const nb = distribution.rows().nb();
    return {(distribution.rows().extent() + nb - 1) / nb, panels(), distribution, comm.rank(), of};
  }

  QrGraph sizes_;
  detail::LocalTiles<T> tiles_;
  detail::LocalTiles<T> trees_;
};

}  // namespace allport

namespace allport::detail {

/// `count` elements as bytes, as graphs take tiles.
template <class T>
std::span<std::byte> bytes_at(T* elements, Index count) {
  return std::as_writable_bytes(std::span(elements, static_cast<std::size_t>(count)));
}
template <class T>
T const* elements_in(TaskContext const& context, int input) {
  return reinterpret_cast<T const*>(context.input(input).data());
}

/// The body of a task that applies reflectors to tiles. @param tile  (i, j) -> pointer to this rank's tile
template <class T, class Tile>
void apply_reflectors(QrGraph const& graph, Task t, TaskContext& context, Tile const& tile) {
  bool const adjoint = graph.scope().adjoint;
  bool const merge = t.kind == QrGraph::top || t.kind == QrGraph::bottom;
  auto const w = graph.width_of(t.k);
  auto const n = graph.cols_of(t.j);
  blas::Block<T const> const q{elements_in<T>(context, QrGraph::block),
                               merge ? graph.triangle_rows(t.i, t.k) : graph.rows_of(t.i), graph.ib()};
  auto const head = merge ? QrOrder::partner(t.i, t.k) : graph.order().head(t.i, t.k);
  auto const above = graph.rows_of(head);
  auto const below = graph.rows_of(t.i);
  if (t.kind == QrGraph::local) {
    return in_fixed_blocks(context, n, [&](Index first, Index last) {
      blas::gemqrt<T>(adjoint, q, w, last - first, tile(t.i, t.j) + first * below, below);
    });
  }
  auto const apply = [&](T* upper, T* lower) {
    in_fixed_blocks(context, n, [&](Index first, Index last) {
      blas::tpmqrt<T>(adjoint, q, w, merge, last - first, upper + first * above, above, lower + first * below, below);
    });
  };
  if (!merge) return apply(tile(head, t.j), tile(t.i, t.j));
  // The tile that the other rank stores is computed in a copy, which is discarded.
  bool const is_top = t.kind == QrGraph::top;
  auto const others = (is_top ? below : above) * n;
  auto* const copy = blas::scratch<T, 1>(others);
  std::copy_n(elements_in<T>(context, QrGraph::tile), others, copy);
  apply(is_top ? tile(head, t.j) : copy, is_top ? copy : tile(t.i, t.j));
}

/// visit(tile row, tile column, rows, columns, pointer into this rank's part) for this rank's tiles.
template <class T, class Visit>
void each_tile(Distribution const& d, Rank me, Part<T> part, Visit const& visit) {
  auto const at = d.position(me);
  if (at.row < 0) return;
  auto const& rows = d.rows();
  auto const& cols = d.cols();
  for (Index col = 0; col < cols.extent(); col += cols.nb()) {
    if (cols.owner(col) != at.col) continue;
    for (Index row = 0; row < rows.extent(); row += rows.nb()) {
      if (rows.owner(row) != at.row) continue;
      visit(static_cast<std::int32_t>(row / rows.nb()), static_cast<std::int32_t>(col / cols.nb()),
            std::min(rows.nb(), rows.extent() - row), std::min(cols.nb(), cols.extent() - col),
            part.data + rows.local(row) + cols.local(col) * part.ld);
    }
  }
}

/// Zero tiles for a matrix whose blocks are the tiles.
template <class T>
[[nodiscard]] LocalTiles<T> tiles_for(Distribution const& d, Rank me) {
  auto const count = [](AxisDistribution const& axis) { return (axis.extent() + axis.nb() - 1) / axis.nb(); };
  auto const length = [](AxisDistribution const& axis, Index t) {
    return std::min(axis.nb(), axis.extent() - t * axis.nb());
  };
  return {count(d.rows()), count(d.cols()), d, me,
          [&](std::int32_t i, std::int32_t j) { return length(d.rows(), i) * length(d.cols(), j); }};
}

/// Copy a rank's part to its tiles, and back. @param d  distribution of the part, with tiles as blocks
template <class T>
void load_tiles(LocalTiles<T>& tiles, Distribution const& d, Rank me, Part<T> part) {
  each_tile(d, me, part, [&](auto i, auto j, Index m, Index n, T const* from) {
    for (Index c = 0; c < n; ++c) std::copy_n(from + c * part.ld, m, tiles.at(i, j) + c * m);
  });
}
template <class T>
void store_tiles(LocalTiles<T> const& tiles, Distribution const& d, Rank me, Part<T> part) {
  each_tile(d, me, part, [&](auto i, auto j, Index m, Index n, T* to) {
    for (Index c = 0; c < n; ++c) std::copy_n(tiles.at(i, j) + c * m, m, to + c * part.ld);
  });
}

}  // namespace allport::detail
