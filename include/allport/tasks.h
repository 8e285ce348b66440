// Runs task graphs.
#pragma once

#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
