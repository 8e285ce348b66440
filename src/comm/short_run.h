// Programs of few operations of one segment each, run at once.
#pragma once

#include <mpi.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/comm/communicator.h"
#include "allport/schedule/program.h"
#include "execution_checks.h"

namespace allport::engine {

struct CommState;

/// One rank's program where every operation is one segment and there are few: what runs and what waits fits into the
/// bits of a word, nothing is allocated, and no queue of the engine is passed. For short messages those cost more than
/// the messages. Belongs to one communicator and is used by one call at a time, with the family's lock.
class ShortRun {
 public:
  static constexpr std::size_t most_operations = 64;
  static constexpr std::int64_t most_bytes = 64 << 10;  ///< of one operation

  /// Nothing where the program is not of that kind. @throws as ensure_runnable()
  [[nodiscard]] static std::unique_ptr<ShortRun> of(CommState& comm, Program program, Extents extents);

  /// From start to end; channel c travels under MPI tag `tag` + c. Waits as ProgressEngine::wait_until does, others'
  /// transfers move meanwhile, and `pause`, if any, is called when nothing moves. @throws Error(mpi), Error(mismatch);
  /// nothing is in flight then
  void run(int tag, Buffers buffers, Combine const& combine, FunctionRef<void()> pause);

 private:
  using Bits = std::uint64_t;
  static constexpr Bits bit(std::size_t i) { return Bits{1} << i; }

  ShortRun(CommState& comm, Program program);
  void go();
  void start(std::size_t op);
  /// Takes what MPI has completed; true when there was something.
  bool poll();
  void completed(std::size_t place, MPI_Status const& status, int code);
  void abandon() noexcept;
  [[nodiscard]] std::string waits_for() const;
  [[nodiscard]] std::byte* place(Slot const& slot) const;

  CommState& comm_;
  Program program_;
  std::vector<Bits> after_;  ///< by operation: those that it waits for
  Bits all_ = 0;
  std::unique_ptr<std::byte[]> scratch_;

  // While it runs:
  Buffers buffers_{};
  Combine const* combine_ = nullptr;
  int tag_ = 0;
  Bits started_ = 0;
  Bits done_ = 0;
  int outstanding_ = 0;
  std::array<MPI_Request, most_operations> requests_{};
  std::array<std::uint8_t, most_operations> owners_{};  ///< of requests_
};

}  // namespace allport::engine
