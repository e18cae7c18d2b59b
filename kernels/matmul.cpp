//go:build cgo && !llama_none

#include "matmul.hpp"

#include <algorithm>

namespace kernels {

// How a product runs, and why its bits do not depend on the batch
//
//	compute                  all threads of the pool
//	  prepare                rounds each column (a row of the batch) to bytes, a scale and sums for each block of 32
//	  multiply               for each panel of 16 rows of weights, which one thread takes (products.hpp, compiled for
//	                         each target); the last may have fewer:
//	    gemv                 one column: numbers meet it as they are unpacked
//	    unpack, accumulate   else: a chunk of blocks is unpacked once and meets all columns, four or eight at a time
//
// F16, BF16 and F32 weights meet the activations as they are.
//
// A mixture of experts is one such product for each expert: `group` sorts the rows of the batch by their experts, and
// those of an expert are columns that lie together.
//
// Each output, of a row of weights and a column, is computed as
//
//	sum = 0
//	for each block b, from the first to the last:
//	    dot = the 32 products of whole numbers, added up       exact, so in any order; where each half of a block has
//	                                                           a factor, the sum of both times theirs
//	    sum = fma(float(dot), weight scale * column scale, sum)
//	    sum = fma(weight offset, column sum, sum)              in formats with an offset; where each half of a block
//	                                                           has its own, for the first half and then the second
//
// and by nothing else, in gemv and in accumulate. So an output is a function of its row of weights and its column, and
// TestBitsDoNotDependOnTheBatch holds. Free to change: how many columns go together, the sizes of panel and chunk (a
// sum that waits in `out` is the same float), which thread takes what, the order within a dot. What would break it:
// adding up parts of a row's blocks that different threads or lanes have summed, rounding a product before it is added
// (no fma) in one of the two paths, multiplying by the two scales in another order, or -ffast-math. A change to both
// paths alike keeps the batch out of the results, but changes them: a recorded run can then no longer be repeated bit
// for bit.

bool matmul::possible(int format, int64_t width, int64_t rows) const {
    if (format < 0 || format >= by->n_formats) return false;
    return width % std::max(vector, by->formats[format].weights) == 0 && rows > 0;
}

// last_panel computes one that has fewer rows than sixteen: in a copy, with zeros behind them.
void matmul::last_panel(const weights & w, int row, const columns & x, int n, float * out) const {
    thread_local std::vector<char> filled;
    thread_local std::vector<float> part;
    const int rows = w.rows - row;
    filled.assign(panel * w.row_bytes, 0);
    std::copy_n(w.data + size_t(row) * w.row_bytes, size_t(rows) * w.row_bytes, filled.begin());
    part.resize(size_t(n) * panel);
    const weights whole{w.format, filled.data(), w.row_bytes, w.width, panel};
    by->formats[w.format].multiply(whole, 0, x, n, part.data());
    for (int c = 0; c < n; c++) std::copy_n(&part[size_t(c) * panel], rows, out + size_t(c) * w.rows + row);
}

// panels writes the outputs of panels [from, to).
void matmul::panels(const weights & w, const columns & x, int from, int to, int n, float * out) const {
    const auto multiply = by->formats[w.format].multiply;
    for (int row = from * panel; row < to * panel; row += panel) {
        if (row + panel <= w.rows) {
            multiply(w, row, x, n, out);
        } else {
            last_panel(w, row, x, n, out);
        }
    }
}

// rounded_from are the rounded activations from a column on.
columns matmul::rounded_from(int width, int from) const {
    const rounded all{byte.data(), shift.data(), scale.data(), sum.data(), half.data(), beside};
    return columns{all, 0, nullptr, 0, width, width / block}.from(from);
}

// row is the i-th row of a batch, or the i-th when they are sorted by experts.
const float * matmul::row(const batch & b, const choice * c, int i) const {
    const int r = !c ? i : c->shared ? order[i] / c->used : order[i];
    return reinterpret_cast<const float *>(reinterpret_cast<const char *>(b.data) + size_t(r) * b.stride);
}

// prepare quantises the batch, unless the product before this one did (keys, queries and values have the same input).
void matmul::prepare(const weights & w, const batch & b, const choice * c, int threads, barrier_pool & pool) {
    const void * sorted_by = c ? c->identity : nullptr;
    if (quantized == b.identity && arranged == sorted_by) return;
    const int rows = c ? c->used * c->tokens : b.rows, blocks = w.width / block, together = std::min(rows, most_beside);
    const int groups = (rows + together - 1) / together;
    pool.each(threads, 1, [&](int) { // one of them resizes
        const size_t n = size_t(groups) * together * blocks;
        byte.resize(n * block), shift.resize(n * 3), scale.resize(n), sum.resize(n), half.resize(n * 2);
        beside = together;
    });
    // Threads take stretches of blocks, which lie together, and never parts of one.
    const int parts = std::clamp(4 * threads / groups, 1, blocks);
    auto round_some = [&](int i) {
        const int first = i / parts * together, end = std::min(rows, first + together);
        const int from = blocks * (i % parts) / parts, to = blocks * (i % parts + 1) / parts;
        const rounding all{byte.data(), shift.data(), scale.data(), sum.data(), half.data(), together};
        for (int r = first; r < end; r++)
            by->round(row(b, c, r) + from * block, to - from,
                      all.moved(size_t(first / together) * blocks + from, r - first));
    };
    pool.each(threads, groups * parts, round_some, [&] {
        quantized = b.identity;
        arranged = sorted_by;
    });
}

// gather sorts activations by experts for weights that meet them as they are.
void matmul::gather(const weights & w, const batch & b, const choice & c, int threads, barrier_pool & pool) {
    if (gathered == b.identity) return;
    pool.each(threads, 1, [&](int) { floats.resize(size_t(c.used) * c.tokens * w.width); });
    auto copy_row = [&](int i) { std::copy_n(row(b, &c, i), w.width, &floats[size_t(i) * w.width]); };
    pool.each(threads, c.used * c.tokens, copy_row, [&] { gathered = b.identity; });
}

// group sorts the rows by experts, those of an expert in the order of their tokens. Rows without one come last.
void matmul::group(const choice & c, int threads, barrier_pool & pool) {
    if (grouped == c.identity) return;
    auto sort_rows = [&](int) {
        auto expert = [&](int i) {
            const int e = reinterpret_cast<const int32_t *>(c.expert + size_t(i / c.used) * c.stride)[i % c.used];
            return e >= 0 && e < c.experts ? e : c.experts;
        };
        const int n = c.used * c.tokens;
        order.resize(n), active.clear();
        first.assign(c.experts + 2, 0);
        for (int i = 0; i < n; i++) first[expert(i) + 1]++;
        for (int e = 0; e <= c.experts; e++) {
            if (first[e + 1] > 0 && e < c.experts) active.push_back(e);
            first[e + 1] += first[e];
        }
        for (int i = n - 1; i >= 0; i--) order[--first[expert(i) + 1]] = i; // first[e + 1] ends where e begins
        std::copy(first.begin() + 1, first.end(), first.begin());
        first[c.experts + 1] = n;
    };
    pool.each(threads, 1, sort_rows, [&] {
        grouped = c.identity;
        gathered = nullptr;
    });
}

// compute: a thread writes whole panels of the output, and reads activations that `prepare` has finished, because each
// pool.each returns when all threads are done.
void matmul::compute(const weights & w, const batch & b, float * out, int threads, barrier_pool & pool) {
    columns all{};
    if (kind_of(w) == meets::floats) {
        all.plain = reinterpret_cast<const char *>(b.data), all.stride = b.stride, all.width = w.width;
    } else {
        prepare(w, b, nullptr, threads, pool);
        all = rounded_from(w.width, 0);
    }
    // A thread takes neighbouring panels: more at once where a small batch makes memory the limit.
    const int n_panels = (w.rows + panel - 1) / panel;
    const int share = std::max(1, n_panels / ((b.rows <= 8 ? 2 : 8) * threads));
    pool.each(threads, (n_panels + share - 1) / share,
              [&](int i) { panels(w, all, i * share, std::min(n_panels, (i + 1) * share), b.rows, out); });
}

void matmul::compute_experts(const weights & w, const batch & b, const choice & c, float * out, int threads,
                             barrier_pool & pool) {
    group(c, threads, pool);
    const bool plain = kind_of(w) == meets::floats;
    if (plain) {
        gather(w, b, c, threads, pool);
    } else {
        prepare(w, b, &c, threads, pool);
    }
    const int n = c.used * c.tokens, n_panels = (w.rows + panel - 1) / panel;
    pool.each(threads, 1, [&](int) { results.resize(size_t(n) * w.rows); });
    const int parts = std::clamp(8 * threads / std::max(1, int(active.size())), 1, n_panels);
    pool.each(threads, int(active.size()) * parts, [&](int i) {
        const int e = active[i / parts], part = i % parts, from = first[e], rows = first[e + 1] - from;
        weights own = w;
        own.data += size_t(e) * c.bytes;
        columns x{};
        x.plain = reinterpret_cast<const char *>(floats.data() + size_t(from) * w.width),
        x.stride = w.width * sizeof(float);
        x.width = w.width;
        if (!plain) x = rounded_from(w.width, from);
        panels(own, x, n_panels * part / parts, n_panels * (part + 1) / parts, rows, &results[size_t(from) * w.rows]);
    });
    pool.each(threads, n, [&](int i) {
        float * to = out + size_t(order[i]) * w.rows;
        if (i < first[c.experts]) {
            std::copy_n(&results[size_t(i) * w.rows], w.rows, to);
        } else {
            std::fill_n(to, w.rows, 0.0f);
        }
    });
}

} // namespace kernels
