// Schedules: who sends which piece of which buffer to whom, after what; their interpreter and exchange formats.
#pragma once

#include "allport/schedule/elementwise.h"
#include "allport/schedule/exchange.h"
#include "allport/schedule/interpreter.h"
#include "allport/schedule/json.h"
#include "allport/schedule/linked.h"
#include "allport/schedule/piece.h"
#include "allport/schedule/program.h"
#include "allport/schedule/schedule.h"
