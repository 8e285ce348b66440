#include "npy_dict.h"

#include <fmt/format.h>

#include <charconv>

#include "file.h"

namespace allport::io {
namespace {

class Parser {
 public:
  Parser(std::string const& path, std::string_view text) : path_(path), text_(text) {}

  NpyDict dict() {
    NpyDict result;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      auto const key = string("a key");
      expect(':');
      bool* seen = key == "descr" ? &descr : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
      if (seen == nullptr || *seen) {
        complain(fmt::format("each of the keys 'descr', 'fortran_order' and 'shape' once, not '{}'", shown(key)));
      }
      *seen = true;
      if (seen == &descr) {
        result.descr = element_type();
      } else if (seen == &order) {
        result.fortran_order = boolean();
      } else {
        result.shape = tuple();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) {
      complain("only spaces after the dict");
    }
    if (!descr || !order || !shape) {
      complain(fmt::format("the key '{}'", !descr ? "descr" : !order ? "fortran_order" : "shape"));
    }
    return result;
  }

 private:
  [[noreturn]] void complain(std::string_view expected) const {
    fail(path_,
         fmt::format("not a .npy header: expected {} at character {} of \"{}\"", expected, at_, shown(text_, 120)));
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
  }

  bool accept(char c) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }

  void expect(char c) {
    if (!accept(c)) {
      complain(fmt::format("'{}'", c));
    }
  }

  std::string string(std::string_view what) {
    auto const quote = accept('\'') ? '\'' : accept('"') ? '"' : '\0';
    if (quote == '\0') {
      complain(fmt::format("{} in quotes", what));
    }
    auto const end = text_.find(quote, at_);
    if (end == std::string_view::npos) {
      complain("a closing quote");
    }
    auto const value = text_.substr(at_, end - at_);
    if (value.find('\\') != std::string_view::npos) {
      complain("a string without escapes");
    }
    at_ = end + 1;
    return std::string(value);
  }

  std::string element_type() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') {
      fail(path_, "structured dtype: expected numbers; save one field of the array instead");
    }
    return string("a dtype");
  }

  bool boolean() {
    skip_space();
    for (auto const word : {std::string_view("True"), std::string_view("False")}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return word == "True";
      }
    }
    complain("True or False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      values.push_back(integer());
      if (!accept(',')) {
        if (values.size() == 1) {
          complain("',': a tuple of one is written (n,)");
        }
        expect(')');
        break;
      }
    }
    return values;
  }

  std::int64_t integer() {
    skip_space();
    std::int64_t value = 0;
    auto const* begin = text_.data() + at_;
    auto const [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (code != std::errc() || value < 0) {
      complain("an integer >= 0 of at most 64 bits");
    }
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && text_[at_] == 'L') {
      ++at_;  // suffix L of Python 2's long integers
    }
    return value;
  }

  std::string const& path_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyDict parse_npy_dict(std::string const& path, std::string_view text) { return Parser(path, text).dict(); }

}  // namespace allport::io
