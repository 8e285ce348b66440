// Runs task graphs; loops and blocks by teams of threads.
#pragma once

#include "allport/tasks/balance.h"
#include "allport/tasks/block_engine.h"
#include "allport/tasks/block_grid.h"
#include "allport/tasks/blocks.h"
#include "allport/tasks/cores.h"
#include "allport/tasks/loop.h"
#include "allport/tasks/loop_advice.h"
#include "allport/tasks/loop_selector.h"
#include "allport/tasks/run.h"
#include "allport/tasks/team.h"
#include "allport/tasks/teams.h"
#include "allport/tasks/transport.h"
