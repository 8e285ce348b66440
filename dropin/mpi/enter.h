// Entry of a call, which Allport or the library performs.
#pragma once

#include <mpi.h>

#include "call.h"
#include "decision.h"

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

int run_blocking(Call const& call, CallShape const& shape, Library library);
int start_nonblocking(Call const& call, CallShape const& shape, MPI_Request* request, Library library);
int make_persistent(Call const& call, CallShape const& shape, MPI_Request* request, Library library);

/// `looked_at` where the call is not simply the library's. @pre at_work()
template <class F, class LookedAt>
int choose_side(Call const& call, F const& library, LookedAt const& looked_at) {
  CallShape shape;
  return passes_through(call, shape) ? Library(library)() : looked_at(shape, Library(library));
}
template <class F>
int blocking(Call const& call, F const& library) {
  return choose_side(call, library, [&](auto& shape, Library l) { return run_blocking(call, shape, l); });
}
template <class F>
int nonblocking(Call const& call, MPI_Request* request, F const& library) {
  return choose_side(call, library, [&](auto& shape, Library l) { return start_nonblocking(call, shape, request, l); });
}
template <class F>
int persistent(Call const& call, MPI_Request* request, F const& library) {
  return choose_side(call, library, [&](auto& shape, Library l) { return make_persistent(call, shape, request, l); });
}

/// On stderr.
void print_error(Call const& call, char const* text);
/// Calls the communicator's error handler for an error of ours; MPI_ERR_OTHER if that returns. For the call that fails
/// itself: what goes on after its call fails where it is completed (Completion).
int fail(Call const& call, char const* text);

}  // namespace allport::dropin
