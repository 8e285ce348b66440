// ScaLAPACK's routines behind the intercepted ones: looked up at run time, so that no ScaLAPACK is needed to build.
#pragma once

#include <cstdint>
#include <string>

namespace allport::scalapack {

/// The address of `name` in the libraries behind this one, then in any loaded library; null if there is none.
[[nodiscard]] void* find_behind(char const* name);

/// During its lifetime calls of this thread come from ScaLAPACK itself and are passed through.
class Within {
 public:
  Within() { ++depth_; }
  ~Within() { --depth_; }
  Within(Within const&) = delete;
  Within& operator=(Within const&) = delete;
  [[nodiscard]] static bool now() { return depth_ > 0; }

 private:
  static thread_local int depth_;
};

/// A routine of ScaLAPACK.
class Original {
 public:
  explicit Original(std::string symbol);

  [[nodiscard]] std::string const& symbol() const { return symbol_; }
  /// "PDGEMM", as in ScaLAPACK's messages.
  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] bool there() const { return address_ != nullptr; }
  /// Whether an address is in the library of the original: ScaLAPACK calls itself.
  [[nodiscard]] bool is_home_of(void const* address) const {
    auto const at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin_ && at < end_;
  }
  template <class... A>
  void call(A... arguments) const {
    Within const within;
    reinterpret_cast<void (*)(A...)>(address_)(arguments...);
  }

 private:
  std::string symbol_;
  std::string name_;
  void* address_ = nullptr;
  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace allport::scalapack
