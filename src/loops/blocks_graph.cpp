#include "blocks_graph.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "allport/base/error.h"
#include "base/scramble.h"

namespace allport::loops {

namespace {

/// Between 0 and 1, by SplitMix64.
double uniform(std::uint64_t x) { return static_cast<double>(scramble(x) >> 11) * 0x1p-53; }

std::size_t index(Task t) { return static_cast<std::size_t>(t.i); }

}  // namespace

BlocksGraph::BlocksGraph(BlockGrid grid, std::vector<int> owners, Rank ranks, BlocksWork work)
    : grid_(std::move(grid)), owners_(std::move(owners)), ranks_(ranks), work_(work) {
  ensure(grid_.blocks() <= std::numeric_limits<std::int32_t>::max(), "blocks", grid_.blocks(), "fewer than 2^31");
  ensure(static_cast<std::int64_t>(owners_.size()) == grid_.blocks(), "owners", owners_.size(), "one for each block");
  ensure(ranks >= 1, "ranks", ranks, "at least 1");
  for (auto const owner : owners_) ensure(owner >= 0 && owner < ranks, "owner", owner, "a rank");
  ensure(work.iterations >= 1, "iterations", work.iterations, "at least 1");
  ensure(work.flops >= 0, "flops", work.flops, "at least 0");
  ensure(work.bytes >= 0, "bytes", work.bytes, "at least 0");
  ensure(work.footprint >= 0, "footprint", work.footprint, "at least 0 bytes");
  ensure(work.seconds >= 0, "seconds", work.seconds, "at least 0");
  ensure(work.noise >= 0 && work.noise < 0.5, "noise", work.noise, "a share from 0 to less than 0.5");
  for (std::int64_t b = 0; b < grid_.blocks(); ++b) {
    faces_.push_back(work.sends ? grid_.shared_faces(b) : std::vector<Face>());
    bool exposed = false;
    for (auto const face : faces_.back()) {
      exposed = exposed || owners_[static_cast<std::size_t>(grid_.beyond(b, face))] != owners_[faces_.size() - 1];
    }
    exposed_.push_back(exposed);
  }
}

std::string BlocksGraph::name(Task t) const { return fmt::format("block {}, iteration {}", t.i, t.k); }

void BlocksGraph::entries(Rank rank, VisitTask visit) const {
  for (std::size_t b = 0; b < owners_.size(); ++b) {
    if (owners_[b] == rank) visit({0, 0, static_cast<std::int32_t>(b), 0, 0});
  }
}

std::optional<std::int64_t> BlocksGraph::count(Rank rank) const {
  std::int64_t own = 0;
  for (auto const owner : owners_) own += owner == rank ? work_.iterations : 0;
  return own;
}

Rank BlocksGraph::owner(Task t) const { return owners_[index(t)]; }

int BlocksGraph::num_parents(Task t) const { return t.k == 0 ? 0 : 1 + static_cast<int>(faces_[index(t)].size()); }

/// Output 0 is the block, for itself; 1 + n its face n. Inputs likewise: 1 + n comes from beyond face n.
void BlocksGraph::children(Task t, VisitEdge visit) const {
  if (t.k + 1 >= work_.iterations) return;
  visit({{0, 0, t.i, 0, t.k + 1}, 0, 0, EdgeKind::data});
  for (auto const face : faces_[index(t)]) {
    auto const other = static_cast<std::int32_t>(grid_.beyond(t.i, face));
    Face const theirs{face.axis, !face.high};
    visit({{0, 0, other, 0, t.k + 1}, 1 + theirs.number(), 1 + face.number(), EdgeKind::data});
  }
}

Shape BlocksGraph::output(Task t, int which) const {
  std::int64_t cells = which == 0 ? 1 : grid_.shape().halo;
  for (int a = 0; a < grid_.axes(); ++a) {
    if (which == 0 || a != (which - 1) / 2) cells *= grid_.cells(t.i, a);
  }
  return {cells, 1, 0};
}

/// Noise: uniform about the mean, with the standard deviation that was asked for.
Work BlocksGraph::work(Task t) const {
  double share = 1;
  for (int a = 0; a < grid_.axes(); ++a) {
    share *= static_cast<double>(grid_.cells(t.i, a)) /
             static_cast<double>(grid_.shape().block[static_cast<std::size_t>(a)]);
  }
  auto const which = (work_.seed << 40) ^ (static_cast<std::uint64_t>(t.k) << 32 | static_cast<std::uint32_t>(t.i));
  auto const off = std::sqrt(12.0) * (uniform(which) - 0.5);
  auto const scattered = share * (1 + work_.noise * off);
  return {Kernel::own, work_.flops * scattered, work_.bytes * scattered, work_.footprint * share, work_.seconds};
}

double BlocksGraph::priority(Task t) const { return -2.0 * t.k + (exposed_[index(t)] ? 1 : 0); }

}  // namespace allport::loops
