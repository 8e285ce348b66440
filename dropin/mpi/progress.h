// Who moves our operations along while the program is inside other MPI calls.
#pragma once

#include <memory>

namespace allport::dropin {

struct Record;

/// Open MPI asks us on every turn of its own progress engine (opal_progress_register). Elsewhere the blocking calls are
/// wrapped (waiting.cpp).
void start_progressing();
void stop_progressing();

/// A record whose communicator is being freed; what it holds goes in release_retired().
void retire(std::shared_ptr<Record>* record);
void release_retired();

}  // namespace allport::dropin
