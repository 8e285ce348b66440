#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "allport/select/mpi_price.h"
#include "allport/select/select.h"
#include "allport/verify/bound.h"

namespace allport {
namespace {

std::string time_text(Seconds time) {
  auto const s = time.value();
  if (s < 1e-3) return fmt::format("{:.2f} us", s * 1e6);
  if (s < 1.0) return fmt::format("{:.2f} ms", s * 1e3);
  return fmt::format("{:.3f} s", s);
}

/// The best cut of every algorithm, cheapest first; those that cannot serve last.
std::vector<Candidate> best_of_each(Choice const& choice) {
  std::vector<Candidate> best;
  for (auto const& c : choice.candidates) {
    if (best.empty() || best.back().algorithm != c.algorithm) {
      best.push_back(c);
    } else if (c.predicted < best.back().predicted) {
      best.back() = c;
    }
  }
  std::stable_sort(best.begin(), best.end(), [](Candidate const& a, Candidate const& b) {
    if (a.applicable() != b.applicable()) return a.applicable();
    return a.applicable() && a.predicted < b.predicted;
  });
  return best;
}

/// Lower bound over the chosen algorithm's predicted time; nothing without a price.
std::optional<double> of_bound(Choice const& choice) {
  if (!choice.best.priced() || choice.best.predicted.value() <= 0.0) return std::nullopt;
  return choice.bound->value() / choice.best.predicted.value();
}

}  // namespace

std::optional<model::Bound> lower_bounds(Machine const& machine, Contract const& contract,
                                         std::span<Rank const> members) {
  auto bound = verify::lower_bound(machine, contract, members);
  auto const time = bound.time().value();
  return time > 0.0 && std::isfinite(time) ? std::optional(std::move(bound)) : std::nullopt;
}

std::optional<Seconds> lower_bound(Machine const& machine, Contract const& contract, std::span<Rank const> members) {
  auto const bound = lower_bounds(machine, contract, members);
  return bound ? std::optional(bound->time()) : std::nullopt;
}

std::string explain(Choice const& choice) {
  auto const& c = choice.contract;
  auto const at = choice.mapping ? fmt::format(" at place {}", choice.mapping->place(c.root)) : std::string();
  auto text = c.targets ? fmt::format("multicast of {} bytes from {}{} to {} of the {} ranks of {}\n", c.bytes, c.root,
                                      at, c.targets->size(), c.ranks, choice.machine)
                        : fmt::format("{} of {} bytes, root {}{}, on {} ({} ranks)\n", name(c.what), c.bytes, c.root,
                                      at, choice.machine, c.ranks);
  for (auto const& candidate : best_of_each(choice)) {
    if (!candidate.applicable()) {
      text += fmt::format("  {:<12} cannot: {}\n", candidate.algorithm->name, candidate.reason);
      continue;
    }
    auto const chosen = candidate.algorithm == choice.best.algorithm;
    auto const times =
        choice.best.predicted.value() > 0.0 ? candidate.predicted.value() / choice.best.predicted.value() : 1.0;
    text += fmt::format("{} {:<12} {:>12}  x{:<6.2f} segment {} bytes, window {}\n", chosen ? "*" : " ",
                        candidate.algorithm->name, candidate.priced() ? time_text(candidate.predicted) : "no price",
                        times, candidate.cut.segment, candidate.cut.window);
  }
  if (choice.network) {
    auto const& n = *choice.network;
    text += fmt::format("  they form no box: {} trees over the network among {} nodes, {} messages deep, {}\n", n.trees,
                        n.nodes, n.depth,
                        n.sharing > 1 ? fmt::format("up to {} streams on a link", n.sharing) : "no link used twice");
  }
  if (choice.bound) {
    auto const share = of_bound(choice);
    text += fmt::format("  {:<12} {:>12}         no schedule is faster{}\n", "lower bound", time_text(*choice.bound),
                        share ? fmt::format("; {} has {:.2f} of it", choice.best.algorithm->name, *share) : "");
  }
  if (choice.mpi) {
    auto const times =
        choice.best.predicted.value() > 0.0 ? choice.mpi->time.value() / choice.best.predicted.value() : 1.0;
    text += fmt::format("  {:<12} {:>12}  x{:<6.2f} {}\n", "MPI's own", time_text(choice.mpi->time), times,
                        choice.mpi->source == PriceSource::calibrated ? "as calibrated" : "modelled, not timed");
    if (choice.mpi->ours) {
      text += fmt::format("  {:<12} {:>12}         a call, as timed beside MPI's own\n", "Allport's",
                          time_text(*choice.mpi->ours));
    }
  }
  return text;
}

std::string to_json(Choice const& choice, int indent) {
  using Json = nlohmann::ordered_json;
  auto const predicted = [](Candidate const& candidate) {
    return candidate.priced() ? Json(candidate.predicted.value()) : Json(nullptr);
  };
  auto const& c = choice.contract;
  Json candidates = Json::array();
  for (auto const& candidate : choice.candidates) {
    Json entry = {{"algorithm", candidate.algorithm->name}};
    if (candidate.applicable()) {
      entry["segment"] = candidate.cut.segment;
      entry["window"] = candidate.cut.window;
      entry["predicted_s"] = predicted(candidate);
    } else {
      entry["reason"] = candidate.reason;
    }
    candidates.push_back(std::move(entry));
  }
  Json json = {{"machine", choice.machine},
               {"collective", name(c.what)},
               {"ranks", c.ranks},
               {"root", c.root},
               {"bytes", c.bytes},
               {"element", c.element},
               {"algorithm", choice.best.algorithm->name},
               {"segment", choice.best.cut.segment},
               {"window", choice.best.cut.window},
               {"predicted_s", predicted(choice.best)},
               {"candidates", std::move(candidates)}};
  if (choice.mapping) json["root_place"] = choice.mapping->place(c.root);
  if (choice.network) {
    auto const& n = *choice.network;
    json["network"] = {{"nodes", n.nodes}, {"trees", n.trees}, {"depth", n.depth}, {"streams_on_a_link", n.sharing}};
  }
  if (c.targets) json["targets"] = *c.targets;
  if (choice.bound) {
    auto const share = of_bound(choice);
    json["bound_s"] = choice.bound->value();
    json["of_bound"] = share ? Json(*share) : Json(nullptr);
  }
  if (choice.mpi) {
    json["mpi"] = {{"predicted_s", choice.mpi->time.value()},
                   {"source", choice.mpi->source == PriceSource::calibrated ? "calibrated" : "modelled"}};
    json["mpi"]["taken"] = expect_to_win(choice, *choice.mpi);
    if (choice.mpi->ours) json["mpi"]["ours_s"] = choice.mpi->ours->value();
  }
  return json.dump(indent);
}

}  // namespace allport
