// The C interface: channels.
#include "allport/comm/channel.h"

#include <memory>

#include "handles.h"
#include "options.h"

using namespace allport;
using namespace allport::c_interface;

struct allport_channel_s {
  explicit allport_channel_s(Communicator const& comm, ChannelOptions options) : channel(comm, std::move(options)) {}
  Channel channel;
};

namespace {

void describe(Channel::Envelope const& envelope, allport_message* message) {
  if (message != nullptr) *message = {envelope.tag, envelope.bytes, envelope.number, envelope.source};
}

}  // namespace

extern "C" {

int allport_channel_create(allport_comm comm, char const* options, allport_channel* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    ChannelOptions wanted;
    std::string trouble;
    try {
      read_options(options, "tree= or segment=", [&](std::string const& key, std::string const& value) {
        if (key == "tree") {
          wanted.tree = value;
        } else if (key == "segment") {
          wanted.segment = Bytes(whole_number(value, key));
        } else {
          return false;
        }
        return true;
      });
    } catch (Error const& e) {
      trouble = e.what();
    }
    on.ensure_all_well(trouble);
    return new allport_channel_s(on, std::move(wanted));
  });
}

int allport_channel_send(allport_channel channel, int ranks, int const* members, int64_t tag, void const* data,
                         int64_t bytes) {
  return guarded([&] {
    auto& on = the(channel, "channel").channel;
    ensure(ranks >= 0, "ranks", ranks, "0 or more");
    ensure(members != nullptr || ranks == 0, "members", "NULL", "ranks of the communicator");
    ensure(bytes >= 0, "bytes", bytes, "0 or more");
    ensure(data != nullptr || bytes == 0, "data", "NULL", "the message");
    on.send({members, static_cast<std::size_t>(ranks)}, tag,
            {static_cast<std::byte const*>(data), static_cast<std::size_t>(bytes)});
  });
}

int allport_channel_probe(allport_channel channel, int source, int64_t tag, int* there, allport_message* message) {
  return guarded([&] {
    auto& on = the(channel, "channel").channel;
    auto& found = place(there, "there");
    auto const envelope = on.probe({source, tag});
    found = envelope ? 1 : 0;
    if (envelope) describe(*envelope, message);
  });
}

int allport_channel_receive(allport_channel channel, int source, int64_t tag, void* data, int64_t bytes,
                            allport_message* message) {
  return guarded([&] {
    auto& on = the(channel, "channel").channel;
    ensure(bytes >= 0, "bytes", bytes, "0 or more");
    ensure(data != nullptr || bytes == 0, "data", "NULL", "a place for the message");
    describe(on.receive({static_cast<std::byte*>(data), static_cast<std::size_t>(bytes)}, {source, tag}), message);
  });
}

int allport_channel_free(allport_channel* channel) {
  return guarded([&] {
    std::unique_ptr<allport_channel_s> const last(std::exchange(place(channel, "channel"), nullptr));
    if (last) last->channel.close();
  });
}

}  // extern "C"
