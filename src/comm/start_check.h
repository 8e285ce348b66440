// ALLPORT_CHECK: checks without blocking that all ranks start the same schedule.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "allport/base/error.h"
#include "allport/base/units.h"

namespace allport::engine {

/// What one rank starts, or why it cannot. All ranks' statements are joined by one MPI_Iallreduce, which is in flight
/// while the program goes on; every rank comes to the same result. Lives until that request has ended.
class StartCheck {
 public:
  StartCheck(MPI_Comm comm, std::uint64_t fingerprint, std::string_view what);
  /// A start that failed here.
  StartCheck(MPI_Comm comm, Error const& trouble);
  ~StartCheck();
  StartCheck(StartCheck const&) = delete;
  StartCheck& operator=(StartCheck const&) = delete;

  /// Called by all ranks in the same order.
  [[nodiscard]] MPI_Request start();
  /// After the request has ended. @throws Error on every rank, of the first rank that failed or naming who differs
  void ensure_agreement() const;

 private:
  /// Ranks that start the same schedule.
  struct RankGroup {
    std::uint64_t fingerprint = 0;
    Rank first = 0;
    std::int32_t ranks = 0;
    std::array<char, 160> what{};

    void join(RankGroup const& other, bool other_wins);
    [[nodiscard]] std::string text() const;
  };
  struct Agreement {
    RankGroup least;  ///< by fingerprint
    RankGroup most;
    Rank failed = std::numeric_limits<Rank>::max();  ///< the first that did
    std::int32_t kind = 0;
    std::array<char, 512> trouble{};
  };
  static void join(void* in, void* inout, int* count, MPI_Datatype* type);

  explicit StartCheck(MPI_Comm comm);

  MPI_Comm comm_;
  Rank rank_ = 0;
  int size_ = 1;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op join_ = MPI_OP_NULL;
  Agreement mine_;
  Agreement all_;
};

}  // namespace allport::engine
