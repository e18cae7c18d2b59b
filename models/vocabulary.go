package models

import (
	"math"
	"slices"
	"strings"
)

// vocabulary is a byte-level BPE vocabulary of made-up words for synthetic models. Text that such a model samples at
// random tokenizes to the same tokens again.
//
//	256 bytes | consonant+vowel | blank+syllable | blank+2 syllables | blank+3 syllables | controls
//
// Merges are in this order, so that each word is merged in one way only: syllables first, then from the left.
type vocabulary struct {
	tokens []string
	kinds  []int32 // token types of GGUF
	merges []string
	end    int // id of <|im_end|>, which ends a turn
}

// Token types of GGUF.
const (
	normalToken  = 1
	controlToken = 3
	unusedToken  = 5
)

// qwenWords is the number of tokens before the control tokens in Qwen2.5's vocabularies.
const qwenWords = 151_643

// newVocabulary makes a vocabulary of Qwen2.5's layout: single bytes, words, names that nothing uses up to the place
// of the control tokens, and these. A small one has its control tokens at its end.
func newVocabulary(size int) vocabulary {
	words := qwenWords
	if size < qwenWords+3 {
		words = size - 3
	}
	v := vocabulary{end: words + 2}
	for _, r := range byteRunes {
		v.add(string(r), normalToken)
	}
	v.addWords(words)
	for len(v.tokens) < words {
		v.add(unusedName(len(v.tokens)), unusedToken)
	}
	for _, name := range []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>"} {
		v.add(name, controlToken)
	}
	for len(v.tokens) < size {
		v.add(unusedName(len(v.tokens)), unusedToken)
	}
	return v
}

// unusedName returns a name that no other number has.
func unusedName(id int) string {
	return "[unused" + strings.Repeat("i", id%7) + string(rune('a'+id/7%26)) + string(rune('a'+id/182%26)) +
		string(rune('a'+id/4732%26)) + string(rune('a'+id/123_032%26)) + "]"
}

func (v *vocabulary) add(token string, kind int32) {
	v.tokens, v.kinds = append(v.tokens, token), append(v.kinds, kind)
}

// merge adds the token that two others form, unless there are `limit` tokens already.
func (v *vocabulary) merge(left, right string, limit int) {
	if len(v.tokens) < limit {
		v.add(left+right, normalToken)
		v.merges = append(v.merges, left+" "+right)
	}
}

// addWords adds syllables of a consonant and a vowel, and words of up to three of them behind a blank, until there are
// as many tokens as the limit. Each merge joins two tokens that are there already, as byte-level BPE needs it.
func (v *vocabulary) addWords(limit int) {
	const blank = "Ġ" // how byte-level BPE writes a blank
	var syllables []string
	for _, consonant := range "bcdfghjklmnpqrstvwxyz" {
		for _, vowel := range "aeiou" {
			v.merge(string(consonant), string(vowel), limit)
			syllables = append(syllables, string(consonant)+string(vowel))
		}
	}
	words := []string{blank}
	for range 3 {
		var longer []string
		for _, word := range words {
			for _, syllable := range syllables {
				if len(v.tokens) == limit {
					return
				}
				v.merge(word, syllable, limit)
				longer = append(longer, word+syllable)
			}
		}
		words = longer
	}
}

// byteRunes are the printable characters that stand for bytes in GPT-2's byte-level BPE: a printable byte is itself,
// the others follow from U+0100 on.
var byteRunes = func() (runes [256]rune) {
	other := rune(256)
	for b := range runes {
		if printable := '!' <= b && b <= '~' || 0xA1 <= b && b <= 0xAC || 0xAE <= b; printable {
			runes[b] = rune(b)
		} else {
			runes[b] = other
			other++
		}
	}
	return runes
}()

// BytePairs are the merges of a byte-level BPE vocabulary, in the order of their ranks.
type BytePairs struct{ ranks map[string]int }

// ReadBytePairs reads those of a file; the result is nil if its vocabulary is of another kind.
func ReadBytePairs(path string) (*BytePairs, error) {
	h, merges, err := readKeeping(path, "tokenizer.ggml.merges")
	if err != nil || h.text("tokenizer.ggml.model") != "gpt2" {
		return nil, err
	}
	b := &BytePairs{make(map[string]int, len(merges))}
	for rank, pair := range merges {
		if _, twice := b.ranks[pair]; !twice {
			b.ranks[pair] = rank
		}
	}
	return b, nil
}

// Tokens returns the texts of the tokens of one word, by definition: the pair with the lowest rank is merged, the first
// of several, until there is none. It takes time quadratic in the length of the word.
func (b *BytePairs) Tokens(word string) (tokens []string) {
	for _, c := range []byte(word) {
		tokens = append(tokens, string(byteRunes[c]))
	}
	for {
		at, lowest := -1, math.MaxInt
		for i := range len(tokens) - 1 {
			if rank, ok := b.ranks[tokens[i]+" "+tokens[i+1]]; ok && rank < lowest {
				at, lowest = i, rank
			}
		}
		if at < 0 {
			break
		}
		tokens[at] += tokens[at+1]
		tokens = slices.Delete(tokens, at+1, at+2)
	}
	for i, token := range tokens {
		var text []byte
		for _, r := range token {
			text = append(text, byte(slices.Index(byteRunes[:], r)))
		}
		tokens[i] = string(text)
	}
	return tokens
}
