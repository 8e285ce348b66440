// Proofs of schedules, and lower bounds on their time.
#pragma once

#include "allport/verify/bound.h"
#include "allport/verify/verify.h"
