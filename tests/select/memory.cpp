// Stored results of Selectors.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <tuple>

#include "allport/base/error.h"
#include "allport/select/selector.h"

namespace allport {
namespace {

TEST(Memory, IsAFileThatRunsAddTo) {
  auto const path = testing::TempDir() + "/memories/selector.json";
  std::remove(path.c_str());
  EXPECT_TRUE(load_memory(path).empty());
  Memory const one{{"here", {"a", {{"a", Seconds(1.5)}, {"b", Seconds(2)}}}}};
  Memory const two{{"there \"x\"", {"b", {{"b", Seconds(1e-7)}}}}};
  save_memory(path, one);
  save_memory(path, two);
  auto both = one;
  both.insert(two.begin(), two.end());
  EXPECT_EQ(load_memory(path), both);
  std::ofstream(path) << "{\"allport_memory\": 1, \"sites\": {\"x\": 3}}";
  try {
    std::ignore = load_memory(path);
    FAIL();
  } catch (Error const& e) {
    EXPECT_EQ(e.kind(), ErrorKind::io);
    EXPECT_NE(std::string(e.what()).find(path), std::string::npos);
  }
}

}  // namespace
}  // namespace allport
