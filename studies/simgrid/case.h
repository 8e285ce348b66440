// One schedule, named on a command line.
#pragma once

#include <string>

#include "allport/schedule/schedule.h"

namespace allport::simulated {

struct Case {
  std::string algorithm;
  Contract contract;
  Cut cut;
};

/// COLLECTIVE,ALGORITHM,BYTES,SEGMENT,WINDOW,ROOT; what is combined are doubles.
inline Case parse_case(std::string const& text, Rank ranks) {
  std::vector<std::string> parts(1);
  for (auto const c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  ensure(parts.size() == 6, "CASE", text, "COLLECTIVE,ALGORITHM,BYTES,SEGMENT,WINDOW,ROOT");
  Case c;
  c.algorithm = parts[1];
  c.contract.what = parse_collective(parts[0]);
  c.contract.ranks = ranks;
  c.contract.bytes = std::stoll(parts[2]);
  c.contract.element = combines(c.contract.what) ? 8 : 1;
  c.cut = {std::stoll(parts[3]), std::stoi(parts[4])};
  c.contract.root = static_cast<Rank>(std::stoi(parts[5]));
  return c;
}

}  // namespace allport::simulated
