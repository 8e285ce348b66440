// Robust fits of lines and factors to measured times, by least relative distance, so that outliers have little effect.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "allport/comm/calibrate.h"

namespace allport {

namespace {

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double distance(std::span<double const> times, std::function<double(double)> const& fitted) {
  auto sum = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    sum += std::abs(times[i] - times[0] * fitted(static_cast<double>(i + 1))) / times[i];
  }
  return sum / static_cast<double>(times.size());
}

void ensure_times(std::span<double const> times, std::string_view name) {
  for (auto const t : times) ensure(t > 0.0, name, t, "seconds > 0, since errors are relative");
}

}  // namespace

LineFit fit_line(std::span<double const> bytes, std::span<double const> seconds) {
  ensure(!bytes.empty() && bytes.size() == seconds.size(), "seconds", static_cast<std::int64_t>(seconds.size()),
         "as many times as sizes, at least one");
  ensure_times(seconds, "seconds");
  auto best = LineFit{seconds[0], 0.0, 0.0};
  auto least = -1.0;
  auto const consider = [&](double start, double per_byte) {
    if (!(start >= 0.0 && per_byte >= 0.0)) return;
    auto sum = 0.0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      sum += std::abs(start + per_byte * bytes[i] - seconds[i]) / seconds[i];
    }
    if (least < 0.0 || sum < least) {
      least = sum;
      best = {start, per_byte, 0.0};
    }
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    consider(seconds[i], 0.0);
    if (bytes[i] > 0.0) consider(0.0, seconds[i] / bytes[i]);
    for (std::size_t j = i + 1; j < bytes.size(); ++j) {
      if (bytes[j] == bytes[i]) continue;
      auto const slope = (seconds[j] - seconds[i]) / (bytes[j] - bytes[i]);
      consider(seconds[i] - slope * bytes[i], slope);
    }
  }
  std::vector<double> errors;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    errors.push_back(std::abs(best.start + best.per_byte * bytes[i] - seconds[i]) / seconds[i]);
  }
  best.error = median(std::move(errors));
  return best;
}

TauFit fit_tau(std::span<double const> times, double most) {
  ensure(!times.empty(), "times", 0, "at least the time of one send");
  ensure_times(times, "times");
  auto above = 0.0;
  auto below = 0.0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    auto const m = static_cast<double>(i);
    above += m * (times[i] / times[0] - 1.0);
    below += m * m;
  }
  auto const tau = below > 0.0 ? std::clamp(above / below, 0.0, most) : 0.0;
  return {tau, distance(times, [&](double m) { return 1.0 + (m - 1.0) * tau; })};
}

CapFit fit_cap(std::span<double const> times) {
  ensure(!times.empty(), "times", 0, "at least the time of one send");
  ensure_times(times, "times");
  auto const most = static_cast<double>(times.size());
  auto best = CapFit{most, distance(times, [](double) { return 1.0; })};
  for (std::size_t i = 1; i < times.size(); ++i) {
    auto const cap = std::clamp(static_cast<double>(i + 1) * times[0] / times[i], 1.0, most);
    auto const error = distance(times, [&](double m) { return std::max(1.0, m / cap); });
    if (error < best.error) best = {cap, error};
  }
  return best;
}

}  // namespace allport
