// Task graphs: defined, checked, counted, priced, simulated and drawn.
#pragma once

#include "allport/graph/check.h"
#include "allport/graph/count.h"
#include "allport/graph/draw.h"
#include "allport/graph/kinds.h"
#include "allport/graph/pool.h"
#include "allport/graph/price.h"
#include "allport/graph/rates.h"
#include "allport/graph/simulate.h"
#include "allport/graph/task_graph.h"
#include "allport/graph/transport.h"
