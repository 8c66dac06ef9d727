// The CPU as a machine: host matrices between guard bands, the steady clock, OpenBLAS.
#pragma once

#include "machine.hpp"

namespace ladder {

/// Bytes of host memory that may still be taken; infinity where the system does not say.
double host_free_bytes();

/// fp32 flop/s of multiply-adds from vector registers on all threads, measured (about 0.1 s).
double measure_cpu_ceiling();

}  // namespace ladder
