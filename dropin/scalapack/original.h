// The routines that ours stand before: found at run time, so that no ScaLAPACK is needed to build this.
#pragma once

#include <cstdint>
#include <string>

namespace allport::scalapack {

/// The address of `name` in the libraries behind ours, then in any that is loaded; null: nowhere.
[[nodiscard]] void* find_behind(char const* name);

/// While it lives, calls of this thread come from inside ScaLAPACK and pass through.
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

/// One routine of the real ScaLAPACK.
class Original {
 public:
  explicit Original(std::string symbol);

  [[nodiscard]] std::string const& symbol() const { return symbol_; }
  /// "PDGEMM", as ScaLAPACK names it in messages.
  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] bool there() const { return address_ != nullptr; }
  /// The address lies in the library that has the original: ScaLAPACK calls itself.
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
