//go:build cgo && !llama_none

#include "attention.hpp"

#include <algorithm>
#include <cmath>

namespace kernels {

// How attention runs, and why its bits do not depend on the batch
//
//	begin     before a decode: positions of the batch's rows                           graph::begin
//	wrote     when llama.cpp stores the keys of the first layer: positions of cells    graph::look, one thread
//	see       first layer: which cells each row sees, in the order of their positions  all threads
//	compute   every layer: divide (once a batch), then run for each block of rows and KV head
//	  run     tile by tile: read 32 keys and values once, then advance every query that sees them (attend.hpp,
//	          compiled for each target)
//
// The result of a query is computed as
//
//	for each tile of the row's cells, those with positions [32t, 32t + 32):
//	    score[c]  = chain of fma over the width, from element 0 on; cap * tanh of it where the model has a soft cap
//	    maximum   = larger of the row maximum so far and that of the tile
//	    rescale   = exp(row maximum so far - maximum); weight[c] = exp(score[c] - maximum), 0 for cells it does not see
//	    total     = fma(total, rescale, sum of the weights, added up in one fixed order)
//	    output[d] = output[d] * rescale, then a chain of fma(weight[c], value[c][d]) over rising c
//	for an attention sink: rescale output and total as for a tile, with the sink's score; total += its weight
//	output / total
//
// (softmax with a running maximum, as in flash attention). The borders of tiles depend on positions and never on where
// cells lie or how many rows there are. The first tile of a sliding window is what is left of its 32 positions. Free to
// change: how rows are cut into blocks, how many queries advance together (Q), how many vectors of the output do (V),
// which thread takes what. What would break it: tiles counted in cells of the cache, a sum that skips or reorders cells
// for some rows, parts of a row's tiles computed apart and merged, or a row's maximum taken over all tiles first in one
// path and as it goes in another. A tile shared with a row that sees more cells adds fma(0, value, sum), which changes
// no sum as long as values are finite.

namespace {

constexpr uint16_t minus_infinity = 0xFC00; // F16
constexpr int lanes = 8; // keys that are transposed together

void read(const attention::cells & c, int32_t cell, int head, float * to) {
    c.to_float(c.data + size_t(cell) * c.cell + size_t(head) * c.head, to, c.width);
}

template <typename T> int64_t capacity(const std::vector<T> & v) { return int64_t(v.capacity() * sizeof(T)); }

} // namespace

int64_t attention::bytes() const {
    int64_t sum = capacity(position) + capacity(begins);
    for (const std::vector<int32_t> & cells : sees) sum += capacity(cells);
    for (const scratch & s : scratches) {
        sum += capacity(s.query) + capacity(s.output) + capacity(s.row_maximum) + capacity(s.total) + capacity(s.key) +
               capacity(s.value) + capacity(s.one) + capacity(s.queries);
    }
    return sum;
}

bool attention::wrote(const int64_t * cells, int n, int64_t size) {
    if (placed) return true;
    placed = true;
    unplaced.clear();
    if (positions && n != rows) return false;
    if (std::any_of(cells, cells + n, [size](int64_t cell) { return cell < 0 || cell >= size; })) return false;
    for (int i = 0; i < n; i++) {
        if (size_t(cells[i]) >= position.size()) position.resize(cells[i] + 1);
        if (positions) position[cells[i]] = positions[i];
    }
    if (!positions) unplaced.assign(cells, cells + n);
    return true;
}

void attention::see(const uint16_t * mask, size_t stride, int rows, int cells, int threads, barrier_pool & pool) {
    if (seen) return;
    pool.each(threads, 1, [&](int) {
        visible_rows = rows;
        divided = 0;
        if (position.size() < size_t(cells)) position.resize(cells);
        if (sees.size() < size_t(rows)) sees.resize(rows), begins.resize(rows);
        if (scratches.size() < size_t(threads)) scratches.resize(threads);
    });
    auto place = [&](int r) {
        const uint16_t * m = mask + r * stride;
        int32_t visible = 0;
        for (int c = 0; c < cells; c++) visible += m[c] != minus_infinity;
        position[unplaced[r]] = visible - 1;
    };
    pool.each(threads, std::min(int(unplaced.size()), rows), place);
    auto sort_cells = [&](int r) {
        std::vector<int32_t> & list = sees[r];
        list.clear();
        const uint16_t * m = mask + r * stride;
        bool sorted = true;
        int32_t last = -1;
        for (int c = 0; c < cells; c++) {
            if (m[c] == minus_infinity) continue;
            list.push_back(c);
            sorted = sorted && position[c] > last;
            last = position[c];
        }
        if (!sorted) {
            std::sort(list.begin(), list.end(), [this](int32_t a, int32_t b) { return position[a] < position[b]; });
            unordered++;
        }
        begins[r] = list.empty() ? 0 : position[list[0]];
    };
    pool.each(threads, rows, sort_cells, [&] { seen = true; });
}

// divide cuts the rows into blocks and finds, tile by tile, which rows of a block see the same cells: one may see fewer
// of them than another, as the rows of one prompt do. All layers with the same shape use one division.
void attention::divide(int per_block, int threads, barrier_pool & pool) {
    if (divided == per_block) return;
    pool.each(threads, 1, [&](int) { blocks.resize((visible_rows + per_block - 1) / per_block); });
    auto find_groups = [&](int i) {
        block & b = blocks[i];
        b.first = i * per_block;
        b.rows = std::min(per_block, visible_rows - b.first);
        int first = INT32_MAX, end = 0; // tiles, counted from position 0
        for (int r = b.first; r < b.first + b.rows; r++) {
            if (sees[r].empty()) continue;
            first = std::min(first, begins[r] / tile);
            end = std::max(end, (begins[r] + int(sees[r].size()) - 1) / tile + 1);
        }
        b.tiles.assign(std::max(0, end - first), {});
        for (int t = first; t < end; t++) {
            std::vector<group> & groups = b.tiles[t - first];
            for (int r = 0; r < b.rows; r++) {
                const std::vector<int32_t> & list = sees[b.first + r];
                const int at = t * tile - begins[b.first + r]; // where the tile begins in the list
                const int n = std::min(int(list.size()), at + tile) - std::max(0, at);
                if (n <= 0) continue;
                const int32_t * own = list.data() + std::max(0, at);
                auto same = [&](const group & g) { return std::equal(own, own + std::min(n, g.length), g.cells); };
                auto g = std::find_if(groups.begin(), groups.end(), same);
                if (g == groups.end()) g = groups.insert(g, group{own, n, {}});
                if (n > g->length) g->cells = own, g->length = n;
                g->rows.emplace_back(r, n);
            }
        }
    };
    pool.each(threads, int(blocks.size()), find_groups, [&] { divided = per_block; });
}

// run computes `count` heads from `first` on, of those that read a KV head, for a block.
void attention::run(const layer & l, const block & b, int kv_head, int first, int count, scratch & r) const {
    const int kw = l.key.width, vw = l.value.width, queries = b.rows * count;
    r.query.resize(size_t(queries) * kw);
    r.output.assign(size_t(queries) * vw, 0);
    r.row_maximum.assign(queries, -INFINITY);
    r.total.assign(queries, 0);
    r.key.resize(size_t(kw) * tile), r.value.resize(size_t(vw) * tile), r.one.resize(size_t(lanes) * kw);
    const int head = kv_head * (l.heads / l.kv_heads) + first;
    for (int i = 0; i < queries; i++) {
        const char * from = l.query + size_t(b.first + i / count) * l.row + size_t(head + i % count) * l.head;
        float * to = &r.query[size_t(i) * kw];
        for (int d = 0; d < kw; d++) to[d] = reinterpret_cast<const float *>(from)[d] * l.scale;
    }
    for (const std::vector<group> & groups : b.tiles) {
        for (const group & g : groups) {
            for (int c = 0; c < tile; c += lanes) { // cells behind the last one count as that one, with weight 0
                for (int i = 0; i < lanes; i++)
                    read(l.key, g.cells[std::min(c + i, g.length - 1)], kv_head, &r.one[size_t(i) * kw]);
                by->transpose(r.one.data(), kw, &r.key[c], tile);
            }
            for (int c = 0; c < g.length; c++) read(l.value, g.cells[c], kv_head, &r.value[size_t(c) * vw]);
            r.queries.clear();
            for (auto [row, sees] : g.rows) {
                for (int i = row * count; i < (row + 1) * count; i++) {
                    r.queries.push_back(
                        {&r.query[size_t(i) * kw], &r.output[size_t(i) * vw], &r.row_maximum[i], &r.total[i], sees});
                }
            }
            by->advance(r.queries.data(), int(r.queries.size()), l.soft_cap, r.key.data(), kw, r.value.data(), vw,
                        g.length);
        }
    }
    for (int i = 0; i < queries; i++) {
        if (l.sinks) {
            const float sink = l.sinks[head + i % count], maximum = std::max(r.row_maximum[i], sink);
            const float rescale = by->exp(r.row_maximum[i] - maximum);
            r.total[i] = __builtin_fmaf(r.total[i], rescale, by->exp(sink - maximum));
            for (int d = 0; d < vw; d++) r.output[size_t(i) * vw + d] *= rescale;
        }
        float * to = l.out + (size_t(b.first + i / count) * l.heads + head + i % count) * vw;
        const float inverse = r.total[i] == 0 ? 0 : 1 / r.total[i];
        for (int d = 0; d < vw; d++) to[d] = r.output[size_t(i) * vw + d] * inverse;
    }
}

// compute shares the work out so that every thread gets some: in blocks of rows, by KV heads, and, where rows are few,
// by parts of the heads that share one. How it is cut changes no result.
void attention::compute(const layer & l, int thread, int threads, barrier_pool & pool) {
    const int group = l.heads / l.kv_heads, wanted = 2 * threads;
    const int per_block = std::clamp(visible_rows * l.kv_heads / wanted, 1, std::max(1, 112 / group));
    divide(per_block, threads, pool);
    const int have = int(blocks.size()) * l.kv_heads;
    const int parts = std::clamp(wanted / std::max(1, have), 1, std::min(group, 4));
    pool.each(threads, have * parts, [&](int i) {
        const int part = i % parts, kv_head = i / parts % l.kv_heads;
        const int first = group * part / parts, end = group * (part + 1) / parts;
        run(l, blocks[i / parts / l.kv_heads], kv_head, first, end - first, scratches[thread]);
    });
}

} // namespace kernels
