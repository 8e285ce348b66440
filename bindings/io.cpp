// Room io in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "allport/io/matrix_file.h"
#include "arrays.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using Pair = std::pair<std::int64_t, std::int64_t>;

char const* type_name(io::FileType type) {
  static constexpr char const* names[] = {"f4", "f8", "c8", "c16", "i1", "i2", "i4",
                                          "i8", "u1", "u2", "u4",  "u8", "b1", "f2"};
  return names[static_cast<std::size_t>(type)];
}

io::FileType type_of(char scalar) {
  return scalar == 's' ? io::FileType::f4 : scalar == 'c' ? io::FileType::c8 : scalar == 'z' ? io::FileType::c16
                                                                                             : io::FileType::f8;
}

template <class T>
nb::tuple entries_of(std::string const& path, io::MtxHeader const& header, int part, int parts, std::int64_t before) {
  auto entries = std::vector<io::Entry<T>>();
  {
    auto const unlocked = nb::gil_scoped_release();
    entries = io::read_mtx_part<T>(path, header, part, parts, before);
  }
  auto const n = entries.size();
  auto* data = new std::vector<io::Entry<T>>(std::move(entries));
  auto const owner = nb::capsule(data, [](void* p) noexcept { delete static_cast<std::vector<io::Entry<T>>*>(p); });
  constexpr auto step = static_cast<std::int64_t>(sizeof(io::Entry<T>));
  static_assert(step % 8 == 0 && offsetof(io::Entry<T>, value) == 16);
  using Integers = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;
  using Values = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
  auto* first = reinterpret_cast<std::int64_t*>(data->data());
  auto const by_value = step / static_cast<std::int64_t>(sizeof(T));
  return nb::make_tuple(Integers(first, {n}, owner, {step / 8}), Integers(first + 1, {n}, owner, {step / 8}),
                        Values(reinterpret_cast<T*>(first + 2), {n}, owner, {by_value}));
}

}  // namespace

void bind_io(nb::module_& m) {
  nb::class_<io::NpyHeader>(m, "NpyHeader", "What the head of a .npy file says.")
      .def_prop_ro("shape", [](io::NpyHeader const& h) { return nb::make_tuple(h.rows, h.cols); },
                   nb::sig("def shape(self) -> tuple[int, int]"), "1-D arrays count as one column.")
      .def_prop_ro("dtype", [](io::NpyHeader const& h) { return type_name(h.type); })
      .def_ro("fortran_order", &io::NpyHeader::fortran_order);
  m.def("read_npy_header", &io::read_npy_header, "path"_a);
  m.def("create_npy",
        [](std::string const& path, std::int64_t rows, std::int64_t cols, char scalar, bool fortran_order) {
          return io::create_npy(path, rows, cols, type_of(scalar), fortran_order);
        },
        "path"_a, "rows"_a, "cols"_a, "scalar"_a, "fortran_order"_a);
  m.def("read_npy_box",
        [](std::string const& path, io::NpyHeader const& header, Pair rows, Pair cols, char scalar,
           WriteBlock const& out) {
          with_scalar(scalar, [&]<class T>(T) {
            auto const part = part_of<T>(out, "out");
            ensure(static_cast<std::int64_t>(out.shape(0)) == rows.second - rows.first &&
                       static_cast<std::int64_t>(out.shape(1)) == cols.second - cols.first,
                   "out", std::string("another shape"), "the shape of the box");
            auto const unlocked = nb::gil_scoped_release();
            io::read_npy_box<T>(path, header, {rows.first, rows.second}, {cols.first, cols.second}, part.data, part.ld);
          });
        },
        "path"_a, "header"_a, "rows"_a, "cols"_a, "scalar"_a, "out"_a);
  m.def("write_npy_box",
        [](std::string const& path, io::NpyHeader const& header, Pair rows, Pair cols, char scalar, ReadBlock const& in) {
          with_scalar(scalar, [&]<class T>(T) {
            auto const part = part_of<T>(in, "in");
            auto const unlocked = nb::gil_scoped_release();
            io::write_npy_box<T>(path, header, {rows.first, rows.second}, {cols.first, cols.second}, part.data, part.ld);
          });
        },
        "path"_a, "header"_a, "rows"_a, "cols"_a, "scalar"_a, "block"_a);
  nb::class_<io::MtxHeader>(m, "MtxHeader", "Banner and size line of a Matrix Market file.")
      .def_prop_ro("shape", [](io::MtxHeader const& h) { return nb::make_tuple(h.rows, h.cols); },
                   nb::sig("def shape(self) -> tuple[int, int]"))
      .def_ro("entries", &io::MtxHeader::entries, "Lines of data.")
      .def_ro("array", &io::MtxHeader::array, "Dense (array) rather than coordinates.")
      .def_ro("complex", &io::MtxHeader::complex);
  m.def("read_mtx_header", &io::read_mtx_header, "path"_a);
  m.def("count_mtx_lines", &io::count_mtx_lines, "path"_a, "header"_a, "part"_a, "parts"_a);
  m.def("read_mtx_part",
        [](std::string const& path, io::MtxHeader const& header, int part, int parts, std::int64_t before, char scalar) {
          return with_scalar(scalar, [&]<class T>(T) { return entries_of<T>(path, header, part, parts, before); });
        },
        "path"_a, "header"_a, "part"_a, "parts"_a, "lines_before"_a, "scalar"_a,
        "Rows, columns (0-based) and values of one of `parts` byte ranges.");
}

}  // namespace allport::python
