// Units as types, errors, and references to callables.
#pragma once

#include "allport/base/error.h"
#include "allport/base/function_ref.h"
#include "allport/base/units.h"
