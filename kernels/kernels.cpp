//go:build cgo && !llama_none

#include "kernels.h"

#include <cstdio>
#include <exception>

#include "speed.hpp"
#include "targets.hpp"

using namespace kernels;

extern "C" int32_t parley_target_count(void) { return int32_t(compiled().size()); }

extern "C" parley_target parley_target_get(int32_t i) {
    const target & t = *compiled()[i];
    return {t.name, t.needs, runs(t)};
}

extern "C" int32_t parley_target_choose(const char * name, bool * products, char * why, int32_t size) {
    std::string reason;
    const target * chosen = choose(name, reason);
    snprintf(why, size_t(size), "%s", reason.c_str());
    *products = chosen && covers(*chosen, name);
    for (size_t i = 0; i < compiled().size(); i++)
        if (compiled()[i] == chosen) return int32_t(i);
    return -1;
}

extern "C" int32_t parley_format_count(void) { return compiled()[0]->n_formats; }

extern "C" parley_format parley_format_get(int32_t i) {
    const format & f = compiled()[0]->formats[i];
    return {f.name, f.type, f.bytes, f.weights, {f.halves[0], f.halves[1]}};
}

extern "C" parley_speed parley_measure(int32_t target, int32_t threads) try {
    const speed s = measure(*compiled()[target], threads);
    return {s.bytes, s.float_products, s.byte_products};
} catch (const std::exception &) { // no memory, or no more threads
    return {};
}
