// Files of given bytes in a directory of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "allport/base/error.h"

namespace allport::samples {

class Folder {
 public:
  Folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "allport-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path_ = pattern;
  }
  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string path(std::string const& name) const { return path_ + "/" + name; }
  std::string file(std::string const& name, std::string const& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::string path_;
};

inline std::string contents(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The call throws an Error whose text has all of `parts`.
inline void expect_error(auto&& call, std::initializer_list<std::string> parts, ErrorKind kind = ErrorKind::io) {
  try {
    call();
    ADD_FAILURE() << "expected an error with " << *parts.begin();
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    for (auto const& part : parts) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << "no \"" << part << "\" in: " << e.what();
    }
  }
}

}  // namespace allport::samples
