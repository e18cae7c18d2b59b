// The place where our kernels enter llama.cpp's graphs.
//
// llama.cpp asks its evaluation callback about every node before it computes a graph. Ours answers that it wants to see
// none, and turns those that our kernels compute into ggml's custom operations on the way; the threads that compute the
// graph then call us. A graph that llama.cpp uses again keeps its operations.
#pragma once

#include "attention.hpp"
#include "ggml.h"
#include "matmul.hpp"
#include "shim.h"
#include "team.hpp"

class graph {
  public:
    graph();

    // begin says that the next graph is for a new batch, whose rows have these positions. They are read until it is
    // computed.
    void begin(const int32_t * positions, int rows);

    // on_node is the callback for llama_context_params.cb_eval, with the graph as its user data.
    static bool on_node(ggml_tensor * node, bool ask, void * self);

    bool own_attention = false, own_products = false;
    bool misplaced = false; // llama.cpp stored another number of rows than the batch has: their positions are not known

    // work says what was computed here, and what was left to llama.cpp.
    parley_work work() const;

  private:
    void look(ggml_tensor * node);
    void replace(ggml_tensor * node, ggml_custom_op_t by);
    static void attend(ggml_tensor * node, int thread, int threads, void * self);
    static void multiply(ggml_tensor * node, int thread, int threads, void * self);

    parley_work done{};
    team threads;
    attention kernel;
    matmul products_kernel;
    ggml_op custom; // what ggml calls such an operation,
    decltype(ggml_tensor::op_params) parameters; // and how it stores one
};
