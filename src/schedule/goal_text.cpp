#include "goal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "allport/base/error.h"
#include "goal_notes.h"

namespace allport::goal {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// Words, numbers and signs; "\n" ends a line, "" the text. A number and a word touch in "1024b".
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view file) : text_(text), file_(file) { next(); }

  [[nodiscard]] std::string_view token() const { return token_; }
  [[nodiscard]] std::int64_t line() const { return line_; }
  [[nodiscard]] bool at_end() const { return token_.empty(); }

  void next() {
    if (token_ == "\n") ++line_;
    skip_blanks();
    auto const begin = at_;
    if (at_ == text_.size()) {
      token_ = {};
      return;
    }
    auto const first = text_[at_++];
    if (letter(first)) {
      while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_]))) ++at_;
    } else if (digit(first) || (first == '-' && at_ < text_.size() && digit(text_[at_]))) {
      while (at_ < text_.size() && digit(text_[at_])) ++at_;
    }
    token_ = text_.substr(begin, at_ - begin);
  }

  [[noreturn]] void expected(std::string_view what) const {
    auto const got = at_end() ? "the end of the file" : token_ == "\n" ? "the end of the line" : "";
    fail_at(
        file_, line_,
        *got != 0 ? fmt::format("expected {}, got {}", what, got) : fmt::format("expected {}, got '{}'", what, token_));
  }

  bool accept(std::string_view word) {
    if (token_ != word) return false;
    next();
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) expected(fmt::format("'{}'", word));
  }
  void expect_line_end() {
    if (!at_end() && token_ != "}" && !accept("\n")) expected("the end of the line");
  }
  void skip_line_ends() {
    while (accept("\n")) {
    }
  }

  std::int64_t number(std::string_view what, std::int64_t high) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(token_.data(), token_.data() + token_.size(), value);
    if (token_.empty() || error != std::errc() || end != token_.data() + token_.size() || value < 0 || value > high) {
      expected(fmt::format("{} in 0..{}", what, high));
    }
    next();
    return value;
  }

  std::string_view word(std::string_view what) {
    if (at_end() || !letter(token_[0])) expected(what);
    auto const got = token_;
    next();
    return got;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      auto const rest = text_.substr(at_);
      if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r') {
        ++at_;
      } else if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        auto const end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos)
          fail_at(file_, line_, "expected '*/' after this '/*', got the end of the file");
        for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::string_view file_;
  std::string_view token_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : scan_(text, file), file_(file) {}

  Text run() {
    scan_.skip_line_ends();
    scan_.expect("num_ranks");
    parsed_.ranks = static_cast<Rank>(scan_.number("a number of ranks", most_ranks));
    if (parsed_.ranks == 0) fail_at(file_, scan_.line(), "expected at least 1 rank, got 0");
    for (scan_.skip_line_ends(); !scan_.at_end(); scan_.skip_line_ends()) rank();
    return std::move(parsed_);
  }

 private:
  void rank() {
    auto const line = scan_.line();
    scan_.expect("rank");
    auto const r = static_cast<Rank>(scan_.number("a rank", parsed_.ranks - 1));
    auto const [block, is_new] = parsed_.programs.try_emplace(r);
    if (!is_new) fail_at(file_, line, fmt::format("expected every rank once, got rank {} again", r));
    statements_ = &block->second;
    labels_.clear();
    scan_.skip_line_ends();
    scan_.expect("{");
    for (scan_.skip_line_ends(); !scan_.accept("}"); scan_.skip_line_ends()) statement(r);
  }

  void statement(Rank r) {
    auto const line = scan_.line();
    auto first = scan_.word("send, recv, calc, a label or '}'");
    if (first == "send" || first == "recv" || first == "calc") return operation(first, line, r);
    if (scan_.token() == "requires" || scan_.token() == "irequires") return requirement(first);
    if (!scan_.accept(":")) scan_.expected(fmt::format("':', 'requires' or 'irequires' after '{}'", first));
    if (!labels_.try_emplace(first, static_cast<std::int32_t>(statements_->size())).second) {
      fail_at(file_, line, fmt::format("expected a new label, got '{}' again", first));
    }
    operation(scan_.word("send, recv or calc"), line, r);
  }

  void operation(std::string_view what, std::int64_t line, Rank r) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    Statement s;
    s.line = line;
    if (what == "calc") {
      s.size = scan_.number("nanoseconds", largest);
    } else if (what == "send" || what == "recv") {
      s.act = what == "send" ? Act::send : Act::receive;
      s.size = scan_.number("bytes", largest);
      scan_.expect("b");
      scan_.expect(s.act == Act::send ? "to" : "from");
      if (scan_.token() == "-1") fail_at(file_, line, "expected the sender's rank, got -1: a schedule knows who sends");
      s.peer = static_cast<Rank>(scan_.number("a rank", parsed_.ranks - 1));
      if (s.peer == r) fail_at(file_, line, fmt::format("expected another rank, got {} itself", r));
      if (s.size == 0) fail_at(file_, line, "expected at least 1 byte, got 0: an empty message carries nothing");
      if (scan_.accept("tag")) {
        if (scan_.token() == "-1") fail_at(file_, line, "expected a tag, got -1: a schedule knows which message");
        s.tag = static_cast<std::uint32_t>(scan_.number("a tag", std::numeric_limits<std::uint32_t>::max()));
      }
    } else {
      fail_at(file_, line, fmt::format("expected send, recv or calc, got '{}'", what));
    }
    if (scan_.accept("cpu")) scan_.number("a processor", 255);
    if (what != "calc" && scan_.accept("nic")) scan_.number("a network interface", 255);
    scan_.expect_line_end();
    statements_->push_back(std::move(s));
  }

  void requirement(std::string_view label) {
    auto const later = find(label);
    bool const at_start = scan_.word("requires") == "irequires";
    auto const earlier = find(scan_.token());
    scan_.word("a label");
    scan_.expect_line_end();
    auto& s = (*statements_)[static_cast<std::size_t>(later)];
    (at_start ? s.after_start : s.after_end).push_back(earlier);
  }

  std::int32_t find(std::string_view label) {
    auto const found = labels_.find(label);
    if (found == labels_.end()) {
      fail_at(file_, scan_.line(), fmt::format("expected a label from above in this rank, got '{}'", label));
    }
    return found->second;
  }

  Scanner scan_;
  std::string_view file_;
  Text parsed_;
  std::vector<Statement>* statements_ = nullptr;
  std::unordered_map<std::string_view, std::int32_t> labels_;
};

}  // namespace

void fail_at(std::string_view file, std::int64_t line, std::string_view what) {
  throw Error(ErrorKind::io, fmt::format("{}:{}: {}", file, line, what));
}

Text parse(std::string_view text, std::string_view file) { return Parser(text, file).run(); }

}  // namespace allport::goal
