// Grammars (GBNF) that replies must follow: a thin layer over llama.cpp, which parses them and keeps their stacks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "llama.h"

// grammar is a parsed text, and how far a reply has come in it. A copy advances independently.
class grammar {
  public:
    grammar(const llama_vocab * vocab, const char * text); // throws where llama.cpp cannot parse the text
    grammar(const grammar & other);
    grammar & operator=(const grammar &) = delete;
    ~grammar();

    bool allows(int32_t token);
    bool take(int32_t token); // false, and nothing is done, if it is not allowed

    // reject leaves in the list the tokens that are allowed, in their order.
    void reject(std::vector<llama_token_data> & list);

  private:
    bool possible(int32_t token) const;

    const llama_vocab * vocab;
    llama_sampler * sampler;
    int missing = 0; // bytes that the last character still lacks
};

// follower is the grammar of one reply. It reads the reply when `here` is called, on the calling thread, and reads no
// token twice as long as the reply only grows.
class follower {
  public:
    // start sets the grammar and the reply so far; a null grammar allows everything.
    void start(std::shared_ptr<const grammar> origin, const int32_t * reply, int32_t n);

    grammar * here(); // at the end of the reply; null where there is none, or the reply does not follow it
    void take(int32_t token);
    void drop() { start(nullptr, nullptr, 0); }

  private:
    std::shared_ptr<const grammar> origin; // which has taken nothing
    std::unique_ptr<grammar> state;        // has taken [0, taken) of the reply
    std::vector<int32_t> reply;
    size_t taken = 0;
};
