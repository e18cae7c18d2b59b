// Grammars (GBNF) that replies must follow. They come as programs, which program.go makes of texts that it has checked.
//
// A reply may be read in several ways, and ways multiply: of "x" root "y" | "x" root "z" there are 2^n after n times x.
// So a set of positions says where a reply is, and the rest of each position's way is such a set too: ways that go on
// alike are one. What a token may take to follow or to draw is bounded all the same; beyond it a grammar is `costly`.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "llama.h"

// costly is thrown where a grammar would take more than a token may take.
struct costly : std::exception {};

// pieces are the texts of those tokens of a vocabulary that have one and do not end a reply, in the order of their
// bytes. Control tokens have none here: a grammar that allows their names does not mean them.
struct pieces {
    explicit pieces(const llama_vocab * vocab);

    struct piece {
        size_t from;
        uint32_t length, shared; // shared with the piece before it
        int32_t token;
    };
    const llama_vocab * vocab;
    std::string text;
    std::vector<piece> sorted;
    std::vector<int32_t> places; // of each token's piece in sorted, -1 without one
};

// program is a compiled grammar; see program.go.
struct program {
    program(const pieces & of, const int32_t * numbers, size_t n) : of(of), numbers(numbers, numbers + n) {}

    int32_t kind(int32_t element) const { return numbers[2 + 2 * element]; }
    int32_t value(int32_t element) const { return numbers[3 + 2 * element]; }

    const pieces & of;
    const std::vector<int32_t> numbers;
};

// position is an element of a program, and the set of those where the reply goes on after its sequence. Element -1 is
// the end of the reply.
struct position {
    int32_t element;
    uint32_t then;

    bool operator==(const position & o) const { return element == o.element && then == o.then; }
    bool operator<(const position & o) const { return element != o.element ? element < o.element : then < o.then; }
};

// position_sets numbers sets of positions. A set's positions go on with sets of lower numbers. Set 0 is empty, set 1
// the end of the reply.
class position_sets {
  public:
    position_sets();

    uint32_t number(std::vector<position> & positions); // which it sorts
    const position * begin(uint32_t set) const { return all.data() + starts[set]; }
    const position * end(uint32_t set) const { return all.data() + starts[set + 1]; }
    size_t size(uint32_t set) const { return starts[set + 1] - starts[set]; }
    size_t positions() const { return all.size(); }
    uint32_t count() const { return uint32_t(starts.size() - 1); }
    void cut(uint32_t count); // drops the sets from that number on
    uint32_t keep(uint32_t set); // drops all but a set and what it goes on with, and returns its new number

  private:
    uint64_t hash(const position * from, const position * to) const;

    std::vector<position> all;
    std::vector<uint32_t> starts;
    std::unordered_map<uint64_t, uint32_t> known; // by their hashes
};

// grammar is a program, and how far a reply has come in it. A copy advances independently.
class grammar {
  public:
    explicit grammar(std::shared_ptr<const program> p);

    bool allows(int32_t token);
    bool take(int32_t token); // false, and nothing is done, if it is not allowed

    // reject leaves in the list the tokens that are allowed, in their order.
    void reject(std::vector<llama_token_data> & list);

  private:
    // cursor is a place within a token.
    struct cursor {
        uint32_t state;
        uint32_t value; // of the bits of a character that lacks bytes
        int32_t lacks;
        bool before; // the character began in an earlier token
    };

    // index finds the positions of a large set that may match a character: by it, and those of other classes.
    struct index {
        std::vector<std::pair<uint32_t, position>> single;
        std::vector<position> others;
    };

    void begin() { spent = 0; }
    void spend(size_t work);
    bool complete() const;
    bool follow(const pieces::piece & p, cursor & c);
    bool feed(cursor & c, uint8_t byte);
    bool may_end(const cursor & c);
    bool matches(int32_t element, uint32_t character);
    bool may_match(int32_t element, uint32_t value, int32_t lacks) const;
    bool ends(int32_t element) const;
    uint32_t after(uint32_t state, uint32_t character);
    const index & index_of(uint32_t state);
    void advance(position p, uint32_t character);
    void reach(position p);
    bool fresh(uint64_t position);
    void enter(position p, std::vector<std::pair<int32_t, position>> & calls);
    uint32_t close();
    uint32_t number(std::vector<position> & positions);
    void forget(uint32_t count);

    std::shared_ptr<const program> rules;
    position_sets sets;
    cursor here; // after the reply
    size_t spent = 0;

    // Of one token, see forget.
    std::unordered_map<uint64_t, uint32_t> memo; // by state and character
    std::unordered_map<uint32_t, index> indexes;

    // Of one character.
    std::vector<position> reached, found, todo;
    std::vector<uint64_t> few; // of the positions that were seen; the others are in many
    std::unordered_set<uint64_t> many;
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
