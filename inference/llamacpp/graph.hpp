// The place where our kernels enter llama.cpp's graphs.
//
// Before llama.cpp computes a graph, it asks its evaluation callback about every node. Ours answers that it wants to
// see no result, but turns the nodes that our kernels compute into ggml's custom operations. The threads that compute
// the graph then call us. A graph that llama.cpp reuses keeps these operations.
//
// What this relies on, and what would break if a new llama.cpp did otherwise:
//
//   - One decode is one graph: n_ubatch is n_batch (step.cpp). Otherwise positions would be entered for the wrong rows;
//     `misplaced` would be set, and the step would fail. A hybrid's decode takes several graphs (in_parts); attention
//     then finds out the positions of its rows from the mask. Products need neither.
//   - Keys are stored by GGML_OP_SET_ROWS, with the cells of the batch's rows as indices, before any attention reads
//     them, in buffers that are none of a graph's own. The order of nodes in a graph sees to it. Layers whose keys are
//     stored by the same indices share a cache: there is one for layers with a sliding window and one for the others.
//   - A custom operation keeps in op_params the function, a number of tasks and a pointer, in the first 12 words of 32
//     bits at most; `first_word` of graph.cpp comes after them. The constructor takes a sample from ggml rather than
//     knowing the layout.
//   - What is replaced has the sources and the shape that is_attention and is_product ask for. Anything
//     else is left to llama.cpp and counted (work().left): slower, and for CheckInvariance a reason to refuse.
#pragma once

#include "../../kernels/attention.hpp"
#include "../../kernels/barrier_pool.hpp"
#include "../../kernels/matmul.hpp"
#include "ggml-backend.h"
#include "ggml.h"
#include "shim.h"

#include <array>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

class graph {
  public:
    explicit graph(const kernels::target & t);

    // begin says that the next graph is for a new batch, whose rows have these positions, and how many threads compute
    // it. The positions are read until it is computed.
    void begin(const int32_t * positions, int rows, int threads);

    // on_node is the callback for llama_context_params.cb_eval, with the graph as its user data.
    static bool on_node(ggml_tensor * node, bool ask, void * self);

    // Set by parley_context_new. Our attention needs one cache for all sequences.
    bool own_attention = false, own_products = false;
    bool in_parts = false; // llama.cpp computes a batch in several graphs, and does not say which rows are in each
    bool misplaced = false; // llama.cpp stored other rows than the batch has, or beyond the cache (attention::wrote)
    bool crowded = false; // an operation has fewer heads than threads, and left some out (see Model.MaxThreads)

    // work says what was computed here, and what was left to llama.cpp.
    parley_work work() const;

    // compute_bytes is the size of the buffers that the last graph computed in, kernel_bytes that of what our kernels
    // keep for themselves. Both are asked between steps.
    int64_t compute_bytes() const;
    int64_t kernel_bytes() const;

    // operations lists what the last graph consisted of, one line for each operation and type of weights: who computes
    // it (parley, batch or row), its name and how many there are. What llama.cpp computes in a way that depends on the
    // batch is "batch", what it computes for each row alone is "row".
    const char * operations();

  private:
    // cache is the cells of some layers, and the indices by which this batch stores its rows in them.
    struct cache {
        explicit cache(const kernels::target & t) : kernel(t) {}
        kernels::attention kernel;
        const ggml_tensor * indices = nullptr;
    };

    int format_of(const ggml_tensor * weights) const;
    bool is_attention(const ggml_tensor * op) const;
    bool is_product(const ggml_tensor * op) const;
    bool is_of_experts(const ggml_tensor * op) const;
    kernels::weights weights_of(const ggml_tensor * w) const;
    void begin_part();
    void look(ggml_tensor * node);
    bool take(ggml_tensor * node);
    void store(const ggml_tensor * node);
    void count(const ggml_tensor * node, bool taken);
    void replace(ggml_tensor * node, ggml_custom_op_t by);
    static void attend(ggml_tensor * node, int thread, int threads, void * self);
    static void multiply(ggml_tensor * node, int thread, int threads, void * self);
    static void multiply_experts(ggml_tensor * node, int thread, int threads, void * self);

    const kernels::target & by;
    parley_work done{};
    std::vector<ggml_backend_buffer_t> buffers; // of this batch's graph; they live as long as the context
    barrier_pool pool;
    const int32_t * positions = nullptr; // of the batch's rows
    int rows = 0, threads = 1;
    bool computed_one = false; // an operation of the graph that was looked at last
    std::deque<cache> caches; // in the order in which the layers of a graph first store rows in them
    size_t stored = 0; // caches that this batch has stored rows in
    std::unordered_map<const ggml_tensor *, int> cache_of; // by the tensor that holds the cells
    kernels::matmul products_kernel;
    std::map<std::array<int, 3>, int> operations_of; // of this batch's graph, by computer, operation and type
    std::string listed;
    ggml_op custom; // the operation of a custom node, taken from a sample,
    decltype(ggml_tensor::op_params) parameters; // and the sample's parameters
    bool replaceable = false; // whether these are as replace takes them to be
};
