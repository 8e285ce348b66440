// Blocking calls of the MPI library while operations of ours are in flight.
#pragma once

namespace allport::dropin {

/// Before a blocking call that cannot be polled, where the library does not move our operations along itself: waits for
/// those in flight, but no longer than `patience` seconds without a step forward, because another rank may need this
/// call before it can come to them. Does nothing for Open MPI.
void settle_in_flight();

}  // namespace allport::dropin
