#include "stall.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "allport/base/error.h"

namespace allport::detail {

StallOptions StallOptions::from_environment() {
  StallOptions options;
  if (auto const* text = std::getenv("ALLPORT_STALL_SECONDS"); text != nullptr && *text != '\0') {
    char* end = nullptr;
    options.seconds = std::strtod(text, &end);
    ensure(*end == '\0' && std::isfinite(options.seconds) && options.seconds >= 0, "ALLPORT_STALL_SECONDS",
           std::string_view(text), "a number of seconds >= 0", "0 switches the warning off");
  }
  if (auto const* text = std::getenv("ALLPORT_STALL"); text != nullptr && *text != '\0') {
    auto const choice = std::string_view(text);
    ensure(choice == "abort" || choice == "warn", "ALLPORT_STALL", choice, "'warn' or 'abort'");
    options.abort = choice == "abort";
  }
  return options;
}

void StallWatch::check(std::function<std::string()> const& what) {
  if (options_.seconds <= 0) return;
  auto const now = Clock::now();
  if (!since_) {
    since_ = now;
    next_ = options_.seconds;
    return;
  }
  auto const still = std::chrono::duration<double>(now - *since_).count();
  if (still < next_) return;
  next_ = 2 * still;
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  auto const line = fmt::format(
      "allport: rank {} on {} has waited {:.1f} s, with nothing moving, for "
      "{}\n",
      rank, std::string_view(host.data(), static_cast<std::size_t>(length)), still, what());
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  if (options_.abort) MPI_Abort(comm_, 1);
}

}  // namespace allport::detail
