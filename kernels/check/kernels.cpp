// Runs the kernels without llama.cpp, on every target that this processor can run: every format, odd shapes, several
// threads. `make kernels` runs it as it is, `make asan` under sanitizers.
//
// Weights are random bytes in the layout of GGUF. A row of a product or of attention must have the same bits alone and
// among others; the results of all targets must have the same bits; and each format must read what its test vector
// says. If something differs, the program says what, and its exit status is 1.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "../../inference/llamacpp/thread_governor.hpp"
#include "../../inference/llamacpp/workers.hpp"
#include "../attention.hpp"
#include "../matmul.hpp"
#include "../targets.hpp"
#include "random_weights.hpp"

namespace {

using namespace kernels;

std::mt19937 random_bits(1);
int checks = 0, failures = 0;
const target * now; // what is checked
constexpr uint64_t nothing = 14695981039346656037u;
uint64_t hash = nothing; // FNV-1a of all results

void check(bool ok, const char * what) {
    checks++;
    if (!ok) failures++, fprintf(stderr, "%s: %s differ from those of a row alone\n", now->name, what);
}

uint64_t hashed(uint64_t hash, const std::vector<float> & results) {
    for (const float & result : results) {
        uint32_t bits;
        memcpy(&bits, &result, sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
    }
    return hash;
}

void add_to_hash(const std::vector<float> & results) { hash = hashed(hash, results); }

float uniform() { return float(random_bits() >> 8) * 0x1p-24f * 2 - 1; }

// together runs f(thread) on a number of threads at once, as ggml runs an operation.
void together(int threads, const std::function<void(int)> & f) {
    std::vector<std::thread> running;
    for (int i = 1; i < threads; i++) running.emplace_back(f, i);
    f(0);
    for (std::thread & t : running) t.join();
}

// test_vector compares the weights of eight blocks of fixed random bytes with the hash that stands in the table.
void test_vector(const format & f) {
    random_bits.seed(uint32_t(f.type));
    const int read_at_once = f.activations == meets::floats ? vector : f.weights, n = 8;
    const size_t bytes = size_t(read_at_once / f.weights) * f.bytes;
    const auto data = random_weights(f, bytes * n, random_bits);
    std::vector<float> weights(size_t(read_at_once) * n);
    for (int i = 0; i < n; i++) f.read(data.get() + i * bytes, &weights[size_t(i) * read_at_once]);
    const uint64_t got = hashed(nothing, weights);
    checks++;
    if (got == f.vector) return;
    failures++;
    fprintf(stderr, "%s: the weights of %s hash to 0x%016llx, and its test vector is 0x%016llx\n", now->name, f.name,
            static_cast<unsigned long long>(got), static_cast<unsigned long long>(f.vector));
}

void product(const format & f, int width, int rows, int columns, int threads) {
    const size_t row_bytes = size_t(width / f.weights) * f.bytes;
    const auto data = random_weights(f, row_bytes * rows, random_bits);
    std::vector<float> x(size_t(width) * columns), out(size_t(rows) * columns), alone(rows);
    for (float & v : x) v = uniform();
    std::fill_n(x.begin(), block, 1e-38f); // so small that 127 divided by it is infinite
    const kernels::weights w{now->format_of(f.type), data.get(), row_bytes, width, rows};
    auto compute = [&](const float * from, int n, float * to) {
        matmul kernel(*now);
        barrier_pool pool;
        kernel.begin();
        together(threads, [&](int) {
            kernel.compute(w, {from, size_t(width) * sizeof(float), n, from}, to, threads, pool);
            kernel.compute(w, {from, size_t(width) * sizeof(float), n, from}, to, threads, pool); // rounded already
        });
    };
    compute(x.data(), columns, out.data());
    add_to_hash(out);
    for (int c = 0; c < columns; c++) {
        compute(&x[size_t(c) * width], 1, alone.data());
        check(std::equal(alone.begin(), alone.end(), &out[size_t(c) * rows]), "products");
    }
}

// of_experts compares the products with two of four experts for each token with those of an expert's weights alone. A
// place without an expert is left empty.
void of_experts(const format & f, int width, int rows, int tokens, int threads) {
    const int used = 2, n_experts = 4;
    const size_t row_bytes = size_t(width / f.weights) * f.bytes, bytes = row_bytes * rows;
    const auto data = random_weights(f, bytes * n_experts, random_bits);
    std::vector<float> x(size_t(width) * tokens), out(size_t(rows) * used * tokens), alone(rows);
    for (float & v : x) v = uniform();
    std::vector<int32_t> chosen(used * tokens);
    for (int i = 0; i < tokens; i++) {
        chosen[i * used] = int(random_bits() % n_experts);
        chosen[i * used + 1] = (chosen[i * used] + 1 + int(random_bits() % (n_experts - 1))) % n_experts;
    }
    if (tokens > 2) chosen[used] = -1, chosen[2 * used + 1] = -1;
    matmul kernel(*now);
    barrier_pool pool;
    kernel.begin();
    const size_t stride = size_t(width) * sizeof(float);
    together(threads, [&](int) {
        kernel.compute_experts({now->format_of(f.type), data.get(), row_bytes, width, rows},
                               {x.data(), stride, tokens, x.data()},
                               {reinterpret_cast<const char *>(chosen.data()), used * sizeof(int32_t), used, tokens,
                                n_experts, bytes, true, chosen.data()},
                               out.data(), threads, pool);
    });
    add_to_hash(out);
    for (int i = 0; i < used * tokens; i++) {
        const float * row = &x[size_t(i / used) * width];
        if (chosen[i] < 0) {
            check(std::all_of(&out[size_t(i) * rows], &out[size_t(i + 1) * rows], [](float f) { return f == 0; }),
                  "no expert");
            continue;
        }
        matmul other(*now);
        other.begin();
        other.compute({now->format_of(f.type), data.get() + bytes * chosen[i], row_bytes, width, rows},
                      {row, stride, 1, row}, alone.data(), 1, pool);
        check(std::equal(alone.begin(), alone.end(), &out[size_t(i) * rows]), "products of experts");
    }
}

// attend computes the given rows of a batch: row r sees cells [0, sees[r]) of a sequence that is scattered in the
// cache.
std::vector<float> attend(const std::vector<int> & sees, const std::vector<float> & queries,
                          const std::vector<uint16_t> & cache, const std::vector<int64_t> & places, int heads,
                          int kv_heads, int width, int threads, float soft_cap, const float * sinks) {
    const int rows = int(sees.size()), cells = int(places.size());
    std::vector<int32_t> positions(cells);
    for (int i = 0; i < cells; i++) positions[i] = i;
    std::vector<uint16_t> mask(size_t(rows) * cells, 0xFC00);
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < sees[r]; i++) mask[size_t(r) * cells + places[i]] = 0;
    }
    attention kernel(*now);
    barrier_pool pool;
    kernel.begin(positions.data(), cells); // as if an earlier batch had written all of them
    check(kernel.wrote(places.data(), cells, cells), "positions");
    const attention::cells kv{reinterpret_cast<const char *>(cache.data()), size_t(kv_heads) * width * 2,
                              size_t(width) * 2, width, now->from_half};
    std::vector<float> out(size_t(rows) * heads * width);
    const attention::layer layer{reinterpret_cast<const char *>(queries.data()),
                                 size_t(heads) * width * sizeof(float),
                                 size_t(width) * sizeof(float),
                                 heads,
                                 kv_heads,
                                 1 / std::sqrt(float(width)),
                                 soft_cap,
                                 sinks,
                                 kv,
                                 kv,
                                 out.data()};
    together(threads, [&](int thread) {
        for (int l = 0; l < 2; l++) { // two layers of one batch
            kernel.see(mask.data(), size_t(cells), rows, cells, threads, pool);
            kernel.compute(layer, thread, threads, pool);
        }
    });
    return out;
}

