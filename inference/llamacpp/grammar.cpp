//go:build cgo && !llama_none

#include "grammar.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "shim.hpp"

grammar::grammar(const llama_vocab * v, const char * text)
    : vocab(v), sampler(llama_sampler_init_grammar(v, text, "root")) {
    if (!sampler) throw std::runtime_error(logged_reason("llama.cpp could not parse a grammar"));
}

extern "C" bool parley_grammar_parses(const parley_model * m, const char * text, char * error) {
    guard g;
    try {
        grammar(m->vocab, text);
        return true;
    } catch (const std::exception & e) {
        write_error(error, e.what());
        return false;
    }
}

grammar::grammar(const grammar & other)
    : vocab(other.vocab), sampler(llama_sampler_clone(other.sampler)), missing(other.missing) {}

grammar::~grammar() { llama_sampler_free(sampler); }

// possible reports whether a token adds to the text, or ends it after a whole character. llama.cpp alone would allow a
// control token if the grammar allows its name, and an end within a character.
bool grammar::possible(int32_t token) const {
    if (llama_vocab_is_eog(vocab, token)) return missing == 0;
    return !(llama_vocab_get_attr(vocab, token) & (LLAMA_TOKEN_ATTR_UNKNOWN | LLAMA_TOKEN_ATTR_CONTROL));
}

bool grammar::allows(int32_t token) {
    if (!possible(token)) return false;
    llama_token_data one{token, 0, 0};
    llama_token_data_array list{&one, 1, -1, false};
    llama_sampler_apply(sampler, &list);
    return one.logit == 0;
}

bool grammar::take(int32_t token) {
    if (!allows(token)) return false;
    llama_sampler_accept(sampler, token);
    char piece[256]; // a longer token is not written, and its last character counts as whole
    const int32_t n = llama_token_to_piece(vocab, token, piece, sizeof piece, 0, false);
    for (int32_t i = 0; i < n; i++) {
        const uint8_t byte = uint8_t(piece[i]);
        if ((byte & 0xc0) == 0x80) {
            missing = std::max(0, missing - 1);
        } else {
            missing = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
        }
    }
    return true;
}

void grammar::reject(std::vector<llama_token_data> & list) {
    llama_token_data_array all{list.data(), list.size(), -1, false};
    llama_sampler_apply(sampler, &all);
    auto rejected = [this](const llama_token_data & d) { return d.logit == -INFINITY || !possible(d.id); };
    list.erase(std::remove_if(list.begin(), list.end(), rejected), list.end());
}

void follower::start(std::shared_ptr<const grammar> g, const int32_t * tokens, int32_t n) {
    if (g != origin || taken > size_t(n) || !std::equal(reply.begin(), reply.begin() + taken, tokens)) {
        state.reset();
        taken = 0;
    }
    origin = std::move(g);
    reply.assign(tokens, tokens + n);
}

grammar * follower::here() {
    if (!origin) return nullptr;
    if (!state) state = std::make_unique<grammar>(*origin);
    while (taken < reply.size()) {
        if (!state->take(reply[taken])) {
            drop();
            return nullptr;
        }
        taken++;
    }
    return state.get();
}

void follower::take(int32_t token) {
    if (origin) reply.push_back(token);
}
