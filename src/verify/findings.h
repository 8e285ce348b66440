// Stores the smallest of possibly millions of counterexamples.
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "allport/verify/verify.h"

namespace allport::verify {

/// Sort key of findings: kind, then order (causes before consequences), then segment, rank and operation.
struct Place {
  /// Order of findings after the execution, behind all findings during it.
  static constexpr std::int64_t late = std::int64_t{1} << 40;

  Kind kind = Kind::program;
  std::int64_t segment = 0;
  std::int64_t order = 0;  ///< for an executed segment its logical clock, which is larger than those of its causes
  Rank rank = 0;
  std::int32_t op = -1;

  [[nodiscard]] auto key() const { return std::tuple(kind_group(), order, segment, rank, kind, op); }

 private:
  // Wrong data appear as one of four kinds, whichever is found first; they sort together.
  [[nodiscard]] int kind_group() const {
    return kind >= Kind::missing && kind <= Kind::contribution ? static_cast<int>(Kind::missing)
                                                               : static_cast<int>(kind);
  }
};

class Findings {
 public:
  explicit Findings(int limit) : limit_(static_cast<std::size_t>(limit < 1 ? 1 : limit)) {}

  /// make() -> Finding is called only if the place is among the smallest so far.
  template <std::invocable Make>
  void add(Place const& place, Make&& make) {
    ++found_;
    if (listed_.size() == limit_ && !(place.key() < listed_.back().first.key())) return;
    auto at = listed_.begin();
    while (at != listed_.end() && !(place.key() < at->first.key())) ++at;
    auto finding = make();
    finding.kind = place.kind;
    finding.rank = finding.rank < 0 ? place.rank : finding.rank;
    finding.op = place.op;
    listed_.insert(at, {place, std::move(finding)});
    if (listed_.size() > limit_) listed_.pop_back();
  }

  [[nodiscard]] bool empty() const { return found_ == 0; }
  [[nodiscard]] std::int64_t found() const { return found_; }
  [[nodiscard]] std::vector<Finding> take() {
    std::vector<Finding> all;
    for (auto& [place, finding] : listed_) all.push_back(std::move(finding));
    return all;
  }

 private:
  std::size_t limit_;
  std::int64_t found_ = 0;
  std::vector<std::pair<Place, Finding>> listed_;
};

}  // namespace allport::verify
