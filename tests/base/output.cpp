// drain_output() waits until the output of a process was read.
#include "base/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace allport {
namespace {

using std::chrono::milliseconds;

/// stderr goes to `fd` for as long as this lives.
class Redirected {
 public:
  explicit Redirected(int fd) : kept_(dup(STDERR_FILENO)) { dup2(fd, STDERR_FILENO); }
  ~Redirected() {
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }

 private:
  int kept_;
};

TEST(Output, WaitsForASlowReader) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  auto const words = std::string(5000, 'x');
  auto seen = std::atomic<std::size_t>(0);
  auto reader = std::thread([&] {
    std::this_thread::sleep_for(milliseconds(100));
    std::array<char, 1000> part{};
    while (seen < words.size()) seen += static_cast<std::size_t>(read(ends[0], part.data(), part.size()));
  });
  std::size_t seen_then = 0;
  {
    auto const there = Redirected(ends[1]);
    std::fputs(words.c_str(), stderr);
    drain_output(std::chrono::seconds(60));
    seen_then = seen + 1000;  // what the last read took may not have been counted yet
  }
  reader.join();
  EXPECT_GE(seen_then, words.size());
  close(ends[0]);
  close(ends[1]);
}

TEST(Output, GivesUpOnAReaderThatNeverReads) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  auto const begin = std::chrono::steady_clock::now();
  {
    auto const there = Redirected(ends[1]);
    std::fputs("nobody reads this", stderr);
    drain_output(milliseconds(50));
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(50));
  close(ends[0]);
  close(ends[1]);
}

TEST(Output, DoesNotWaitForAFile) {
  auto const file = open("/dev/null", O_WRONLY);
  ASSERT_GE(file, 0);
  {
    auto const there = Redirected(file);
    std::fputs("gone", stderr);
    drain_output(std::chrono::hours(1));
  }
  close(file);
}

}  // namespace
}  // namespace allport
