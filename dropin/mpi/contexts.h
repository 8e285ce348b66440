// Message contexts of our world's communicator, one for each communicator of the program's: MPI libraries have few
// communicators (MPICH 2048), and a program that needs most of them must find them.
#pragma once

#include <mpi.h>

#include <memory>

namespace allport::dropin {

/// A context that this process uses: nobody else gets its number until this goes.
class Context {
 public:
  explicit Context(int number) : number_(number) {}
  ~Context();
  Context(Context const&) = delete;
  Context& operator=(Context const&) = delete;

  [[nodiscard]] int number() const { return number_; }
  /// Something went wrong in it, and messages may be left that nobody took: the number is never given out again.
  void spoil() { spoiled_ = true; }

 private:
  int number_;
  bool spoiled_ = false;
};

/// Contexts 0..count - 1 are free. Collective over MPI_COMM_WORLD.
void begin_contexts(int count);

/// One that is free on all ranks of `comm`; null on all of them where there is none. Collective over `comm`, which
/// nobody else has yet.
[[nodiscard]] std::shared_ptr<Context> agreed_context(MPI_Comm comm);

}  // namespace allport::dropin
