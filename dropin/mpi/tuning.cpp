#include "tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>

#include "allport/select/mpi_price.h"
#include "decision.h"
#include "interpose/texts.h"
#include "operation.h"
#include "requests.h"
#include "state.h"

namespace allport::dropin {
namespace {

/// Algorithms of ours that are timed beside the cheapest one: at most so many, and priced at most this multiple of it.
constexpr std::size_t most_others = 2;
constexpr double dearest = 1.5;
/// The cheapest one is also timed with segments that are so many times longer, and shorter.
constexpr std::int64_t another_cut = 4;
/// What tuning may cost beside its share of the run, once per site.
constexpr Seconds tuning_allowance{0.02};
/// Calls shorter than this many seconds, or than so many agreements, are not watched for changes: watching would cost
/// more than it saves.
constexpr double shortest_watched = 1e-3;
constexpr double agreements = 10;
/// Short calls: below so many seconds, or with at most so many bytes on a rank. Their times scatter, and timing more of
/// them costs less than a barrier before each.
constexpr double short_call = 1e-3;
constexpr std::int64_t short_message = 4096;
/// The first short calls open connections, and a few of them return before their bytes have gone over the links: a link
/// may buffer 32 KiB, eight calls of 4 KiB, which a long series of calls does not gain. So the library's calls come
/// first, the first nine are discarded, and the decision is provisional until both sides have been timed for longer.
constexpr int first_of_short = 9;
constexpr int iterations_of_short = 7;
constexpr int confirming_short = 40;
constexpr double clearly_of_short = 0.9;
/// Above so many bytes a second agreement costs less than the wrong decision.
constexpr double near_of_short = 1.3;
constexpr std::int64_t soon_over = 1024;
/// The prices of short calls tell little more than the number of messages in a row, which is the same on both sides.
constexpr double as_good_by_price = 2;

/// What is timed of ours: the chosen candidate, then the cheapest cut of other algorithms, cheapest first, then the
/// chosen algorithm with segments of other lengths, because prices are least accurate about the cost of a message.
/// For short calls the chosen one alone: they do not earn what connections and agreements for others take.
std::vector<Candidate> ours_by_price(Choice const& choice, bool is_short) {
  if (is_short) return {choice.best};
  auto const too_dear = [&](Candidate const& c) { return c.predicted > dearest * choice.best.predicted; };
  std::vector<Candidate> cheapest;
  std::vector<Candidate> cuts;
  for (auto const& candidate : choice.candidates) {
    if (!candidate.priced() || too_dear(candidate)) continue;
    if (candidate.algorithm == choice.best.algorithm) {
      auto const least = std::min(candidate.cut.segment, choice.best.cut.segment);
      auto const most = std::max(candidate.cut.segment, choice.best.cut.segment);
      // Of an algorithm that cuts nothing all prices are the same.
      if (most == another_cut * least && candidate.predicted != choice.best.predicted) cuts.push_back(candidate);
      continue;
    }
    auto const known = std::ranges::find(cheapest, candidate.algorithm, &Candidate::algorithm);
    if (known == cheapest.end()) {
      cheapest.push_back(candidate);
    } else if (candidate.predicted < known->predicted) {
      *known = candidate;
    }
  }
  std::ranges::stable_sort(cheapest, {}, &Candidate::predicted);
  if (cheapest.size() > most_others) cheapest.resize(most_others);
  cheapest.insert(cheapest.begin(), choice.best);
  cheapest.insert(cheapest.end(), cuts.begin(), cuts.end());
  return cheapest;
}

/// A configuration's name: its algorithm, and the segment where that is not the chosen one.
std::string name_of(Candidate const& candidate, bool other_cut) {
  std::string const algorithm = candidate.algorithm->name;
  return other_cut ? fmt::format("{} by {} bytes", algorithm, candidate.cut.segment) : algorithm;
}

/// In the larger buffer of a rank.
std::int64_t most_bytes(Contract const& contract) {
  return std::max(contract.input_bytes(contract.root), contract.output_bytes(contract.root));
}

bool is_short_call(Contract const& contract, MpiPrice const& mpi) {
  return mpi.time.value() < short_call || most_bytes(contract) <= short_message;
}

/// A short call whose time still depends on its bytes.
bool fills_links(Contract const& contract, bool is_short) { return is_short && most_bytes(contract) > soon_over; }

/// Whether a near result is timed again. Not for a scatter or a gather, which takes a tenth of one more agreement.
bool doubts(Contract const& contract, bool is_short) {
  bool const a_block_each = contract.what == Collective::scatter || contract.what == Collective::gather;
  return fills_links(contract, is_short) && !a_block_each;
}

/// Lower bound of the library's sustained time. Ours need none: they are timed when the links are already full.
Seconds lasting_of(Record const& record, Contract const& contract, bool is_short) {
  if (!fills_links(contract, is_short)) return {};
  return mpi_row(record.ours->machine(), contract, record.mapping);
}

std::vector<Configuration> configurations(std::vector<Candidate> const& ours, MpiPrice const& mpi, Seconds lasting) {
  std::vector<Configuration> all{{"MPI's own", mpi.time, "MPI", lasting}};
  for (auto const& candidate : ours) {
    bool const other_cut = &candidate != &ours.front() && candidate.algorithm == ours.front().algorithm;
    all.push_back({name_of(candidate, other_cut), candidate.predicted, "Allport"});
  }
  if (mpi.ours) all[1].predicted = *mpi.ours;
  return all;
}

/// Numbers that ranks agree on together, as many as mostly suffice, so that all agreements of a communicator go by one
/// schedule.
constexpr std::size_t agreed_together = 32;
static_assert(sizeof(double) == sizeof(std::int64_t));

Contract contract_of_agreement(Rank ranks, std::size_t numbers = agreed_together) {
  constexpr std::int64_t element = sizeof(double);
  return {Collective::allreduce, ranks, 0, static_cast<std::int64_t>(numbers) * element, element};
}

Seconds price_of_agreement(Record const& record) {
  try {
    return choose(record.ours->machine(), contract_of_agreement(record.size), {.among = record.ours->algorithms()})
        .best.predicted;
  } catch (Error const&) {
    return {};
  }
}

template <class Number, class Both>
Combine by_numbers(Both const& both) {
  return [both](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    for (std::int64_t at = 0; at < bytes; at += std::int64_t{sizeof(Number)}) {
      Number a{};
      Number b{};
      std::memcpy(&a, left + at, sizeof a);
      std::memcpy(&b, right + at, sizeof b);
      a = both(a, b);
      std::memcpy(out + at, &a, sizeof a);
    }
  };
}

/// By our own means: the program's calls of the library stay what they were. The short way where there is one: ranks
/// that sleep between looks agree in milliseconds.
template <class Number, class Both>
void combine_all(Record const& record, std::span<Number> values, Both const& both) {
  std::vector<Number> mine(values.begin(), values.end());
  mine.resize((values.size() + agreed_together - 1) / agreed_together * agreed_together);
  auto all = mine;
  auto const contract = contract_of_agreement(record.size, mine.size());
  Buffers const buffers{std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all))};
  auto const combine = by_numbers<Number>(both);
  if (!record.ours->run_short(contract, buffers, combine, [] { move_others(); })) {
    record.ours->start(record.ours->schedule_for(contract), buffers, combine).wait(move_others);
  }
  std::copy_n(all.begin(), values.size(), values.begin());
}

