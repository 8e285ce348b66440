// Orders of ranks on a machine, their scores and refinement.
#pragma once

#include "allport/mapping/mapping.h"
#include "allport/mapping/orders.h"
#include "allport/mapping/score.h"
