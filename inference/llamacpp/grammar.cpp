//go:build cgo && !llama_none

#include "grammar.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace {

// What a token may take, in steps of a few nanoseconds; how many positions a set may have; and how many the sets of a
// reply may have together, when and after those that are of no more use are dropped.
constexpr size_t most_work = size_t(1) << 24, most_positions = 1 << 13, many_positions = 1 << 16,
                 most_kept = size_t(1) << 20;

enum kind { rule_end, alternative, rule, optional_rule, character_class }; // as in program.go

constexpr int32_t whole_reply = -1; // the element after the last

uint64_t key(uint32_t a, uint32_t b) { return uint64_t(a) << 32 | b; }

std::string text_of(const llama_vocab * vocab, int32_t token) {
    std::string text(64, 0);
    int32_t n = llama_token_to_piece(vocab, token, text.data(), int32_t(text.size()), 0, true);
    if (n < 0) {
        text.resize(-n);
        n = llama_token_to_piece(vocab, token, text.data(), int32_t(text.size()), 0, true);
    }
    text.resize(std::max(0, n));
    return text;
}

} // namespace

pieces::pieces(const llama_vocab * v) : vocab(v), places(llama_vocab_n_tokens(v), -1) {
    std::vector<std::pair<std::string, int32_t>> all;
    for (int32_t token = 0; token < int32_t(places.size()); token++) {
        const int attr = llama_vocab_get_attr(v, token);
        if (llama_vocab_is_eog(v, token) || attr & (LLAMA_TOKEN_ATTR_UNKNOWN | LLAMA_TOKEN_ATTR_CONTROL)) continue;
        std::string piece = text_of(v, token);
        if (!piece.empty() && piece.find('\0') == std::string::npos) all.emplace_back(std::move(piece), token);
    }
    std::sort(all.begin(), all.end());
    const std::string * last = nullptr;
    for (const auto & [piece, token] : all) {
        uint32_t shared = 0;
        while (last && shared < std::min(last->size(), piece.size()) && (*last)[shared] == piece[shared]) shared++;
        places[token] = int32_t(sorted.size());
        sorted.push_back({text.size(), uint32_t(piece.size()), shared, token});
        text += piece;
        last = &piece;
    }
}

position_sets::position_sets() : starts{0} {
    std::vector<position> none, end{{whole_reply, 0}};
    number(none), number(end);
}

uint64_t position_sets::hash(const position * from, const position * to) const {
    uint64_t h = uint64_t(to - from);
    for (; from != to; from++) h = (h ^ key(uint32_t(from->element), from->then)) * 0x9e3779b97f4a7c15, h ^= h >> 29;
    return h;
}

// number gives sets whose hashes are equal by chance two numbers each time, which is no harm.
uint32_t position_sets::number(std::vector<position> & positions) {
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    const auto [at, fresh] = known.emplace(hash(positions.data(), positions.data() + positions.size()), count());
    if (!fresh && std::equal(positions.begin(), positions.end(), begin(at->second), end(at->second))) return at->second;
    all.insert(all.end(), positions.begin(), positions.end());
    starts.push_back(uint32_t(all.size()));
    return count() - 1;
}

void position_sets::cut(uint32_t count) {
    while (this->count() > count) {
        const uint32_t last = this->count() - 1;
        const auto at = known.find(hash(begin(last), end(last)));
        if (at != known.end() && at->second == last) known.erase(at);
        starts.pop_back();
        all.resize(starts.back());
    }
}

uint32_t position_sets::keep(uint32_t set) {
    std::vector<uint32_t> renamed(count(), 0); // not 0 if it is needed
    renamed[set] = 1;
    for (uint32_t s = set + 1; s-- > 0;) {
        if (renamed[s] == 0) continue;
        for (const position * p = begin(s); p != end(s); p++) renamed[p->then] = 1;
    }
    position_sets kept;
    std::vector<position> positions;
    for (uint32_t s = 0; s <= set; s++) {
        if (renamed[s] == 0) continue;
        positions.assign(begin(s), end(s));
        for (position & p : positions) p.then = renamed[p.then];
        renamed[s] = kept.number(positions);
    }
    *this = std::move(kept);
    return renamed[set];
}

grammar::grammar(std::shared_ptr<const program> p) : rules(std::move(p)) {
    const int32_t root = rules->numbers[1];
    for (int32_t e = root;; e++) { // each of the root's alternatives, as if the whole were one
        if (e == root || rules->kind(e - 1) == alternative) reach({e, 1});
        if (rules->kind(e) == rule_end) break;
    }
    here = {close(), 0, 0, false};
}

void grammar::spend(size_t work) {
    if ((spent += work) > most_work) throw costly();
}

bool grammar::ends(int32_t element) const {
    return rules->kind(element) == rule_end || rules->kind(element) == alternative;
}

