// Grammars (GBNF) that replies have to follow. llama.cpp parses them and keeps their stacks; this is a thin layer over
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "llama.h"

// grammar is a parsed text, and how far into it a reply has come. A copy goes its own way.
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
    int missing = 0; // bytes of a character that has begun
};

// follower is the grammar of one reply. It catches up with the reply when it is asked for the first time, on the thread
// that asks, and goes on from where it is if that is a part of the reply.
class follower {
  public:
    // start sets the reply so far; without an origin everything is allowed.
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