// outside_of_the_cache: cells that there are not are refused, whether the rows' positions are known or not.
void outside_of_the_cache() {
    const std::vector<int32_t> positions = {0, 1};
    for (int64_t cell : {int64_t(-1), int64_t(8), INT64_MAX, INT64_MIN}) {
        for (const int32_t * known : {positions.data(), static_cast<const int32_t *>(nullptr)}) {
            const int64_t cells[] = {7, cell};
            attention kernel(*now);
            kernel.begin(known, 2);
            check(!kernel.wrote(cells, 2, 8) && kernel.bytes() == 0, "cells outside of the cache");
            kernel.begin(known, 2);
            check(kernel.wrote(cells, 1, 8) == !known, "fewer cells than rows");
        }
    }
}

// attentions may cap the scores and have a sink for each head, or do neither.
void attentions(int cells, int rows, int heads, int kv_heads, int width, int threads, bool capped) {
    std::vector<int64_t> places(cells);
    for (int i = 0; i < cells; i++) places[i] = i;
    std::shuffle(places.begin(), places.end(), random_bits);
    std::vector<uint16_t> cache(size_t(cells) * kv_heads * width);
    for (uint16_t & h : cache) h = small_half(random_bits);
    const size_t row = size_t(heads) * width;
    std::vector<float> queries(row * rows);
    for (float & q : queries) q = uniform();
    std::vector<float> sinks(heads);
    for (float & s : sinks) s = uniform();
    const float cap = capped ? 5 : 0, *sink = capped ? sinks.data() : nullptr;
    std::vector<int> sees(rows);
    for (int & n : sees) n = 1 + int(random_bits() % cells);
    const auto out = attend(sees, queries, cache, places, heads, kv_heads, width, threads, cap, sink);
    add_to_hash(out);
    for (int r = 0; r < rows; r++) {
        const std::vector<float> query(&queries[r * row], &queries[r * row] + row);
        const auto alone = attend({sees[r]}, query, cache, places, heads, kv_heads, width, threads, cap, sink);
        check(std::equal(alone.begin(), alone.end(), &out[r * row]), "attentions");
    }
}

