// An open file. Reads and writes at an offset are complete or fail; errors name the path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "allport/base/error.h"

namespace allport::io {

class File {
 public:
  static File open(std::string const& path);                        ///< a regular file, to read
  static File open_to_write(std::string const& path);               ///< an existing file
  static File create(std::string const& path, std::int64_t bytes);  ///< truncated to `bytes`
  File(File&& other) noexcept : path_(std::move(other.path_)), fd_(other.fd_) { other.fd_ = -1; }
  File& operator=(File&&) = delete;
  ~File();

  [[nodiscard]] std::string const& path() const { return path_; }
  [[nodiscard]] std::int64_t size() const;
  /// @throws Error(io) with the bytes needed and present if the file is shorter
  void read(std::span<std::byte> data, std::int64_t offset) const;
  /// Reads up to data.size() bytes; returns how many there were.
  [[nodiscard]] std::size_t read_some(std::span<std::byte> data, std::int64_t offset) const;
  void write(std::span<std::byte const> data, std::int64_t offset) const;
  /// Some file systems report a failed write only here.
  void close();

 private:
  File(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_ = -1;
};

/// Throws Error(io) "'path': what".
[[noreturn]] void fail(std::string const& path, std::string_view what);

/// The beginning of a file's text for an error message: printable, at most `longest` characters.
[[nodiscard]] std::string shown(std::string_view text, std::size_t longest = 60);

}  // namespace allport::io
