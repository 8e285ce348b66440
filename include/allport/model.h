// Predicted costs and lower bounds in closed form.
#pragma once

#include "allport/model/at_once.h"
#include "allport/model/bounds.h"
#include "allport/model/cholesky_bound.h"
#include "allport/model/gemm_bound.h"
#include "allport/model/gemm_cost.h"
#include "allport/model/link_loads.h"
#include "allport/model/lu_bound.h"
#include "allport/model/lu_cost.h"
#include "allport/model/mpi_cost.h"
#include "allport/model/multicast_cost.h"
#include "allport/model/multilink_cost.h"
#include "allport/model/network_bound.h"
#include "allport/model/scaling.h"
#include "allport/model/spread_cost.h"
