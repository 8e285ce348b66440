// All of the C++ interface; allport.h is the C interface.
#pragma once

#include "allport/base.h"
#include "allport/collectives.h"
#include "allport/comm.h"
#include "allport/graph.h"
#include "allport/io.h"
#include "allport/linalg.h"
#include "allport/machine.h"
#include "allport/mapping.h"
#include "allport/model.h"
#include "allport/multicast.h"
#include "allport/pattern.h"
#include "allport/schedule.h"
#include "allport/select.h"
#include "allport/sim.h"
#include "allport/tasks.h"
#include "allport/verify.h"
