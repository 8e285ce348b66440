#include "allport/model/spread_cost.h"

#include <algorithm>

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

Seconds spread_time(SpreadTerms const& terms, int spread) {
  check(terms, spread);
  std::int64_t const teams = terms.cores / spread;
  auto const rounds = static_cast<double>((terms.objects + teams - 1) / teams);
  auto const alone = terms.grain / spread;
  auto const each = (1 + spread_loss(terms, spread)) * alone + fork_join(terms, spread);
  auto const compute = rounds * each;
  auto const leave = terms.traffic / terms.injection;
  if (terms.objects == 0) return leave;
  auto const sends = terms.traffic.value() > 0;
  auto const tail = sends ? terms.message / terms.injection + terms.latency : Seconds{};
  return (sends ? alone : Seconds{}) + std::max(compute, leave) + tail;
}

}  // namespace allport::model
