#include "npy_tiles.h"

#include <fmt/format.h>

namespace allport::io {

IndexRanges::IndexRanges(std::span<Range const> ranges, std::int64_t extent, char const* name) {
  std::int64_t last = 0;
  for (auto const& range : ranges) {
    ensure(range.begin >= last && range.end >= range.begin && range.end <= extent, name,
           fmt::format("{}..{}", range.begin, range.end),
           fmt::format("half-open ranges in 0..{}, ascending and apart", extent));
    last = range.end;
    if (range.end > range.begin) {
      ranges_.push_back(range);
      before_.push_back(count_);
      count_ += range.end - range.begin;
    }
  }
}

std::vector<Range> IndexRanges::ranges(std::int64_t begin, std::int64_t end) const {
  std::vector<Range> cut;
  auto const first = std::upper_bound(before_.begin(), before_.end(), begin) - before_.begin() - 1;
  for (auto k = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, first)); k < ranges_.size() && begin < end; ++k) {
    auto const from = ranges_[k].begin + begin - before_[k];
    auto const to = std::min(ranges_[k].end, ranges_[k].begin + end - before_[k]);
    begin += to - from;
    if (!cut.empty() && cut.back().end == from) {
      cut.back().end = to;
    } else {
      cut.push_back({from, to});
    }
  }
  return cut;
}

FileBox::FileBox(NpyHeader const& header, std::span<Range const> rows, std::span<Range const> cols, std::int64_t ld,
                 bool transposed)
    : lines(header.fortran_order ? cols : rows, header.fortran_order ? header.cols : header.rows,
            header.fortran_order ? "columns" : "rows"),
      fast(header.fortran_order ? rows : cols, header.fortran_order ? header.rows : header.cols,
           header.fortran_order ? "rows" : "columns"),
      line_length(header.fortran_order ? header.rows : header.cols),
      element(bytes_of(header.type)),
      data_offset(header.data_offset),
      straight(header.fortran_order != transposed) {
  auto const needed = std::max<std::int64_t>(1, straight ? fast.count() : lines.count());
  ensure(ld >= needed, "ld", ld, fmt::format("at least {}, the box's {}", needed, transposed ? "columns" : "rows"));
}

}  // namespace allport::io
