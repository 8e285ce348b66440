// Machines: levels and axes of the hardware, machine files, presets, calibrated values, networks as graphs, topology
// IDs.
#pragma once

#include "allport/machine/calibration.h"
#include "allport/machine/levels.h"
#include "allport/machine/machine.h"
#include "allport/machine/topology.h"
#include "allport/machine/topology_id.h"
