//go:build cgo && !llama_none

#include "sampling.hpp"

#include <algorithm>
#include <cmath>

using kernels::target;

namespace {

constexpr int32_t lanes = 8;

uint64_t mix(uint64_t z) { // the finaliser of splitmix64 (Steele, Lea, Flood 2014)
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// uniform is in [0, 1) and a function of the seed and the token's index alone. It must never change: recorded runs name
// their generations by the seed.
double uniform(uint64_t seed, uint64_t index) {
    return double(mix(mix(seed) + (index + 1) * 0x9e3779b97f4a7c15) >> 11) * 0x1p-53;
}

// best is the index of the highest logit, the lowest one among equals, or -1 if a logit is not a finite number.
int32_t best(const target & by, const float * logits, int32_t n) {
    const float top = by.highest(logits, n);
    if (std::isnan(top)) return -1;
    const int32_t near = by.reaching(logits, 0, n, top); // among the eight from there on
    return int32_t(std::find(logits + near, logits + n, top) - logits);
}

// sums computes the sum of exp((logit - top) * inverse) for each block of logits, and returns the total.
double sums(const target & by, const float * logits, int32_t n, float top, float inverse,
            std::vector<double> & blocks) {
    blocks.resize((n + kernels::sums_of - 1) / kernels::sums_of);
    return by.sums(logits, n, top, inverse, blocks.data());
}

bool better(const candidate & a, const candidate & b) {
    return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// top lists the k best tokens, best first.
void top(const target & by, const float * logits, int32_t n, int32_t k, std::vector<candidate> & list) {
    list.clear();
    k = std::min(k, n);
    if (k == 0) return;
    const size_t enough = size_t(k) + 512;
    float least = -INFINITY; // the lowest logit of a candidate
    auto trim = [&] {
        std::nth_element(list.begin(), list.begin() + (k - 1), list.end(), better);
        list.resize(k);
        least = list.back().logit; // the k-th best
    };
    for (int32_t i = by.reaching(logits, 0, n, least); i < n; i = by.reaching(logits, i + lanes, n, least)) {
        for (int32_t j = i; j < std::min(n, i + lanes); j++) {
            if (logits[j] >= least) list.push_back({j, logits[j]});
        }
        if (list.size() >= enough) trim();
    }
    if (list.size() > size_t(k)) trim();
    std::sort(list.begin(), list.end(), better);
}

// above lists the tokens with at least that logit, best first.
void above(const target & by, const float * logits, int32_t n, float least, std::vector<candidate> & list) {
    list.clear();
    for (int32_t i = by.reaching(logits, 0, n, least); i < n; i = by.reaching(logits, i + lanes, n, least)) {
        for (int32_t j = i; j < std::min(n, i + lanes); j++) {
            if (logits[j] >= least) list.push_back({j, logits[j]});
        }
    }
    std::sort(list.begin(), list.end(), better);
}

bool cuts_at(float p) { return p > 0 && p < 1; }

} // namespace

void stream::start(const parley_sampler & o, const int32_t * history, int32_t n, const parley_bias * b,
                   std::shared_ptr<const grammar> g) {
    options = o;
    index = uint64_t(o.drawn);
    biases.assign(b, b + o.n_bias);
    const int32_t reply = g || counts() ? std::clamp(o.drawn, 0, n) : 0;
    rules.start(std::move(g), history + n - reply, reply);
    drawn.clear();
    if (counts()) {
        for (int32_t i = n - reply; i < n; i++) drawn[history[i]]++;
    }
    recent.clear();
    oldest = 0;
    if (options.repeat_penalty == 0) options.repeat_penalty = 1;
    if (options.repeat_last_n == 0) options.repeat_last_n = 64;
    if (!repeats()) return;
    for (int32_t i = std::max(0, n - options.repeat_last_n); i < n; i++) remember(history[i]);
}

void stream::accept(int32_t token) {
    if (counts()) drawn[token]++;
    if (repeats()) remember(token);
}

void stream::remember(int32_t token) {
    if (recent.size() < size_t(options.repeat_last_n)) {
        recent.push_back(token);
    } else {
        recent[oldest] = token;
        oldest = (oldest + 1) % recent.size();
    }
}

float stream::bias_of(int32_t token) const {
    const auto at = std::lower_bound(biases.begin(), biases.end(), token,
                                     [](const parley_bias & b, int32_t t) { return b.token < t; });
    return at != biases.end() && at->token == token ? at->bias : 0;
}

// penalize returns the logits with the biases added, and those of recent tokens made less likely.
const float * stream::penalize(const float * logits, int32_t vocab, sampling_scratch & scratch) {
    if (!repeats() && !counts() && biases.empty()) return logits;
    scratch.changed.assign(logits, logits + vocab);
    for (const parley_bias & b : biases) {
        if (b.token >= 0 && b.token < vocab) scratch.changed[b.token] += b.bias;
    }
    for (int32_t token : recent) { // from the original, so that a token that occurs twice is changed once
        if (token < 0 || token >= vocab) continue;
        const float logit = logits[token] + bias_of(token);
        scratch.changed[token] = logit <= 0 ? logit * options.repeat_penalty : logit / options.repeat_penalty;
    }
    for (const auto & [token, times] : drawn) { // in any order: each token is there once
        if (token < 0 || token >= vocab) continue;
        scratch.changed[token] -= float(times) * options.frequency_penalty + options.presence_penalty;
    }
    return scratch.changed.data();
}

int32_t stream::alternatives(int32_t vocab) const { return std::clamp(options.alternatives, 0, vocab - 1); }

bool stream::draw(const float * logits, int32_t vocab, sampling_scratch & scratch, parley_sampled & out,
                  parley_alternative * alternatives) {
    const int32_t first = best(*scratch.by, logits, vocab);
    if (first < 0) return false;
    const double total = sums(*scratch.by, logits, vocab, logits[first], 1, scratch.blocks);
    const double norm = logits[first] + std::log(total);
    int32_t token = options.forced;
    out.stuck = 0;
    if (token < 0) {
        const float * changed = penalize(logits, vocab, scratch);
        const bool same = changed == logits;
        token = pick(changed, vocab, same ? first : best(*scratch.by, changed, vocab), same, total,
                     uniform(options.seed, index), scratch);
        try {
            if (grammar * g = rules.here(); g && !g->allows(token)) token = redraw(changed, vocab, scratch);
            if (token < 0) out.stuck = 1;
        } catch (const costly &) {
            out.stuck = 2;
        }
    }
    if (out.stuck) {
        rules.drop();
        token = first;
    }
    rules.take(token);
    accept(token);
    index++;
    out.token = token;
    out.log_prob = float(logits[token] - norm);
    out.n_alternatives = 0;
    const int32_t wanted = this->alternatives(vocab);
    if (wanted > 0) top(*scratch.by, logits, vocab, wanted + 1, scratch.list);
    for (size_t i = 0; i < scratch.list.size() && out.n_alternatives < wanted; i++) {
        if (scratch.list[i].token != token)
            alternatives[out.n_alternatives++] = {scratch.list[i].token, float(scratch.list[i].logit - norm)};
    }
    return true;
}

// redraw draws from the tokens that the grammar allows, with a random number of its own. It returns -1 if it allows
// none.
int32_t stream::redraw(const float * logits, int32_t vocab, sampling_scratch & scratch) {
    scratch.allowed.resize(vocab);
    for (int32_t i = 0; i < vocab; i++) scratch.allowed[i] = {i, logits[i], 0};
    rules.here()->reject(scratch.allowed);
    if (scratch.allowed.empty()) return -1;
    scratch.left.clear();
    for (const llama_token_data & d : scratch.allowed) scratch.left.push_back(d.logit);
    const int32_t n = int32_t(scratch.left.size());
    const uint64_t second = mix(options.seed ^ 0x6a09e667f3bcc909);
    const int32_t top = best(*scratch.by, scratch.left.data(), n);
    return scratch.allowed[pick(scratch.left.data(), n, top, false, 0, uniform(second, index), scratch)].id;
}

// cut lists the candidates that top-k, top-p and min-p leave, best first. total is the sum of exp(logit - highest).
void stream::cut(const float * logits, int32_t vocab, int32_t top_token, double total,
                 sampling_scratch & scratch) const {
    const float highest = logits[top_token];
    const float least = options.min_p > 0 ? highest + std::log(options.min_p) : -INFINITY;
    std::vector<candidate> & list = scratch.list;
    auto weight = [&](const candidate & c) { return double(std::exp(c.logit - highest)); };
    if (options.top_k > 0) {
        top(*scratch.by, logits, vocab, options.top_k, list);
        total = 0;
        for (const candidate & c : list) total += weight(c);
    } else if (cuts_at(options.top_p)) {
        for (float depth = 10;; depth *= 2) { // deep enough to hold that much probability
            above(*scratch.by, logits, vocab, highest - depth, list);
            double held = 0;
            for (const candidate & c : list) held += weight(c);
            if (held >= options.top_p * total || list.size() == size_t(vocab)) break;
        }
    } else {
        above(*scratch.by, logits, vocab, least, list);
    }
    if (cuts_at(options.top_p)) {
        double held = 0;
        size_t n = 0;
        while (n < list.size() && held < options.top_p * total) held += weight(list[n++]);
        list.resize(std::max<size_t>(n, 1));
    }
    while (list.size() > 1 && list.back().logit < least) list.pop_back();
}

// pick draws a token by the chain. If `summed`, scratch.blocks has the sums of these logits and total is theirs.
int32_t stream::pick(const float * logits, int32_t vocab, int32_t top_token, bool summed, double total, double random,
                     sampling_scratch & scratch) {
    const float temperature = options.temperature, highest = logits[top_token];
    if (temperature <= 0) return top_token;
    if (options.top_k > 0 || cuts_at(options.top_p) || options.min_p > 0) {
        if (!summed && options.top_k <= 0) total = sums(*scratch.by, logits, vocab, highest, 1, scratch.blocks);
        cut(logits, vocab, top_token, total, scratch);
        double all = 0;
        for (const candidate & c : scratch.list) all += std::exp((c.logit - highest) / temperature);
        double left = random * all;
        for (const candidate & c : scratch.list) {
            left -= std::exp((c.logit - highest) / temperature);
            if (left < 0) return c.token;
        }
        return scratch.list.back().token;
    }
    const float inverse = 1 / temperature;
    if (!summed || temperature != 1) total = sums(*scratch.by, logits, vocab, highest, inverse, scratch.blocks);
    double left = random * total;
    size_t b = 0;
    while (b + 1 < scratch.blocks.size() && left >= scratch.blocks[b]) left -= scratch.blocks[b++];
    const int32_t from = int32_t(b) * kernels::sums_of, to = std::min(vocab, from + kernels::sums_of);
    scratch.weights.resize(kernels::sums_of);
    scratch.by->weigh(logits, from, to, vocab, highest, inverse, scratch.weights.data());
    int32_t last = from;
    float likeliest = 0; // of the block, which is drawn if rounding leaves no other
    for (int32_t i = from; i < to; i++) {
        const float weight = scratch.weights[i - from];
        left -= weight;
        if (left < 0) return i;
        if (weight > likeliest) likeliest = weight, last = i;
    }
    return last;
}
