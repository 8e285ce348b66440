// The operations of a tile QR on each tile and their order: the reduction tree of a panel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace allport {

/// Columns of a block of reflectors (NB of LAPACK's geqrt), and rows of its T: small compared with the tile, because
/// the work on T grows with them.
inline constexpr std::int64_t qr_inner_block = 32;

/// Panel k reduces tile rows k, k + 1, ... of a column to one triangle. Each process row reduces its tiles one after
/// the other (a flat tree) to the first of them, its head; heads k, k + 1, ... are merged by a binary tree (Demmel,
/// Grigori, Hoemmen, Langou 2012: TSQR and CAQR). The same operations are applied to the tiles of every column to the
/// right, tile row by tile row.
class QrOrder {
 public:
  /// An operation eliminates tile row i; `top` and `bottom` are the two ends of a merge of two process rows.
  enum Kind : std::uint16_t {
    local,    ///< head i alone: geqrt, unmqr
    chained,  ///< tile row i onto its head: tsqrt, tsmqr
    top,      ///< head i into partner(i): ttqrt, ttmqr, on the partner's rank
    bottom,   ///< the same on the rank of i
  };
  struct Op {
    Kind kind = local;
    std::int32_t i = 0;
    friend bool operator==(Op const&, Op const&) = default;
  };

  /// @param process_rows  p; tile row i is on process row (i + some source) % p
  QrOrder(int process_rows, std::int32_t tile_rows) : p_(process_rows), rows_(tile_rows) {}

  [[nodiscard]] bool is_head(std::int32_t i, std::int32_t k) const { return i < k + p_; }
  [[nodiscard]] std::int32_t head(std::int32_t i, std::int32_t k) const { return k + (i - k) % p_; }
  [[nodiscard]] std::int32_t heads(std::int32_t k) const { return std::min(p_, rows_ - k); }
  /// The head that head i > k is merged into.
  [[nodiscard]] static std::int32_t partner(std::int32_t i, std::int32_t k) { return k + ((i - k) & (i - k - 1)); }
  /// Number of heads that are merged into head i: level l merges the one at distance 2^l.
  [[nodiscard]] int merges(std::int32_t i, std::int32_t k) const {
    auto const d = static_cast<std::uint32_t>(i - k);
    auto const most = d == 0 ? 31 : std::countr_zero(d);
    auto const behind = static_cast<std::uint32_t>(heads(k)) - d - 1;
    return std::min<int>(most, static_cast<int>(std::bit_width(behind)));
  }

  /// The operations on tile row x in panel k <= x: the first, the last, the next one and the one before.
  [[nodiscard]] Op first(std::int32_t x, std::int32_t k) const { return {is_head(x, k) ? local : chained, x}; }
  [[nodiscard]] Op last(std::int32_t x, std::int32_t k) const {
    if (!is_head(x, k)) return {chained, x};
    return x > k ? Op{bottom, x} : last_as_top(x, k);
  }
  [[nodiscard]] std::optional<Op> after(Op op, std::int32_t x, std::int32_t k) const {
    if (!is_head(x, k) || (op.kind == bottom && op.i == x)) return std::nullopt;
    if (op.kind == local || op.kind == chained) {
      if (op.i + p_ < rows_) return Op{chained, op.i + p_};
    }
    auto const level = op.kind == top ? std::countr_zero(static_cast<std::uint32_t>(op.i - x)) + 1 : 0;
    if (level < merges(x, k)) return Op{top, x + (1 << level)};
    return x > k ? std::optional(Op{bottom, x}) : std::nullopt;
  }
  [[nodiscard]] std::optional<Op> before(Op op, std::int32_t x, std::int32_t k) const {
    if (!is_head(x, k) || op.kind == local) return std::nullopt;
    if (op.kind == chained) return op.i - p_ == x ? Op{local, x} : Op{chained, op.i - p_};
    if (op.kind == bottom && op.i == x) return last_as_top(x, k);
    auto const distance = op.i - x;
    return distance > 1 ? Op{top, x + distance / 2} : chain_end(x);
  }

 private:
  [[nodiscard]] Op chain_end(std::int32_t x) const {
    auto const behind = (rows_ - 1 - x) / p_;
    return behind == 0 ? Op{local, x} : Op{chained, x + behind * p_};
  }
  [[nodiscard]] Op last_as_top(std::int32_t x, std::int32_t k) const {
    auto const count = merges(x, k);
    return count == 0 ? chain_end(x) : Op{top, x + (1 << (count - 1))};
  }

  std::int32_t p_;
  std::int32_t rows_;
};

}  // namespace allport
