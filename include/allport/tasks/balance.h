// Who gets which of many objects, from what each was measured to take.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace allport::tasks {

/// By Charm++'s names.
enum class Balancer : std::uint8_t {
  none,    ///< everybody keeps what it has
  greedy,  ///< all anew: the heaviest first, each to whoever then has least; as it was where that ends no sooner
  refine,  ///< from those who have too much to those who have least, and no others
};
[[nodiscard]] std::string_view name(Balancer balancer);
/// @throws Error(argument) that lists the names
[[nodiscard]] Balancer parse_balancer(std::string_view text);

struct BalanceOptions {
  Balancer balancer = Balancer::refine;
  double tolerance = 1.05;  ///< refine: whoever has no more than so many times the mean keeps what it has
};

/// Owners 0 ... speeds.size() - 1 of the objects, where owner o does `speeds[o]` of load a second. A function of its
/// arguments alone: ranks that agree about these agree about it. Equal loads go to the lower index.
/// @param loads   of each object, >= 0
/// @param owners  of each object today
/// @pre as many owners as loads, each below speeds.size(); speeds > 0; options.tolerance >= 1
[[nodiscard]] std::vector<int> balanced(std::vector<double> const& loads, std::vector<int> const& owners,
                                        std::vector<double> const& speeds, BalanceOptions const& options = {});

/// The longest time of any owner over what all would take if load could be cut anywhere; 1 where there is no load.
[[nodiscard]] double imbalance(std::vector<double> const& loads, std::vector<int> const& owners,
                               std::vector<double> const& speeds);

}  // namespace allport::tasks
