// What is checked of a program before it runs, and of what arrives.
#pragma once

#include <cstdint>
#include <string>

#include "allport/schedule/program.h"
#include "family.h"

namespace allport::detail {

struct CommState;

/// Bytes of the caller's buffers.
struct Room {
  std::int64_t input = 0;
  std::int64_t output = 0;
};

/// @throws Error(schedule) when the program breaks the rules of program.h or leaves its buffers
void check_program(CommState const& comm, Program const& program, Room room, bool can_combine);

/// @throws Error(mpi), or Error(mismatch) where other bytes came than the operation takes
void check_arrival(CommState const& comm, Op const& op, Finished const& f);

/// "segment 3 of 16 of channel 1, 65536 bytes, from rank 5".
[[nodiscard]] std::string segment_text(CommState const& comm, Op const& what, InFlight const& which);

}  // namespace allport::detail
