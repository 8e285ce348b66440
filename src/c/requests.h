// The C interface: what is in flight, what is persistent, and how a call says which of the three forms it wants.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "handles.h"
#include "options.h"

struct allport_request_s {
  std::optional<allport::Persistent> persistent{};  ///< none: of one collective, freed when it is done
  allport::Transfer transfer{};                     ///< what is in flight
};

namespace allport::c_interface {

/// The options of a collective.
struct CallOptions {
  std::string algorithm;
  bool persistent = false;
};
CallOptions call_options(char const* text);

/// A request that is written later; until then none, whatever fails.
inline void no_request_yet(allport_request* request) {
  if (request != nullptr) *request = nullptr;
}

/// Runs, starts or prepares on a communicator, as request and options say: run(), start() or prepare().
template <class Run, class Start, class Prepare>
void perform(CallOptions const& options, allport_request* request, Run const& run, Start const& start,
             Prepare const& prepare) {
  if (request == nullptr) {
    ensure(!options.persistent, "request", "NULL", "a place for the persistent request");
    return run();
  }
  *request =
      options.persistent ? new allport_request_s{.persistent = prepare()} : new allport_request_s{.transfer = start()};
}

/// An operator on elements of a known size.
struct Operator {
  std::int64_t element = 1;
  Combine combine;
};
/// @throws Error(argument) where there is no such operator on such elements
Operator operator_of(int op, allport_type type);

}  // namespace allport::c_interface
