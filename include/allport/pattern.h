// Communication patterns of programs on process grids, and the load of each link.
#pragma once

#include "allport/pattern/cart_grid.h"
#include "allport/pattern/loads.h"
#include "allport/pattern/on_grids.h"
#include "allport/pattern/pattern.h"
