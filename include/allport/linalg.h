// Distributed matrices: products, LU, Cholesky, QR, solves, least squares; their plans and graphs.
#pragma once

#include "allport/linalg/cholesky.h"
#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/distribution.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/graphs.h"
#include "allport/linalg/householder.h"
#include "allport/linalg/kernel_measurements.h"
#include "allport/linalg/least_squares.h"
#include "allport/linalg/load.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/matrix.h"
#include "allport/linalg/qr.h"
#include "allport/linalg/qr_plan.h"
#include "allport/linalg/redistribute.h"
#include "allport/linalg/scalapack_measurements.h"
#include "allport/linalg/solve.h"
