// Vectors of 32 bytes for NEON, as pairs of those that it has. They do what the compiler's own vectors do in the source
// of the targets; GCC takes its own apart into single numbers where they are larger than those of the processor.
#pragma once

namespace kernels {
namespace TARGET {

template <typename T> struct pair_of {
    typedef T half __attribute__((vector_size(16)));
    static constexpr int half_lanes = 16 / sizeof(T);
    half low, high;

    pair_of() = default;
    INLINE pair_of(half low, half high) : low(low), high(high) {}
    INLINE pair_of(T x) : low(x - half{}), high(low) {} // minus zero stays minus zero
    template <typename... Numbers> INLINE pair_of(T first, T second, T third, Numbers... numbers) {
        const T all[] = {first, second, third, T(numbers)...};
        static_assert(sizeof all == 2 * sizeof(half), "a number for each lane");
        memcpy(&low, all, sizeof low);
        memcpy(&high, all + half_lanes, sizeof high);
    }
    template <typename T2> INLINE explicit pair_of(pair_of<T2> bits) : low((half)bits.low), high((half)bits.high) {}

    INLINE T operator[](int i) const { return i < half_lanes ? low[i] : high[i - half_lanes]; }
    INLINE void put(int i, T x) { i < half_lanes ? low[i] = x : high[i - half_lanes] = x; }

#define EACH_HALF(op)                                                                                                  \
    friend INLINE pair_of operator op(pair_of a, pair_of b) { return {a.low op b.low, a.high op b.high}; }
    EACH_HALF(+)
    EACH_HALF(-)
    EACH_HALF(*)
    EACH_HALF(/)
    EACH_HALF(&)
    EACH_HALF(|)
    EACH_HALF(<<)
    EACH_HALF(>>)
#undef EACH_HALF
    friend INLINE pair_of operator-(pair_of a) { return {-a.low, -a.high}; }
    friend INLINE pair_of operator~(pair_of a) { return {~a.low, ~a.high}; }
    INLINE pair_of & operator+=(pair_of b) { return *this = *this + b; }

    typedef pair_of<int32_t> mask; // of numbers of 32 bits; nothing else is compared
#define COMPARED(op)                                                                                                   \
    friend INLINE mask operator op(pair_of a, pair_of b) { return {a.low op b.low, a.high op b.high}; }
    COMPARED(==)
    COMPARED(<)
    COMPARED(>)
#undef COMPARED
};

} // namespace TARGET
} // namespace kernels
