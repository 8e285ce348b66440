#include "allport/tasks/team.h"

#include "loop_board.h"

namespace allport::tasks {

namespace {

int checked(int drones) {
  ensure(drones >= 0, "drones", drones, "at least 0");
  return drones;
}

}  // namespace

Team::Team(int drones) : board_(std::make_unique<LoopBoard>(1 + checked(drones))) {
  for (int d = 1; d <= drones; ++d) {
    drones_.emplace_back([board = board_.get(), d] { board->serve(d); });
  }
}

Team::Team(std::unique_ptr<LoopBoard> board) : board_(std::move(board)) {}

Team::~Team() {
  if (board_) board_->stop();
  for (auto& drone : drones_) drone.join();
}

Team::Team(Team&& other) noexcept = default;

int Team::size() const { return board_->members(); }

bool Team::help() { return board_->help(board_->members() - 1, 1); }

void Team::for_chunks(std::int64_t iterations, LoopOptions const& options,
                      FunctionRef<void(std::int64_t, std::int64_t)> body) {
  board_->run(iterations, options, body);
}

}  // namespace allport::tasks
