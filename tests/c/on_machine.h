// A machine's handle of the C interface, for C++'s tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "allport/allport.h"

namespace allport {

/// A machine's handle, freed at the end.
class OnMachine {
 public:
  explicit OnMachine(std::string const& spec, std::vector<int> const& places = {}) {
    EXPECT_EQ(allport_machine_create(spec.c_str(), &handle_), ALLPORT_SUCCESS) << allport_error();
    if (places.empty()) return;
    auto* whole = handle_;
    EXPECT_EQ(allport_machine_placed(whole, places.data(), &handle_), ALLPORT_SUCCESS) << allport_error();
    EXPECT_EQ(allport_machine_free(&whole), ALLPORT_SUCCESS);
  }
  ~OnMachine() { allport_machine_free(&handle_); }
  OnMachine(OnMachine const&) = delete;
  OnMachine& operator=(OnMachine const&) = delete;

  operator allport_machine() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  allport_machine handle_ = nullptr;
};

}  // namespace allport
