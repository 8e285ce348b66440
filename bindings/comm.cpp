// Module comm in Python: communicators by their Fortran handle, collectives on bytes.
//
// Whatever may take the family's lock, destructors included, first lets go of the interpreter's: a thread that waits
// for other ranks must not keep the program's other threads from running, and whoever holds the family's lock may come
// to want the interpreter's.
#include "allport/comm/communicator.h"

#include <fmt/format.h>
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"

namespace nanobind::detail {

template <class T>
void destroy_unlocked(void* object) noexcept {
  auto const unlocked = gil_scoped_release();
  static_cast<T*>(object)->~T();
}

// What nanobind calls at an object's end.
template <>
void wrap_destruct<allport::Transfer>(void* object) noexcept {
  destroy_unlocked<allport::Transfer>(object);
}
template <>
void wrap_destruct<allport::Persistent>(void* object) noexcept {
  destroy_unlocked<allport::Persistent>(object);
}
template <>
void wrap_destruct<allport::Communicator>(void* object) noexcept {
  destroy_unlocked<allport::Communicator>(object);
}

}  // namespace nanobind::detail

namespace allport::python {
namespace {

using namespace nb::literals;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

template <class Handle>
Handle handle_of(std::uintptr_t number) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(number);
  } else {
    return static_cast<Handle>(number);
  }
}

/// Of an mpi4py communicator's property `handle`: a pointer or an int, as the MPI library has it.
MPI_Comm handle(std::uintptr_t number) {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  ensure(initialised != 0 && finalised == 0, "comm", number, "a communicator while MPI runs",
         "from mpi4py import MPI starts it", ErrorKind::mpi);
  return handle_of<MPI_Comm>(number);
}

Rank checked(Communicator const& comm, std::int64_t rank, char const* what) {
  ensure(rank >= 0 && rank < comm.size(), what, rank, fmt::format("a rank in 0..{}", comm.size() - 1));
  return static_cast<Rank>(rank);
}

/// Numbers that are no rank are left to the communicator's check, which tells all ranks of them.
std::vector<Rank> places_of(std::vector<std::int64_t> const& given) {
  std::vector<Rank> places;
  for (auto const p : given) places.push_back(std::in_range<Rank>(p) ? static_cast<Rank>(p) : Rank{-1});
  return places;
}

void bind_transfer(nb::module_& m) {
  nb::class_<Transfer>(m, "Transfer", "A collective in flight. Its arrays must not be touched before it is done.")
      .def("test", &Transfer::test, Unlocked(), "Moves things along; True when done.")
      .def("wait", nb::overload_cast<>(&Transfer::wait), Unlocked(), "Returns when it is done.")
      .def_prop_ro("active", &Transfer::active, "Whether it is still under way.");
  nb::class_<Persistent>(m, "Persistent", "A schedule bound to its arrays, to be started many times, one at a time.")
      .def("start", &Persistent::start, nb::keep_alive<0, 1>(), Unlocked());
}

Combine combine_for(Schedule const& schedule, std::string const& op, std::string const& dtype) {
  return combines(schedule.contract().what) ? combine_of(op, dtype) : Combine();
}

using Lengths = std::vector<std::int64_t>;

/// A collective over ranks, and what it refers to.
template <class Use>
auto with_call(Communicator const& comm, Use&& use, std::string const& what, ReadBytes const& in, WriteBytes const& out,
               std::int64_t root, std::int64_t element, std::string const& op, std::string const& dtype,
               std::string const& algorithm, std::optional<Lengths> const& blocks,
               std::optional<Lengths> const& received) {
  auto const input = bytes_of(in);
  auto const output = bytes_of(out);
  auto const unlocked = nb::gil_scoped_release();
  CollectiveCall call{.what = parse_collective(what), .input = input, .output = output};
  call.root = std::in_range<Rank>(root) ? static_cast<Rank>(root) : Rank{-1};
  call.element = element;
  if (combines(call.what)) call.combine = combine_of(op, dtype);
  call.algorithm = algorithm;
  call.varies = blocks.has_value();
  if (blocks) call.blocks = {*blocks};
  if (received) call.received = {*received};
  return use(call);
}

template <class Use>
auto call_by(Use use) {
  return [use](Communicator const& comm, std::string const& what, ReadBytes in, WriteBytes out, std::int64_t root,
               std::int64_t element, std::string const& op, std::string const& dtype, std::string const& algorithm,
               std::optional<Lengths> const& blocks, std::optional<Lengths> const& received) {
    return with_call(
        comm, [&](CollectiveCall const& call) { return use(comm, call); }, what, in, out, root, element, op, dtype,
        algorithm, blocks, received);
  };
}

void bind_calls(nb::class_<Communicator>& c) {
  auto const def = [&](char const* name, auto use, auto const&... keep) {
    c.def(name, call_by(use), "collective"_a, "input"_a, "output"_a, "root"_a, "element"_a, "op"_a, "dtype"_a,
          "algorithm"_a, "blocks"_a.none(), "received"_a.none(), keep...);
  };
  auto const kept = [&](char const* name, auto use) {
    def(name, use, nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(), nb::keep_alive<0, 4>());
  };
  def("run_call", [](Communicator const& comm, CollectiveCall const& call) { comm.run(call); });
  kept("start_call", [](Communicator const& comm, CollectiveCall const& call) { return comm.start(call); });
  kept("prepare_call", [](Communicator const& comm, CollectiveCall const& call) { return comm.prepare(call); });
}

