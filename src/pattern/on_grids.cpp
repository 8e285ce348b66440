#include "allport/pattern/on_grids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include "index.h"

namespace allport {

namespace {

using pattern::at;

void check_bytes(std::int64_t bytes) { ensure(bytes >= 0, "bytes", bytes, "a number >= 0"); }

std::int64_t power(std::int64_t base, int exponent) {
  std::int64_t p = 1;
  for (int i = 0; i < exponent; ++i) p *= base;
  return p;
}

/// All offsets of -1, 0 or 1 along each axis, except the zero offset.
template <class Visit>
void each_offset(int axes, Visit&& visit) {
  std::array<std::int32_t, max_grid_axes> offset{};
  for (std::int64_t code = 0; code < power(3, axes); ++code) {
    int differing = 0;
    for (std::int64_t a = 0, rest = code; a < axes; ++a, rest /= 3) {
      offset[at(a)] = static_cast<std::int32_t>(rest % 3) - 1;
      differing += offset[at(a)] != 0 ? 1 : 0;
    }
    if (differing > 0) visit(offset, differing);
  }
}

/// Bytes of one offset's message.
std::int64_t halo_bytes(std::array<std::int32_t, max_grid_axes> const& offset, std::span<std::int64_t const> local,
                        std::int64_t element) {
  auto bytes = element;
  for (std::size_t a = 0; a < local.size(); ++a) {
    if (offset[a] != 0) continue;
    ensure(local[a] == 0 || bytes <= std::numeric_limits<std::int64_t>::max() / local[a], "local", local[a],
           "messages of fewer than 2^63 bytes");
    bytes *= local[a];
  }
  return bytes;
}

std::string along_text(std::span<int const> axes) {
  std::string text;
  for (auto const a : axes) text += "xyzuvwst"[a];
  return text;
}

void check_axes(CartGrid const& grid, std::span<int const> axes) {
  grid.check();
  ensure(!axes.empty(), "axes", static_cast<int>(axes.size()), "at least one axis of the grid");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ensure(axes[i] >= 0 && axes[i] < grid.axes(), fmt::format("axes[{}]", i), axes[i],
           fmt::format("an axis in 0..{}", grid.axes() - 1));
    ensure(std::ranges::count(axes, axes[i]) == 1, fmt::format("axes[{}]", i), axes[i], "each axis once");
  }
}

/// Ring allgather of n ranks: n - 1 rounds, each forwards the block of the previous round.
Schedule ring_of(Rank n, std::int64_t bytes) {
  Contract none;
  none.what = Collective::none;
  none.ranks = n;
  auto const segment = std::max<std::int64_t>(bytes, 1);
  return {"ring", none, {segment, 2}, 1, [n, bytes](Rank r, Program& into) {
            into.scratch = n * bytes;
            for (Rank k = 0; k + 1 < n; ++k) {
              auto const own = (r - k + n) % n;
              Op send;
              send.kind = OpKind::send;
              send.peer = (r + 1) % n;
              send.channel = k;
              send.length = send.segment = bytes;
              send.piece = {{own, own}, {0, n - 1}, {0, bytes}, false};
              send.from = {Buffer::scratch, 0, own * bytes};
              if (k > 0) send.after.add(2 * (k - 1) + 1);
              into.ops.push_back(send);
              auto const came = (own - 1 + n) % n;
              Op receive = send;
              receive.kind = OpKind::receive;
              receive.peer = (r - 1 + n) % n;
              receive.after.clear();
              receive.piece.sources = {came, came};
              receive.from = {};
              receive.into = {Buffer::scratch, 0, came * bytes};
              into.ops.push_back(receive);
            }
          }};
}

}  // namespace

Pattern halo(CartGrid const& grid, int points, std::span<std::int64_t const> local, std::int64_t element) {
  grid.check();
  auto const d = grid.axes();
  auto const star = 2 * d + 1;
  ensure(points == star || points == power(3, d), "points", points,
         fmt::format("{} (faces) or {} (faces, edges, corners) on a grid of {} axes", star, power(3, d), d));
  ensure(static_cast<int>(local.size()) == d, "local", static_cast<int>(local.size()),
         fmt::format("a length for each of {} axes", d));
  for (auto const n : local) ensure(n >= 0, "local", n, "cells >= 0");
  ensure(element >= 0, "element", element, "bytes >= 0");
  std::vector<Message> messages;
  messages.reserve(at(std::int64_t{grid.ranks()} * (points - 1)));
  each_offset(d, [&](auto const& offset, int differing) {
    if (points == star && differing > 1) return;
    auto const bytes = halo_bytes(offset, local, element);
    for (Rank r = 0; r < grid.ranks(); ++r) {
      Rank to = r;
      bool inside = true;
      for (int a = 0; a < d; ++a) {
        if (offset[at(a)] == 0) continue;
        auto const x = grid.coord(r, a);
        auto const y = x + offset[at(a)];
        auto const n = grid.length(a);
        inside = inside && (grid.is_periodic(a) || (y >= 0 && y < n));
        to += ((y + n) % n - x) * grid.stride(a);
      }
      if (inside) messages.push_back({r, to, bytes});
    }
  });
  return Pattern::of_messages(fmt::format("{}-point halo on {}", points, grid.text()), grid.ranks(), messages, grid);
}

