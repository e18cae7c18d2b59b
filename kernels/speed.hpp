// Peak rates of the machine: how fast it reads memory and multiplies, with a number of threads.
#pragma once

#include "target.hpp"

namespace kernels {

struct speed {
    double bytes, float_products, byte_products; // per second
};

// measure takes about a second.
speed measure(const target & t, int threads);

} // namespace kernels
