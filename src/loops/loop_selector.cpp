#include "allport/loops/loop_selector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>

namespace allport::loops {

namespace {

std::string_view variable(char const* called) {
  auto const* const value = std::getenv(called);
  return value != nullptr ? value : "";
}

std::string_view name(LoopSchedule schedule) {
  return schedule == LoopSchedule::static_ ? "static" : schedule == LoopSchedule::dynamic ? "dynamic" : "guided";
}

/// Replaces each number by its maximum over ranks.
void agree_on_slowest(Communicator const& comm, std::span<double> numbers) {
  if (comm.size() == 1) return;
  std::vector<double> const mine(numbers.begin(), numbers.end());
  auto const larger = [](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    auto const* a = reinterpret_cast<double const*>(left);
    auto const* b = reinterpret_cast<double const*>(right);
    auto* c = reinterpret_cast<double*>(out);
    for (std::int64_t i = 0; i < bytes / static_cast<std::int64_t>(sizeof(double)); ++i) c[i] = std::max(a[i], b[i]);
  };
  comm.run(comm.schedule_for(Collective::allreduce, 0, Bytes(static_cast<std::int64_t>(numbers.size_bytes())),
                             sizeof(double)),
           {std::as_bytes(std::span(mine)), std::as_writable_bytes(numbers)}, larger);
}

/// Time of an agreement, agreed.
Seconds time_of_agreement(Communicator const& comm) {
  constexpr int tries = 3;
  double least = 1e9;
  for (int t = 0; t < tries; ++t) {
    double number[] = {0};
    comm.barrier();
    auto const begin = std::chrono::steady_clock::now();
    agree_on_slowest(comm, number);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  double agreed[] = {least};
  agree_on_slowest(comm, agreed);
  return Seconds(agreed[0]);
}

}  // namespace

std::string name(LoopConfiguration const& c) {
  auto text = fmt::format("{} x (1 + {}), {}", c.shape.leaders, c.shape.members, name(c.loop.schedule));
  if (c.loop.chunk > 0) text += fmt::format(" by {}", c.loop.chunk);
  if (c.loop.collapse > 0) text += fmt::format(", {} loops as one", c.loop.collapse);
  if (!c.block.empty()) text += fmt::format(", blocks of {}", fmt::join(c.block, " x "));
  return text;
}

std::vector<LoopConfiguration> loop_configurations(int threads, std::vector<LoopOptions> const& schedules, Threads used,
                                                   std::vector<std::vector<std::int64_t>> const& blocks) {
  ensure(!schedules.empty(), "schedules", schedules.size(), "at least one");
  std::vector<int> counts{threads};
  if (used == Threads::fewer_too) {
    for (auto const fewer : {(3 * threads + 3) / 4, (threads + 1) / 2}) {
      if (fewer < counts.back()) counts.push_back(fewer);
    }
  }
  std::vector<LoopConfiguration> all;
  for (std::size_t b = 0; b < std::max<std::size_t>(blocks.size(), 1); ++b) {
    for (auto const count : counts) {
      for (auto const shape : shapes_of(count)) {
        for (std::size_t w = 0; w < (shape.members == 0 ? 1 : schedules.size()); ++w) {
          all.push_back({shape, schedules[w], blocks.empty() ? std::vector<std::int64_t>() : blocks[b]});
        }
      }
    }
  }
  return all;
}

LoopSelector::LoopSelector(Communicator const& comm, Teams& teams, std::vector<LoopConfiguration> configurations,
                           LoopSelectorOptions options)
    : comm_(comm),
      teams_(teams),
      configurations_(std::move(configurations)),
      site_(std::move(options.site)),
      fixed_(variable("ALLPORT_SELECT") == "off"),
      standard_(options.standard) {
  std::string wrong;
  std::string names;
  auto selecting = std::move(options.selecting);
  selecting.standard = standard_;
  selecting.agreement = time_of_agreement(comm_);
  std::int64_t const mine[] = {teams_.threads(), teams_.cores().smt ? 1 : 0};
  auto const threads = comm_.all_gather(mine);
  auto const computers = computers_of(comm_);
  launch_ = {computers.count, computers.most_ranks, 1, false};
  for (std::size_t r = 0; r < threads.size(); r += 2) {
    launch_.threads = std::max(launch_.threads, static_cast<int>(threads[r]));
    launch_.smt = launch_.smt || threads[r + 1] != 0;
  }
  std::vector<double> predicted(configurations_.size());
  try {
    for (std::size_t c = 0; c < configurations_.size(); ++c) {
      auto const& shape = configurations_[c].shape;
      ensure(shape.leaders >= 1 && shape.members >= 0 && shape.leaders * (1 + shape.members) <= teams_.threads(),
             "configuration", name(configurations_[c]), "no more threads than the teams have");
      names += name(configurations_[c]) + ";";
      auto const spread = 1 + shape.members;
      if (options.terms && spread <= options.terms->cores) {
        auto terms = *options.terms;
        terms.cores = std::min(terms.cores, shape.leaders * spread);
        predicted[c] = model::spread_time(terms, spread).value();
      }
    }
    ensure(standard_ < configurations_.size(), "standard", standard_, "one of the configurations");
  } catch (std::exception const& caught) {
    wrong = caught.what();
  }
  comm_.ensure_all_well(wrong);
  comm_.ensure_agreement("configurations of the loops",
                         static_cast<std::int64_t>(std::hash<std::string>()(names) >> 1));
  // The slowest rank's value is used on every rank.
  agree_on_slowest(comm_, predicted);
  std::vector<Configuration> arms;
  for (std::size_t c = 0; c < configurations_.size(); ++c) {
    auto const& one = configurations_[c];
    arms.push_back({name(one), Seconds(predicted[c]), std::string(name(one.loop.schedule))});
  }
  if (!selecting.report && comm_.rank() == 0 && variable("ALLPORT_EXPLAIN") == "1") {
    selecting.report = [site = site_](std::string const& text) {
      fmt::print(stderr, "allport: loops{}{}: {}\n", site.empty() ? "" : " of ", site, text);
    };
  }
  selector_ = std::make_unique<Selector>(std::move(arms), std::move(selecting));
  remembered();
}

LoopConfiguration const& LoopSelector::apply() {
  auto const& now = configurations_[fixed_ ? standard_ : selector_->current()];
  if (TeamsShape{teams_.leaders(), teams_.members()} != now.shape)
    teams_.configure(now.shape.leaders, now.shape.members);
  return now;
}

void LoopSelector::record(Seconds took) {
  if (fixed_) return;
  selector_->record(took);
  if (selector_->due()) selector_->decide([this](std::span<double> numbers) { agree_on_slowest(comm_, numbers); });
}

LoopConfiguration const& LoopSelector::best() const { return configurations_[fixed_ ? standard_ : selector_->best()]; }

/// Rank 0 reads the file and broadcasts its contents as numbers by configuration; the last one is the best one's,
/// negative if provisional.
void LoopSelector::remembered() {
  std::vector<std::int64_t> stored(configurations_.size() + 1, 0);
  auto const path = std::string(variable("ALLPORT_SELECT_FILE"));
  std::string wrong;
  if (comm_.rank() == 0 && !path.empty() && !site_.empty() && !fixed_) {
    try {
      auto const memory = load_memory(path);
      report_other_launches(memory);
      if (auto const found = memory.find(name_of(site_, launch_)); found != memory.end()) {
        for (std::size_t c = 0; c < configurations_.size(); ++c) {
          auto const called = name(configurations_[c]);
          auto const at = found->second.seconds.find(called);
          if (at != found->second.seconds.end()) stored[c] = static_cast<std::int64_t>(at->second.value() * 1e12);
          if (found->second.best == called) {
            stored.back() = (static_cast<std::int64_t>(c) + 1) * (found->second.provisional ? -1 : 1);
          }
        }
      }
    } catch (std::exception const& caught) {
      wrong = caught.what();
    }
  }
  comm_.ensure_all_well(wrong, ErrorKind::io);
  auto const all = comm_.all_gather(stored);
  auto const best = all[configurations_.size()];
  if (best == 0) return;
  Remembered known{name(configurations_[static_cast<std::size_t>(std::abs(best) - 1)]), {}, best < 0};
  for (std::size_t c = 0; c < configurations_.size(); ++c) {
    if (all[c] > 0) known.seconds[name(configurations_[c])] = Seconds(static_cast<double>(all[c]) * 1e-12);
  }
  selector_->resume(known);
}

void LoopSelector::report_other_launches(Memory const& memory) const {
  if (variable("ALLPORT_EXPLAIN") != "1") return;
  for (auto const& advice : loop_advice(memory)) {
    auto const& best = advice.runs.front().launch;
    if (advice.site != site_ || best.computers != launch_.computers || advice.change.empty()) continue;
    fmt::print(stderr, "allport: loops of {}: earlier runs took {}: {}\n", site_, advice.found, advice.change);
  }
}

LoopSelector::~LoopSelector() {
  auto const path = std::string(variable("ALLPORT_SELECT_FILE"));
  if (comm_.rank() != 0 || path.empty() || site_.empty() || fixed_) return;
  auto const known = selector_->remembered();
  if (known.seconds.empty()) return;
  try {
    save_memory(path, {{name_of(site_, launch_), known}});
  } catch (std::exception const& caught) {
    fmt::print(stderr, "allport: loops of {}: not stored: {}\n", site_, caught.what());
  }
}

}  // namespace allport::loops
