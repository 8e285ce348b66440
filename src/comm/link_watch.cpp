#include "link_watch.h"

#include <algorithm>
#include <cstdlib>

#include "allport/base/error.h"

#ifdef __linux__
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace allport::engine {

LinkWatch::LinkWatch(std::string_view text) {
  std::vector<WatchedLink> links;
  while (!text.empty()) {
    auto const end = std::min(text.find(';'), text.size());
    auto const entry = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    auto const first = entry.find(' ');
    auto const second = first == entry.npos ? entry.npos : entry.find(' ', first + 1);
    ensure(first > 0 && second != entry.npos && second + 1 < entry.size(), "ALLPORT_LINKS", entry,
           "INTERFACE ADDRESS NAME, entries split by ;", "unset it: allport lab run sets it");
    links.push_back({std::string(entry.substr(0, first)), std::string(entry.substr(first + 1, second - first - 1)),
                     std::string(entry.substr(second + 1))});
  }
  if (!links.empty()) links_ = std::make_shared<std::vector<WatchedLink> const>(std::move(links));
}

LinkWatch LinkWatch::from_environment() {
  auto const* const text = std::getenv("ALLPORT_LINKS");
  return text == nullptr ? LinkWatch() : LinkWatch(text);
}

#ifdef __linux__

namespace {

/// Whether the interface exists and is down, or up without a carrier.
bool without_carrier(int asker, std::string const& interface) {
  ifreq request{};
  if (interface.size() >= sizeof request.ifr_name) return false;
  std::copy(interface.begin(), interface.end(), request.ifr_name);
  if (ioctl(asker, SIOCGIFFLAGS, &request) != 0) return false;
  return (request.ifr_flags & IFF_UP) == 0 || (request.ifr_flags & IFF_RUNNING) == 0;
}

/// Whether the kernel has no route to the address. Sends nothing: connecting a datagram socket looks up its route.
bool unreachable(int asker, std::string const& address) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  if (inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) return false;
  return connect(asker, reinterpret_cast<sockaddr const*>(&to), sizeof to) != 0 &&
         (errno == ENETUNREACH || errno == EHOSTUNREACH);
}

}  // namespace

std::optional<std::string> LinkWatch::lost() const {
  if (!links_) return std::nullopt;
  for (auto const& link : *links_) {
    auto const asker = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (asker < 0) return std::nullopt;
    auto const gone = without_carrier(asker, link.interface) && unreachable(asker, link.neighbour);
    close(asker);
    if (gone) return link.name;
  }
  return std::nullopt;
}

#else

std::optional<std::string> LinkWatch::lost() const { return std::nullopt; }

#endif

}  // namespace allport::engine
