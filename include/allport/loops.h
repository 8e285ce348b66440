// Loops by teams of threads, and grids in blocks that they work on.
#pragma once

#include "allport/loops/balance.h"
#include "allport/loops/block_engine.h"
#include "allport/loops/block_grid.h"
#include "allport/loops/blocks.h"
#include "allport/loops/cores.h"
#include "allport/loops/loop.h"
#include "allport/loops/loop_advice.h"
#include "allport/loops/loop_selector.h"
#include "allport/loops/team.h"
#include "allport/loops/teams.h"
