// Channels in Python: multicasts that nobody expects. Whatever takes the family's lock first lets go of the
// interpreter's.
#include "allport/comm/channel.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "arrays.h"

namespace nanobind::detail {

template <>
void wrap_destruct<allport::Channel>(void* object) noexcept {
  auto const unlocked = gil_scoped_release();
  static_cast<allport::Channel*>(object)->~Channel();
}

}  // namespace nanobind::detail

namespace allport::python {
namespace {

using namespace nb::literals;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;
using Ranks = std::vector<std::int64_t>;

Rank narrow(std::int64_t rank, char const* what) {
  ensure(std::in_range<Rank>(rank), what, rank, "a rank of the communicator");
  return static_cast<Rank>(rank);
}

std::vector<Rank> ranks_of(Ranks const& given) {
  std::vector<Rank> ranks;
  for (auto const r : given) ranks.push_back(narrow(r, "dest"));
  return ranks;
}

Channel::Wanted wanted_of(std::int64_t source, std::int64_t tag) { return {narrow(source, "source"), tag}; }

nb::tuple envelope_of(Channel::Envelope const& e) {
  return nb::make_tuple(e.source, e.tag, e.bytes, e.number, e.content == Channel::Content::object);
}

}  // namespace

void bind_channel(nb::module_& m) {
  nb::class_<Channel>(m, "Channel", "Messages from any rank at any time to any ranks, which need not expect them.")
      .def(
          "__init__",
          [](Channel* self, Communicator const& comm, std::string const& tree, std::int64_t segment) {
            new (self) Channel(comm, {tree, Bytes(segment)});
          },
          "comm"_a, "tree"_a, "segment"_a, Unlocked())
      .def(
          "post",
          [](Channel& s, Ranks const& to, std::int64_t tag, nb::bytes const& data) {
            auto const bytes = std::as_bytes(std::span(data.c_str(), data.size()));
            auto const unlocked = nb::gil_scoped_release();
            return s.post(ranks_of(to), tag, bytes, Channel::Content::object);
          },
          "to"_a, "tag"_a, "data"_a)
      .def(
          "start",
          [](Channel& s, Ranks const& to, std::int64_t tag, ReadBytes data) {
            auto const bytes = bytes_of(data);
            auto const unlocked = nb::gil_scoped_release();
            return s.start(ranks_of(to), tag, bytes);
          },
          "to"_a, "tag"_a, "data"_a)
      .def(
          "send",
          [](Channel& s, Ranks const& to, std::int64_t tag, ReadBytes data) {
            auto const bytes = bytes_of(data);
            auto const unlocked = nb::gil_scoped_release();
            s.send(ranks_of(to), tag, bytes);
          },
          "to"_a, "tag"_a, "data"_a)
      .def("is_sent", &Channel::is_sent, "number"_a, Unlocked())
      .def("wait_sent", &Channel::wait_sent, "number"_a, Unlocked())
      .def(
          "probe",
          [](Channel& s, std::int64_t source, std::int64_t tag) -> nb::object {
            std::optional<Channel::Envelope> found;
            {
              auto const unlocked = nb::gil_scoped_release();
              found = s.probe(wanted_of(source, tag));
            }
            if (!found) return nb::none();
            return envelope_of(*found);
          },
          "source"_a, "tag"_a,
          nb::sig("def probe(self, source: int, tag: int) -> tuple[int, int, int, int, bool] | None"))
      .def(
          "receive_object",
          [](Channel& s, std::int64_t source, std::int64_t tag) {
            Channel::Message message;
            {
              auto const unlocked = nb::gil_scoped_release();
              message = s.receive(wanted_of(source, tag), Channel::Content::object);
            }
            auto const size = static_cast<std::size_t>(message.envelope.bytes);
            return nb::make_tuple(envelope_of(message.envelope), nb::bytes(message.data.get(), size));
          },
          "source"_a, "tag"_a,
          nb::sig("def receive_object(self, source: int, tag: int) -> tuple[tuple[int, int, int, int, bool], bytes]"))
      .def(
          "receive",
          [](Channel& s, WriteBytes into, std::int64_t source, std::int64_t tag) {
            auto const bytes = bytes_of(into);
            Channel::Envelope envelope;
            {
              auto const unlocked = nb::gil_scoped_release();
              envelope = s.receive(bytes, wanted_of(source, tag));
            }
            return envelope_of(envelope);
          },
          "into"_a, "source"_a, "tag"_a)
      .def("progress", &Channel::progress, Unlocked())
      .def("close", &Channel::close, "failure"_a, Unlocked())
      .def_prop_ro("is_closed", &Channel::is_closed, Unlocked());
}

}  // namespace allport::python
