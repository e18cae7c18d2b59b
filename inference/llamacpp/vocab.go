//go:build cgo && !llama_none

package llamacpp

// #include "shim.h"
import "C"

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"
)

// Tokenize turns text into tokens. addSpecial adds the tokens that the model's texts begin and end with, such as BOS;
// parseSpecial reads control tokens in the text as such. The tokens are those of llama.cpp unless the text has more
// than 65,536 characters in a row that are all white space or all something else: such a run is split, see split.go.
// The cuts of borders.go change no token.
func (m *Model) Tokenize(text string, addSpecial, parseSpecial bool) ([]Token, error) {
	if len(text) > math.MaxInt32/2 {
		return nil, fmt.Errorf("tokenize: text of %d bytes is too long", len(text))
	}
	if !bool(m.info.byte_pairs) {
		return m.join(m.partsOf(text), addSpecial, parseSpecial, 0)
	}
	s := splitter{maxRun, maxRun, sync.OnceValue(m.wholeTokens)} // which asks C about every token
	if m.words == "deepseek-llm" {
		s.maxSpaces = maxSpaces
	}
	parts, longest := s.split(text)
	if m.words == "superbpe" {
		parts = splitDigits(parts)
	}
	stack := 0
	if longest > shallowRun {
		stack = deepStack
	}
	return m.join(parts, addSpecial, parseSpecial, stack)
}

// partsOf cuts a long text for a vocabulary of SentencePiece.
func (m *Model) partsOf(text string) []string {
	if len(text) <= partBytes || m.pieces != "llama" {
		return []string{text}
	}
	return m.borders().split(text)
}

// makeBorders asks C about every token.
func (m *Model) makeBorders() *borders {
	b := newBorders()
	if m.Metadata()["tokenizer.ggml.add_space_prefix"] != "false" {
		b.lead = len(string(space)) // one for each byte, unless there is one for all
	}
	for t := range Token(m.VocabSize()) {
		text := C.GoString(C.parley_token_text(m.c, C.int32_t(t)))
		b.add(text, bool(C.parley_is_whole(m.c, C.int32_t(t))))
		b.strips = b.strips || bool(C.parley_strips(m.c, C.int32_t(t)))
		if text == string(space) {
			b.lead = min(b.lead, 1)
		}
	}
	return b
}

// join tokenizes the parts of a text and puts what belongs at its beginning and end around them.
func (m *Model) join(parts []string, addSpecial, parseSpecial bool, stack int) (tokens []Token, err error) {
	if len(parts) == 1 {
		return m.tokenize(parts[0], addSpecial, parseSpecial, stack)
	}
	var before, after []Token
	lead := 0 // of the tokens of a part, how many are of the space before it
	if !bool(m.info.byte_pairs) {
		lead = m.borders().lead
	}
	if addSpecial {
		if before, after, err = m.Ends(); err != nil {
			return nil, err
		}
	}
	tokens = append(tokens, before...)
	for i, part := range parts {
		some, err := m.tokenize(part, false, parseSpecial, stack)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			some = some[lead:]
		}
		tokens = append(tokens, some...)
	}
	return append(tokens, after...), nil
}

// Ends returns the tokens that Tokenize puts before and after a text when asked for special ones: BOS, EOS, both or
// none.
func (m *Model) Ends() (before, after []Token, err error) {
	ends, err := m.tokenize("", true, false, 0)
	if bool(m.info.add_bos) && len(ends) > 0 {
		return ends[:1], ends[1:], err
	}
	return nil, ends, err
}

// tokenize calls llama.cpp, on a thread of its own if stack is not 0.
func (m *Model) tokenize(text string, addSpecial, parseSpecial bool, stack int) ([]Token, error) {
	size := len(text) + 8
	for {
		tokens := make([]Token, size)
		n := int(C.parley_tokenize(m.c, (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.int32_t(len(text)),
			(*C.int32_t)(unsafe.Pointer(&tokens[0])), C.int32_t(size), C.bool(addSpecial), C.bool(parseSpecial),
			C.size_t(stack)))
		switch {
		case n >= 0:
			return slices.Clip(tokens[:n]), nil
		case n == math.MinInt32 || -n <= size:
			return nil, fmt.Errorf("tokenize: text of %d bytes could not be tokenized; the vocabulary of the model "+
				"may be damaged", len(text))
		}
		size = -n
	}
}

// Lines cuts a text where the tokenizer never joins what stands on both sides: the tokens of the text are those of its
// parts, one after the other. If that is not known of the model's tokenizer, the text stays whole.
func (m *Model) Lines(text string) []string {
	if !m.wordsEndWithLines() {
		return []string{text}
	}
	return lines(text)
}

// endsWordsWithLines tells whether lines can be tokenized one by one: words end with them, and so do the tokens that
// are looked for before a text is split into words.
func (m *Model) endsWordsWithLines() bool {
	return bool(m.info.byte_pairs) && slices.Contains(wordsEndWithLines, m.words) &&
		!slices.ContainsFunc(m.wholeTokens(), func(t string) bool {
			return strings.Contains(t, "\n") || t != "" && isLetterOrDigit(t[0])
		})
}

// TokenizeLines tokenizes adjoining parts that Lines cut. It makes one call of all of them, since llama.cpp compiles
// its regular expressions anew in each call, which takes as long as 2,000 bytes of text.
func (m *Model) TokenizeLines(parts []string, parseSpecial bool) (tokens [][]Token, err error) {
	all, err := m.Tokenize(strings.Join(parts, ""), false, parseSpecial)
	if err != nil {
		return nil, err
	}
	if tokens = m.divide(all, parts); tokens != nil {
		return tokens, nil
	}
	for _, part := range parts { // some bytes have no token, or a control token took the white space beside it
		some, err := m.Tokenize(part, false, parseSpecial)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, some)
	}
	return tokens, nil
}

