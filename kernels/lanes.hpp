// Whole numbers in vectors with a row of weights in each lane, as many as `widest` has, and the products of them. Sums
// of whole numbers are exact, so that their order is free and every target gets the same.
#pragma once

#include "simd.hpp"

// add_bytes adds products of bytes to the lanes, those of w without a sign: four to each of 32 bits or, in_pairs, two
// to each of 16, where the first of a sum begin it, and add_pairs adds the two of such a lane to one of 32. For bytes
// of weights with a sign, magnitudes go in the place of w, and x with_sign of w. Where the bytes of w have_signs, those
// that need none are below 128.
//
// in_matrices, add_matrix adds the products of two rows, eight bytes of each, with two columns: a lane for each of the
// four. store_rows stores what it reads of four rows, whose first four bytes are in a and the next in b; column is one
// of the columns of two such sums, a lane for each of four rows.
//
// in_quarters reads sixteen bytes of each fourth row, with those of one in each 128 bits of the vector, and low_words
// to high_pairs interleave halves of such parts.
namespace kernels {
namespace TARGET {

#if VNNI
INLINE __m256i dpbusd(__m256i sum, __m256i w, __m256i x) {
#if VECTOR_BITS == 512
    return _mm256_dpbusd_epi32(sum, w, x);
#else
    return _mm256_dpbusd_avx_epi32(sum, w, x); // the same for processors without AVX-512
#endif
}
#endif

namespace lanes {

// places are where the same block of a few rows lies, `stride` bytes apart. Sixteen addresses are more than there are
// registers: a compiler that sees how they are related computes each once and moves all of them in every round of a
// loop. Two places and four distances are enough, from which the processor adds up each address as it loads; so they
// are hidden from the compiler.
class places {
  public:
    INLINE places(const char * p, size_t stride)
        : first(hidden(p)), ninth(hidden(p + 8 * stride)), one(hidden(stride)), three(hidden(3 * stride)),
          five(hidden(5 * stride)), seven(hidden(7 * stride)) {}

    INLINE const char * row(int r) const {
        const size_t away[8] = {0, one, 2 * one, three, 4 * one, five, 2 * three, seven};
        return (r < 8 ? first : ninth) + away[r % 8];
    }

  private:
    template <typename T> static INLINE T hidden(T x) {
        __asm__("" : "+r"(x));
        return x;
    }
    const char *first, *ninth;
    size_t one, three, five, seven;
};

typedef widest floats;
constexpr int rows = lanes_of<floats>;
typedef int32_t words __attribute__((vector_size(sizeof(floats))));
typedef uint32_t unsigned_words __attribute__((vector_size(sizeof(floats))));
typedef uint8_t bytes __attribute__((vector_size(sizeof(floats))));
constexpr bool in_pairs = VECTOR_BITS >= 256 && !VNNI;
constexpr bool have_signs = VECTOR_BITS == 128;

#if VECTOR_BITS >= 256

// in_halves reads sixteen bytes of two rows, four apart.
INLINE __m256i in_halves(const places & at, int row, size_t from) {
    const __m256i one = _mm256_castsi128_si256(TARGET::load<__m128i>(at.row(row) + from));
    return _mm256_inserti128_si256(one, TARGET::load<__m128i>(at.row(row + 4) + from), 1);
}

INLINE __m128i four_words(const places & at, int row, size_t from) {
    int32_t w[4];
    for (int i = 0; i < 4; i++) memcpy(&w[i], at.row(row + i) + from, sizeof w[i]);
    const __m128i two = _mm_insert_epi32(_mm_cvtsi32_si128(w[0]), w[1], 1);
    return _mm_insert_epi32(_mm_insert_epi32(two, w[2], 2), w[3], 3);
}

INLINE __m256i eight_words(const places & at, int row, size_t from) {
    const __m256i four = _mm256_castsi128_si256(four_words(at, row, from));
    return _mm256_inserti128_si256(four, four_words(at, row + 4, from), 1);
}

#endif

#if VECTOR_BITS == 512

typedef __m512i integers;

INLINE integers all(int32_t x) { return _mm512_set1_epi32(x); }
INLINE floats convert(integers i) { return _mm512_cvtepi32_ps(i); }
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    return _mm512_dpbusd_epi32(first ? all(0) : sum, w, x);
}

// An insertion into half of a vector takes half as long, so halves are put together.
INLINE integers in_quarters(const places & at, int row, size_t from) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(in_halves(at, row, from)), in_halves(at, row + 8, from), 1);
}
INLINE integers low_words(integers a, integers b) { return _mm512_unpacklo_epi32(a, b); }
INLINE integers high_words(integers a, integers b) { return _mm512_unpackhi_epi32(a, b); }
INLINE integers low_pairs(integers a, integers b) { return _mm512_unpacklo_epi64(a, b); }
INLINE integers high_pairs(integers a, integers b) { return _mm512_unpackhi_epi64(a, b); }

