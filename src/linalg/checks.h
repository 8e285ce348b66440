// Checks of arguments: an error of one rank is an error on all ranks.
#pragma once

#include <fmt/format.h>

#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "allport/linalg/matrix.h"

namespace allport::detail {

/// Calls call(); if it throws on any rank, throws the error of the first such rank on all ranks.
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

/// A matrix with memory of its own. Called by all ranks. @throws Error on every rank if memory is short on any
template <class T>
Matrix<T> allocate_on_all(Communicator const& comm, Distribution const& distribution) {
  std::optional<Matrix<T>> made;
  on_all(comm, [&] { made = Matrix<T>::allocate(comm, distribution); });
  return std::move(*made);
}

/// Calls call(), in which ranks wait for each other. A rank that runs out of memory in it ends the job with a message,
/// because the other ranks would wait forever.
template <class Call>
decltype(auto) or_give_up(Communicator const& comm, std::string_view what, Call&& call) {
  try {
    return call();
  } catch (std::bad_alloc const&) {
    comm.give_up(what, "ran out of memory while other ranks wait for this one; the job ends");
  }
}

/// @throws Error unless a matrix of a call on the ranks of `comm` is rows x cols and passes Matrix::check()
template <class T>
void check_operand(std::string_view name, Matrix<T> const& matrix, Index rows, Index cols, Communicator const& comm) {
  auto const wanted = fmt::format("{} x {}", rows, cols);
  auto const given = fmt::format("{} x {}", matrix.rows(), matrix.cols());
  ensure(given == wanted, name, given, wanted);
  ensure(matrix.comm().is_congruent(comm), fmt::format("{}: communicator", name), "of other ranks",
         "that of the call's other matrices", "make all matrices of a call on one communicator");
  matrix.check(name);
}

/// @throws Error unless the tile size is not negative and there are workers
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

/// @throws Error unless a plan is for matrices of T on this communicator
template <class T, class Plan>
void check_plan(Plan const& plan, Communicator const& comm) {
  ensure(scalar_of<T> == plan.problem.type, "element type", "another", "the plan's");
  ensure(plan.machine == comm.machine(), "plan", fmt::format("for machine {}", plan.machine.name()),
         fmt::format("one for this communicator's, {}", comm.machine().name()));
  auto const& mapping = plan.options.mapping;
  ensure((mapping ? *mapping : Mapping::identity(comm.size())) == comm.mapping(), "plan",
         mapping ? "for ranks at other places" : "for rank r at place r",
         "one for the places of this communicator's ranks", "plan with its mapping: options.mapping = comm.mapping()");
}

/// Bytes that a rank may use: the caller's limit, or its share of its node's memory; 0: unknown.
template <class Plan>
[[nodiscard]] Bytes memory_limit(Plan const& plan) {
  auto const& limit = plan.options.memory;
  return limit.value() > 0 ? limit : plan.machine.rates().memory / plan.machine.ranks_per_node();
}

/// False, with the reason in the candidate, if it needs more memory than the limit.
template <class Plan, class Candidate>
[[nodiscard]] bool fits_memory(Plan const& plan, Candidate& candidate) {
  auto const limit = memory_limit(plan);
  if (limit.value() <= 0 || candidate.memory <= limit) return true;
  candidate.why_not = fmt::format("needs {} bytes per rank, the limit is {}", candidate.memory.value(), limit.value());
  return false;
}

/// Checks the memory limit before anything is allocated. The plan's peak is for matrices in its own distributions;
/// `extra` is what redistribution adds. No limit: 0.
template <class Plan>
void check_memory(Plan const& plan, Bytes limit, Bytes extra) {
  auto const need = plan.chosen.memory + extra;
  if (limit.value() == 0 || need <= limit) return;
  throw Error(ErrorKind::memory,
              fmt::format("memory = {} bytes per rank: expected at least {} ({} for the plan, {} to redistribute); "
                          "raise the limit or pass matrices in the plan's distributions",
                          limit.value(), need.value(), plan.chosen.memory.value(), extra.value()));
}

}  // namespace allport::detail
