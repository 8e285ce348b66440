#include "stall.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "allport/base/error.h"
#include "end_job.h"

namespace allport::engine {

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

namespace {

/// Time without progress after which a node checks its links: longer than TCP needs to find a new route.
constexpr double look_seconds = 1.0;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace

void StallWatch::check(FunctionRef<std::string()> what) {
  if (options_.seconds <= 0 && !options_.link_watch.watched()) return;
  auto const now = Clock::now();
  if (!since_) {
    since_ = now;
    next_ = options_.seconds;
    next_look_ = look_seconds;
    return;
  }
  auto const still = std::chrono::duration<double>(now - *since_).count();
  if (still >= next_look_ && options_.link_watch.watched()) end_if_cut(still, what);
  if (options_.seconds <= 0 || still < next_) return;
  next_ = 2 * still;
  warn(still, what());
}

void StallWatch::warn(double still, std::string const& what) const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  auto const line = fmt::format(
      "allport: rank {} on {} has waited {:.1f} s, without progress, for {}; another rank may be late, or have "
      "passed "
      "different arguments{}\n",
      rank_in(comm_), std::string_view(host.data(), static_cast<std::size_t>(length)), still, what,
      options_.checks ? "" : ": ALLPORT_CHECK=1 names the ranks that do");
  if (options_.abort) return end_job(comm_, 1, line);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void StallWatch::end_if_cut(double still, FunctionRef<std::string()> what) {
  next_look_ = still + look_seconds / 2;
  auto const link = options_.link_watch.lost();
  if (!link) return;
  auto const* const node = std::getenv("ALLPORT_NODE");
  end_job(comm_, 1,
          fmt::format("allport: rank {} (node {}): link {} has lost its carrier; waits for {}\n",
                      rank_in(MPI_COMM_WORLD), node == nullptr ? "unknown" : node, *link, what()));
}

}  // namespace allport::engine