#elif VECTOR_BITS == 256

typedef __m256i integers;

INLINE integers all(int32_t x) { return _mm256_set1_epi32(x); }
INLINE floats convert(integers i) { return _mm256_cvtepi32_ps(i); }
INLINE integers in_quarters(const places & at, int row, size_t from) { return in_halves(at, row, from); }
INLINE integers low_words(integers a, integers b) { return _mm256_unpacklo_epi32(a, b); }
INLINE integers high_words(integers a, integers b) { return _mm256_unpackhi_epi32(a, b); }
INLINE integers low_pairs(integers a, integers b) { return _mm256_unpacklo_epi64(a, b); }
INLINE integers high_pairs(integers a, integers b) { return _mm256_unpackhi_epi64(a, b); }
#if VNNI
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    return dpbusd(first ? all(0) : sum, w, x);
}
#else
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    const integers p = _mm256_maddubs_epi16(w, x);
    return first ? p : _mm256_add_epi16(sum, p);
}

INLINE integers magnitudes(integers w) { return _mm256_abs_epi8(w); } // -128 is 128 without a sign
INLINE integers with_sign(integers x, integers w) { return _mm256_sign_epi8(x, w); }
INLINE integers add_pairs(bool first, integers sum, integers pairs) {
    const integers p = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
    return first ? p : _mm256_add_epi32(sum, p);
}
#endif

#elif VECTOR_BITS == 128

typedef int32x4_t integers;

INLINE integers all(int32_t x) { return vdupq_n_s32(x); }
INLINE floats convert(integers i) { return (floats)vcvtq_f32_s32(i); }
INLINE integers in_quarters(const places & at, int row, size_t from) {
    return TARGET::load<integers>(at.row(row) + from); // there are four rows
}
INLINE integers low_words(integers a, integers b) { return vzip1q_s32(a, b); }
INLINE integers high_words(integers a, integers b) { return vzip2q_s32(a, b); }
INLINE integers low_pairs(integers a, integers b) { return (integers)vzip1q_s64((int64x2_t)a, (int64x2_t)b); }
INLINE integers high_pairs(integers a, integers b) { return (integers)vzip2q_s64((int64x2_t)a, (int64x2_t)b); }
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    return vdotq_s32(first ? all(0) : sum, (int8x16_t)w, (int8x16_t)x);
}
#if MATRICES
INLINE void store_rows(int32_t * to, integers a, integers b) {
    const integers pairs[] = {vzip1q_s32(a, b), vzip2q_s32(a, b)};
    memcpy(to, pairs, sizeof pairs);
}
INLINE integers two_columns(const int8_t * p, const int8_t * q) {
    return (integers)vcombine_s8(vld1_s8(p), vld1_s8(q));
}
INLINE integers add_matrix(integers sum, integers w, integers x) { return vmmlaq_s32(sum, (int8x16_t)w, (int8x16_t)x); }
INLINE integers column(integers a, integers b, int i) { return i == 0 ? vuzp1q_s32(a, b) : vuzp2q_s32(a, b); }
#endif

#else

typedef i32x8 integers;

INLINE integers all(int32_t x) { return x - integers{}; }
INLINE floats convert(integers i) { return __builtin_convertvector(i, floats); }

// part is byte number i of each lane, with its sign.
INLINE integers part(integers v, int i) { return (integers)((u32x8)v << (24 - i * 8)) >> 24; }
INLINE integers add_bytes(bool first, integers sum, integers w, integers x) {
    if (first) sum = all(0);
    for (int i = 0; i < 4; i++) sum += (w >> (8 * i) & 255) * part(x, i);
    return sum;
}

#endif

#if VECTOR_BITS < 256 || VNNI // nothing is in pairs, and these are never called
integers magnitudes(integers w);
integers with_sign(integers x, integers w);
integers add_pairs(bool first, integers sum, integers pairs);
#endif

#if MATRICES
constexpr bool in_matrices = true;
#else // these are never called
constexpr bool in_matrices = false;
void store_rows(int32_t * to, integers a, integers b);
integers two_columns(const int8_t * p, const int8_t * q);
integers add_matrix(integers sum, integers w, integers x);
integers column(integers a, integers b, int i);
#endif

