#include "output.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

namespace allport {
namespace {

/// Bytes that were written to `fd` and not read yet; 0 if it is unknown.
int unread(int fd) {
  struct stat what {};
  if (fstat(fd, &what) != 0) return 0;
  int bytes = 0;
  auto const request = S_ISFIFO(what.st_mode) ? FIONREAD : S_ISSOCK(what.st_mode) ? SIOCOUTQ : TIOCOUTQ;
  if ((S_ISFIFO(what.st_mode) || S_ISSOCK(what.st_mode) || S_ISCHR(what.st_mode)) && ioctl(fd, request, &bytes) == 0) {
    return bytes;
  }
  return 0;
}

}  // namespace

void drain_output(std::chrono::milliseconds patience) {
  std::fflush(stdout);
  std::fflush(stderr);
  auto const end = std::chrono::steady_clock::now() + patience;
  while (unread(STDOUT_FILENO) + unread(STDERR_FILENO) > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace allport
