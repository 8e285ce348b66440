// Pattern files.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "allport/pattern/pattern.h"

namespace allport {

namespace {

using nlohmann::json;

/// Reads the parts of a pattern file; errors name the part.
class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  [[noreturn]] void fail(std::string const& what) const {
    throw Error(ErrorKind::io, fmt::format("{}: {}; expected {{\"ranks\": 4, \"messages\": [[from, to, bytes], ...]}}",
                                           origin_, what));
  }
  [[nodiscard]] std::int64_t number(json const& value, std::string const& name, std::int64_t least,
                                    std::int64_t most) const {
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > max_)) {
      fail(fmt::format("{} is not a whole number", name));
    }
    auto const n = value.get<std::int64_t>();
    if (n < least || n > most) fail(fmt::format("{} = {} is not in {}..{}", name, n, least, most));
    return n;
  }
  [[nodiscard]] std::int32_t length(json const& value, std::string const& name) const {
    return static_cast<std::int32_t>(number(value, name, 1, std::numeric_limits<std::int32_t>::max()));
  }
  [[nodiscard]] bool flag(json const& from, char const* name) const {
    if (!from.contains(name)) return true;
    if (!from[name].is_boolean()) fail(fmt::format("grid.{} is neither true nor false", name));
    return from[name].get<bool>();
  }
  /// One flag for all axes, or a list.
  [[nodiscard]] std::vector<bool> periodic(json const& from, std::size_t axes) const {
    if (!from.contains("periodic") || !from["periodic"].is_array()) {
      return flag(from, "periodic") ? std::vector<bool>{} : std::vector<bool>(axes, false);
    }
    std::vector<bool> found;
    for (auto const& p : from["periodic"]) {
      if (!p.is_boolean()) fail("grid.periodic has an entry that is neither true nor false");
      found.push_back(p.get<bool>());
    }
    if (found.size() != axes)
      fail(fmt::format("grid.periodic has {} entries, but the grid {} axes", found.size(), axes));
    return found;
  }
  [[nodiscard]] std::optional<CartGrid> grid(json const& from) const {
    if (!from.contains("grid") || from["grid"].is_null()) return std::nullopt;
    auto const& g = from["grid"];
    if (!g.is_object() || !g.contains("lengths") || !g["lengths"].is_array()) fail("grid has no list of lengths");
    CartGrid grid;
    for (auto const& n : g["lengths"]) grid.lengths.push_back(length(n, "grid.lengths"));
    grid.last_fastest = flag(g, "last_fastest");
    grid.periodic = periodic(g, grid.lengths.size());
    return grid;
  }

 private:
  static constexpr std::uint64_t max_ = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::string_view origin_;
};

}  // namespace

std::string Pattern::to_json() const {
  auto messages = json::array();
  for (Rank r = 0; r < ranks(); ++r) {
    for (auto const& f : flows().of(r)) messages.push_back({r, f.peer, f.bytes});
  }
  json file = {{"name", name_}, {"ranks", ranks()}, {"messages", std::move(messages)}};
  if (grid_) {
    std::vector<bool> periodic;
    for (int a = 0; a < grid_->axes(); ++a) periodic.push_back(grid_->is_periodic(a));
    bool const alike = std::ranges::adjacent_find(periodic, std::not_equal_to<>()) == periodic.end();
    file["grid"] = {{"lengths", grid_->lengths}, {"last_fastest", grid_->last_fastest}};
    file["grid"]["periodic"] = alike ? json(grid_->is_periodic(0)) : json(periodic);
  }
  return file.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Pattern Pattern::from_json(std::string_view text, std::string_view origin) {
  auto const reader = Reader(origin);
  auto const file = json::parse(text, nullptr, false);
  if (file.is_discarded()) reader.fail("is not JSON");
  if (!file.is_object()) reader.fail("is not a JSON object");
  for (auto const* key : {"ranks", "messages"}) {
    if (!file.contains(key)) reader.fail(fmt::format("has no \"{}\"", key));
  }
  auto const ranks = reader.length(file["ranks"], "ranks");
  if (!file["messages"].is_array()) reader.fail("messages is not a list");
  std::vector<Message> messages;
  messages.reserve(file["messages"].size());
  for (auto const& m : file["messages"]) {
    auto const name = [&](char const* part) { return fmt::format("messages[{}].{}", messages.size(), part); };
    if (!m.is_array() || m.size() != 3)
      reader.fail(fmt::format("messages[{}] is not [from, to, bytes]", messages.size()));
    messages.push_back({static_cast<Rank>(reader.number(m[0], name("from"), 0, ranks - 1)),
                        static_cast<Rank>(reader.number(m[1], name("to"), 0, ranks - 1)),
                        reader.number(m[2], name("bytes"), 0, std::numeric_limits<std::int64_t>::max())});
  }
  auto name = file.contains("name") && file["name"].is_string() ? file["name"].get<std::string>() : std::string(origin);
  auto grid = reader.grid(file);
  if (grid) {
    grid->check();
    if (grid->ranks() != ranks) reader.fail(fmt::format("grid {} does not have {} ranks", grid->text(), ranks));
  }
  return of_messages(std::move(name), ranks, messages, std::move(grid));
}

}  // namespace allport
