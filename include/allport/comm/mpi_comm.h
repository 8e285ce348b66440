// MPI's communicators where <mpi.h> is not seen, so that the modules above comm are compiled once for every MPI
// library.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace allport {

/// An MPI_Comm, which is an int with MPICH and a pointer with Open MPI: made from one, and turns into one where MPI
/// takes it.
class MpiComm {
  template <class T>
  static constexpr bool is_handle = std::is_same_v<T, int> ||
                                    (std::is_pointer_v<T> && std::is_class_v<std::remove_pointer_t<T>>);

 public:
  template <class T>
  requires is_handle<T> MpiComm(T comm) : is_pointer_(std::is_pointer_v<T>) { std::memcpy(&bits_, &comm, sizeof comm); }
  template <class T>
  requires is_handle<T>
  operator T() const {
    T comm;
    std::memcpy(&comm, &bits_, sizeof comm);
    return comm;
  }

  /// `call` with the handle as an int or as a void*, whichever the library's functions take.
  template <class Call>
  auto pass_to(Call&& call) const {
    int number = 0;
    std::memcpy(&number, &bits_, sizeof number);
    return is_pointer_ ? call(reinterpret_cast<void*>(bits_)) : call(number);
  }

 private:
  std::uintptr_t bits_ = 0;
  bool is_pointer_ = false;
};

}  // namespace allport
