// What everything that takes matrices checks of them, so that a fault of one rank is an error on all.
#pragma once

#include <fmt/format.h>

#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "allport/linalg/matrix.h"

namespace allport::detail {

/// Makes the call; then throws on every rank when it has thrown on any, the first failing rank's error.
template <class Call>
void on_all(Communicator const& comm, Call&& call) {
  std::string trouble;
  auto kind = ErrorKind::argument;
  try {
    call();
  } catch (Error const& e) {
    trouble = e.what();
    kind = e.kind();
  } catch (std::exception const& e) {
    trouble = e.what();
    kind = ErrorKind::memory;  // the standard library throws here only when memory is short
  }
  comm.ensure_all_well(trouble, kind);
}

/// A matrix with memory of its own. @throws Error on every rank where any has too little; called by all
template <class T>
Matrix<T> allocate_on_all(Communicator const& comm, Distribution const& distribution) {
  std::optional<Matrix<T>> made;
  on_all(comm, [&] { made = Matrix<T>::allocate(comm, distribution); });
  return std::move(*made);
}

/// Makes a call in which ranks wait for each other: where one runs out of memory there the job ends with a message, for
/// the others' wait would not.
template <class Call>
decltype(auto) or_give_up(Communicator const& comm, std::string_view what, Call&& call) {
  try {
    return call();
  } catch (std::bad_alloc const&) {
    comm.give_up(what, "ran out of memory while other ranks wait for this one; the job ends");
  }
}

/// @throws Error unless a matrix of a call on the ranks of `comm` is rows x cols, and sound
template <class T>
void check_operand(std::string_view name, Matrix<T> const& matrix, Index rows, Index cols, Communicator const& comm) {
  auto const wanted = fmt::format("{} x {}", rows, cols);
  auto const given = fmt::format("{} x {}", matrix.rows(), matrix.cols());
  ensure(given == wanted, name, given, wanted);
  ensure(matrix.comm().is_congruent(comm), fmt::format("{}: communicator", name), "of other ranks",
         "that of the call's other matrices", "make all matrices of a call on one communicator");
  matrix.check(name);
}

/// @throws Error unless options of a tiled operation say a tile size and workers
template <class Options>
void check_tiling(Options const& options) {
  ensure(options.nb >= 0, "nb", options.nb, "a tile size, or 0 for one that is chosen");
  ensure(options.workers >= 1, "workers", options.workers, "at least 1");
}

/// @throws Error unless the matrix has as many rows and columns as the file, or its transpose
template <class T>
void check_like_file(std::string const& path, Matrix<T> const& matrix, Index rows, Index cols) {
  auto const given = fmt::format("{} x {}", matrix.rows(), matrix.cols());
  auto const there = fmt::format("{} x {}", rows, cols);
  ensure(given == there, "distribution", given, fmt::format("the {} elements of '{}'", there, path));
}

/// A plan for matrices of T on this communicator.
template <class T, class Plan>
void check_plan(Plan const& plan, Communicator const& comm) {
  ensure(scalar_of<T> == plan.problem.type, "element type", "another", "the plan's");
  ensure(plan.machine == comm.machine(), "plan", fmt::format("for machine {}", plan.machine.name()),
         fmt::format("one for this communicator's, {}", comm.machine().name()));
  auto const& told = plan.options.mapping;
  ensure((told ? *told : Mapping::identity(comm.size())) == comm.mapping(), "plan",
         told ? "for ranks at other places" : "for rank r at place r",
         "one for the places of this communicator's ranks", "plan with its mapping: options.mapping = comm.mapping()");
}

/// The memory contract, before anything is allocated: the plan's peak counts parts where the algorithm wants them,
/// `extra` those that redistribution adds. No limit: 0.
template <class Plan>
void check_memory(Plan const& plan, Bytes limit, Bytes extra) {
  auto const need = plan.chosen.memory + extra;
  if (limit.value() == 0 || need <= limit) return;
  throw Error(ErrorKind::memory,
              fmt::format("memory = {} bytes per rank: expected at least {} ({} for the plan, {} to redistribute); "
                          "raise the limit or hand the matrices over in the plan's distributions",
                          limit.value(), need.value(), plan.chosen.memory.value(), extra.value()));
}

}  // namespace allport::detail
