#include <fmt/format.h>

#include <istream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "allport/schedule/exchange.h"
#include "allport/schedule/linked.h"
#include "goal_foreign.h"
#include "goal_text.h"
#include "goal_write.h"

namespace allport {
namespace goal {
namespace {

std::string_view trimmed(std::string_view line) {
  auto const blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  return line;
}

/// Its lines without blanks around them, and their numbers.
class LinesOf {
 public:
  explicit LinesOf(std::string_view text) : text_(text) {}

  bool next() {
    if (at_ >= text_.size()) return false;
    auto const end = std::min(text_.find('\n', at_), text_.size());
    now_ = trimmed(text_.substr(at_, end - at_));
    at_ = end + 1;
    ++number_;
    return true;
  }
  bool next_statement() {
    while (next()) {
      if (is_statement(now_)) return true;
    }
    return false;
  }
  static bool is_statement(std::string_view line) { return !line.empty() && !line.starts_with("//"); }
  [[nodiscard]] std::string_view text() const { return now_; }
  [[nodiscard]] std::int64_t number() const { return number_; }

 private:
  std::string_view text_;
  std::string_view now_;
  std::size_t at_ = 0;
  std::int64_t number_ = 0;
};

/// A schedule from export_goal's comments, which must agree with the statements.
class Notes {
 public:
  Notes(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Schedule run() {
    LinesOf lines(text_);
    while (lines.next()) {
      if (!lines.text().starts_with(mark)) continue;
      try {
        take(nlohmann::ordered_json::parse(lines.text().substr(mark.size())));
      } catch (nlohmann::json::exception const& e) {
        fail_at(file_, lines.number(), fmt::format("expected a JSON object after '{}', got: {}", mark, e.what()));
      } catch (Error const& e) {
        fail_at(file_, lines.number(), e.what());
      }
    }
    complete(lines.number());
    auto const programs = programs_;
    auto schedule = Schedule(head_->algorithm, head_->contract, head_->cut, head_->trees,
                             [programs](Rank r, Program& into) { into = programs->at(r); });
    compare(schedule);
    return schedule;
  }

 private:
  void take(nlohmann::ordered_json const& note) {
    if (note.contains("allport_goal")) {
      ensure(!head_, "allport_goal", "again", "one head in a file");
      head_ = read_head(note);
    } else if (!head_) {
      throw Error(ErrorKind::io, "expected the comment with \"allport_goal\" first");
    } else if (note.contains("rank")) {
      finish();
      rank_ = static_cast<Rank>(read_integer(note, "rank", 0, head_->contract.ranks - 1));
      ensure(programs_->try_emplace(rank_).second, "rank", rank_, "every rank once");
      wanted_ = read_integer(note, "operations", 0, std::numeric_limits<std::int32_t>::max());
      now().scratch = read_integer(note, "scratch", 0, std::numeric_limits<std::int64_t>::max());
    } else {
      if (rank_ < 0) throw Error(ErrorKind::io, "expected the comment with \"rank\" before its operations");
      now().ops.push_back(read_operation(note));
    }
  }

  Program& now() { return programs_->at(rank_); }

  void finish() {
    if (rank_ < 0) return;
    auto const got = static_cast<std::int64_t>(now().ops.size());
    ensure(got == wanted_, "operations", got, fmt::format("comments for the {} of rank {}", wanted_, rank_));
    check_program(now(), rank_, head_->contract.ranks, extents(head_->contract, rank_));
  }

  void complete(std::int64_t last_line) {
    try {
      finish();
    } catch (Error const& e) {
      fail_at(file_, last_line, e.what());
    }
    auto const got = programs_->size();
    if (static_cast<Rank>(got) != head_->contract.ranks) {
      fail_at(file_, last_line,
              fmt::format("expected the {} ranks that the first comment names, got {}", head_->contract.ranks, got));
    }
  }

  // What the comments say, written again, must be the statements of the file.
  void compare(Schedule const& schedule) {
    constexpr std::string_view remedy = "change both, or delete the comments '//@' to read it as GOAL from elsewhere";
    LinesOf lines(text_);
    write(schedule, head_->costs, [&](std::string_view wanted) {
      if (!LinesOf::is_statement(wanted)) return;
      bool const is_there = lines.next_statement();
      if (is_there && lines.text() == wanted) return;
      fail_at(file_, lines.number(),
              fmt::format("expected '{}' as the comments say, got {}; {}", wanted,
                          is_there ? fmt::format("'{}'", lines.text()) : "the end of the file", remedy));
    });
    if (lines.next_statement()) {
      fail_at(file_, lines.number(),
              fmt::format("expected the end of the file as the comments say, got '{}'; {}", lines.text(), remedy));
    }
  }

  std::string_view text_;
  std::string_view file_;
  std::optional<Head> head_;
  std::shared_ptr<std::map<Rank, Program>> programs_ = std::make_shared<std::map<Rank, Program>>();
  Rank rank_ = -1;
  std::int64_t wanted_ = 0;
};

bool has_notes(std::string_view text) {
  LinesOf lines(text);
  while (lines.next()) {
    if (lines.text().starts_with(mark)) return true;
  }
  return false;
}

}  // namespace
}  // namespace goal

Schedule import_goal(std::istream& in, std::string_view file, double copy_seconds_per_byte) {
  goal::check({0.0, copy_seconds_per_byte});
  auto const text = std::string(std::istreambuf_iterator<char>(in), {});
  if (goal::has_notes(text)) return goal::Notes(text, file).run();
  return goal::foreign(goal::parse(text, file), file, copy_seconds_per_byte);
}

}  // namespace allport
