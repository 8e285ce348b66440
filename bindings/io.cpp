// Module io in Python: the heads of matrix files. Their contents are read and written by module linalg.
#include "allport/io.h"

#include <nanobind/nanobind.h>

#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;

char const* type_name(io::FileType type) {
  static constexpr char const* names[] = {"f4", "f8", "c8", "c16", "i1", "i2", "i4",
                                          "i8", "u1", "u2", "u4",  "u8", "b1", "f2"};
  return names[static_cast<std::size_t>(type)];
}

}  // namespace

void bind_io(nb::module_& m) {
  nb::class_<io::NpyHeader>(m, "NpyHeader", "What the head of a .npy file says.")
      .def_prop_ro(
          "shape", [](io::NpyHeader const& h) { return nb::make_tuple(h.rows, h.cols); },
          nb::sig("def shape(self) -> tuple[int, int]"), "1-D arrays count as one column.")
      .def_prop_ro("dtype", [](io::NpyHeader const& h) { return type_name(h.type); })
      .def_ro("dimensions", &io::NpyHeader::dimensions, "1 or 2.")
      .def_ro("fortran_order", &io::NpyHeader::fortran_order);
  m.def(
      "read_npy_header", [](Text const& path) { return io::read_npy_header(path.bytes); }, "path"_a);
  nb::class_<io::MtxHeader>(m, "MtxHeader", "Banner and size line of a Matrix Market file.")
      .def_prop_ro(
          "shape", [](io::MtxHeader const& h) { return nb::make_tuple(h.rows, h.cols); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def_ro("entries", &io::MtxHeader::entries, "Lines of data.")
      .def_ro("array", &io::MtxHeader::array, "Dense (array) rather than coordinates.")
      .def_ro("complex", &io::MtxHeader::complex);
  m.def(
      "read_mtx_header", [](Text const& path) { return io::read_mtx_header(path.bytes); }, "path"_a);
}

}  // namespace allport::python