bool grammar::complete() const {
    const position * first = sets.begin(here.state);
    return here.lacks == 0 && first != sets.end(here.state) && first->element == whole_reply;
}

bool grammar::matches(int32_t element, uint32_t character) {
    const int32_t * c = &rules->numbers[rules->value(element)];
    spend(1 + c[1]);
    bool in = false;
    for (int32_t i = 0; i < c[1] && !in; i++)
        in = uint32_t(c[2 + 2 * i]) <= character && character <= uint32_t(c[3 + 2 * i]);
    return in != (c[0] != 0);
}

// may_match reports whether some character that begins with these bits is in a class. Of a negated class it is said
// only of bits of which none is in the ranges, as in llama.cpp.
bool grammar::may_match(int32_t element, uint32_t value, int32_t lacks) const {
    if (lacks == 1 && value < 2) return false; // a longer form than is allowed
    uint32_t low = value << (lacks * 6);
    const uint32_t high = low | ((1u << (lacks * 6)) - 1);
    if (low == 0) low = lacks == 2 ? 1 << 11 : lacks == 3 ? 1 << 16 : 0;
    const int32_t * c = &rules->numbers[rules->value(element)];
    for (int32_t i = 0; i < c[1]; i++) {
        if (uint32_t(c[2 + 2 * i]) <= high && low <= uint32_t(c[3 + 2 * i])) return c[0] == 0;
    }
    return c[0] != 0;
}

// feed reads a byte of a token, and reports whether the grammar allows one that begins so.
bool grammar::feed(cursor & c, uint8_t byte) {
    static const int8_t lengths[] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};
    if (c.lacks > 0) {
        if (c.before && byte >> 6 != 2) return false;
        c.value = (c.value << 6) + (byte & 0x3f), c.lacks--;
    } else {
        c.lacks = lengths[byte >> 4] - 1;
        if (c.lacks < 0) return false;
        c.value = byte & ((1 << (7 - c.lacks)) - 1);
    }
    if (c.lacks > 0) return true;
    c.before = false;
    c.state = after(c.state, c.value);
    return sets.size(c.state) > 0;
}

// may_end reports whether a token may end where it is.
bool grammar::may_end(const cursor & c) {
    if (c.lacks == 0) return true;
    spend(8 * sets.size(c.state));
    return std::any_of(sets.begin(c.state), sets.end(c.state), [&](const position & p) {
        return p.element != whole_reply && may_match(p.element, c.value, c.lacks);
    });
}

bool grammar::follow(const pieces::piece & p, cursor & c) {
    for (uint32_t i = 0; i < p.length; i++) {
        if (!feed(c, uint8_t(rules->of.text[p.from + i]))) return false;
    }
    return may_end(c);
}

bool grammar::allows(int32_t token) {
    begin();
    if (llama_vocab_is_eog(rules->of.vocab, token)) return complete();
    const int32_t place = rules->of.places[token];
    if (place < 0) return false;
    const uint32_t count = sets.count();
    cursor c = here;
    c.before = c.lacks > 0;
    const bool allowed = follow(rules->of.sorted[place], c);
    forget(count);
    return allowed;
}

bool grammar::take(int32_t token) {
    begin();
    if (llama_vocab_is_eog(rules->of.vocab, token)) return complete();
    const int32_t place = rules->of.places[token];
    if (place < 0) return false;
    const uint32_t count = sets.count();
    cursor c = here;
    c.before = c.lacks > 0;
    if (!follow(rules->of.sorted[place], c)) {
        forget(count);
        return false;
    }
    here = c;
    forget(sets.count());
    if (sets.positions() > many_positions) here.state = sets.keep(here.state);
    if (sets.positions() > most_kept) throw costly();
    return true;
}

// reject follows all tokens in the order of their texts, so that what several begin with is followed once.
void grammar::reject(std::vector<llama_token_data> & list) {
    begin();
    const pieces & of = rules->of;
    const uint32_t count = sets.count();
    std::vector<bool> allowed(of.places.size(), false);
    std::vector<cursor> at{here}; // after each byte of the last piece that could be followed
    at[0].before = here.lacks > 0;
    for (const pieces::piece & p : of.sorted) {
        if (p.shared >= at.size()) continue; // it begins with what could not be
        at.resize(p.shared + 1);
        cursor c = at.back();
        while (at.size() <= p.length && feed(c, uint8_t(of.text[p.from + at.size() - 1]))) at.push_back(c);
        allowed[p.token] = at.size() > p.length && may_end(c);
    }
    forget(count);
    const bool end = complete();
    auto rejected = [&](const llama_token_data & d) {
        return !(llama_vocab_is_eog(of.vocab, d.id) ? end : bool(allowed[d.id]));
    };
    list.erase(std::remove_if(list.begin(), list.end(), rejected), list.end());
}

