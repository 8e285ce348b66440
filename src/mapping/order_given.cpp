#include "rows.h"

namespace allport::mapping {

Ordered given(MappingTask const& task) { return {task.allocation(), ""}; }

}  // namespace allport::mapping
