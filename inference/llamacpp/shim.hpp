// What the C++ files of the shim share.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "../../kernels/targets.hpp"
#include "ggml-backend.h"
#include "grammar.hpp"
#include "llama.h"
#include "shim.h"

// keeps_states reports whether some layers keep a state for each sequence, so that it cannot be cut.
inline bool keeps_states(const llama_model * m) { return llama_model_is_recurrent(m) || llama_model_is_hybrid(m); }

struct parley_model {
    llama_model * model;
    const llama_vocab * vocab;
    const kernels::target * by; // computes what our kernels compute
    bool own_products;
    std::once_flag sorted{};
    std::unique_ptr<pieces> texts{}; // for grammars, from the first one on
};

// While a fallible exists, failed assertions of llama.cpp on this thread become exceptions. It guards calls whose input
// may be hostile.
struct fallible {
    fallible();
    ~fallible();

    // computing ends that early: from here on other threads wait for this one, which must not leave by an exception.
    static void computing();

  private:
    int before;
};

// guard is a fallible that also discards llama.cpp's earlier complaints, so that logged_reason is that of this call.
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
