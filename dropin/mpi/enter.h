// The way into a call: ours, or the library's.
#pragma once

#include <mpi.h>

#include "call.h"
#include "state.h"

namespace allport::dropin {

/// The MPI library's own function with the caller's arguments.
class Library {
 public:
  template <class F>
  explicit Library(F const& f) : object_(&f), call_([](void const* o) { return (*static_cast<F const*>(o))(); }) {}
  int operator()() const {
    Inside const inside;
    return call_(object_);
  }

 private:
  void const* object_;
  int (*call_)(void const*);
};

int run_blocking(Call const& call, Library library);
int start_nonblocking(Call const& call, MPI_Request* request, Library library);
int make_persistent(Call const& call, MPI_Request* request, Library library);

template <class F>
int blocking(Call const& call, F const& library) {
  return at_work() ? run_blocking(call, Library(library)) : library();
}
template <class F>
int nonblocking(Call const& call, MPI_Request* request, F const& library) {
  return at_work() ? start_nonblocking(call, request, Library(library)) : library();
}
template <class F>
int persistent(Call const& call, MPI_Request* request, F const& library) {
  return at_work() ? make_persistent(call, request, Library(library)) : library();
}

/// Tells of an error of ours by the communicator's error handler; MPI_ERR_OTHER if that returns.
int fail(Call const& call, char const* text);

}  // namespace allport::dropin
