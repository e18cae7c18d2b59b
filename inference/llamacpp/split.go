package llamacpp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// llama.cpp cuts a text into words with std::regex before it applies byte-pair merges. libstdc++ matches by recursion:
// each character of a match takes 320 bytes of stack, 420 without optimisation. Every expression that llama.cpp uses
// matches at most one character, then characters other than white space, then white space. So a text without long runs
// of either kind needs little stack, whatever the expression.
const (
	// maxRun is how many characters in a row may be white space, or be none, before the text is split. A stack of
	// deepStack bytes holds three words of two such runs.
	maxRun    = 1 << 16
	deepStack = 128 << 20

	// shallowRun is the length of a run that fits into the stack of any thread.
	shallowRun = 1000

	// Two expressions take time that grows with the square of a run, since they look for its end from each of its
	// characters: that of SuperBPE for digits, which it groups by three from the right, and that of DeepSeek LLM for
	// white space.
	maxDigits = 99
	maxSpaces = 128
)

// splitter cuts text into parts that llama.cpp can tokenize one by one.
type splitter struct {
	maxRun, maxSpaces int // the longest run of characters other than white space, and of white space

	whole func() []string // texts that must not be cut: tokens that llama.cpp looks for before it splits words
}

// split returns the parts of a text, and the length of the longest run in one of them. A text without a run that is too
// long stays whole. A longer run is cut again and again, each time after the last letter in the second half of the
// permitted length that one of sentenceMarks follows, or else at the permitted length.
func (s splitter) split(text string) (parts []string, longest int) {
	var start, runStart, run, mark int // bytes, bytes, characters, bytes; mark is the best place to cut the run
	var space bool
	var last rune
	most := s.maxRun
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if is := unicode.IsSpace(r); run == 0 || is != space {
			space, runStart, run, mark, most = is, i, 0, 0, s.maxRun
			if is {
				most = s.maxSpaces
			}
		}
		if run >= most/2 && unicode.IsLetter(last) && strings.ContainsRune(sentenceMarks, r) {
			mark = i
		}
		if run == most {
			cut := s.before(text, runStart, mark, i)
			parts = append(parts, text[start:cut])
			start, i, run, last = cut, cut, 0, 0
			continue
		}
		run, last, i = run+1, r, i+size
		longest = max(longest, run)
	}
	return append(parts, text[start:]), longest
}

// sentenceMarks begin a new word after a letter in every expression but those of SuperBPE, whose tokens may span
// several words. A cut before one of them changes no token.
const sentenceMarks = ".,!?。，、"

// before returns where a run that begins at from is cut: at mark if there is one, else at end, or before that if a
// token that must stay whole would be cut.
func (s splitter) before(text string, from, mark, end int) int {
	if mark > from {
		end = mark
	}
	for _, w := range s.whole() {
		near := max(from+1, end-len(w)+1)
		if near >= end {
			continue
		}
		if at := strings.Index(text[near:min(len(text), end+len(w)-1)], w); at >= 0 && near+at < end {
			end = near + at
		}
	}
	return end
}

// wordsEndWithLines are the ways of splitting words (tokenizer.ggml.pre) of which a test has seen that no word reaches
// from one line into the next, if that begins with a letter or a digit. SuperBPE's do, and those of ways that llama.cpp
// may learn later might.
var wordsEndWithLines = []string{
	"default", "llama3", "llama-v3", "llama-bpe", "llama4", "falcon", "falcon3", "falcon-h1", "gpt-2", "gpt-4o",
	"starcoder", "refact", "command-r", "qwen2", "qwen35", "stablelm2", "olmo", "dbrx", "smollm", "codeshell", "bloom",
	"gpt3-finnish", "poro-chat", "viking", "exaone", "exaone4", "chameleon", "tekken", "minerva-7b", "megrez", "phi-2",
	"deepseek-llm", "deepseek-coder", "deepseek-v3", "deepseek-r1-qwen", "hunyuan", "hunyuan-dense", "glm4",
	"chatglm-bpe", "bailingmoe", "bailingmoe2", "seed-coder", "kimi-k2", "afmoe", "minimax-m2",
}

// lines cuts a text after each newline between a character that is not white space and an ASCII letter or digit.
func lines(text string) (parts []string) {
	start := 0
	for i := 1; i+1 < len(text); i++ {
		if text[i] != '\n' || !isLetterOrDigit(text[i+1]) {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); !unicode.IsSpace(before) {
			parts, start = append(parts, text[start:i+1]), i+1
		}
	}
	return append(parts, text[start:])
}

func isLetterOrDigit(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// splitDigits cuts runs of digits at multiples of maxDigits from their right end. SuperBPE ends words there too.
func splitDigits(texts []string) (parts []string) {
	for _, text := range texts {
		start := 0
		for i := 0; i < len(text); {
			end := i + digits(text[i:])
			for end-i > maxDigits {
				i += (end-i-1)%maxDigits + 1
				parts, start = append(parts, text[start:i]), i
			}
			i = max(i+1, end)
		}
		parts = append(parts, text[start:])
	}
	return parts
}

// digits returns how many ASCII digits a text begins with.
func digits(text string) int {
	rest := strings.TrimLeft(text, "0123456789")
	return len(text) - len(rest)
}

// wholeCharacters returns the length of b without a character at its end that is still incomplete.
func wholeCharacters(b []byte) int {
	for n := len(b) - 1; n >= max(0, len(b)-utf8.UTFMax); n-- {
		if utf8.RuneStart(b[n]) {
			if !utf8.FullRune(b[n:]) {
				return n
			}
			break
		}
	}
	return len(b)
}
