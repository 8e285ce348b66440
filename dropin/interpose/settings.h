// What the environment says to a drop-in. That of rank 0 counts for all.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace allport::interpose {

/// Which calls are taken: ALLPORT_DROPIN, ALLPORT_SCALAPACK.
enum class Policy : std::uint8_t {
  automatic,  ///< "auto": where ours is expected to take less time
  always,     ///< wherever we can
  never,
};

class Settings {
 public:
  Settings() = default;
  /// The values that rank 0 of `comm` has of these variables. One word travels where it has none. Collective.
  Settings(MPI_Comm comm, std::initializer_list<char const*> variables);
  /// The values that this process has, without communication: for ranks whose fingerprint_of(variables) is equal.
  /// @pre ALLPORT_MACHINE is not set, because only rank 0 reads machine files
  [[nodiscard]] static Settings of_this_process(int rank, std::initializer_list<char const*> variables);

  /// The variable's value; empty: unset.
  [[nodiscard]] std::string const& operator[](std::string const& variable) const;
  /// Which of `words` the variable says. The first where it is unset or, with a warning, says something else.
  [[nodiscard]] int word(char const* variable, std::span<std::string_view const> words) const;
  [[nodiscard]] Policy policy(char const* variable) const;

  /// ALLPORT_MACHINE, for the ranks of MPI_COMM_WORLD, as TOML; empty: none was named, or none that can be taken.
  [[nodiscard]] std::string const& machine() const { return machine_; }
  /// Why the machine that was named cannot be taken; empty: it can, or none was named.
  [[nodiscard]] std::string const& trouble() const { return trouble_; }
  /// By the machine's file or another; else they are a preset's, of no network in particular.
  [[nodiscard]] bool rates_are_given() const { return rates_are_given_; }
  /// ALLPORT_REPORT: empty for none, "1" for stderr, else a file. A job that was spawned has the same environment; its
  /// file is another, named after rank 0's process.
  [[nodiscard]] std::string report() const;
  /// The file that the variable names; empty: none, or "0". As report()'s where the job was spawned.
  [[nodiscard]] std::string file(char const* variable) const;

  /// A line on rank 0's stderr, the first time that it is said.
  void warn(std::string const& text) const;

 private:
  void read(std::initializer_list<char const*> variables);
  void read_machine(std::string const& spec);
  [[nodiscard]] std::string packed() const;
  void unpack(std::string const& text);

  bool first_ = true;  ///< this is rank 0
  std::map<std::string, std::string> values_;
  std::string machine_;
  std::string trouble_;
  bool rates_are_given_ = true;
};

/// Hash of the values that these variables have in this process, positive; 0 if ALLPORT_MACHINE is set.
[[nodiscard]] std::int64_t fingerprint_of(std::initializer_list<char const*> variables);

/// Why nothing is taken where the variable forbids it.
[[nodiscard]] std::string never_wanted(char const* variable);

}  // namespace allport::interpose
