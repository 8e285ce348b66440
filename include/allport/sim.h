// Simulation of schedules on a machine.
#pragma once

#include "allport/sim/simulate.h"
