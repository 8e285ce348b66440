// The C interface: what the bodies of tasks read, write, and say to the other members of their gang.
#include "body.h"

#include <limits>
#include <span>

#include "calls.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

/// A place among the members of a gang.
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

/// What each member brings to a sum, or what takes its place.
struct Terms {
  std::span<std::byte> data;
  Combine combine;
};
Terms terms(int op, char type, void* data, std::int64_t count) {
  auto with = operator_of(op, type);
  ensure(count >= 0 && count <= std::numeric_limits<std::int64_t>::max() / with.element, "count", count,
         "0 or more elements, less than 2^63 bytes");
  return {bytes_given<std::byte>(data, count * with.element), std::move(with.combine)};
}

}  // namespace

extern "C" {

int allport_body_input(allport_body body, int index, void const** data, int64_t* bytes) {
  return guarded([&] {
    ensure(data != nullptr, "data", "NULL", "a place for the address");
    ensure(bytes != nullptr, "bytes", "NULL", "a place for the length");
    auto const input = the(body, "body").context.input(index);
    *data = input.data();
    *bytes = static_cast<std::int64_t>(input.size());
  });
}

int allport_body_output(allport_body body, int index, void** data, int64_t* bytes) {
  return guarded([&] {
    ensure(data != nullptr, "data", "NULL", "a place for the address");
    ensure(bytes != nullptr, "bytes", "NULL", "a place for the length");
    auto const output = the(body, "body").context.output(index);
    *data = output.data();
    *bytes = static_cast<std::int64_t>(output.size());
  });
}

int allport_body_progress(allport_body body) {
  return guarded([&] { the(body, "body").context.progress(); });
}

int allport_body_gang(allport_body body, int* members, int* me) {
  return guarded([&] {
    ensure(members != nullptr && me != nullptr, "members, me", "NULL", "places for them");
    auto const& gang = the(body, "body").context.gang();
    *members = gang.members();
    *me = gang.me();
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
    ensure(data != nullptr, "data", "NULL", "a place for the address");
    ensure(bytes != nullptr, "bytes", "NULL", "a place for the length");
    auto& of = the(body, "body");
    auto& gang = of.context.gang();
    auto const& got = of.received.emplace_back(gang.receive(member(gang, from, "from")));
    *data = got.data();
    *bytes = static_cast<std::int64_t>(got.size());
  });
}

int allport_body_bcast(allport_body body, int root, void* data, int64_t bytes) {
  return guarded([&] {
    auto& gang = the(body, "body").context.gang();
    gang.broadcast(member(gang, root, "root"), bytes_given<std::byte>(data, bytes));
  });
}

int allport_body_reduce(allport_body body, int root, int op, char type, void* data, int64_t count) {
  return guarded([&] {
    auto& gang = the(body, "body").context.gang();
    auto const what = terms(op, type, data, count);
    gang.reduce(member(gang, root, "root"), what.data, what.combine);
  });
}

int allport_body_allreduce(allport_body body, int op, char type, void* data, int64_t count) {
  return guarded([&] {
    auto& gang = the(body, "body").context.gang();
    auto const what = terms(op, type, data, count);
    gang.allreduce(what.data, what.combine);
  });
}

}  // extern "C"