// read reads sixteen bytes of each row, from a place on: to[i] has bytes 4i to 4i + 3 of them.
INLINE void read(const places & at, size_t from, words * to) {
#if VECTOR_BITS == 0
    for (int i = 0; i < 4; i++) {
        for (int r = 0; r < rows; r++) {
            int32_t word;
            memcpy(&word, at.row(r) + from + 4 * i, sizeof word);
            to[i][r] = word;
        }
    }
#else
    integers r[4];
    for (int i = 0; i < 4; i++) r[i] = in_quarters(at, i, from);
    const integers a = low_words(r[0], r[1]), b = high_words(r[0], r[1]);
    const integers c = low_words(r[2], r[3]), d = high_words(r[2], r[3]);
    to[0] = (words)low_pairs(a, c), to[1] = (words)high_pairs(a, c);
    to[2] = (words)low_pairs(b, d), to[3] = (words)high_pairs(b, d);
#endif
}

// read_word reads four bytes of each row.
INLINE words read_word(const places & at, size_t from) {
#if VECTOR_BITS == 512
    return (words)_mm512_inserti64x4(_mm512_castsi256_si512(eight_words(at, 0, from)), eight_words(at, 8, from), 1);
#elif VECTOR_BITS == 256
    return (words)eight_words(at, 0, from);
#else
    words w[4];
    read(at, from, w);
    return w[0];
#endif
}

// from_halves converts the F16 number in the lower half of each lane; the upper half is ignored.
INLINE floats from_halves(words w) {
    w &= 0xffff;
#if VECTOR_BITS == 512
    return (floats)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)w));
#elif VECTOR_BITS == 256
    const __m256i packed = _mm256_packus_epi32((__m256i)w, (__m256i)w); // each half of them twice
    return _mm256_cvtph_ps(_mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
#elif VECTOR_BITS == 128
    return (floats)vcvt_f32_f16((float16x4_t)vmovn_u32((uint32x4_t)w));
#else
    return TARGET::from_half(__builtin_convertvector(w, u16x8));
#endif
}

// both_halves converts the two F16 numbers in each lane.
INLINE void both_halves(words w, floats & low, floats & high) {
#if VECTOR_BITS == 512
    alignas(64) static constexpr int16_t places[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                                                     1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
    const __m512i apart = _mm512_permutexvar_epi16(TARGET::load<__m512i>(places), (__m512i)w);
    low = (floats)_mm512_cvtph_ps(_mm512_castsi512_si256(apart));
    high = (floats)_mm512_cvtph_ps(_mm512_extracti64x4_epi64(apart, 1));
#elif VECTOR_BITS == 256
    const __m128i places = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    const __m256i in_lanes = _mm256_shuffle_epi8((__m256i)w, _mm256_broadcastsi128_si256(places));
    const __m256i apart = _mm256_permute4x64_epi64(in_lanes, 0xD8);
    low = (floats)_mm256_cvtph_ps(_mm256_castsi256_si128(apart));
    high = (floats)_mm256_cvtph_ps(_mm256_extracti128_si256(apart, 1));
#else
    low = from_halves(w), high = from_halves((words)((unsigned_words)w >> 16));
#endif
}

// entries looks numbers below 16 up in a table of sixteen bytes.
INLINE words entries(u8x16 table, words numbers) {
#if VECTOR_BITS == 512
    return (words)_mm512_shuffle_epi8(_mm512_broadcast_i32x4((__m128i)table), (__m512i)numbers);
#elif VECTOR_BITS == 256
    return (words)_mm256_shuffle_epi8(_mm256_broadcastsi128_si256((__m128i)table), (__m256i)numbers);
#elif VECTOR_BITS == 128
    return (words)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)numbers);
#else
    bytes to = (bytes)numbers;
    for (size_t i = 0; i < sizeof to; i++) to[i] = table[to[i]];
    return (words)to;
#endif
}

// fifths spreads the lowest four bits of each lane over its bytes, the lowest to the first: each is bit 4 there.
INLINE words fifths(words w) {
#if VECTOR_BITS == 512
    alignas(64) static constexpr int32_t of[] = {0x00000000, 0x00000010, 0x00001000, 0x00001010, 0x00100000, 0x00100010,
                                                 0x00101000, 0x00101010, 0x10000000, 0x10000010, 0x10001000, 0x10001010,
                                                 0x10100000, 0x10100010, 0x10101000, 0x10101010};
    return (words)_mm512_permutexvar_epi32((__m512i)w, TARGET::load<__m512i>(of));
#else
    return ((w & 15) * 0x00204081 & 0x01010101) << 4;
#endif
}

INLINE integers load(const int32_t * p) { return TARGET::load<integers>(p); }

// broadcast gives every lane the four bytes at p.
INLINE integers broadcast(const void * p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return all(x);
}

} // namespace lanes

} // namespace TARGET
} // namespace kernels