void agree_on_slowest(Record const& record, std::span<double> values) {
  combine_all(record, values, [](double a, double b) { return std::max(a, b); });
}

/// Of whole nanoseconds, whose sum is the same in any order.
void agree_on_mean(Record const& record, std::span<double> values) {
  constexpr double unit = 1e-9;
  std::vector<std::int64_t> sums;
  for (auto const value : values) sums.push_back(std::llround(value / unit));
  combine_all(record, std::span(sums), [](std::int64_t a, std::int64_t b) { return a + b; });
  std::ranges::transform(sums, values.begin(), [&](auto sum) { return unit * static_cast<double>(sum) / record.size; });
}

SelectorOptions options_of(bool is_short, bool in_doubt, Seconds agreement,
                           std::function<void(std::string const&)> report) {
  SelectorOptions options;
  options.iterations = is_short ? iterations_of_short : 2;
  options.blind = 1;
  if (is_short) options.blind_to = as_good_by_price;
  options.confirm = is_short ? confirming_short : 0;
  options.starts_up = is_short ? first_of_short : 0;
  options.overlap = is_short;
  if (in_doubt) options.doubt = near_of_short;
  if (is_short) options.clearly = clearly_of_short;
  options.allowance = tuning_allowance;
  options.agreement = agreement;
  options.report = std::move(report);
  return options;
}

/// The same in every run with this MPI library; its first line, or what says which it is of that.
std::string const& library() {
  static std::string const text = [] {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    PMPI_Get_library_version(version.data(), &length);
    std::string all(version.data());  // MPICH's length counts the zero at the end, too
    all.resize(std::min({all.size(), all.find('\n'), all.find(", package")}));
    std::ranges::replace(all, '\t', ' ');
    return all;
  }();
  return text;
}

