// Collectives of the C interface: what a function was given becomes a call of the communicator.
#pragma once

#include "handles.h"

struct allport_transfer_s {
  allport::Transfer transfer;
};

struct allport_persistent_s {
  allport::Persistent persistent;
};

namespace allport::c_interface {

/// The arguments of one function; those that it has not are as here.
struct Given {
  Collective what = Collective::barrier;
  void const* input = nullptr;
  void* output = nullptr;
  std::int64_t length = 0;  ///< of one block: bytes, or elements of a reduction
  int root = 0;
  int op = -1;  ///< of a reduction
  char type = ' ';
  std::int64_t const* lengths = nullptr;  ///< one a rank: bytes, or elements of a reduction
  std::int64_t const* begins = nullptr;
  std::int64_t const* received = nullptr;
  std::int64_t const* received_begins = nullptr;
  char const* algorithm = nullptr;
  bool varies = false;
};

int called(allport_comm comm, Given const& given) noexcept;
int started(allport_comm comm, Given const& given, allport_transfer* created) noexcept;
int prepared(allport_comm comm, Given const& given, allport_persistent* created) noexcept;

/// An operator on elements of a known size.
struct Operator {
  std::int64_t element = 1;
  Combine combine;
};
/// @throws Error(argument) where there is no such operator on such elements
Operator operator_of(int op, char type);

}  // namespace allport::c_interface
