// Marks the names that a preloaded library puts before the MPI library's; all others are hidden.
#pragma once

#define ALLPORT_EXPORTED __attribute__((visibility("default")))
