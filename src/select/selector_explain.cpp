#include <fmt/format.h>

#include <algorithm>

#include "allport/select/selector.h"
#include "base/words.h"

namespace allport {

bool Selector::explores() const {
  return std::ranges::any_of(runs_, [&](Run const& run) { return run.arm != options_.standard; });
}

std::string Selector::explain() const {
  std::size_t width = 0;
  for (auto const& arm : arms_) width = std::max(width, arm.configuration.name.size());
  auto const best = arms_[best_].seconds;
  std::string text;
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    auto const& arm = arms_[a];
    std::string what;
    if (arm.seconds > 0) {
      what = fmt::format("{:>8}  x{:.2f}", seconds_in_words(Seconds(arm.seconds)), arm.seconds / best);
    } else if (best == 0) {
      what = "not run yet";
    } else if (is_hopeless(arm)) {
      what = fmt::format("not tried: expected to take {}", seconds_in_words(Seconds(expected(arm))));
    } else {
      what = "not tried yet: the cost bound of tuning is reached";
    }
    text += fmt::format("{} {:<{}}  {}{}\n", a == best_ ? '*' : ' ', arm.configuration.name, width, what,
                        a == options_.standard ? "  (standard)" : "");
  }
  return text;
}

}  // namespace allport
