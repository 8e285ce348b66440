// Topology IDs in text form: `3x1bit`, `4x3bit:2048`, or a file with a line for each rank.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include "allport/machine/topology_id.h"

namespace allport {
namespace {

/// Takes a number from the front of `text`; nothing if there is none, or if it is too large.
std::optional<std::int32_t> take_number(std::string_view& text) {
  std::int32_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.front() == '-') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<TopologyIds> given_in(std::string_view spec) {
  auto const digits = take_number(spec);
  if (!digits || !take(spec, "x")) return std::nullopt;
  auto const bits = take_number(spec);
  if (!bits || !take(spec, "bit")) return std::nullopt;
  if (spec.empty()) {
    auto const all = static_cast<std::int64_t>(*digits) * *bits;
    ensure(all < 31, "ids", all, "IDs of at most 30 bits where all are ranks",
           "say how many ranks there are: 8x4bit:100000");
    return TopologyIds::given(*digits, *bits, Rank{1} << all);
  }
  auto const colon = take(spec, ":");
  auto const ranks = take_number(spec);
  if (!colon || !ranks || !spec.empty()) return std::nullopt;
  return TopologyIds::given(*digits, *bits, *ranks);
}

/// "2.0.13.1": the digits of one line.
std::vector<int> digits_of(std::string_view line, std::string_view where) {
  std::vector<int> digits;
  auto rest = line;
  do {
    auto const digit = rest.empty() ? std::nullopt : take_number(rest);
    ensure(digit && *digit < 1 << TopologyIds::most_bits, where, line,
           fmt::format("digits of 0 to {} with dots between them", (1 << TopologyIds::most_bits) - 1),
           "write a rank's ID as in 2.0.13.1", ErrorKind::io);
    digits.push_back(*digit);
  } while (take(rest, "."));
  ensure(rest.empty(), where, line, "digits with dots between them, and nothing else",
         "write a rank's ID as in 2.0.13.1", ErrorKind::io);
  return digits;
}

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, line.find('#'));
  auto const blank = std::string_view(" \t\r");
  auto const begin = line.find_first_not_of(blank);
  return begin == line.npos ? std::string_view() : line.substr(begin, line.find_last_not_of(blank) - begin + 1);
}

}  // namespace

TopologyIds TopologyIds::parse(std::string_view spec) {
  if (auto const ids = given_in(spec)) return *ids;
  std::ifstream file{std::string(spec)};
  ensure(file.good(), "ids", spec, "DIGITSxWbit, as 3x1bit or 4x3bit:2048, or a file with a line for each rank",
         "name one that can be read", ErrorKind::io);
  std::ostringstream text;
  text << file.rdbuf();
  return from_text(text.str(), spec);
}

TopologyIds TopologyIds::from_text(std::string_view text, std::string_view origin) {
  std::vector<int> all;
  std::size_t each = 0;
  int largest = 0;
  for (int number = 1; !text.empty(); ++number) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = without_comment(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto const where = fmt::format("{}:{}", origin, number);
    auto const digits = digits_of(line, where);
    if (each == 0) each = digits.size();
    ensure(digits.size() == each, where, line, fmt::format("{} digits, as in the lines before", each), "",
           ErrorKind::io);
    for (auto const d : digits) largest = std::max(largest, d);
    all.insert(all.end(), digits.begin(), digits.end());
  }
  ensure(each > 0, origin, "", "a line with digits for each rank", "", ErrorKind::io);
  auto const bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(largest))));
  ensure(each * static_cast<std::size_t>(bits) <= 64, origin, each,
         fmt::format("digits that fit into 64 bits, {} each", bits), "", ErrorKind::io);
  std::vector<TopologyId> ids(all.size() / each, 0);
  for (std::size_t i = 0; i < all.size(); ++i) ids[i / each] = ids[i / each] << bits | static_cast<TopologyId>(all[i]);
  return listed(std::move(ids), static_cast<int>(each), bits);
}

}  // namespace allport
