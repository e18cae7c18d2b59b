// Which targets there are, and which one computes.
#pragma once

#include <string>
#include <vector>

#include "target.hpp"

namespace kernels {

// compiled lists the targets in this program, the fastest first; the last, scalar, runs everywhere.
const std::vector<const target *> & compiled();

// runs reports whether this processor, under this system, has the instructions of a target.
bool runs(const target & t);

// choose finds a target by its name. An empty name is that of the environment variable PARLEY_KERNELS or, without it,
// stands for the fastest one that runs here. Where there is no such target, or it does not run here, the result is null
// and why says so.
const target * choose(const std::string & name, std::string & why);

// covers reports whether products are better computed by this target than by llama.cpp: those of the portable one are
// slow, and have to be asked for by name.
bool covers(const target & t, const std::string & asked);

} // namespace kernels