// forget ends what is known for one token alone, and drops the sets from a number on.
void grammar::forget(uint32_t count) {
    memo.clear();
    indexes.clear();
    sets.cut(count);
}

const grammar::index & grammar::index_of(uint32_t state) {
    const auto [at, fresh] = indexes.try_emplace(state);
    index & found = at->second;
    if (!fresh) return found;
    for (const position * p = sets.begin(state); p != sets.end(state); p++) {
        spend(8);
        if (p->element == whole_reply) continue;
        const int32_t * c = &rules->numbers[rules->value(p->element)];
        if (c[0] == 0 && c[1] == 1 && c[2] == c[3]) {
            found.single.emplace_back(uint32_t(c[2]), *p);
        } else {
            found.others.push_back(*p);
        }
    }
    std::sort(found.single.begin(), found.single.end());
    return found;
}

// after is the state after one more character.
uint32_t grammar::after(uint32_t state, uint32_t character) {
    spend(1);
    if (const auto at = memo.find(key(state, character)); at != memo.end()) return at->second;
    reached.clear(), few.clear();
    if (!many.empty()) many = {};
    if (sets.size(state) > 16) {
        const index & of = index_of(state);
        auto at = std::lower_bound(of.single.begin(), of.single.end(), character,
                                   [](const auto & a, uint32_t c) { return a.first < c; });
        for (; at != of.single.end() && at->first == character; at++) reach({at->second.element + 1, at->second.then});
        for (const position & p : of.others) advance(p, character);
    } else {
        for (const position * p = sets.begin(state); p != sets.end(state); p++) advance(*p, character);
    }
    return memo[key(state, character)] = close();
}

void grammar::advance(position p, uint32_t character) {
    if (p.element != whole_reply && matches(p.element, character)) reach({p.element + 1, p.then});
}

// reach adds the positions that the reply may be at when it comes to one: where a sequence ends, those that it goes on
// with.
void grammar::reach(position p) {
    todo.assign(1, p);
    while (!todo.empty()) {
        p = todo.back(), todo.pop_back();
        spend(8);
        const bool over = p.element != whole_reply && ends(p.element);
        if (!fresh(key(over ? UINT32_MAX - 1 : uint32_t(p.element), p.then))) continue;
        if (over) {
            spend(sets.size(p.then));
            todo.insert(todo.end(), sets.begin(p.then), sets.end(p.then));
            continue;
        }
        if (p.element != whole_reply && rules->kind(p.element) == optional_rule)
            todo.push_back({p.element + 1, p.then});
        reached.push_back(p);
    }
}

// fresh reports whether a position was not seen before.
bool grammar::fresh(uint64_t position) {
    if (std::find(few.begin(), few.end(), position) != few.end()) return false;
    if (few.size() == 32) return many.insert(position).second;
    few.push_back(position);
    return true;
}

// enter adds a position of a class, or what comes after a rule to what the rule is called with.
void grammar::enter(position p, std::vector<std::pair<int32_t, position>> & calls) {
    spend(8);
    if (p.element == whole_reply || rules->kind(p.element) == character_class) {
        found.push_back(p);
        return;
    }
    const int32_t called = rules->value(p.element);
    if (!ends(p.element + 1)) {
        calls.emplace_back(called, position{p.element + 1, p.then});
        return;
    }
    spend(8 * sets.size(p.then));
    for (const position * q = sets.begin(p.then); q != sets.end(p.then); q++) calls.emplace_back(called, *q);
}

// close returns the state of the positions that were reached: those of classes, and the beginnings of the rules that
// others begin with. Rules come in an order in which none begins with an earlier one, so that all that calls a rule is
// known when its turn comes. Where a rule can be empty, what comes after it was reached beside it.
uint32_t grammar::close() {
    found.clear();
    std::map<int32_t, std::vector<position>> waiting; // what each rule that was called goes on with
    std::vector<std::pair<int32_t, position>> calls;
    auto call = [&] {
        for (const auto & [called, p] : calls) waiting[called].push_back(p);
        calls.clear();
    };
    for (const position & p : reached) enter(p, calls);
    for (call(); !waiting.empty(); call()) {
        auto first = waiting.extract(waiting.begin());
        const uint32_t then = number(first.mapped());
        bool begins = true; // with the element
        for (int32_t e = first.key(); rules->kind(e) != rule_end; e++) {
            spend(1);
            if (rules->kind(e) == alternative) {
                begins = true;
            } else if (begins) {
                enter({e, then}, calls);
                begins = rules->kind(e) == optional_rule;
            }
        }
    }
    return number(found);
}

uint32_t grammar::number(std::vector<position> & positions) {
    spend(16 + 8 * positions.size());
    if (positions.size() > most_positions) throw costly();
    return sets.number(positions);
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
