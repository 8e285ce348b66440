// A box of a .npy file in the file's own order: lines (rows in C order, columns in Fortran order) of elements, cut into
// tiles that fit a cache; a tile consists of contiguous pieces of the file.
#pragma once

#include <algorithm>
#include <vector>

#include "allport/io.h"
#include "npy_convert.h"

namespace allport::io {

/// Ascending ranges of indices. Positions count these indices: position 0 is the first index of the first range.
class IndexRanges {
 public:
  IndexRanges(std::span<Range const> ranges, std::int64_t extent, char const* name);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Ranges of the positions begin..end-1, neighbours merged.
  [[nodiscard]] std::vector<Range> ranges(std::int64_t begin, std::int64_t end) const;

 private:
  std::vector<Range> ranges_;
  std::vector<std::int64_t> before_;  // positions before each range
  std::int64_t count_ = 0;
};

/// The box in the file's order. In memory an element is data[fast + line * ld] if `straight`, else data[line + fast *
/// ld]: the file's lines run across the columns in memory.
struct FileBox {
  FileBox(NpyHeader const& header, std::span<Range const> rows, std::span<Range const> cols, std::int64_t ld,
          bool transposed);

  IndexRanges lines;
  IndexRanges fast;
  std::int64_t line_length;  ///< elements of the file's lines
  std::int64_t element;      ///< bytes in the file
  std::int64_t data_offset;
  bool straight;

  [[nodiscard]] std::int64_t offset(std::int64_t line, std::int64_t at) const {
    return data_offset + (line * line_length + at) * element;
  }
};

/// Positions of a tile: lines [line.begin, line.end) x elements [fast.begin, fast.end).
struct Tile {
  Range line;
  Range fast;
};
/// Calls visit(tile) for all tiles of the box, in the file's order as far as possible: about a megabyte each, at least
/// several cache lines in each direction.
template <class Visit>
void for_tiles(FileBox const& box, std::int64_t element, Visit&& visit) {
  constexpr std::int64_t widest = 16384;
  constexpr std::int64_t tile_bytes = std::int64_t(1) << 20;
  auto const width = std::min(widest, std::max<std::int64_t>(1, box.fast.count()));
  auto const height = std::max<std::int64_t>(16, tile_bytes / (width * element));
  for (std::int64_t l = 0; l < box.lines.count(); l += height) {
    for (std::int64_t f = 0; f < box.fast.count(); f += width) {
      visit(Tile{{l, std::min(l + height, box.lines.count())}, {f, std::min(f + width, box.fast.count())}});
    }
  }
}

/// Elements that are contiguous in the file and in memory.
struct FilePiece {
  std::int64_t offset = 0;  ///< bytes in the file
  std::int64_t memory = 0;  ///< elements from the tile's first
  std::int64_t count = 0;   ///< elements
};
/// Calls visit(piece) for the pieces of a tile, in the file's order. In memory, lines are `stride` elements apart.
template <class Visit>
void for_pieces(FileBox const& box, Tile const& tile, std::int64_t stride, Visit&& visit) {
  auto const fast = box.fast.ranges(tile.fast.begin, tile.fast.end);
  FilePiece piece;
  std::int64_t start = 0;
  for (auto const& lines : box.lines.ranges(tile.line.begin, tile.line.end)) {
    for (auto line = lines.begin; line < lines.end; ++line, start += stride) {
      auto memory = start;
      for (auto const& range : fast) {
        auto const offset = box.offset(line, range.begin);
        auto const count = range.end - range.begin;
        if (offset == piece.offset + piece.count * box.element && memory == piece.memory + piece.count) {
          piece.count += count;
        } else {
          if (piece.count > 0) {
            visit(piece);
          }
          piece = {offset, memory, count};
        }
        memory += count;
      }
    }
  }
  if (piece.count > 0) {
    visit(piece);
  }
}

/// to[l + f * to_stride] = from[f + l * from_stride] for l < lines, f < fast; in square blocks, each side one cache
/// line.
template <class T>
void transpose(T const* from, std::int64_t from_stride, std::int64_t lines, std::int64_t fast, T* to,
               std::int64_t to_stride) {
  constexpr std::int64_t block = 64 / sizeof(T);
  for (std::int64_t f = 0; f < fast; f += block) {
    auto const f_end = std::min(f + block, fast);
    std::int64_t l = 0;
    if (f_end - f == block) {
      for (; l + block <= lines; l += block) {
        auto const* source = from + f + l * from_stride;
        auto* target = to + l + f * to_stride;
        for (std::int64_t b = 0; b < block; ++b) {
          for (std::int64_t a = 0; a < block; ++a) {
            target[a + b * to_stride] = source[b + a * from_stride];
          }
        }
      }
    }
    for (; l < lines; ++l) {
      for (auto b = f; b < f_end; ++b) {
        to[l + b * to_stride] = from[b + l * from_stride];
      }
    }
  }
}

}  // namespace allport::io
