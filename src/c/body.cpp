// The C interface: what the bodies of tasks read, write, and send to the other members of their gang.
#include "body.h"

#include <limits>
#include <span>

#include "requests.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

/// An index among the members of a gang.
int member(GangContext const& gang, int given, char const* name) {
  ensure(given >= 0 && given < gang.members(), name, given,
         "a member in 0.." + std::to_string(gang.members() - 1) + " of the gang");
  return given;
}

template <class Byte, class Data>
std::span<Byte> bytes_given(Data* data, std::int64_t bytes) {
  ensure(bytes >= 0, "bytes", bytes, "0 or more");
  ensure(data != nullptr || bytes == 0, "data", "NULL", "so many bytes");
  return {static_cast<Byte*>(data), static_cast<std::size_t>(bytes)};
}

/// Each member's operand of a reduction.
struct Terms {
  std::span<std::byte> data;
  Combine combine;
};
Terms terms(int op, allport_type type, void* data, std::int64_t count) {
  auto with = operator_of(op, type);
  ensure(count >= 0 && count <= std::numeric_limits<std::int64_t>::max() / with.element, "count", count,
         "0 or more elements, less than 2^63 bytes");
  return {bytes_given<std::byte>(data, count * with.element), std::move(with.combine)};
}

}  // namespace

extern "C" {

int allport_body_input(allport_body body, int index, void const** data, int64_t* bytes) {
  return guarded([&] {
    auto const input = the(body, "body").context.input(index);
    place(data, "data") = input.data();
    place(bytes, "bytes") = static_cast<std::int64_t>(input.size());
  });
}

int allport_body_output(allport_body body, int index, void** data, int64_t* bytes) {
  return guarded([&] {
    auto const output = the(body, "body").context.output(index);
    place(data, "data") = output.data();
    place(bytes, "bytes") = static_cast<std::int64_t>(output.size());
  });
}

int allport_body_progress(allport_body body) {
  return guarded([&] { the(body, "body").context.progress(); });
}

int allport_body_gang(allport_body body, int* members, int* me) {
  return guarded([&] {
    auto const& gang = the(body, "body").context.gang();
    place(members, "members") = gang.members();
    place(me, "me") = gang.me();
  });
}

int allport_body_send(allport_body body, int to, void const* data, int64_t bytes) {
  return guarded([&] {
    auto& gang = the(body, "body").context.gang();
    gang.send(member(gang, to, "to"), bytes_given<std::byte const>(data, bytes));
  });
}

int allport_body_receive(allport_body body, int from, void const** data, int64_t* bytes) {
  return guarded([&] {
    auto& of = the(body, "body");
    auto& gang = of.context.gang();
    auto& at = place(data, "data");
    auto& length = place(bytes, "bytes");
    auto const& got = of.received.emplace_back(gang.receive(member(gang, from, "from")));
    at = got.data();
    length = static_cast<std::int64_t>(got.size());
  });
}

int allport_body_bcast(allport_body body, int root, void* data, int64_t bytes) {
  return guarded([&] {
    auto& gang = the(body, "body").context.gang();
    gang.broadcast(member(gang, root, "root"), bytes_given<std::byte>(data, bytes));
  });
}

int allport_body_reduce(allport_body body, int root, int op, allport_type type, void* data, int64_t count) {
  return guarded([&] {
    auto& gang = the(body, "body").context.gang();
    auto const what = terms(op, type, data, count);
    if (root == ALLPORT_ALL) {
      gang.allreduce(what.data, what.combine);
    } else {
      gang.reduce(member(gang, root, "root"), what.data, what.combine);
    }
  });
}

}  // extern "C"
