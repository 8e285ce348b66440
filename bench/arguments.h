// Reads and checks a benchmark's command line; errors end the program with a message.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allport/base/error.h"

namespace allport::bench {

/// Splits "a,b" at the separator; an empty text gives one empty part.
inline std::vector<std::string> parts(std::string const& text, char between) {
  std::vector<std::string> found;
  for (std::size_t from = 0; from <= text.size();) {
    auto const to = std::min(text.find(between, from), text.size());
    found.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return found;
}

/// @throws Error(argument) that names the argument and what is expected
inline std::int64_t whole_number(std::string_view name, std::string const& text, std::int64_t least) {
  std::int64_t value = least - 1;
  std::size_t read = 0;
  try {
    value = std::stoll(text, &read);
  } catch (std::exception const&) {
    read = text.size() + 1;
  }
  ensure(read == text.size() && value >= least, name, text, fmt::format("a whole number from {} on", least));
  return value;
}

/// For ints that are not sizes in bytes: at most a million.
inline int small_number(std::string_view name, std::string const& text, int least) {
  auto const value = whole_number(name, text, least);
  ensure(value <= 1'000'000, name, text, "at most 1000000");
  return static_cast<int>(value);
}

/// Numbers separated by commas; an empty text gives none.
inline std::vector<int> small_numbers(std::string_view name, std::string const& text, int least) {
  std::vector<int> all;
  if (text.empty()) return all;
  for (auto const& part : parts(text, ',')) all.push_back(small_number(name, part, least));
  return all;
}

/// The positional words, and the options among them: "--flag" or "--option VALUE".
class Arguments {
 public:
  using Names = std::vector<std::string>;

  /// @throws Error(argument) for an option that is neither among `flags` nor `valued`, or has no value
  Arguments(int argc, char** argv, Names const& flags = {}, Names const& valued = {}) {
    for (int a = 1; a < argc; ++a) {
      std::string const word = argv[a];
      if (!word.starts_with("--")) {
        words_.push_back(word);
      } else if (std::ranges::find(flags, word) != flags.end()) {
        options_.emplace_back(word, "");
      } else {
        auto known = flags;
        known.insert(known.end(), valued.begin(), valued.end());
        bool const takes_value = std::ranges::find(valued, word) != valued.end();
        ensure(takes_value, "option", word, known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
        ensure(a + 1 < argc, "option", word, "a value after it");
        options_.emplace_back(word, argv[++a]);
      }
    }
  }

  /// The next word.
  [[nodiscard]] std::string word(std::string fallback) {
    return next_ < words_.size() ? words_[next_++] : std::move(fallback);
  }
  [[nodiscard]] int number(std::string_view name, int fallback, int least = 1) {
    return next_ < words_.size() ? small_number(name, words_[next_++], least) : fallback;
  }
  [[nodiscard]] std::int64_t long_number(std::string_view name, std::int64_t fallback, std::int64_t least) {
    return next_ < words_.size() ? whole_number(name, words_[next_++], least) : fallback;
  }
  /// @throws Error(argument) if words are left
  void end() const {
    if (next_ < words_.size()) throw Error::argument("argument", show(words_[next_]), "no further argument");
  }

  [[nodiscard]] bool has(std::string_view flag) const {
    return std::ranges::any_of(options_, [&](auto const& o) { return o.first == flag; });
  }
  /// The last one given.
  [[nodiscard]] std::string value(std::string_view option, std::string fallback) const {
    for (auto const& [name, value] : options_) {
      if (name == option) fallback = value;
    }
    return fallback;
  }
  /// All, in order.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& options() const { return options_; }

 private:
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> options_;
  std::size_t next_ = 0;
};

/// Returns body(), the program's exit code; if it throws, prints the message and returns 1.
template <class Body>
int alone(char const* program, Body const& body) {
  try {
    return body();
  } catch (std::exception const& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return 1;
  }
}

}  // namespace allport::bench
