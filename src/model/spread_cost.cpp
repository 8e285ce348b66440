#include "allport/model/spread_cost.h"

#include <algorithm>
#include <limits>

#include "allport/base/error.h"

namespace allport::model {

namespace {

void check(SpreadTerms const& t, int spread) {
  ensure(t.cores >= 1, "cores", t.cores, "at least 1");
  ensure(spread >= 1 && spread <= t.cores, "spread", spread, "1 to the node's cores");
  ensure(t.objects >= 0, "objects", t.objects, "at least 0");
  ensure(t.domain >= 0, "domain", t.domain, "at least 0 cores");
  ensure(t.injection.value() > 0, "injection", t.injection, "above 0 bytes/s");
  ensure(t.loss_each >= 0 && t.loss_across >= 0, "loss", std::min(t.loss_each, t.loss_across), "at least 0");
  auto const least = std::min({t.grain, t.fork, t.fork_each, t.latency});
  ensure(least.value() >= 0, "seconds", least, "at least 0");
  ensure(t.moved.value() >= 0, "moved", t.moved, "at least 0 bytes");
  auto const rate = std::min(t.memory, t.core_memory);
  ensure(rate.value() >= 0, "memory", rate, "at least 0 bytes/s");
  ensure(std::min(t.traffic, t.message).value() >= 0, "bytes", std::min(t.traffic, t.message), "at least 0");
}

}  // namespace

Seconds fork_join(SpreadTerms const& terms, int spread) {
  check(terms, spread);
  return spread == 1 ? Seconds{} : terms.fork + static_cast<double>(spread - 2) * terms.fork_each;
}

double spread_loss(SpreadTerms const& terms, int spread) {
  check(terms, spread);
  bool const across = terms.domain > 0 && spread > terms.domain;
  return (spread - 1) * terms.loss_each + (across ? terms.loss_across : 0);
}

Seconds object_time(SpreadTerms const& terms, int spread, int busy) {
  auto const compute = (1 + spread_loss(terms, spread)) * (terms.grain / spread);
  ensure(busy >= 1, "busy", busy, "at least 1 team");
  auto rate = std::numeric_limits<double>::infinity();
  if (terms.core_memory.value() > 0) rate = spread * terms.core_memory.value();
  if (terms.memory.value() > 0) rate = std::min(rate, terms.memory.value() / busy);
  return std::max(compute, Seconds(static_cast<double>(terms.moved.value()) / rate));
}

Seconds spread_time(SpreadTerms const& terms, int spread) {
  check(terms, spread);
  auto const domains = terms.domain > 0 ? std::max(terms.cores / terms.domain, 1) : 1;
  // Teams stay within a domain where they fit in one.
  auto const in_domain = std::max(terms.cores / domains / spread, 1);
  std::int64_t const teams = spread * domains <= terms.cores ? std::int64_t{in_domain} * domains : 1;
  auto const last = terms.objects % teams;
  auto const busy = static_cast<int>((last + domains - 1) / domains);
  auto const fork = fork_join(terms, spread);
  auto const alone = terms.moved.value() > 0 ? object_time(terms, spread, 1) : terms.grain / spread;
  auto compute = static_cast<double>(terms.objects / teams) * (object_time(terms, spread, in_domain) + fork);
  if (last > 0) compute = compute + object_time(terms, spread, busy) + fork;
  auto const leave = terms.traffic / terms.injection;
  if (terms.objects == 0) return leave;
  auto const sends = terms.traffic.value() > 0;
  auto const tail = sends ? terms.message / terms.injection + terms.latency : Seconds{};
  return (sends ? alone : Seconds{}) + std::max(compute, leave) + tail;
}

}  // namespace allport::model
