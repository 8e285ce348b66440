// Chooses algorithms, segments and orders of ranks by predicted time; the Selector, by measured time.
#pragma once

#include "allport/select/machine_part.h"
#include "allport/select/mpi_price.h"
#include "allport/select/multicast.h"
#include "allport/select/rank_order.h"
#include "allport/select/scattered.h"
#include "allport/select/select.h"
#include "allport/select/selector.h"
