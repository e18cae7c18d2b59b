// The place where our attention enters llama.cpp's graphs: a backend of ggml, of the kind that a BLAS library is.
#pragma once

#include "attention.hpp"

// takeover lives while a context is made or decodes on this thread: the graphs that llama.cpp builds then use its attention.
// Without the internal header of ggml that the carrier brings (with an installed library), it changes nothing.
class takeover {
  public:
    struct target {
        attention * kernel;
        workers * crew;
    };
    explicit takeover(target * t);
    ~takeover();

    // possible says whether this build can do it at all.
    static bool possible();

    // enlist makes the backend known, once, before the first context.
    static void enlist();

    // name is what the backend is called among ggml's devices.
    static constexpr const char * name = "Parley";
};
