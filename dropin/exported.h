// Marks the names that stand before the library's own; all others are hidden.
#pragma once

#define ALLPORT_EXPORTED __attribute__((visibility("default")))
