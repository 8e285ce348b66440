// What bench_jacobi is asked for.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "allport/loops/balance.h"
#include "allport/loops/loop.h"
#include "arguments.h"
#include "jacobi_data.h"

namespace bench {

using allport::bench::parts;
using allport::bench::small_number;
using allport::bench::whole_number;

struct Settings {
  Problem problem;
  std::vector<std::string> ways{"mpi+openmp", "nested", "ckloop", "spread"};
  std::vector<int> spreads;
  std::string schedule = "static";
  allport::loops::LoopOptions loop{};
  std::vector<allport::loops::BalanceOptions> balances{};  ///< each of ours once with each; empty: none moves anything
  int threads = 0;
  int rounds = 5;

  static Settings parse(int argc, char** argv) {
    Settings s;
    std::string grid = "2048x2048";
    std::string block = "256x256";
    for (int a = 1; a < argc; ++a) {
      std::string const name = argv[a];
      if (name == "--no-send") {
        s.problem.sends = false;
        continue;
      }
      allport::ensure(a + 1 < argc, "option", name, "a value after it");
      std::string const value = argv[++a];
      if (name == "--grid") {
        grid = value;
      } else if (name == "--block") {
        block = value;
      } else {
        s.take(name, value);
      }
    }
    s.lengths(grid, block);
    return s;
  }

 private:
  void lengths(std::string const& grid, std::string const& block) {
    auto const of = parts(grid, 'x');
    auto const cut = parts(block, 'x');
    allport::ensure(of.size() == 2 || of.size() == 3, "grid", grid, "two or three lengths: 2048x2048");
    allport::ensure(cut.size() == of.size(), "block", block, "as many lengths as the grid");
    problem.axes = static_cast<int>(of.size());
    problem.grid = problem.block = {1, 1, 1};
    for (std::size_t a = 0; a < of.size(); ++a) {
      auto const at = 3 - of.size() + a;
      problem.grid[at] = whole_number("grid", of[a], 1);
      problem.block[at] = std::min(whole_number("block", cut[a], 1), problem.grid[at]);
    }
  }

  void take(std::string const& name, std::string const& value) {
    if (name == "--iterations") {
      problem.iterations = small_number(name, value, 1);
    } else if (name == "--rounds") {
      rounds = small_number(name, value, 1);
    } else if (name == "--threads") {
      threads = small_number(name, value, 1);
    } else if (name == "--heavy") {
      problem.heavy = small_number(name, value, 1);
    } else if (name == "--work") {
      problem.work = small_number(name, value, 1);
    } else if (name == "--heavy-part") {
      problem.heavy_part = small_number(name, value, 1);
    } else if (name == "--chunk") {
      loop.chunk = small_number(name, value, 0);
    } else if (name == "--collapse") {
      loop.collapse = small_number(name, value, 0);
    } else if (name == "--ways") {
      ways = parts(value, ',');
    } else if (name == "--spread") {
      for (auto const& part : parts(value, ',')) spreads.push_back(small_number(name, part, 1));
    } else if (name == "--balance") {
      for (auto const& part : parts(value, ',')) balances.push_back({.balancer = allport::loops::parse_balancer(part)});
    } else if (name == "--schedule") {
      schedule = value;
      using allport::loops::LoopSchedule;
      allport::ensure(value == "static" || value == "dynamic" || value == "guided", name, value,
                      "static, dynamic or guided");
      loop.schedule = value == "static"    ? LoopSchedule::static_
                      : value == "dynamic" ? LoopSchedule::dynamic
                                           : LoopSchedule::guided;
    } else {
      throw allport::Error::argument("option", name, "one that the head of bench/jacobi.cpp names");
    }
  }
};

}  // namespace bench
