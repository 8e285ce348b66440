#include "file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace allport::io {
namespace {

constexpr std::size_t longest_transfer = std::size_t(1) << 30;  // the kernel moves less than 2 GiB at once

[[noreturn]] void fail_with_errno(std::string const& path, std::string_view what) {
  fail(path, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

void fail(std::string const& path, std::string_view what) {
  throw Error(ErrorKind::io, fmt::format("'{}': {}", path, what));
}

std::string shown(std::string_view text, std::size_t longest) {
  auto beginning = std::string(text.substr(0, longest));
  std::ranges::replace_if(
      beginning, [](unsigned char c) { return c < 32 || c > 126; }, '.');
  return text.size() > longest ? beginning + "..." : beginning;
}

File File::open(std::string const& path) {
  auto const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    fail_with_errno(path, "cannot be opened");
  }
  File file(path, fd);
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    fail_with_errno(path, "cannot be examined");
  }
  if (!S_ISREG(status.st_mode)) {
    fail(path, "is not a regular file; matrices are read by several processes, each at its own place");
  }
  return file;
}

File File::open_to_write(std::string const& path) {
  auto const fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) {
    fail_with_errno(path, "cannot be opened for writing");
  }
  return {path, fd};
}

File File::create(std::string const& path, std::int64_t bytes) {
  auto const fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    fail_with_errno(path, "cannot be created");
  }
  File file(path, fd);
  if (::ftruncate(fd, bytes) != 0) {
    fail_with_errno(path, fmt::format("cannot be made {} bytes long", bytes));
  }
  return file;
}

File::~File() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

std::int64_t File::size() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) {
    fail_with_errno(path_, "cannot be examined");
  }
  return status.st_size;
}

std::size_t File::read_some(std::span<std::byte> data, std::int64_t offset) const {
  std::size_t done = 0;
  while (done < data.size()) {
    auto const got = ::pread(fd_, data.data() + done, std::min(data.size() - done, longest_transfer),
                             offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno != EINTR) {
      fail_with_errno(path_, fmt::format("cannot be read at byte {}", offset + static_cast<std::int64_t>(done)));
    }
    if (got == 0) {
      break;
    }
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return done;
}

void File::read(std::span<std::byte> data, std::int64_t offset) const {
  auto const got = read_some(data, offset);
  if (got < data.size()) {
    fail(path_, fmt::format("truncated: {} bytes needed, {} there", offset + static_cast<std::int64_t>(data.size()),
                            offset + static_cast<std::int64_t>(got)));
  }
}

void File::write(std::span<std::byte const> data, std::int64_t offset) const {
  std::size_t done = 0;
  while (done < data.size()) {
    auto const put = ::pwrite(fd_, data.data() + done, std::min(data.size() - done, longest_transfer),
                              offset + static_cast<std::int64_t>(done));
    if (put < 0 && errno != EINTR) {
      fail_with_errno(path_, fmt::format("cannot be written at byte {}", offset + static_cast<std::int64_t>(done)));
    }
    done += put > 0 ? static_cast<std::size_t>(put) : 0;
  }
}

void File::close() {
  auto const fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0 && errno != EINTR) {
    fail_with_errno(path_, "cannot be closed, its data may not be written");
  }
}

}  // namespace allport::io
