// Measures how fast products with weights run on the target that computes here, beside what the machine could do:
// rates THREADS [FORMAT...]. `make roofline` draws what it prints, in columns that tabs divide:
//
//	machine   target    bytes read/s      products of bytes/s   products of floats/s
//	product   format    columns           products/s            bytes of weights/s
//
// Products are those of so many columns with 96 MiB of weights, 1,024 in a row, which is more than caches hold.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../matmul.hpp"
#include "../speed.hpp"
#include "../targets.hpp"
#include "random_weights.hpp"

namespace {

using namespace kernels;

constexpr int width = 1024, most_columns = 64;
constexpr size_t weights_bytes = size_t(96) << 20;

// seconds is the least time of several products with all weights, on so many threads.
double seconds(const target & t, const weights & w, const std::vector<float> & x, int columns, int threads) {
    std::vector<float> out(size_t(w.rows) * columns);
    double least = 1e9;
    for (int repeat = 0; repeat < 5; repeat++) {
        matmul kernel(t);
        barrier_pool pool;
        kernel.begin();
        auto compute = [&] {
            kernel.compute(w, {x.data(), size_t(width) * sizeof(float), columns, x.data()}, out.data(), threads, pool);
        };
        const auto began = std::chrono::steady_clock::now();
        std::vector<std::thread> others;
        for (int i = 1; i < threads; i++) others.emplace_back(compute);
        compute();
        for (std::thread & other : others) other.join();
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    }
    return least;
}

} // namespace

int main(int n, char ** arguments) {
    const int threads = n > 1 ? atoi(arguments[1]) : 1;
    std::string why;
    const target * t = choose("", why);
    if (!t || threads < 1) return fprintf(stderr, "%s\n", t ? "THREADS is a number from 1" : why.c_str()), 1;
    const speed s = measure(*t, threads);
    printf("machine\t%s\t%g\t%g\t%g\n", t->name, s.bytes, s.byte_products, s.float_products);
    std::vector<float> x(size_t(width) * most_columns);
    std::mt19937 bits(2);
    for (float & v : x) v = float(bits() >> 8) * 0x1p-24f * 2 - 1;
    for (int i = 0; i < t->n_formats; i++) {
        const format & f = t->formats[i];
        const auto named = [&](const char * argument) { return f.name == std::string(argument); };
        if (n > 2 && std::none_of(arguments + 2, arguments + n, named)) continue;
        const size_t row_bytes = size_t(width / f.weights) * f.bytes;
        const int rows = int(weights_bytes / row_bytes / panel * panel);
        const auto data = random_weights(f, row_bytes * rows, bits);
        for (int columns : {1, 2, 4, 8, 16, 32, most_columns}) {
            const double took = seconds(*t, {i, data.get(), row_bytes, width, rows}, x, columns, threads);
            printf("product\t%s\t%d\t%g\t%g\n", f.name, columns, double(width) * rows * columns / took,
                   double(row_bytes) * rows / took);
            fflush(stdout);
        }
    }
}
