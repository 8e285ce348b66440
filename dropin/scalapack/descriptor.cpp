#include "descriptor.h"

#include <fmt/format.h>

#include <algorithm>

namespace allport::scalapack {

namespace {

/// Numbers of the entries of both types of descriptors in INFO.
enum Type1 { dtype_1 = 1, ctxt_1, m_1, n_1, mb_1, nb_1, rsrc_1, csrc_1, lld_1 };
enum Type2 { dtype_2 = 1, ctxt_2, m_2, n_2, imb_2, inb_2, mb_2, nb_2, rsrc_2, csrc_2, lld_2 };

constexpr Int replicated = -1;

/// Whether LLD_ is less than the rows of a local part with columns.
bool lld_too_small(Descriptor const& d, Grid const& grid) {
  if (d.rsrc == replicated || d.csrc == replicated) return d.lld < 1;
  return d.lld < row_distribution(d, grid).count(grid.row) && col_distribution(d, grid).count(grid.col) > 0;
}

/// One axis of a sub-matrix from index i on; its first block is the rest of i's block.
AxisDistribution sub_distribution(AxisDistribution const& whole, Index i, Index extent, Index first_block,
                                  Index block) {
  auto const left = i < first_block ? first_block - i : block - (i - first_block) % block;
  return AxisDistribution::cyclic(extent, whole.parts(), block, whole.owner(i), left);
}

/// Checks M_, N_ and the indices of the sub-matrix, in ScaLAPACK's order.
void check_extents(Operand const& x, int rows_at, int cols_at, int desc_at, Wrong& wrong) {
  auto const& d = x.desc;
  if (x.rows == 0 || x.cols == 0) {
    if (d.m < 0) wrong.entry(desc_at, m_1);
    if (d.n < 0) wrong.entry(desc_at, n_1);
  } else if (d.m < 1) {
    wrong.entry(desc_at, m_1);
  } else if (d.n < 1) {
    wrong.entry(desc_at, n_1);
  } else if (x.i >= d.m) {
    wrong.argument(desc_at - 2);
  } else if (x.j >= d.n) {
    wrong.argument(desc_at - 1);
  } else {
    if (x.i + x.rows > d.m) wrong.argument(rows_at);
    if (x.j + x.cols > d.n) wrong.argument(cols_at);
  }
}

/// As above for the PBLAS, which report the indices.
void check_extents_pblas(Operand const& x, int desc_at, Grid const& grid, Wrong& wrong) {
  auto const& d = x.desc;
  if (x.rows == 0 || x.cols == 0) {
    if (d.m < 0) wrong.entry(desc_at, m_2);
    if (d.n < 0) wrong.entry(desc_at, n_2);
    if (d.lld < 1) wrong.entry(desc_at, lld_2);
    return;
  }
  if (d.m < 1) wrong.entry(desc_at, m_2);
  if (d.n < 1) wrong.entry(desc_at, n_2);
  if (d.m >= 1 && d.n >= 1) {
    if (x.i + x.rows > d.m) wrong.argument(desc_at - 2);
    if (x.j + x.cols > d.n) wrong.argument(desc_at - 1);
  }
  if (!wrong.any() && (d.lld < 1 || lld_too_small(d, grid))) wrong.entry(desc_at, lld_2);
}

}  // namespace

Descriptor::Descriptor(Int const* d, Takes takes) : type(d[0]), context(d[1]) {
  if (type != 1 && (type != 2 || takes != Takes::both_types)) return;  // other descriptors may be shorter
  m = d[2];
  n = d[3];
  auto const* const rest = type == 2 ? d + 6 : d + 4;
  imb = d[4];
  inb = d[5];
  mb = rest[0];
  nb = rest[1];
  rsrc = rest[2];
  csrc = rest[3];
  lld = rest[4];
}

void check_scalapack(Operand const& x, int rows_at, int cols_at, int desc_at, Grid const& grid, Wrong& wrong) {
  auto const& d = x.desc;
  if (d.type != 1) {
    wrong.entry(desc_at, dtype_1);
  } else if (x.rows < 0) {
    wrong.argument(rows_at);
  } else if (x.cols < 0) {
    wrong.argument(cols_at);
  } else if (x.i < 0) {
    wrong.argument(desc_at - 2);
  } else if (x.j < 0) {
    wrong.argument(desc_at - 1);
  } else if (d.mb < 1) {
    wrong.entry(desc_at, mb_1);
  } else if (d.nb < 1) {
    wrong.entry(desc_at, nb_1);
  } else if (d.rsrc < 0 || d.rsrc >= grid.rows) {
    wrong.entry(desc_at, rsrc_1);
  } else if (d.csrc < 0 || d.csrc >= grid.cols) {
    wrong.entry(desc_at, csrc_1);
  } else if (d.lld < 1 || (d.m >= 0 && d.n >= 0 && lld_too_small(d, grid))) {
    wrong.entry(desc_at, lld_1);
  }
  check_extents(x, rows_at, cols_at, desc_at, wrong);
}

void check_pblas(Operand const& x, int rows_at, int cols_at, int desc_at, Grid const& grid, Wrong& wrong) {
  auto const& d = x.desc;
  if (x.rows < 0) wrong.argument(rows_at);
  if (x.cols < 0) wrong.argument(cols_at);
  if (x.i < 0) wrong.argument(desc_at - 2);
  if (x.j < 0) wrong.argument(desc_at - 1);
  if (d.type != 1 && d.type != 2) {
    wrong.entry(desc_at, dtype_2);
    return;
  }
  if (d.context != grid.context) {
    wrong.entry(desc_at, ctxt_2);
    return;
  }
  if (d.imb < 1) wrong.entry(desc_at, imb_2);
  if (d.inb < 1) wrong.entry(desc_at, inb_2);
  if (d.mb < 1) wrong.entry(desc_at, mb_2);
  if (d.nb < 1) wrong.entry(desc_at, nb_2);
  if (d.rsrc < replicated || d.rsrc >= grid.rows) wrong.entry(desc_at, rsrc_2);
  if (d.csrc < replicated || d.csrc >= grid.cols) wrong.entry(desc_at, csrc_2);
  check_extents_pblas(x, desc_at, grid, wrong);
}

void check_blocks(Operand const& a, int desc_at, Wrong& wrong) {
  if (wrong.any()) return;
  if (a.i % a.desc.mb != 0) {
    wrong.argument(desc_at - 2);
  } else if (a.j % a.desc.nb != 0) {
    wrong.argument(desc_at - 1);
  } else if (a.desc.mb != a.desc.nb) {
    wrong.entry(desc_at, nb_1);
  }
}

void check_blocks(Operand const& a, int a_desc_at, Operand const& b, int b_desc_at, Grid const& grid, Wrong& wrong) {
  check_blocks(a, a_desc_at, wrong);
  if (wrong.any()) return;
  auto const first_row = [&](Operand const& x) { return (x.desc.rsrc + x.i / x.desc.mb) % grid.rows; };
  if (b.i % b.desc.mb != 0 || first_row(a) != first_row(b)) {
    wrong.argument(b_desc_at - 2);
  } else if (b.desc.mb != a.desc.nb) {
    wrong.entry(b_desc_at, nb_1);
  } else if (a.desc.context != b.desc.context) {
    wrong.entry(b_desc_at, ctxt_1);
  }
}

AxisDistribution row_distribution(Descriptor const& d, Grid const& grid) {
  return AxisDistribution::cyclic(d.m, grid.rows, d.mb, static_cast<int>(d.rsrc), d.imb);
}

AxisDistribution col_distribution(Descriptor const& d, Grid const& grid) {
  return AxisDistribution::cyclic(d.n, grid.cols, d.nb, static_cast<int>(d.csrc), d.inb);
}

View view_of(Operand const& x, Grid const& grid, std::vector<Rank> const& ranks, Rank me) {
  auto const& d = x.desc;
  auto const rows = row_distribution(d, grid);
  auto const cols = col_distribution(d, grid);
  View view;
  view.distribution = Distribution(sub_distribution(rows, x.i, x.rows, d.imb, d.mb),
                                   sub_distribution(cols, x.j, x.cols, d.inb, d.nb), ranks);
  view.rows_before = rows.before(grid.row, x.i);
  view.cols_before = cols.before(grid.col, x.j);
  // A process without columns may have any positive LLD_.
  view.ld = std::max<Index>(d.lld, view.distribution.local_rows(me));
  return view;
}

std::string place_text(View const& view) {
  auto const axis = [](AxisDistribution const& a) {
    return fmt::format("{}:{}:{}", a.extent() > 0 ? a.owner(0) : 0, a.extent() > 0 ? a.run_at(0).length : 0, a.nb());
  };
  return axis(view.distribution.rows()) + " " + axis(view.distribution.cols());
}

}  // namespace allport::scalapack
