// Marks the names that stand before ScaLAPACK's; all others are hidden.
#pragma once

#define ALLPORT_EXPORTED __attribute__((visibility("default")))
