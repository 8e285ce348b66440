// Load balancing: assigns objects to owners by their measured loads.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace allport::loops {

/// By Charm++'s names.
enum class Balancer : std::uint8_t {
  none,    ///< no object moves
  greedy,  ///< reassigns all objects, heaviest first, each to the least loaded owner; unchanged if that is no faster
  refine,  ///< moves objects only from overloaded owners, to the least loaded ones or to owners of neighbouring
           ///< objects: first those that add least communication between owners, then the heaviest
};
[[nodiscard]] std::string_view name(Balancer balancer);
/// @throws Error(argument) that lists the names
[[nodiscard]] Balancer parse_balancer(std::string_view text);

struct BalanceOptions {
  Balancer balancer = Balancer::refine;
  double tolerance = 1.05;  ///< refine: an owner is overloaded above this multiple of the mean load
};

/// Communication of an object with another one, in any unit; listed at both objects.
struct Tie {
  std::int64_t object = 0;
  double weight = 0;
};
/// By object. Empty: no communication.
using Ties = std::vector<std::vector<Tie>>;

/// New owners 0 ... speeds.size() - 1 of the objects, where owner o processes a load of `speeds[o]` per second. Depends
/// only on its arguments, so ranks with equal arguments agree. Ties are broken by the lower index.
/// @param loads   by object, >= 0
/// @param owners  current owner by object
/// @param ties    communication, used by refine
/// @pre as many owners as loads, each below speeds.size(); speeds > 0; options.tolerance >= 1; ties empty, or as many
///      as loads, of objects that there are
[[nodiscard]] std::vector<int> balanced(std::vector<double> const& loads, std::vector<int> const& owners,
                                        std::vector<double> const& speeds, BalanceOptions const& options = {},
                                        Ties const& ties = {});

/// Maximum time of any owner divided by the perfectly balanced time; 1 if there is no load.
[[nodiscard]] double imbalance(std::vector<double> const& loads, std::vector<int> const& owners,
                               std::vector<double> const& speeds);

}  // namespace allport::loops
