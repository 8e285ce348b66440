// Run-time tuning of one site: its calls are done in turn by the MPI library and by us until it shows which takes less.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allport/select/select.h"
#include "allport/select/selector.h"
#include "call.h"
#include "interpose/tuning.h"

namespace allport::dropin {

struct Record;

using interpose::TuningMode;

/// Predictions for the least call of a site.
struct Expected {
  Choice choice{};      ///< of ours
  MpiPrice library{};   ///< the MPI library's
  bool differs = true;  ///< false: ours does what the library does
};

/// All ranks of the communicator hold equal ones and use them alike. Under the Lock.
class Tuning {
 public:
  /// @param by_price  ours is preferred until the measurements decide
  Tuning(Record const& record, std::string site, Expected const& expected, bool by_price);

  /// Whether the next call of those that are timed is ours, and how it is done.
  [[nodiscard]] bool is_ours() const { return selector_.current() > 0; }
  [[nodiscard]] Variant const& variant() const { return variants_[selector_.current()]; }
  /// Whether ours is the one for a call that is not timed.
  [[nodiscard]] bool prefers_ours() const {
    if (untimed() > 0) return is_ours();
    return selector_.settled() ? selector_.best() > 0 : by_price_;
  }
  /// Once, in the first call of all where ours will be tried before the ranks agree: the time to build what ours need,
  /// because the first calls do not count, and in the first of ours it would take the ranks out of step.
  [[nodiscard]] bool begins() { return std::exchange(begins_, false) && selector_.explores(); }
  /// Once, in the first call that is tried as ours, which does not count.
  [[nodiscard]] bool begins_ours() { return std::exchange(begins_ours_, false); }
  /// Calls from here on, all done as prefers_ours() says, that need not be timed.
  [[nodiscard]] int untimed() const { return variant().is_default() ? selector_.untimed() : 0; }
  /// These have been made.
  void skip_untimed() { selector_.skip(untimed()); }
  /// What the call took on this rank. Collective now and then: ranks agree on the slowest.
  void record(Record const& record, double seconds);
  /// Decided for good, as prefers_ours() says: calls are too short to be watched.
  [[nodiscard]] bool is_over() const;

 private:
  void report(std::string const& text) const;

  std::string site_;
  /// By configuration; of the MPI library's, and of what is expected to be quickest: the default.
  std::vector<Variant> variants_;
  Seconds agreement_;
  bool is_short_;  ///< ranks need not meet
  bool by_price_;
  bool reports_;
  bool begins_ = true;
  bool begins_ours_ = true;
  Selector selector_;
};

/// Makes what agreeing takes, so that the first agreement need not. Sends nothing.
void prepare_agreement(Record const& record);

/// Rank 0's settings: ALLPORT_SELECT, ALLPORT_SELECT_FILE, ALLPORT_EXPLAIN. Reads what earlier runs found. Collective
/// over MPI_COMM_WORLD.
void begin_tuning(interpose::Settings const& settings);
/// What was found on the ranks of a communicator before, on all of them as its rank 0 knows it. Collective.
void recall_tuning(Record& record);
/// Writes what was found, where ALLPORT_SELECT_FILE says; returns it on rank 0. Collective over MPI_COMM_WORLD.
Memory store_tuning();

/// Whether calls of this function are timed where their machine's price of MPI's own comes from `source`.
[[nodiscard]] bool is_tuned(Function what, PriceSource source);

/// Names a function's size class on a communicator, the same in every run on the machine.
[[nodiscard]] std::string site_name(Record const& record, Function what, int size_class);

}  // namespace allport::dropin
