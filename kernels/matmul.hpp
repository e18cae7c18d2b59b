// Products of quantised weights with a batch of activations, as llama.cpp defines them: activations are rounded to
// eight bits in blocks of 32, products of whole numbers are summed exactly, blocks are summed as floats from the first
// to the last.
//
// Sixteen rows of weights are unpacked at a time and then multiplied with every row of the batch, so that each is
// unpacked once a batch. An output is computed by the same operations whatever else is in the batch: results do not
// depend on its size. matmul.cpp says how a product runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "barrier_pool.hpp"
#include "target.hpp"

namespace kernels {

class matmul {
  public:
    explicit matmul(const target & t) : by(&t) {}

    struct batch {
        const float * data; // row r at data + r * stride (bytes)
        size_t stride;
        int rows;
        const void * identity; // equal for calls with equal data, within one graph: the tensor that it is
    };

    // choice says which experts the rows of a batch go to. The weights of expert i begin at weights::data + i * bytes.
    struct choice {
        const char * expert; // I32: k-th expert of token t at expert + t * stride + 4 * k; -1 for none: zeros
        size_t stride;
        int used, tokens, experts;
        size_t bytes;
        bool shared; // all experts of a token get its one row of the batch; else each has a row of its own
        const void * identity; // as batch::identity
    };

    // possible says whether the shape suits a format of the table.
    bool possible(int format, int64_t width, int64_t rows) const;

    // begin says that a new graph is being computed. Activations that were rounded for the one before are void,
    // although a tensor of the new graph may have the same address. The graph calls it before each.
    void begin() { quantized = arranged = gathered = grouped = nullptr; }

    // compute writes out[batch row][weight row]. All threads of the pool call it, with the same arguments, and it
    // returns to each when all are done. w and b are read during the call.
    void compute(const weights & w, const batch & b, float * out, int threads, barrier_pool & pool);

    // compute_experts writes out[token][k][weight row], the product with the k-th expert of each token. Rows that go to
    // the same expert are computed together, so that a batch reads the weights of each expert once.
    void compute_experts(const weights & w, const batch & b, const choice & c, float * out, int threads,
                         barrier_pool & pool);

    // bytes is the size of what is kept from call to call.
    int64_t bytes() const {
        return int64_t(byte.capacity() + shift.capacity() * sizeof(int32_t) +
                       (scale.capacity() + sum.capacity() + half.capacity() + floats.capacity() + results.capacity()) *
                           sizeof(float) +
                       (order.capacity() + first.capacity() + active.capacity()) * sizeof(int32_t));
    }

  private:
    meets kind_of(const weights & w) const { return by->formats[w.format].activations; }
    void panels(const weights & w, const columns & x, int from, int to, int n, float * out) const;
    void last_panel(const weights & w, int row, const columns & x, int n, float * out) const;
    columns rounded_from(int width, int from) const;
    void prepare(const weights & w, const batch & b, const choice * c, int threads, barrier_pool & pool);
    void gather(const weights & w, const batch & b, const choice & c, int threads, barrier_pool & pool);
    void group(const choice & c, int threads, barrier_pool & pool);
    const float * row(const batch & b, const choice * c, int i) const;

    const target * by;

    // The rows of a choice, sorted by their experts. Expert e has those from first[e] to first[e + 1], and place i of
    // the sorted rows is that of order[i] = token * used + k.
    const void * grouped = nullptr; // choice::identity
    std::vector<int32_t> order, first, active; // active are the experts that have rows
    std::vector<float> results; // [sorted row][weight row]

    // Activations as they are, sorted by experts.
    const void * gathered = nullptr; // batch::identity
    std::vector<float> floats;

    // Activations, rounded to bytes, in the order of blocks_of.
    const void * quantized = nullptr; // batch::identity of those that are here, null for none
    const void * arranged = nullptr; // choice::identity by whose experts they are sorted, null if they are not
    int beside = 1;
    std::vector<int8_t> byte;
    std::vector<int32_t> shift;
    std::vector<float> scale, sum, half;
};

} // namespace kernels