/// What all sites of a communicator begin with.
std::string place_of(Record const& record) {
  auto text = fmt::format("{}, {}", library(), record.ours->machine().name());
  if (!record.ours->is_box()) text += fmt::format(" at {}", fmt::join(record.places, " "));
  if (!record.in_order()) text += fmt::format(" in order {}", fmt::join(record.mapping->list(), " "));
  return text + ": ";
}

/// Those of `memory` that begin with `place`.
Memory of_place(Memory const& memory, std::string const& place) {
  Memory part;
  std::ranges::copy_if(memory, std::inserter(part, part.end()),
                       [&](auto const& entry) { return entry.first.starts_with(place); });
  return part;
}

}  // namespace

Tuning::Tuning(Record const& record, std::string site, Expected const& expected, bool by_price)
    : site_(std::move(site)),
      agreement_(price_of_agreement(record)),
      is_short_(is_short_call(expected.choice.contract, expected.library)),
      by_price_(by_price),
      reports_(state().explains && record.rank == 0),
      selector_(configurations(ours_by_price(expected.choice, is_short_), expected.library,
                               lasting_of(record, expected.choice.contract, is_short_)),
                options_of(is_short_, doubts(expected.choice.contract, is_short_), agreement_,
                           [this](std::string const& text) { report(text); })) {
  variants_.resize(2);
  auto const ours = ours_by_price(expected.choice, is_short_);
  for (std::size_t o = 1; o < ours.size(); ++o) {
    bool const other_cut = ours[o].algorithm == ours.front().algorithm;
    variants_.push_back({ours[o].algorithm->name, other_cut ? ours[o].cut.segment : 0});
  }
  if (auto const known = record.known.find(site_); known != record.known.end()) selector_.resume(known->second);
}

void Tuning::report(std::string const& text) const {
  if (reports_) interpose::say(fmt::format("{}: {}", site_, text));
}

void Tuning::record(Record const& record, double seconds) {
  selector_.record(Seconds(seconds));
  if (!selector_.due()) {
    auto nothing = 0.0;
    if (!is_short_ && selector_.begins()) agree_on_slowest(record, {&nothing, 1});
    return;
  }
  bool const was_settled = selector_.settled();
  selector_.decide(
      [&](std::span<double> values) { is_short_ ? agree_on_mean(record, values) : agree_on_slowest(record, values); });
  state().memory[site_] = selector_.remembered();
  if (!was_settled && selector_.settled()) report("settled\n" + selector_.explain());
}

bool Tuning::is_over() const {
  if (!selector_.settled() || !variants_[selector_.best()].is_default()) return false;
  auto const seconds = selector_.seconds(selector_.best()).value_or(Seconds{}).value();
  return seconds < std::max(shortest_watched, agreements * agreement_.value());
}

void prepare_agreement(Record const& record) { record.ours->prepare_short(contract_of_agreement(record.size)); }

void begin_tuning(interpose::Settings const& settings) {
  auto& s = state();
  s.tuning_mode = interpose::tuning_mode_of(settings);
  s.explains = settings["ALLPORT_EXPLAIN"] == "1";
  s.remembers_in = settings[interpose::memory_variable];
  if (s.tuning_mode == TuningMode::off) return;
  auto memory = interpose::recalled(MPI_COMM_WORLD, settings);
  if (!memory) s.remembers_in.clear();  // what stands there is somebody else's
  s.memory = std::move(memory).value_or(Memory{});
}

void recall_tuning(Record& record) {
  if (state().tuning_mode == TuningMode::off || state().policy != Policy::automatic) return;
  record.known = memory_from_json(interpose::bcast_text(record.user, [&] {
    Lock const lock;
    return to_json(of_place(state().memory, place_of(record)));
  }));
}

Memory store_tuning() { return interpose::remember(state().memory, state().remembers_in); }

bool is_tuned(Function what, PriceSource source) {
  auto const& s = state();
  if (s.policy != Policy::automatic || s.tuning_mode == TuningMode::off || lengths_are_secret(what)) return false;
  if (reduces(what) && s.tuning_mode != TuningMode::free) return false;
  return s.tuning_mode != TuningMode::automatic || (source == PriceSource::modelled && !s.without_links);
}

std::string site_name(Record const& record, Function what, int size_class) {
  auto const least = least_bytes(size_class);
  auto text = fmt::format("{}{}", place_of(record), name(what));
  if (is_of_neighbours(what)) text += fmt::format(" on {}", record.neighbourhood->text);
  return size_class == 0 ? text : fmt::format("{} of {} to {} bytes", text, least, 2 * least - 1);
}

}  // namespace allport::dropin
