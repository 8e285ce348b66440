#include "allport/loops/team.h"

#include "loop_board.h"

namespace allport::loops {

namespace {

int checked(int members) {
  ensure(members >= 0, "members", members, "at least 0");
  return members;
}

}  // namespace

Team::Team(int members) : board_(std::make_unique<LoopBoard>(1 + checked(members))) {
  for (int d = 1; d <= members; ++d) {
    members_.emplace_back([board = board_.get(), d] { board->serve(d); });
  }
}

Team::Team(std::unique_ptr<LoopBoard> board) : board_(std::move(board)) {}

Team::~Team() {
  if (board_) board_->stop();
  for (auto& member : members_) member.join();
}

Team::Team(Team&& other) noexcept = default;

int Team::size() const { return board_->threads(); }

bool Team::help() { return board_->help(board_->threads() - 1, 1); }

void Team::for_chunks(std::int64_t iterations, LoopOptions const& options,
                      FunctionRef<void(std::int64_t, std::int64_t)> body) {
  board_->run(iterations, options, body);
}

}  // namespace allport::loops
