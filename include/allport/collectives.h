// The registry of algorithms for collectives, and the trees to make new ones of.
#pragma once

#include "allport/collectives/network_routes.h"
#include "allport/collectives/network_trees.h"
#include "allport/collectives/packing.h"
#include "allport/collectives/registry.h"
#include "allport/collectives/sub_network.h"
#include "allport/collectives/trees.h"
