#include "mst_boxes.h"

#include <algorithm>

#include "machine/dimensions.h"

namespace allport {
namespace {

std::int32_t wrapped(std::int32_t x, std::int32_t length) { return x < 0 ? x + length : x % length; }

/// length / parts, to the nearest, at least 1: gives the rounds of tests/collectives/mst.cpp.
std::int32_t share(std::int32_t length, int parts) { return std::max(1, (2 * length + parts) / (2 * parts)); }

}  // namespace

MstShape::MstShape(Machine const& machine, MstForm form) : form_(form) {
  for (auto const& dim : dimensions(machine)) {
    length_[at(axes_)] = dim.length;
    stride_[at(axes_)] = dim.stride;
    wraps_[at(axes_)] = dim.wraps;
    ++axes_;
  }
}

MstBox MstShape::whole(Rank root) const {
  MstBox box;
  for (int a = 0; a < axes_; ++a) {
    auto const n = length(a);
    auto const x = position(root, a);
    // Where the axis closes, the root may have as many positions before it as suits.
    auto const before = form_ == MstForm::one_side ? 0 : (n - 1) / 2;
    box.span[at(a)] = {wraps_[at(a)] ? wrapped(x - before, n) : 0, n};
    box.root[at(a)] = x;
  }
  return box;
}

std::int64_t MstShape::size(MstBox const& box) const {
  std::int64_t ranks = 1;
  for (int a = 0; a < axes_; ++a) ranks *= box.span[at(a)].length;
  return ranks;
}

MstOutline MstShape::outline(MstBox const& box) const {
  MstOutline found{};
  for (int a = 0; a < axes_; ++a) {
    auto const& span = box.span[at(a)];
    found[at(a)] = {span.length, wrapped(box.root[at(a)] - span.lo, length(a))};
  }
  return found;
}

bool MstShape::contains(MstBox const& box, Rank rank) const {
  for (int a = 0; a < axes_; ++a) {
    auto const& span = box.span[at(a)];
    if (wrapped(position(rank, a) - span.lo, length(a)) >= span.length) return false;
  }
  return true;
}

Rank MstShape::rank_at(std::array<std::int32_t, max_box_axes> const& position) const {
  Rank rank = 0;
  for (int a = 0; a < axes_; ++a) rank += position[at(a)] * stride_[at(a)];
  return rank;
}

RankBox MstShape::corners(MstBox const& box) const {
  auto lo = box.root;
  auto hi = box.root;
  for (int a = 0; a < axes_; ++a) {
    auto const& span = box.span[at(a)];
    lo[at(a)] = span.lo;
    hi[at(a)] = wrapped(span.lo + span.length - 1, length(a));
  }
  return {rank_at(lo), rank_at(hi)};
}

std::vector<MstPart> MstShape::cut(MstBox& box) const {
  std::vector<int> active;
  for (int a = axes_ - 1; a > 0; --a) {  // of equally long axes the slowest: its slabs lie together in memory
    if (box.span[at(a)].length > 1) active.push_back(a);
  }
  if (active.empty() && box.span[0].length > 1) active.push_back(0);
  std::stable_sort(active.begin(), active.end(),
                   [&](int l, int r) { return box.span[at(l)].length > box.span[at(r)].length; });
  auto const a_side = form_ == MstForm::one_side ? 1 : 2;
  auto parts = a_side * static_cast<int>(active.size()) + 1;
  std::vector<MstPart> cut_off;
  for (auto const a : active) {
    cut_axis(box, a, parts, cut_off);
    parts -= a_side;
  }
  return cut_off;
}

/// Slabs so wide that the rest still falls into equal parts.
void MstShape::cut_axis(MstBox& box, int a, int parts, std::vector<MstPart>& into) const {
  auto const span = box.span[at(a)];
  auto const below = wrapped(box.root[at(a)] - span.lo, length(a));
  auto const above = span.length - 1 - below;
  if (form_ == MstForm::one_side) {
    auto const sign = above >= below ? 1 : -1;
    take(box, a, sign, std::min(share(span.length, parts), std::max(above, below)), into);
    return;
  }
  // A root at an end serves one slab only.
  auto const width = share(span.length, below > 0 && above > 0 ? parts : parts - 1);
  if (above > 0) take(box, a, 1, std::min(width, above), into);
  if (below > 0) take(box, a, -1, std::min(width, below), into);
}

void MstShape::take(MstBox& box, int a, int sign, std::int32_t width, std::vector<MstPart>& into) const {
  auto& span = box.span[at(a)];
  auto const n = length(a);
  MstPart part{box, a, sign, 1};
  auto& slab = part.box.span[at(a)];
  slab.lo = sign > 0 ? wrapped(span.lo + span.length - width, n) : span.lo;
  slab.length = width;
  // The slab's root: at the near end where slabs come off one side, else in the middle, rounded towards its parent.
  auto const inwards = form_ == MstForm::one_side ? 0 : (width - 1) / 2;
  auto const nearest = sign > 0 ? slab.lo : wrapped(slab.lo + width - 1, n);
  auto const here = box.root[at(a)];
  auto there = wrapped(wrapped(nearest + sign * inwards, n), n);
  part.steps = sign > 0 ? wrapped(there - here, n) : wrapped(here - there, n);
  // The first slab of a ring ends beside its parent, over the wrap.
  if (form_ == MstForm::one_side && wraps_[at(a)] && span.length == n) {
    there = wrapped(slab.lo + width - 1, n);
    part.sign = -1;
    part.steps = wrapped(here - there, n);
  }
  part.box.root[at(a)] = there;
  span.length -= width;
  if (sign < 0) span.lo = wrapped(span.lo + width, n);
  into.push_back(part);
}

Port MstShape::port_to(MstPart const& part) const {
  return part.axis > 0 && part.steps == 1 ? port(part.axis - 1, part.sign) : any_port;
}

MstPlace mst_place(MstShape const& shape, Rank root, Rank rank) {
  MstPlace place;
  auto box = shape.whole(root);
  for (;;) {
    if (shape.root_of(box) == rank) {
      place.box = box;
      for (;;) {
        auto parts = shape.cut(box);
        if (parts.empty()) return place;
        place.parts.insert(place.parts.end(), parts.begin(), parts.end());
      }
    }
    auto const sender = shape.root_of(box);
    for (auto const& part : shape.cut(box)) {
      if (!shape.contains(part.box, rank)) continue;
      if (shape.root_of(part.box) == rank) {
        place.parent = sender;
        auto const out = shape.port_to(part);
        place.to_parent = out == any_port ? any_port : static_cast<Port>(out ^ 1);
      }
      box = part.box;
      break;
    }
  }
}

}  // namespace allport
