// What the C++ files of the shim share.
#pragma once

#include <string>

#include "ggml-backend.h"
#include "llama.h"
#include "shim.h"

struct parley_model {
    llama_model * model;
    const llama_vocab * vocab;
};

// fallible lives while llama.cpp works on input that may be hostile: failed assertions on this thread become
// exceptions.
struct fallible {
    fallible();
    ~fallible();

    // computing says that from here on other threads wait for this one, which must not leave by an exception.
    static void computing();

  private:
    int before;
};

// guard is fallible, and collects llama.cpp's complaints from zero.
struct guard {
    guard();
    ~guard();

  private:
    fallible assertions;
    void begin();
};

void write_error(char * error, const std::string & text);

// logged_reason is what llama.cpp logged as the cause of a failure.
std::string logged_reason(const char * otherwise);
