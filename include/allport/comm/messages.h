// How point-to-point data are cut into MPI messages; free of <mpi.h>, so that
// plans count exactly as runs do.
#pragma once

#include <cstdint>

#include "allport/base/units.h"

namespace allport {

/// No message is longer: MPI counts are 32 bits, and a power of two keeps the
/// cuts aligned.
inline constexpr Bytes longest_message{std::int64_t{1} << 30};

/// Messages that Communicator::start_send makes of `data`; none for zero bytes.
constexpr std::int64_t messages_for(Bytes data) {
  return (data.value() + longest_message.value() - 1) / longest_message.value();
}

}  // namespace allport
