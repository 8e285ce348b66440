// Handles that a caller may free while an operation still needs them: datatypes and operators. The caller's free is
// put off until the last operation is done, so that the handle stays the very one that a user-defined operator is
// shown, and nothing is paid where nobody frees early. Communicators live on in their Record.
#pragma once

#include <mpi.h>

namespace allport::dropin {

// Names for the two kinds: in MPICH the handles themselves are all int.
struct Datatypes {
  using Handle = MPI_Datatype;
};
struct Operators {
  using Handle = MPI_Op;
};

/// Keeps one handle alive; predefined ones, which nobody may free, need no keeping.
template <class Kind>
class Retained {
 public:
  using Handle = typename Kind::Handle;
  explicit Retained(Handle handle);
  ~Retained();
  Retained(Retained const&) = delete;
  Retained& operator=(Retained const&) = delete;

 private:
  Handle handle_;
};

extern template class Retained<Datatypes>;
extern template class Retained<Operators>;

}  // namespace allport::dropin
