#include "text_file.h"

#include <cstdio>
#include <memory>

#include "allport/base/error.h"

namespace allport::machine_text {

std::string read_text(std::string const& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "rb"), &std::fclose);
  ensure(file != nullptr, "machine file", path, "a readable file", "check the path", ErrorKind::io);
  std::string text;
  char chunk[4096];
  for (std::size_t got = 0; (got = std::fread(chunk, 1, sizeof chunk, file.get())) > 0;) {
    text.append(chunk, got);
  }
  ensure(std::ferror(file.get()) == 0, "machine file", path, "a readable file", "check that it is no directory",
         ErrorKind::io);
  return text;
}

}  // namespace allport::machine_text
