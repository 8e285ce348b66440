// Multicasts: routing tables, the forwarding rule, its checker, and multicasts as schedules.
#pragma once

#include "allport/multicast/check.h"
#include "allport/multicast/destinations.h"
#include "allport/multicast/forward.h"
#include "allport/multicast/schedule.h"
#include "allport/multicast/table.h"
