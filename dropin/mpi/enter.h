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

/// True where it stands that the MPI library does this call, and nobody wants it counted.
[[nodiscard]] bool passes_straight(Call const& call);

/// `ours` where the call is looked at, else the library's own. @pre at_work()
template <class F, class Ours>
int choose_side(Call const& call, F const& library, Ours const& ours) {
  return passes_straight(call) ? Library(library)() : ours(Library(library));
}
template <class F>
int blocking(Call const& call, F const& library) {
  return choose_side(call, library, [&](Library l) { return run_blocking(call, l); });
}
template <class F>
int nonblocking(Call const& call, MPI_Request* request, F const& library) {
  return choose_side(call, library, [&](Library l) { return start_nonblocking(call, request, l); });
}
template <class F>
int persistent(Call const& call, MPI_Request* request, F const& library) {
  return choose_side(call, library, [&](Library l) { return make_persistent(call, request, l); });
}

/// On stderr.
void print_error(Call const& call, char const* text);
/// Tells of an error of ours by the communicator's error handler; MPI_ERR_OTHER if that returns. For the call that
/// fails itself: what goes on after its call fails where it is completed (Completion).
int fail(Call const& call, char const* text);

}  // namespace allport::dropin
