// What SimGrid loads in place of a platform file: the network of the machine that the environment's
// ALLPORT_SIMGRID_MACHINE names, made as ALLPORT_SIMGRID_NETWORK says (routes or torus).
#include <cstdlib>
#include <exception>
#include <iostream>
#include <simgrid/s4u/Engine.hpp>
#include <string>

#include "network.h"

extern "C" void load_platform(simgrid::s4u::Engine const&) {
  auto const setting = [](char const* name) {
    auto const* const text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  try {
    allport::simulated::make_network(allport::Machine::parse(setting("ALLPORT_SIMGRID_MACHINE")),
                                     allport::simulated::parse_network(setting("ALLPORT_SIMGRID_NETWORK")));
  } catch (std::exception const& e) {
    std::cerr << "simgrid_platform: " << e.what() << '\n';
    std::exit(2);
  }
}
