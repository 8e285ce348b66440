// A callable of somebody else's, passed down a call without a copy or an allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace allport {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives it; may be empty.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  FunctionRef() = default;
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<Result, F&, Arguments...>)
      FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<void const*>(std::addressof(f)))),
        call_([](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }
  [[nodiscard]] explicit operator bool() const { return call_ != nullptr; }

 private:
  void* object_ = nullptr;
  Result (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace allport
