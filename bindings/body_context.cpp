#include "body_context.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace allport::python {
namespace {

using namespace nb::literals;

/// A new array of these bytes that keeps `held`.
template <class T, class Held>
nb::object array_with(T* data, std::size_t size, Held held) {
  auto kept = std::make_unique<Held>(std::move(held));
  nb::capsule const owner(kept.release(), [](void* p) noexcept { delete static_cast<Held*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner).cast();
}

/// Calls a function of Python's, with the interpreter's lock.
Combine combine_by(nb::object const& op) {
  return [&op](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    auto const locked = nb::gil_scoped_acquire();
    auto const size = static_cast<std::size_t>(bytes);
    auto const seen = [&](std::byte const* data) {
      return nb::ndarray<nb::numpy, std::uint8_t const, nb::ndim<1>>(data, {size}, nb::none()).cast();
    };
    op(seen(left), seen(right), nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(out, {size}, nb::none()).cast());
  };
}

}  // namespace

TaskContext& BodyContext::alive() const {
  ensure(context_ != nullptr, "context", "that of a task that has ended", "the running task's own");
  return *context_;
}

template <class T, class Pointer>
nb::object BodyContext::array(Pointer data, std::size_t size, std::shared_ptr<void> memory) const {
  auto* const values = const_cast<T*>(reinterpret_cast<std::uint8_t const*>(data));
  if (memory) return array_with(values, size, std::move(memory));
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(values, {size}, graph_->tile_at(data)).cast();
}

nb::object BodyContext::input(int index) const {
  auto const bytes = alive().input(index);
  return array<std::uint8_t const>(bytes.data(), bytes.size(), alive().keep_input(index));
}

nb::object BodyContext::output(int index) const {
  auto const bytes = alive().output(index);
  return array<std::uint8_t>(bytes.data(), bytes.size(), alive().keep_output(index));
}

void BodyContext::progress() const {
  auto& context = alive();
  auto const unlocked = nb::gil_scoped_release();
  context.progress();
}

void BodyContext::gang_send(int to, ReadBytes const& data) const {
  auto& gang = alive().gang();
  auto const unlocked = nb::gil_scoped_release();
  gang.send(to, bytes_of(data));
}

nb::object BodyContext::gang_receive(int from) const {
  auto& gang = alive().gang();
  std::vector<std::byte> got;
  {
    auto const unlocked = nb::gil_scoped_release();
    got = gang.receive(from);
  }
  auto* const data = reinterpret_cast<std::uint8_t*>(got.data());
  auto const size = got.size();
  return array_with(data, size, std::move(got));
}

void BodyContext::gang_broadcast(int root, WriteBytes const& data) const {
  auto& gang = alive().gang();
  auto const unlocked = nb::gil_scoped_release();
  gang.broadcast(root, bytes_of(data));
}

void BodyContext::gang_reduce(int root, WriteBytes const& data, nb::object const& op, std::string const& dtype) const {
  auto& gang = alive().gang();
  auto const combine =
      PyCallable_Check(op.ptr()) != 0 ? combine_by(op) : combine_of(nb::cast<std::string>(nb::str(op)), dtype);
  auto const unlocked = nb::gil_scoped_release();
  gang.reduce(root, bytes_of(data), combine);
}

void bind_body_context(nb::module_& m) {
  nb::class_<BodyContext>(m, "BodyContext", "A running task's inputs, outputs and gang as bytes.")
      .def("input", &BodyContext::input, "index"_a, nb::sig("def input(self, index: int) -> object"))
      .def("output", &BodyContext::output, "index"_a, nb::sig("def output(self, index: int) -> object"))
      .def("progress", &BodyContext::progress)
      .def("gang_me", &BodyContext::gang_me)
      .def("gang_members", &BodyContext::gang_members)
      .def("gang_send", &BodyContext::gang_send, "to"_a, "data"_a,
           nb::sig("def gang_send(self, to: int, data: object) -> None"))
      .def("gang_receive", &BodyContext::gang_receive, "source"_a,
           nb::sig("def gang_receive(self, source: int) -> object"))
      .def("gang_broadcast", &BodyContext::gang_broadcast, "root"_a, "data"_a,
           nb::sig("def gang_broadcast(self, root: int, data: object) -> None"))
      .def("gang_reduce", &BodyContext::gang_reduce, "root"_a, "data"_a, "op"_a, "dtype"_a,
           nb::sig("def gang_reduce(self, root: int, data: object, op: object, dtype: str) -> None"));
}

}  // namespace allport::python