// divide gives each part its tokens by the lengths of their texts, or returns nil if these do not add up.
func (m *Model) divide(tokens []Token, parts []string) (divided [][]Token) {
	for _, part := range parts {
		n, length := 0, 0
		for ; length < len(part) && n < len(tokens); n++ {
			length += len(m.Piece(tokens[n], true))
		}
		if length != len(part) {
			return nil
		}
		divided, tokens = append(divided, slices.Clip(tokens[:n])), tokens[n:]
	}
	if len(tokens) > 0 {
		return nil
	}
	return divided
}

// wholeTokens returns the texts of the tokens that llama.cpp looks for before it splits a text into words.
func (m *Model) wholeTokens() (texts []string) {
	for t := range Token(m.VocabSize()) {
		if C.parley_is_whole(m.c, C.int32_t(t)) {
			texts = append(texts, C.GoString(C.parley_token_text(m.c, C.int32_t(t))))
		}
	}
	return texts
}

// checkBytes refuses a vocabulary of RWKV in which a byte begins tokens and is none itself: of a text in which what
// follows that byte is in none of them, llama.cpp would read the first character for ever.
func (m *Model) checkBytes() error {
	if m.pieces != "rwkv" {
		return nil
	}
	var begins, alone [256]bool
	for t := range Token(m.VocabSize()) {
		if text := m.Piece(t, true); len(text) > 0 {
			begins[text[0]] = true
			alone[text[0]] = alone[text[0]] || len(text) == 1
		}
	}
	for b := range begins {
		if begins[b] && !alone[b] {
			return fmt.Errorf("damaged: byte %d begins tokens of tokenizer.ggml.tokens and is no token itself", b)
		}
	}
	return nil
}

// Piece returns the text of a token as bytes, which may be part of a character. Control tokens have a text only if
// special is set.
func (m *Model) Piece(t Token, special bool) []byte {
	if t < 0 || int(t) >= m.VocabSize() {
		return nil
	}
	size := 32
	for {
		buffer := make([]byte, size)
		n := int(C.parley_piece(m.c, C.int32_t(t), (*C.char)(unsafe.Pointer(&buffer[0])), C.int32_t(size),
			C.bool(special)))
		if n >= 0 {
			return buffer[:n]
		}
		size = -n
	}
}

// Detokenize returns the text of tokens; bytes that are no UTF-8 become U+FFFD.
func (m *Model) Detokenize(tokens []Token, special bool) string {
	var b strings.Builder
	for _, t := range tokens {
		b.Write(m.Piece(t, special))
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// IsEnd reports whether a token ends a generation.
func (m *Model) IsEnd(t Token) bool { return bool(C.parley_is_end(m.c, C.int32_t(t))) }

// IsControl reports whether a token stands for something other than text.
func (m *Model) IsControl(t Token) bool { return bool(C.parley_is_control(m.c, C.int32_t(t))) }

// BOS returns the token that texts begin with, -1 if there is none.
func (m *Model) BOS() Token { return Token(m.info.bos) }

// EOS returns the token that texts end with, -1 if there is none.
func (m *Model) EOS() Token { return Token(m.info.eos) }

// ControlTokens returns the texts of all control tokens, in order of their ids.
func (m *Model) ControlTokens() (texts []string) {
	for t := range Token(m.VocabSize()) {
		if m.IsControl(t) {
			texts = append(texts, C.GoString(C.parley_token_text(m.c, C.int32_t(t))))
		}
	}
	return texts
}

// NewTextStream returns a stream that turns tokens into text as they come.
func (m *Model) NewTextStream() *TextStream { return &TextStream{model: m} }

// TextStream turns tokens into text, and holds back the bytes of a character that is not complete yet.
type TextStream struct {
	model  *Model
	bytes  []byte
	broken bool // the text so far ends in U+FFFD for bytes that are no UTF-8, and more of them would not add another
}

// Push returns the characters that t completes, perhaps none.
func (s *TextStream) Push(t Token) string {
	s.bytes = append(s.bytes, s.model.Piece(t, false)...)
	n := wholeCharacters(s.bytes)
	text := s.valid(s.bytes[:n])
	s.bytes = s.bytes[n:]
	return text
}

// valid returns the text of bytes where those before have been returned, as Detokenize has it.
func (s *TextStream) valid(bytes []byte) string {
	if len(bytes) == 0 {
		return ""
	}
	text := strings.ToValidUTF8(string(bytes), "\uFFFD")
	if first, n := utf8.DecodeRune(bytes); s.broken && first == utf8.RuneError && n == 1 {
		text = strings.TrimPrefix(text, "\uFFFD")
	}
	last, n := utf8.DecodeLastRune(bytes)
	s.broken = last == utf8.RuneError && n == 1
	return text
}

// Flush returns what is left: characters that were never completed, as U+FFFD.
func (s *TextStream) Flush() string {
	text := s.valid(s.bytes)
	s.bytes = nil
	return text
}