std::vector<std::vector<Rank>> groups_along(CartGrid const& grid, std::span<int const> axes) {
  check_axes(grid, axes);
  std::vector<std::int64_t> group_at(at(grid.ranks()), -1);
  std::vector<std::vector<Rank>> groups;
  for (Rank r = 0; r < grid.ranks(); ++r) {
    // The group is named by its member at 0 along `axes`, which is the first of it in order of rank.
    auto first = r;
    for (auto const a : axes) first -= grid.coord(r, a) * grid.stride(a);
    auto& g = group_at[at(first)];
    if (g < 0) {
      g = static_cast<std::int64_t>(groups.size());
      groups.emplace_back();
    }
    groups[at(g)].push_back(r);
  }
  return groups;
}

Pattern alltoall_along(CartGrid const& grid, std::span<int const> axes, std::int64_t bytes) {
  check_bytes(bytes);
  std::vector<Message> messages;
  for (auto const& members : groups_along(grid, axes)) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t k = 1; k < members.size(); ++k) {
        messages.push_back({members[i], members[(i + k) % members.size()], bytes});
      }
    }
  }
  return Pattern::of_messages(fmt::format("alltoall along {} of {}", along_text(axes), grid.text()), grid.ranks(),
                              messages, grid);
}

Pattern allgather_along(CartGrid const& grid, std::span<int const> axes, std::int64_t bytes) {
  check_bytes(bytes);
  auto groups = groups_along(grid, axes);
  auto const size = static_cast<Rank>(groups.front().size());
  if (bytes == 0) groups.clear();  // streams of no bytes are not allowed
  return Pattern::of_schedules(fmt::format("allgather along {} of {}", along_text(axes), grid.text()), grid.ranks(),
                               {{ring_of(size, bytes), std::move(groups)}}, grid);
}

Pattern transpose(CartGrid const& grid, std::int64_t bytes) {
  grid.check();
  check_bytes(bytes);
  std::vector<int> long_axes;
  for (int a = 0; a < grid.axes(); ++a) {
    if (grid.length(a) > 1) long_axes.push_back(a);
  }
  ensure(long_axes.size() <= 2, "grid", grid.text(), "at most two axes longer than 1, rows and columns");
  // A grid of one axis is a row; if both are 1, there is nothing to send.
  auto const row_axis = long_axes.size() == 2 ? long_axes[0] : -1;
  auto const column_axis = long_axes.empty() ? -1 : long_axes.back();
  auto const p = row_axis < 0 ? 1 : std::int64_t{grid.length(row_axis)};
  auto const q = column_axis < 0 ? 1 : std::int64_t{grid.length(column_axis)};
  auto const rank = [&](std::int64_t i, std::int64_t j) {
    return static_cast<Rank>((row_axis < 0 ? 0 : i * grid.stride(row_axis)) +
                             (column_axis < 0 ? 0 : j * grid.stride(column_axis)));
  };
  // In units of 1/(pq) of the matrix' side a block has q rows and p columns.
  auto const overlap = [](std::int64_t a, std::int64_t n, std::int64_t b, std::int64_t m) {
    return std::max<std::int64_t>(0, std::min((a + 1) * n, (b + 1) * m) - std::max(a * n, b * m));
  };
  std::vector<Message> messages;
  for (std::int64_t r = 0; r < p; ++r) {
    for (std::int64_t c = 0; c < q; ++c) {
      // Rows of the new block are columns of the old matrix: it needs the old rows of column block c, the old columns
      // of row block r.
      for (auto i = c * p / q; i < p && overlap(i, q, c, p) > 0; ++i) {
        for (auto j = r * q / p; j < q && overlap(j, p, r, q) > 0; ++j) {
          auto const share =
              static_cast<double>(overlap(i, q, c, p) * overlap(j, p, r, q)) / static_cast<double>(p * q);
          messages.push_back(
              {rank(i, j), rank(r, c), static_cast<std::int64_t>(std::llround(share * static_cast<double>(bytes)))});
        }
      }
    }
  }
  return Pattern::of_messages(fmt::format("transpose on {}", grid.text()), grid.ranks(), messages, grid);
}

}  // namespace allport
