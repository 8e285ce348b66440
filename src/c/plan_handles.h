// Machines, schedules and plans of the C interface: what their handles hold, and texts that they keep.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/qr_plan.h"
#include "allport/select/machine_part.h"
#include "allport/select/select.h"
#include "handles.h"

namespace allport::c_interface {

/// A text that is made when it is first asked for, by any thread, and kept.
class KeptText {
 public:
  template <class Make>
  char const* get(Make const& make) {
    std::call_once(made_, [&] { text_ = make(); });
    return text_.c_str();
  }

 private:
  std::once_flag made_;
  std::string text_;
};

/// The text that `body` gives, or NULL where it throws: then allport_error() says what.
template <class Body>
char const* text_or_null(Body&& body) noexcept {
  char const* text = nullptr;
  return guarded([&] { text = body(); }) == ALLPORT_SUCCESS ? text : nullptr;
}

/// Frees what a handle stands for, and sets it to NULL.
template <class Handle>
int freed(Handle* handle, char const* name) noexcept {
  return guarded([&] {
    ensure(handle != nullptr, name, "NULL", "the place of a handle");
    delete std::exchange(*handle, nullptr);
  });
}

/// What `make` gives as a handle of its own.
template <class Handle, class Make>
int made(Handle* created, Make&& make) noexcept {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    *created = make();
  });
}

template <class T>
T& place(T* result, char const* name) {
  ensure(result != nullptr, name, "NULL", "a place for it");
  return *result;
}

inline std::string text_given(char const* text, char const* name, char const* expected) {
  ensure(text != nullptr, name, "NULL", expected);
  return text;
}

}  // namespace allport::c_interface

struct allport_machine_s {
  allport::Machine machine;
  std::optional<allport::Mapping> mapping;             ///< none: rank r at place r
  std::shared_ptr<allport::MachinePart const> part{};  ///< of which schedules are; none: of all ranks
  allport::c_interface::KeptText json{};
  allport::c_interface::KeptText toml{};
};

struct allport_schedule_s {
  allport::Schedule schedule;                 ///< over places
  std::optional<allport::Machine> machine{};  ///< that it was made for; none: from JSON
  std::vector<allport::Rank> places{};        ///< of its ranks on that; none: all of the machine
  std::optional<allport::Mapping> mapping{};  ///< as allport_machine_s
  std::optional<allport::Choice> choice{};    ///< with bound and MPI's price
  allport::c_interface::KeptText reason{};
  allport::c_interface::KeptText choice_json{};
  allport::c_interface::KeptText json{};
};

struct allport_plan_s {
  std::variant<allport::GemmPlan, allport::LuPlan, allport::CholeskyPlan, allport::QrPlan> plan;
  allport::c_interface::KeptText json{};
};

namespace allport::c_interface {

/// A machine of which no part was taken. @throws Error(unsupported)
inline allport_machine_s const& whole(allport_machine_handle machine) {
  auto const& on = the(machine, "machine");
  if (on.part) {
    throw Error(ErrorKind::unsupported,
                "machine: ranks of " + on.machine.name() + ", a part of it: expected all of it");
  }
  return on;
}

/// A plan of this kind. Called by all ranks. @throws Error on every rank where one has given another
template <class Plan>
Plan const& planned(allport_comm_s const& on, allport_plan_handle plan, char const* wanted) {
  auto const* const found = plan == nullptr ? nullptr : std::get_if<Plan>(&plan->plan);
  auto const* const given = plan == nullptr ? "NULL" : "of something else";
  on.comm.ensure_all_well(found == nullptr ? Error::argument("plan", given, wanted).what() : "", ErrorKind::argument);
  return *found;
}

}  // namespace allport::c_interface
