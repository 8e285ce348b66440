// The C interface: requests.
#include "requests.h"

#include <memory>

namespace allport::c_interface {

CallOptions call_options(char const* text) {
  CallOptions options;
  read_options(text, "algorithm= or persistent", [&](std::string const& key, std::string const& value) {
    if (key == "algorithm") {
      options.algorithm = value;
    } else if (key == "persistent" && value.empty()) {
      options.persistent = true;
    } else {
      return false;
    }
    return true;
  });
  return options;
}

namespace {

/// What is left of a request whose collective is done, or has failed.
void complete(allport_request* request) {
  if ((*request)->persistent) {
    (*request)->transfer = {};
  } else {
    delete std::exchange(*request, nullptr);
  }
}

/// Calls `end` on the transfer of a request; true: it is done. An error completes the request, too.
template <class End>
bool completed(allport_request* request, End const& end) {
  if (place(request, "request") == nullptr) return true;
  try {
    if (!end((*request)->transfer)) return false;
  } catch (...) {
    complete(request);
    throw;
  }
  complete(request);
  return true;
}

}  // namespace
}  // namespace allport::c_interface

using namespace allport;
using namespace allport::c_interface;

extern "C" {

int allport_wait(allport_request* request) {
  return guarded([&] {
    completed(request, [](Transfer& transfer) {
      transfer.wait();
      return true;
    });
  });
}

int allport_test(allport_request* request, int* done) {
  return guarded([&] {
    place(done, "done") = 1;
    *done = completed(request, [](Transfer& transfer) { return transfer.test(); }) ? 1 : 0;
  });
}

int allport_start(allport_request* request) {
  return guarded([&] {
    auto& started = the(place(request, "request"), "request");
    ensure(started.persistent.has_value(), "request", "of one collective", "a persistent one");
    ensure(!started.transfer.active(), "request", "in flight", "one that is done: allport_wait() first");
    started.transfer = {};  // shares its state with the next
    started.transfer = started.persistent->start();
  });
}

int allport_request_free(allport_request* request) { return freed(request, "request"); }

}  // extern "C"
