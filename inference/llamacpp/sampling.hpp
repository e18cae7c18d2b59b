// Drawing tokens from rows of logits. What goes over the whole vocabulary is done by the kernels, and only if
// the sampler needs it; only the few candidates that remain are sorted.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "../../kernels/target.hpp"
#include "grammar.hpp"
#include "shim.h"

// candidate is a token that top-k, top-p and min-p leave.
struct candidate {
    int32_t token;
    float logit;
};

// sampling_scratch is what a worker needs while it samples; nothing in it outlives one draw.
struct sampling_scratch {
    explicit sampling_scratch(const kernels::target & t) : by(&t) {}

    const kernels::target * by;
    std::vector<double> blocks;
    std::vector<float> changed, weights;
    std::vector<candidate> list;
    std::vector<llama_token_data> allowed; // tokens that a grammar allows,
    std::vector<float> left; // and their logits

    int64_t bytes() const {
        return int64_t(blocks.capacity() * sizeof(double) +
                       (changed.capacity() + weights.capacity() + left.capacity()) * sizeof(float) +
                       list.capacity() * sizeof(candidate) + allowed.capacity() * sizeof(llama_token_data));
    }
};

// stream is the sampler of one sequence: logit bias, penalties, top-k, top-p, min-p, temperature, in llama.cpp's order
// and meaning, then a draw with a random number that is a function of the seed and the token's index in its generation
// alone.
//
// A token is a function of the logits, the options, the history and the index: not of other streams, the worker, or
// what was drawn from the same row. The scheduler relies on it when it accepts drafts and joins equal requests.
//
// A grammar comes last, as in llama.cpp: if it rejects the token, the chain runs again on the tokens that it allows,
// with a second random number of that kind. If nothing but the temperature is set, both draws together are one from the
// distribution over these tokens.
class stream {
  public:
    // start resets the stream. With a grammar or a penalty on the reply, the last options.drawn tokens of the history
    // are the reply so far. biases are the options.n_bias of this stream.
    void start(const parley_sampler & options, const int32_t * history, int32_t n, const parley_bias * biases,
               std::shared_ptr<const grammar> rules);

    // draw fills in out, and at most options.alternatives of the best other tokens. It returns false if a logit is not
    // a number.
    bool draw(const float * logits, int32_t vocab, sampling_scratch & scratch, parley_sampled & out,
              parley_alternative * alternatives);

    int32_t alternatives(int32_t vocab) const;

  private:
    // `summed` and `total` pass the sums of the unchanged logits on, so that they are computed once; see pick.

    const float * penalize(const float * logits, int32_t vocab, sampling_scratch & scratch);
    int32_t pick(const float * logits, int32_t vocab, int32_t top, bool summed, double total, double random,
                 sampling_scratch & scratch);
    int32_t redraw(const float * logits, int32_t vocab, sampling_scratch & scratch);
    void cut(const float * logits, int32_t vocab, int32_t top, double total, sampling_scratch & scratch) const;
    bool repeats() const { return options.repeat_penalty != 1; }
    bool counts() const { return options.frequency_penalty != 0 || options.presence_penalty != 0; }
    float bias_of(int32_t token) const;
    void remember(int32_t token);
    void accept(int32_t token);

    parley_sampler options{};
    uint64_t index = 0; // of the next token
    follower rules;
    std::vector<parley_bias> biases;
    std::unordered_map<int32_t, int32_t> drawn; // how often the reply has a token, if that counts
    std::vector<int32_t> recent; // tokens for the repetition penalty, a ring
    size_t oldest = 0; // index of the next to be replaced
};
