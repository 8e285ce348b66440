#include <array>
#include <span>

#include "allport/io/matrix_file.h"
#include "allport/linalg/load.h"
#include "checks.h"

namespace allport {
namespace {

FileShape read_shape(std::string const& path) {
  if (path.ends_with(".mtx")) {
    auto const header = io::read_mtx_header(path);
    return {header.rows, header.cols, header.complex ? Scalar::z : Scalar::d};
  }
  auto const header = io::read_npy_header(path);
  switch (header.type) {
    case io::FileType::f2:
    case io::FileType::f4:
      return {header.rows, header.cols, Scalar::s};
    case io::FileType::c8:
      return {header.rows, header.cols, Scalar::c};
    case io::FileType::c16:
      return {header.rows, header.cols, Scalar::z};
    default:
      return {header.rows, header.cols, Scalar::d};
  }
}

}  // namespace

FileShape shape_of_file(Communicator const& comm, std::string const& path) {
  FileShape shape;
  detail::on_all(comm, [&] {
    if (comm.rank() == 0) {
      shape = read_shape(path);
    }
  });
  std::array<std::int64_t, 3> words{shape.rows, shape.cols, static_cast<std::int64_t>(shape.scalar)};
  comm.start_broadcast(std::as_writable_bytes(std::span(words)), 0).wait();
  return {words[0], words[1], static_cast<Scalar>(words[2])};
}

}  // namespace allport