// logits: what sampling does to a row of them, in one piece and from the middle.
void logits(int n) {
    std::vector<float> row(n), weights(sums_of);
    for (float & l : row) l = uniform() * 20;
    const float top = now->highest(row.data(), n), depth = uniform() * 10;
    check(top == *std::max_element(row.begin(), row.end()), "highest logits");
    std::vector<double> sums((n + sums_of - 1) / sums_of);
    double total = now->sums(row.data(), n, top, 0.7f, sums.data());
    for (double sum : sums) total -= sum, add_to_hash({float(sum)});
    check(total == 0, "sums of logits");
    for (int i = now->reaching(row.data(), 0, n, depth); i < n; i = now->reaching(row.data(), i + 8, n, depth))
        add_to_hash({float(i)});
    const int from = n / 2 / 8 * 8, to = std::min(n, from + sums_of);
    weights.assign(to - from, 0);
    now->weigh(row.data(), from, to, n, top, 0.7f, weights.data());
    add_to_hash(weights);
    row[n / 3] = NAN;
    check(std::isnan(now->highest(row.data(), n)), "logits that are not numbers");
}

// drawn_by_workers: the threads that sample call a function once for each number.
void drawn_by_workers() {
    workers w(2);
    for (int round = 0; round < 50; round++) {
        std::vector<int> calls(round);
        w.each(round, [&](int, int i) { calls[i]++; });
        for (int n : calls) check(n == 1, "calls of workers");
    }
    thread_governor governor(4);
    for (int i = 0; i < 3; i++) governor.begin(), governor.end();
    check(governor.threads() >= 1 && governor.threads() <= 4, "threads");
}

uint64_t results() {
    hash = nothing;
    for (int i = 0; i < now->n_formats; i++) {
        const format & f = now->formats[i];
        test_vector(f);
        random_bits.seed(1);
        for (int columns : {1, 2, 3, 4, 5, 9, 15}) {
            product(f, 256, 16, columns, 1);
            product(f, 1024, 48, columns, 3);
            product(f, 512, 37, columns, 2);
        }
        of_experts(f, 256, 32, 1, 1);
        of_experts(f, 512, 48, 9, 3);
        of_experts(f, 256, 21, 9, 2);
        if (f.weights == 1) product(f, 40, 5, 3, 2);
    }
    outside_of_the_cache();
    attentions(1, 1, 1, 1, 32, 1, false);
    attentions(33, 5, 4, 2, 32, 3, true);
    attentions(100, 17, 6, 2, 64, 2, false);
    attentions(70, 40, 3, 1, 96, 3, true);
    drawn_by_workers();
    for (int n : {1, 7, 64, 1000, 5003}) logits(n);
    return hash;
}

} // namespace

// With the name of a target it checks that alone, with "chosen" the one that computes here.
int main(int n, char ** arguments) {
    std::string only = n > 1 ? arguments[1] : "", why;
    if (only == "chosen") only = choose("", why)->name;
    uint64_t first = 0;
    for (const target * t : compiled()) {
        if (!only.empty() && only != t->name) continue;
        now = t;
        if (!runs(*t)) {
            printf("%-10s this processor has no %s\n", t->name, t->needs);
            continue;
        }
        const int before = failures, checked = checks;
        const uint64_t got = results();
        if (first == 0) first = got;
        if (got != first) failures++, fprintf(stderr, "%s: the results have other bits\n", t->name);
        printf("%-10s %d checks, %d failures, results %016llx\n", t->name, checks - checked, failures - before,
               static_cast<unsigned long long>(got));
    }
    return failures == 0 && checks > 100 ? 0 : 1;
}
