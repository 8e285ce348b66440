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
  refine,  ///< from those who have too much, and no others, to those who have least or to their objects' neighbours:
           ///< what adds least to what owners exchange, then the heaviest
};
[[nodiscard]] std::string_view name(Balancer balancer);
/// @throws Error(argument) that lists the names
[[nodiscard]] Balancer parse_balancer(std::string_view text);

struct BalanceOptions {
  Balancer balancer = Balancer::refine;
  double tolerance = 1.05;  ///< refine: whoever has no more than so many times the mean keeps what it has
};

/// What an object exchanges with another one, in any unit; both have it.
struct Tie {
  std::int64_t object = 0;
  double weight = 0;
};
/// Of each object. Empty: none exchanges anything.
using Ties = std::vector<std::vector<Tie>>;

/// Owners 0 ... speeds.size() - 1 of the objects, where owner o does `speeds[o]` of load a second. A function of its
/// arguments alone: ranks that agree about these agree about it. Equal loads go to the lower index.
/// @param loads   of each object, >= 0
/// @param owners  of each object today
/// @param ties    what refine goes by beside the loads
/// @pre as many owners as loads, each below speeds.size(); speeds > 0; options.tolerance >= 1; ties empty, or as many
///      as loads, of objects that there are
[[nodiscard]] std::vector<int> balanced(std::vector<double> const& loads, std::vector<int> const& owners,
                                        std::vector<double> const& speeds, BalanceOptions const& options = {},
                                        Ties const& ties = {});

/// The longest time of any owner over what all would take if load could be cut anywhere; 1 where there is no load.
[[nodiscard]] double imbalance(std::vector<double> const& loads, std::vector<int> const& owners,
                               std::vector<double> const& speeds);

}  // namespace allport::tasks
