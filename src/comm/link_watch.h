// Watches the links of this process's node, if the environment names their network interfaces.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace allport::engine {

struct WatchedLink {
  std::string interface;
  std::string neighbour;  ///< IPv4 address at the other end
  std::string name;       ///< "(3,0)+x -> (0,0)"
};

/// Cheap to copy.
class LinkWatch {
 public:
  LinkWatch() = default;
  /// Reads `INTERFACE ADDRESS NAME;...`, the form of ALLPORT_LINKS (`allport lab run` sets it).
  /// @throws Error naming ALLPORT_LINKS and the entry that is wrong
  explicit LinkWatch(std::string_view text);
  [[nodiscard]] static LinkWatch from_environment();

  [[nodiscard]] bool watched() const { return links_ != nullptr; }
  /// Name of a link whose interface exists but has no carrier, if there is no other route to its neighbour. Takes some
  /// system calls: call it only after a long time without progress.
  [[nodiscard]] std::optional<std::string> lost() const;

 private:
  std::shared_ptr<std::vector<WatchedLink> const> links_;
};

}  // namespace allport::engine
