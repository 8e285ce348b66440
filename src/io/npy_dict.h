// Parses the Python dict in a .npy header as a literal; nothing is evaluated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace allport::io {

struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Exactly the keys descr (a string), fortran_order (True or False) and shape (a tuple of integers), in any order.
/// @throws Error(io) naming the path, the position and what was expected there
[[nodiscard]] NpyDict parse_npy_dict(std::string const& path, std::string_view text);

}  // namespace allport::io
