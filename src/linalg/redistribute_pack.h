// Copies between a rank's part of a matrix and messages.
#pragma once

#include <cstring>

#include "allport/linalg/matrix.h"
#include "redistribute_plan.h"

namespace allport::detail {

constexpr std::int64_t bytes_between_progress = std::int64_t(1) << 20;

// Progresses transfers after every megabyte of copying.
class Pace {
 public:
  explicit Pace(Communicator const& comm) : comm_(comm) {}
  void copied(std::int64_t bytes) {
    since_ += bytes;
    if (since_ >= bytes_between_progress) {
      since_ = 0;
      comm_.progress();
    }
  }

 private:
  Communicator const& comm_;
  std::int64_t since_ = 0;
};

// Spans of one element at equal distances, as of distributions with blocks of one.
struct Comb {
  Index first = 0;
  Index stride = 0;  // 0: the spans are different
};

inline Comb comb_of(Overlap const& overlap) {
  auto const& spans = overlap.spans;
  if (spans.size() < 2) {
    return {};
  }
  auto const stride = spans[1].local - spans[0].local;
  for (std::size_t k = 0; k < spans.size(); ++k) {
    if (spans[k].length != 1 || (k > 0 && spans[k].local - spans[k - 1].local != stride)) {
      return {};
    }
  }
  return {spans[0].local, stride};
}

template <class T>
void copy_run(T const* source, T* target, Index length) {
  if (length < 8) {
    for (Index k = 0; k < length; ++k) {
      target[k] = source[k];
    }
  } else {
    std::memcpy(target, source, static_cast<std::size_t>(length) * sizeof(T));
  }
}

// Calls at_column(local column) for each column, in order.
template <class AtColumn>
void for_columns(Overlap const& cols, AtColumn&& at_column) {
  for (auto const& span : cols.spans) {
    for (auto j = span.local; j < span.local + span.length; ++j) {
      at_column(j);
    }
  }
}

// packed: [rows.count x cols.count], column-major, contiguous.
template <class T>
void pack(Part<T const> part, Overlap const& rows, Overlap const& cols, T* packed, Pace& pace) {
  auto const comb = comb_of(rows);
  for_columns(cols, [&](Index j) {
    auto const* column = part.data + j * part.ld;
    if (comb.stride > 0) {
      column += comb.first;
      for (Index k = 0; k < rows.count; ++k) {
        packed[k] = column[k * comb.stride];
      }
      packed += rows.count;
    } else {
      for (auto const& span : rows.spans) {
        copy_run(column + span.local, packed, span.length);
        packed += span.length;
      }
    }
    pace.copied(rows.count * static_cast<std::int64_t>(sizeof(T)));
  });
}

template <class T>
void unpack(T const* packed, Overlap const& rows, Overlap const& cols, Part<T> part, Pace& pace) {
  auto const comb = comb_of(rows);
  for_columns(cols, [&](Index j) {
    auto* column = part.data + j * part.ld;
    if (comb.stride > 0) {
      column += comb.first;
      for (Index k = 0; k < rows.count; ++k) {
        column[k * comb.stride] = packed[k];
      }
      packed += rows.count;
    } else {
      for (auto const& span : rows.spans) {
        copy_run(packed, column + span.local, span.length);
        packed += span.length;
      }
    }
    pace.copied(rows.count * static_cast<std::int64_t>(sizeof(T)));
  });
}

// The address of the box if it is contiguous in local storage, else null.
template <class T>
T* in_one_piece(Part<T> part, Overlap const& rows, Overlap const& cols) {
  auto const whole = rows.spans.size() == 1 && cols.spans.size() == 1 && (cols.count == 1 || rows.count == part.ld);
  return whole ? part.data + rows.spans[0].local + cols.spans[0].local * part.ld : nullptr;
}

template <class T>
void copy_local(Distribution const& from_distribution, Part<T const> from, Distribution const& to_distribution,
                Part<T> to, Rank rank, Pace& pace) {
  auto const source = from_distribution.position(rank);
  auto const target = to_distribution.position(rank);
  if (source.row < 0 || target.row < 0) {
    return;
  }
  auto const rows = common(from_distribution.rows(), source.row, to_distribution.rows(), target.row);
  auto const cols = common(from_distribution.cols(), source.col, to_distribution.cols(), target.col);
  for (auto const& col : cols) {
    for (Index j = 0; j < col.length; ++j) {
      auto const* source_column = from.data + (col.from + j) * from.ld;
      auto* target_column = to.data + (col.to + j) * to.ld;
      Index copied = 0;
      for (auto const& row : rows) {
        copy_run(source_column + row.from, target_column + row.to, row.length);
        copied += row.length;
      }
      pace.copied(copied * static_cast<std::int64_t>(sizeof(T)));
    }
  }
}

}  // namespace allport::detail
