// Communicators on MPI that know their machine: collectives, messages, schedules; calibration.
#pragma once

#include "allport/comm/calibrate.h"
#include "allport/comm/channel.h"
#include "allport/comm/collective_calls.h"
#include "allport/comm/communicator.h"
#include "allport/comm/engine_lock.h"
#include "allport/comm/messages.h"
#include "allport/comm/mpi_comm.h"
#include "allport/comm/transfer.h"
