#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "allport/verify/verify.h"

namespace allport::verify {
namespace {

std::string port_name(std::size_t port) {
  return fmt::format("{}{}", port % 2 == 0 ? '-' : '+', axis_letter(static_cast<int>(port / 2)));
}

nlohmann::ordered_json counts_json(Counts const& c) {
  return {
      {"operations", c.operations},   {"streams", c.streams},     {"messages", c.messages}, {"segments", c.segments},
      {"bytes_moved", c.bytes_moved}, {"scratch_max", c.scratch}, {"depth", c.depth}};
}

nlohmann::ordered_json links_json(Links const& l) {
  nlohmann::ordered_json out = {{"present", l.present},   {"used", l.used}, {"bytes", l.bytes}, {"max", l.max},
                                {"max_link", l.max_name}, {"min", l.min},   {"mean", l.mean}};
  auto& bins = out["histogram"] = nlohmann::ordered_json::array();
  for (auto const& bin : l.histogram) bins.push_back({{"low", bin.low}, {"high", bin.high}, {"links", bin.links}});
  auto& ports = out["by_direction"] = nlohmann::ordered_json::object();
  for (std::size_t p = 0; p < l.by_port.size(); ++p) ports[port_name(p)] = l.by_port[p];
  out["trees_disjoint"] = l.disjoint;
  if (!l.disjoint) {
    out["shared"] = {{"link", l.shared_name}, {"trees", {l.shared_trees[0], l.shared_trees[1]}}};
  }
  return out;
}

nlohmann::ordered_json time_json(Time const& t) {
  nlohmann::ordered_json out = {{"busiest_seconds", t.busiest.value()}, {"busiest", t.busiest_name}};
  auto const known = [](double value) { return value > 0 ? nlohmann::ordered_json(value) : nullptr; };
  out["lower_bound_seconds"] = known(t.lower_bound.value());
  out["bandwidth_bound_seconds"] = known(t.bandwidth_bound.value());
  out["gap"] = t.bandwidth_bound.value() > 0 ? nlohmann::ordered_json(t.gap) : nullptr;
  return out;
}

nlohmann::ordered_json findings_json(Report const& report) {
  auto out = nlohmann::ordered_json::array();
  for (auto const& f : report.findings) {
    out.push_back({{"kind", name(f.kind)},
                   {"rank", f.rank},
                   {"operation", f.op},
                   {"segment", f.segment},
                   {"piece", f.piece},
                   {"message", f.message}});
  }
  return out;
}

std::string links_text(Links const& l) {
  if (l.used == 0) return fmt::format("links     {} present, none used\n", l.present);
  auto out = fmt::format("links     {} of {} used, load {} .. {} bytes, mean {:.1f}; most on {}\n", l.used, l.present,
                         l.min, l.max, l.mean, l.max_name);
  out += "         ";
  for (std::size_t p = 0; p < l.by_port.size(); ++p) out += fmt::format(" {} {}", port_name(p), l.by_port[p]);
  out += " bytes\n";
  for (auto const& bin : l.histogram) {
    out += bin.low == bin.high ? fmt::format("          {:>10} bytes: {} links\n", bin.low, bin.links)
                               : fmt::format("          {:>10} .. {} bytes: {} links\n", bin.low, bin.high, bin.links);
  }
  out += l.disjoint
             ? "trees     share no link\n"
             : fmt::format("trees     {} and {} share {}\n", l.shared_trees[0], l.shared_trees[1], l.shared_name);
  return out;
}

}  // namespace

std::string to_json(Report const& report) {
  auto const& c = report.contract;
  nlohmann::ordered_json out = {{"ok", report.ok},
                                {"algorithm", report.algorithm},
                                {"machine", report.machine},
                                {"contract",
                                 {{"collective", allport::name(c.what)},
                                  {"ranks", c.ranks},
                                  {"root", c.root},
                                  {"bytes", c.bytes},
                                  {"element", c.element}}},
                                {"cut", {{"segment", report.cut.segment}, {"window", report.cut.window}}},
                                {"trees", report.trees}};
  out["counts"] = counts_json(report.counts);
  out["links"] = links_json(report.links);
  out["time"] = time_json(report.time);
  out["rank_ordered"] = report.rank_ordered;
  out["found"] = report.found;
  out["findings"] = findings_json(report);
  out["elapsed_seconds"] = report.elapsed;
  return out.dump(2);
}

std::string to_text(Report const& report) {
  auto const& c = report.contract;
  auto const& n = report.counts;
  auto out = fmt::format("{}  {} {} of {} bytes from rank {}, {} ranks of {}\n", report.ok ? "PROVEN" : "WRONG",
                         report.algorithm, allport::name(c.what), c.bytes, c.root, c.ranks, report.machine);
  out += fmt::format("cut       {} trees, segments of at most {} bytes, window {}\n", report.trees, report.cut.segment,
                     report.cut.window);
  out += fmt::format("messages  {} in {} streams, {} distinct segments, {} bytes moved, longest chain {} messages\n",
                     n.messages, n.streams, n.segments, n.bytes_moved, n.depth);
  out += fmt::format("scratch   at most {} bytes on a rank\n", n.scratch);
  out += links_text(report.links);
  out += fmt::format("time      at least {:.6g} s on {}", report.time.busiest.value(),
                     report.time.busiest_name.empty() ? "no link" : report.time.busiest_name);
  auto const& time = report.time;
  if (time.bandwidth_bound.value() > 0) {
    out += fmt::format(", {:.4f} times the bandwidth bound, {:.6g} s", time.gap, time.bandwidth_bound.value());
  }
  if (time.lower_bound.value() > 0) {
    out += fmt::format("\nbound     any schedule needs {:.6g} s", time.lower_bound.value());
  }
  out += fmt::format("\nproof     {:.3f} s\n", report.elapsed);
  for (auto const& f : report.findings) out += fmt::format("{:<14}{}\n", name(f.kind), f.message);
  if (report.found > static_cast<std::int64_t>(report.findings.size())) {
    out += fmt::format("and {} more\n", report.found - static_cast<std::int64_t>(report.findings.size()));
  }
  return out;
}

}  // namespace allport::verify
