// What toml++'s shared library has of its own, for a wheel that links none.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
