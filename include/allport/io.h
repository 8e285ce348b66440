// Matrix files.
#pragma once

#include "allport/io/matrix_file.h"
