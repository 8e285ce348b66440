// Machines, schedules and plans of the C interface: what their handles hold.
#pragma once

#include <memory>
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

struct allport_machine_s {
  allport::Machine machine;
  std::optional<allport::Mapping> mapping;             ///< none: rank r at place r
  std::shared_ptr<allport::MachinePart const> part{};  ///< of which schedules are; none: of all ranks
  allport::c_interface::CachedText json{};
  allport::c_interface::CachedText toml{};
};

struct allport_schedule_s {
  allport::Schedule schedule;                 ///< over places
  std::optional<allport::Machine> machine{};  ///< that it was made for; none: from JSON
  std::vector<allport::Rank> places{};        ///< of its ranks on that; none: all of the machine
  std::optional<allport::Mapping> mapping{};  ///< as allport_machine_s
  std::optional<allport::Choice> choice{};    ///< with bound and MPI's price
  allport::c_interface::CachedText reason{};
  allport::c_interface::CachedText choice_json{};
  allport::c_interface::CachedText json{};
};

struct allport_plan_s {
  std::variant<allport::GemmPlan, allport::LuPlan, allport::CholeskyPlan, allport::QrPlan> plan;
  allport::c_interface::CachedText json{};
};

namespace allport::c_interface {

/// @throws Error(argument) where the mapping is of another number of ranks
inline allport_machine_s* new_machine(Machine machine, Mapping const& mapping) {
  ensure(mapping.ranks() == machine.ranks(), "places", mapping.ranks(), "one for each rank of the machine");
  return new allport_machine_s{std::move(machine), mapping.is_identity() ? std::nullopt : std::optional(mapping)};
}

/// A machine of which no part was taken. @throws Error(unsupported)
inline allport_machine_s const& whole(allport_machine machine) {
  auto const& on = the(machine, "machine");
  if (on.part) {
    throw Error(ErrorKind::unsupported,
                "machine: ranks of " + on.machine.name() + ", a part of it: expected all of it");
  }
  return on;
}

/// The first error in this rank's arguments of a call.
class Trouble {
 public:
  void check(bool good, char const* name, std::string const& got, char const* wanted) {
    if (!good && text_.empty()) text_ = Error::argument(name, got, wanted).what();
  }
  void check_info(std::int64_t const* info) {
    check(info != nullptr, "info", "NULL", "a place for what the factorization finds");
  }
  /// The plan that the call was given; null: none was, and the call plans. @param wanted  "of gemm"
  template <class Plan>
  Plan const* plan(allport_plan given, char const* options, std::string const& wanted) {
    if (given == nullptr) return nullptr;
    auto const* const found = std::get_if<Plan>(&given->plan);
    check(found != nullptr, "plan", "of something else", ("one " + wanted).c_str());
    check(options == nullptr, "options", show(std::string(options == nullptr ? "" : options)),
          "NULL: the plan has its own");
    return found;
  }
  /// Called by all ranks. @throws Error(argument) on every rank if any rank has an error
  void throw_on_all(Communicator const& comm) const { comm.ensure_all_well(text_, ErrorKind::argument); }

 private:
  std::string text_;
};

}  // namespace allport::c_interface
