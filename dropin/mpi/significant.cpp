#include "significant.h"

namespace allport::dropin {

Call significant(Call call, int rank) {
  auto& send = call.send;
  auto& receive = call.receive;
  bool const root = call.root == rank;
  switch (call.what) {
    case Function::reduce:
      if (!root) receive.buffer = nullptr;
      break;
    case Function::scatter:
    case Function::scatterv:
      if (!root) {
        send = {nullptr, receive.count, receive.type};
      } else if (receive.in_place()) {
        receive = {MPI_IN_PLACE, send.count_of(rank), send.type};
      }
      break;
    case Function::gather:
    case Function::gatherv:
      if (!root) {
        receive = {nullptr, send.count, send.type};
      } else if (send.in_place()) {
        send = {MPI_IN_PLACE, receive.count_of(rank), receive.type};
      }
      break;
    case Function::allgather:
    case Function::allgatherv:
      if (send.in_place()) send = {MPI_IN_PLACE, receive.count_of(rank), receive.type};
      break;
    case Function::alltoall:
    case Function::alltoallv:
      if (send.in_place()) {
        send = receive;
        send.buffer = MPI_IN_PLACE;
      }
      break;
    default:
      break;
  }
  return call;
}

}  // namespace allport::dropin
