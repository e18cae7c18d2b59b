// Attention over a KV cache that many sequences share.
//
// llama.cpp's own kernel for the CPU takes one row of a batch at a time and reads every key again for each. Its plain
// path multiplies every row with every cell, even those that the row must not see. This one knows which rows see the
// same cells: it reads a tile of 32 cells once for all of them, and touches no cell that nobody sees.
//
// A row's cells are taken in the order of their positions, in tiles that begin at multiples of 32 (the first of a
// sliding window is shorter), and every sum runs in this order. So the result of a row is a function of its own query,
// keys and values. Neighbours in the batch, the place of a cell, the time and the sequence that wrote it, how a prompt
// was cut into batches, and the number of threads change no bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "barrier_pool.hpp"
#include "target.hpp"

namespace kernels {

class attention {
  public:
    explicit attention(const target & t) : by(&t) {}

    // cells are the keys or the values of one layer: element 0 of cell c for head h is at data + c * cell + h * head.
    struct cells {
        const char * data;
        size_t cell, head; // bytes
        int width; // elements, a multiple of 8
        void (*to_float)(const void *, float *, int64_t);
    };
    struct layer {
        const char * query; // F32; row r, head h at query + r * row + h * head
        size_t row, head; // bytes
        int heads, kv_heads;
        float scale;
        float soft_cap; // scores become soft_cap * tanh(score); 0: none. The scale has been divided by it.
        const float * sinks; // of each head, a score without a value; null: none
        cells key, value;
        float * out; // [rows][heads][value.width]
    };

    // Calls come in the order begin, wrote, see and compute, the last two once for each layer. begin and wrote are
    // called by one thread before the others compute.

    // begin says that a new batch is being decoded, whose rows have these positions. They are read until the batch is
    // done. If they are null, neither the rows nor their positions are known; each row then has to see all tokens
    // before it, and its position is the number of these.
    void begin(const int32_t * of_rows, int n) {
        placed = seen = false;
        positions = of_rows, rows = n;
    }

    // wrote says which cells the batch fills, in the order of its rows: cells[i] has the position of row i from now on.
    // Only the first call of a batch counts, since all layers fill the same cells. It returns false if these are not as
    // many as begin was told of rows, or not all within a cache of `size` cells; positions are then unknown, and the
    // step has to fail.
    bool wrote(const int64_t * cells, int n, int64_t size);

    // see finds out which cells each row sees, from a mask of F16 numbers: 0, or minus infinity. Only the first call of
    // a batch counts. All threads of the pool call see, and then compute.
    void see(const uint16_t * mask, size_t stride, int rows, int cells, int threads, barrier_pool & pool);

    std::atomic<int64_t> unordered{0}; // rows so far whose cells had to be sorted

    // compute fills in layer.out.
    void compute(const layer & l, int thread, int threads, barrier_pool & pool);

    // bytes is the size of what is kept from batch to batch, except the lists of groups, which are small.
    int64_t bytes() const;

  private:
    // group is a tile that some rows of a block share: the first length cells of `cells`.
    struct group {
        const int32_t * cells;
        int length;
        std::vector<std::pair<int, int>> rows; // row of the block, and how many of the cells it sees
    };
    struct block {
        int first, rows;
        std::vector<std::vector<group>> tiles;
    };
    struct scratch { // of one thread
        std::vector<float> query, output, row_maximum, total, key, value, one;
        std::vector<kernels::query> queries; // that see a tile
    };

    void divide(int per_block, int threads, barrier_pool & pool);
    void run(const layer & l, const block & b, int kv_head, int first, int count, scratch & r) const;

    const target * by;
    const int32_t * positions = nullptr; // of the rows of this batch
    int rows = 0;
    bool placed = false, seen = false; // wrote and see have been called for this batch
    std::vector<int64_t> unplaced; // the cells of rows whose positions begin did not say
    int visible_rows = 0; // rows of the mask, some of which may be padding
    int divided = 0; // rows of a block in `blocks`; 0 before they are made for this batch
    std::vector<int32_t> position; // of each cell in its sequences
    std::vector<std::vector<int32_t>> sees; // the cells of each row, in the order of their positions
    std::vector<int32_t> begins; // the position of the first of them
    std::vector<block> blocks;
    std::vector<scratch> scratches;
};

} // namespace kernels