void bind_transport(nb::class_<Communicator>& c) {
  c.def(
       "start",
       [](Communicator const& s, Schedule const& schedule, ReadBytes in, WriteBytes out, std::string const& op,
          std::string const& dtype) {
         auto const buffers = Buffers{bytes_of(in), bytes_of(out)};
         auto const unlocked = nb::gil_scoped_release();
         return s.start(schedule, buffers, combine_for(schedule, op, dtype));
       },
       "schedule"_a, "input"_a, "output"_a, "op"_a, "dtype"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(),
       nb::keep_alive<0, 4>())
      .def(
          "prepare",
          [](Communicator const& s, Schedule const& schedule, ReadBytes in, WriteBytes out, std::string const& op,
             std::string const& dtype) {
            auto const buffers = Buffers{bytes_of(in), bytes_of(out)};
            auto const unlocked = nb::gil_scoped_release();
            return s.prepare(schedule, buffers, combine_for(schedule, op, dtype));
          },
          "schedule"_a, "input"_a, "output"_a, "op"_a, "dtype"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 3>(),
          nb::keep_alive<0, 4>());
}

}  // namespace

void bind_comm(nb::module_& m) {
  bind_transfer(m);
  auto c =
      nb::class_<Communicator>(m, "Communicator", "An MPI communicator that knows what part of the machine it is.");
  c.def(
       "__init__",
       [](Communicator* self, std::uintptr_t given, std::optional<std::variant<Machine, Text>> const& machine,
          std::optional<std::vector<std::int64_t>> const& mapping) {
         auto const comm = handle(given);
         if (mapping) {
           std::variant<std::monostate, Machine, std::string> on;
           if (auto const* known = machine ? std::get_if<Machine>(&*machine) : nullptr) on = *known;
           if (auto const* spec = machine ? std::get_if<Text>(&*machine) : nullptr) on = spec->bytes;
           new (self) Communicator(comm, std::move(on), places_of(*mapping));
         } else if (!machine) {
           new (self) Communicator(comm);
         } else if (auto const* known = std::get_if<Machine>(&*machine)) {
           new (self) Communicator(comm, *known);
         } else {
           new (self) Communicator(comm, std::get<Text>(*machine).bytes);
         }
       },
       "handle"_a, "machine"_a.none(), "mapping"_a.none(), Unlocked())
      .def_prop_ro("rank", &Communicator::rank)
      .def_prop_ro("size", &Communicator::size)
      .def_prop_ro("machine", [](Communicator const& s) { return s.machine(); })
      .def_prop_ro("is_box", &Communicator::is_box)
      .def_prop_ro("mapping", [](Communicator const& s) { return s.mapping().list(); })
      .def(
          "position", [](Communicator const& s, std::int64_t r) { return s.position(checked(s, r, "rank")); }, "rank"_a)
      .def(
          "at_position", [](Communicator const& s, std::int64_t p) { return s.at_position(checked(s, p, "position")); },
          "position"_a)
      .def(
          "sub",
          [](Communicator const& s, std::vector<std::int64_t> const& members) {
            auto ranks = std::vector<Rank>();
            for (auto const r : members) {
              ranks.push_back(checked(s, r, "members"));
            }
            return s.sub(ranks);
          },
          "members"_a, Unlocked())
      .def(
          "sub_on",
          [](Communicator const& s, std::vector<std::int64_t> const& members, Machine const& machine,
             std::vector<Rank> places) {
            auto ranks = std::vector<Rank>();
            for (auto const r : members) ranks.push_back(checked(s, r, "members"));
            return s.sub(ranks, machine, Mapping::from_list(std::move(places)));
          },
          "members"_a, "machine"_a, "places"_a, Unlocked(), "sub() on a machine that its caller has chosen.")
      .def("split", &Communicator::split, "color"_a, "key"_a, Unlocked())
      .def("barrier", &Communicator::barrier, Unlocked())
      .def("progress", &Communicator::progress, Unlocked())
      .def(
          "schedule_for",
          [](Communicator const& s, std::string const& what, std::int64_t root, std::int64_t bytes,
             std::int64_t element, std::string const& algorithm) {
            return s.schedule_for(parse_collective(what), checked(s, root, "root"), Bytes(bytes), element, algorithm);
          },
          "collective"_a, "root"_a, "bytes"_a, "element"_a, "algorithm"_a, Unlocked())
      .def_prop_ro("counted", &Communicator::counted, Unlocked())
      .def("reset_counted", &Communicator::reset_counted, Unlocked())
      .def(
          "ensure_agreement",
          [](Communicator const& s, std::string const& name, std::int64_t value) { s.ensure_agreement(name, value); },
          "name"_a, "value"_a, Unlocked())
      .def(
          "ensure_all_well",
          [](Communicator const& s, std::string const& error, std::string const& kind) {
            s.ensure_all_well(error, kind_of(kind));
          },
          "local_error"_a, "kind"_a, Unlocked());
  bind_transport(c);
  bind_calls(c);
  m.def(
      "dlpack_array",
      [](nb::ndarray<nb::device::cpu> const& given) {
        using Given = nb::ndarray<nb::device::cpu>;
        std::vector<std::size_t> shape;
        std::vector<std::int64_t> strides;
        for (std::size_t axis = 0; axis < given.ndim(); ++axis) {
          shape.push_back(given.shape(axis));
          strides.push_back(given.stride(axis));
        }
        auto const owner = nb::capsule(new Given(given), [](void* kept) noexcept { delete static_cast<Given*>(kept); });
        return nb::ndarray<nb::numpy>(given.data(), given.ndim(), shape.data(), owner, strides.data(), given.dtype());
      },
      "given"_a, nb::sig("def dlpack_array(given: object) -> numpy.ndarray"),
      "The memory of an object with __dlpack__ as a numpy array, which may be written.");
}

}  // namespace allport::python
