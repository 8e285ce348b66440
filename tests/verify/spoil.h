// Faults for correct schedules.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "allport/schedule/schedule.h"

namespace allport::spoil {

/// The schedule with some ranks' programs replaced.
inline Schedule replaced(Schedule const& good, std::map<Rank, Program> programs) {
  auto const shared = std::make_shared<std::map<Rank, Program> const>(std::move(programs));
  return {good.algorithm() + ", spoiled", good.contract(), good.cut(), good.trees(),
          [good, shared](Rank r, Program& p) {
            if (auto const found = shared->find(r); found != shared->end()) {
              p = found->second;
            } else {
              good.program(r, p);
            }
          }};
}

/// Takes an operation out; dependences on it go as well.
inline void remove_op(Program& p, std::int32_t index) {
  p.ops.erase(p.ops.begin() + index);
  for (auto& op : p.ops) {
    for (std::size_t i = 0; i < op.after.size();) {
      auto& d = *(op.after.begin() + i);
      if (d.op == index) {
        op.after.erase(i);
        continue;
      }
      if (d.op > index) --d.op;
      ++i;
    }
  }
}

inline std::int32_t find_op(Program const& p, OpKind kind, Rank peer, std::int32_t channel) {
  for (std::size_t i = 0; i < p.ops.size(); ++i) {
    if (p.ops[i].kind == kind && p.ops[i].peer == peer && p.ops[i].channel == channel) return static_cast<int>(i);
  }
  return -1;
}

/// All programs of a small schedule, to pick from.
inline std::vector<Program> programs(Schedule const& s) {
  std::vector<Program> all;
  for (Rank r = 0; r < s.ranks(); ++r) all.push_back(s.program(r));
  return all;
}

/// One operation drawn among those that `fits(rank, index)` accepts; {-1, -1} if none does.
struct Pick {
  Rank rank = -1;
  std::int32_t op = -1;
};
inline Pick pick(std::vector<Program> const& all, std::mt19937_64& random,
                 std::function<bool(Rank, std::int32_t, Op const&)> const& fits) {
  std::vector<Pick> fitting;
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t i = 0; i < all[r].ops.size(); ++i) {
      if (fits(static_cast<Rank>(r), static_cast<std::int32_t>(i), all[r].ops[i])) {
        fitting.push_back({static_cast<Rank>(r), static_cast<std::int32_t>(i)});
      }
    }
  }
  return fitting.empty() ? Pick{} : fitting[random() % fitting.size()];
}

}  // namespace allport::spoil
