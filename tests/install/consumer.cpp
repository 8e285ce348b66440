// What an installed Allport gives to a program that never saw its source tree: headers, the library, its errors.
#include <allport/base/error.h>
#include <allport/base/units.h>

#include <cstdio>
#include <string>

int main() {
  try {
    allport::ensure(false, "root", 17, "a rank in 0..15", "pass one of those");
  } catch (allport::Error const& error) {
    std::string const wanted = "root = 17: expected a rank in 0..15; pass one of those";
    if (error.what() != wanted) {
      std::printf("wrong message: %s\n", error.what());
      return 1;
    }
    std::puts("ok");
    return 0;
  }
  std::puts("ensure(false, ...) did not throw");
  return 1;
}
