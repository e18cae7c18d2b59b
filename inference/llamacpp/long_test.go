//go:build cgo && !llama_none

package llamacpp

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
	"github.com/parley-debate/parley/models/modeltest"
)

// preTokenizers has one name for each way in which llama.cpp splits words.
var preTokenizers = []string{
	"default", "llama-bpe", "deepseek-llm", "deepseek-coder", "deepseek-v3", "falcon", "starcoder", "gpt-2", "qwen2",
	"poro-chat", "viking",
	"tekken", "chameleon", "gpt-4o", "superbpe", "bailingmoe", "seed-coder", "kimi-k2", "afmoe",
}

// withVocabulary loads the embedded model's vocabulary with another way of splitting words, or a vocabulary of another
// kind.
func withVocabulary(t testing.TB, name string) *Model {
	t.Helper()
	m, err := vocabulary(t, name, func(*modeltest.File) {})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// vocabulary is withVocabulary for names that llama.cpp may refuse, and for a vocabulary that is changed.
func vocabulary(t testing.TB, name string, change func(*modeltest.File)) (*Model, error) {
	t.Helper()
	content, err := os.ReadFile("../../models/tiny/tiny.gguf")
	if err != nil {
		t.Skip("the embedded model is not there:", err)
	}
	file := modeltest.Parse(content)
	if slices.Contains(modeltest.Tokenizers, name) {
		file = file.WithTokenizer(name)
	} else {
		file.Set("tokenizer.ggml.pre", name)
	}
	change(file)
	path := datatest.File(t, "model.gguf", file.Bytes())
	m, err := LoadModel(path, ModelOptions{VocabOnly: true})
	if err == nil {
		t.Cleanup(func() { m.Close() })
	}
	return m, err
}

// TestLongRuns tokenizes runs of every class with every other way of splitting words and kind of vocabulary, in a soak
// with all of them. Runs of more than 27,000 characters took all of a thread's stack, and with it the process.
func TestLongRuns(t *testing.T) {
	n := 30_000
	if soak.On() {
		n = 200_000
	}
	classes := []string{"a", "A", "aB", "7", " ", "\n", "\r\n", " \n", "!", ".", "+", "字", "字。", "e\u0301", "\u0301",
		"🎉", "a-", "'s", "\u00a0", "\x01"}
	for i, name := range slices.Concat(preTokenizers, modeltest.Tokenizers) {
		t.Run(name, func(t *testing.T) {
			m := withVocabulary(t, name)
			for j, class := range classes {
				if (i+j)%2 == 1 && !soak.On() {
					continue
				}
				run := strings.Repeat(class, n/len([]rune(class)))
				began := soak.Processor()
				tokens, err := m.Tokenize("x "+run+" 2+2?", true, true)
				if took := soak.Processor() - began; err != nil || len(tokens) == 0 || took > 10*time.Second {
					t.Errorf("%d times %q: %d tokens after %v (%v), want some within 10 s and no error",
						n/len([]rune(class)), class, len(tokens), took, err)
				}
			}
		})
	}
}

// TestSplitsKeepTokens compares a text in one piece to its parts: with marks at which words end anyway, and for
// SuperBPE with digits, the tokens are the same.
func TestSplitsKeepTokens(t *testing.T) {
	for _, name := range preTokenizers {
		t.Run(name, func(t *testing.T) {
			m := withVocabulary(t, name)
			sentence := rapid.Custom(func(t *rapid.T) string {
				word := rapid.StringOfN(rapid.SampledFrom([]rune("abcXYZ字東é")), 1, 8, -1).Draw(t, "word")
				return word + string(rapid.SampledFrom([]rune(sentenceMarks)).Draw(t, "mark"))
			})
			rapid.Check(t, func(t *rapid.T) {
				text := strings.Join(rapid.SliceOfN(sentence, 1, 20).Draw(t, "sentences"), "")
				parts, _ := splitter{20, 20, m.wholeTokens}.split(text)
				if name == "superbpe" {
					text = text + strings.Repeat("123456789", rapid.IntRange(0, 60).Draw(t, "digits"))
					parts = splitDigits([]string{text})
				}
				whole, err := m.tokenize(text, true, true, 0)
				if err != nil {
					t.Fatal(err)
				}
				joined, err := m.join(parts, true, true, 0)
				if err != nil || !slices.Equal(whole, joined) {
					t.Fatalf("the tokens of %q are %v, want the same from its parts %q: %v (%v)", text, whole, parts,
						joined, err)
				}
			})
		})
	}
}

// TestLinesKeepTokens: the tokens of a text are those of its lines, one after the other, for each way of splitting
// words of which wordsEndWithLines says so and that this llama.cpp knows; for SuperBPE a text stays whole.
func TestLinesKeepTokens(t *testing.T) {
	var text strings.Builder
	for _, end := range []string{"a", "Zé", "7", " ", "\t", "!", "\"}", "/", ".\n", "字", "字。", "e\u0301", "🎉", "'s",
		"\u0301", " the", "<|im_end|>", "\u00a0", "\xff", "\x01", "\r"} {
		for _, begin := range []string{"a", "T", "7", " a", "é", "/"} {
			text.WriteString(end + "\n" + begin)
		}
	}
	known := 0
	for _, name := range append(wordsEndWithLines, "superbpe") {
		m, err := vocabulary(t, name, joinLines)
		if err != nil {
			continue
		}
		known++
		parts := m.Lines(text.String())
		if want := 16*3 + 1; name == "superbpe" && len(parts) > 1 || name != "superbpe" && len(parts) != want {
			t.Errorf("%s: 48 lines were cut into %d parts, want %d, or 1 for superbpe", name, len(parts), want)
		}
		for _, parse := range []bool{false, true} {
			whole, err := m.Tokenize(text.String(), false, parse)
			if err != nil {
				t.Fatal(err)
			}
			each, err := m.TokenizeLines(parts, parse)
			if err != nil || len(each) != len(parts) || !slices.Equal(slices.Concat(each...), whole) {
				t.Fatalf("%s: the tokens of a text are %v, want the same from its lines: %v (%v)", name, whole, each,
					err)
			}
			for i, part := range parts {
				if alone, err := m.Tokenize(part, false, parse); err != nil || !slices.Equal(alone, each[i]) {
					t.Fatalf("%s: %q is %v among others, want the tokens it has alone, %v (%v)", name, part, each[i],
						alone, err)
				}
			}
		}
	}
	if known < len(wordsEndWithLines)-5 {
		t.Errorf("%d ways of splitting words are known, want at least %d", known, len(wordsEndWithLines)-5)
	}
}

// joinLines gives the vocabulary tokens that reach from one line into the next, in place of its last ones.
func joinLines(file *modeltest.File) {
	tokens := slices.Clone(file.Get("tokenizer.ggml.tokens").([]string))
	merges := slices.Clone(file.Get("tokenizer.ggml.merges").([]string))
	const newline = "\u010a" // as byte-level vocabularies write it
	var first []string
	for _, letter := range strings.Split("atTZ7", "") {
		merge := merges[len(merges)-1]
		merges = merges[:len(merges)-1]
		tokens[slices.Index(tokens, strings.ReplaceAll(merge, " ", ""))] = newline + letter
		first = append(first, newline+" "+letter)
	}
	file.Set("tokenizer.ggml.tokens", tokens).Set("tokenizer.ggml.merges", append(first, merges...))
}

// TestTokensOfShortTexts are those that llama.cpp gives on the caller's own stack: what is here for long texts does not
// touch others.
func TestTokensOfShortTexts(t *testing.T) {
	for _, name := range slices.Concat(preTokenizers, modeltest.Tokenizers) {
		m := withVocabulary(t, name)
		rapid.Check(t, func(t *rapid.T) {
			text := texts.Draw(t, "text")
			special, parse := rapid.Bool().Draw(t, "special"), rapid.Bool().Draw(t, "parse")
			want, err := m.tokenize(text, special, parse, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, stack := range []int{0, deepStack} {
				got, err := m.tokenize(text, special, parse, stack)
				if whole, _ := m.Tokenize(text, special, parse); err != nil || !slices.Equal(got, want) ||
					!slices.Equal(whole, want) {
					t.Fatalf("%s, %q: %v, want %v, %v", name, text, got, want, err)
				}
			}
		})
	}
}

// TestUnknownWords: a vocabulary whose way of splitting words is not known is refused by its name. llama.cpp may take
// another way, and so other tokens, with no more than a line in a log.
func TestUnknownWords(t *testing.T) {
	_, err := vocabulary(t, "splits-of-tomorrow", func(*modeltest.File) {})
	if err == nil || !strings.Contains(err.Error(), "splits-of-tomorrow") {
		t.Errorf("an unknown way of splitting got the error %v, want one that names splits-of-tomorrow", err)
	}
	if _, err := vocabulary(t, "qwen2", func(*modeltest.File) {}); err != nil {
		t.Error(err)
	}
}

// TestBordersKeepTokens: the tokens of long texts for a vocabulary of SentencePiece are those of llama.cpp, which takes
// the whole, with a space before every text and without; and texts without tokens take time in proportion.
func TestBordersKeepTokens(t *testing.T) {
	for _, prefix := range []bool{true, false} {
		m, err := vocabulary(t, "llama", func(f *modeltest.File) { f.Set("tokenizer.ggml.add_space_prefix", prefix) })
		if err != nil {
			t.Fatal(err)
		}
		random, cut := rand.New(rand.NewPCG(1, 2)), 0
		parts := []string{"a", "ab", " ", "aaaaaaaa", "\n", "\n\n", "the cat", "字", "。", "é", "\U000f0000",
			"\ue000", "🎉",
			"<", "<s>", "<|im_end|>", "▁", "\x01", "<0x0A>"}
		for range 100 {
			var b strings.Builder
			for size := 3000 + random.IntN(12000); b.Len() < size; {
				b.WriteString(strings.Repeat(parts[random.IntN(len(parts))], 1+random.IntN(200)))
			}
			for _, special := range []bool{true, false} {
				want, err := m.tokenize(b.String(), special, special, 0)
				if err != nil {
					t.Fatal(err)
				}
				got, err := m.Tokenize(b.String(), special, special)
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("prefix %v: %d tokens, want %d, %v: %q", prefix, len(got), len(want), err, b.String())
				}
			}
			cut += len(m.partsOf(b.String())) - 1
		}
		if cut < 50 {
			t.Errorf("texts were cut %d times, want at least 50", cut)
		}
		for _, class := range []string{"\U000f0000", "\n", "\x01", "é字\ue000"} {
			began := soak.Processor()
			if _, err := m.Tokenize(strings.Repeat(class, 1<<20/len(class)), true, true); err != nil {
				t.Error(err)
			}
			if took := soak.Processor() - began; took > 5*time.Second {
				t.Errorf("1 MB of %q took %v, want at most 5 s", class, took)
			}
		}
	}
}

// TestRWKVBytes: a vocabulary of RWKV in which a byte begins tokens and is none is refused: it was tokenized for ever.
func TestRWKVBytes(t *testing.T) {
	_, err := vocabulary(t, "rwkv", func(f *modeltest.File) {
		tokens := slices.Clone(f.Get("tokenizer.ggml.tokens").([]string))
		for i, token := range tokens {
			if token == "h" || token == `\x68` {
				tokens[i] = "hx"
			}
		}
		f.Set("tokenizer.ggml.tokens", tokens)
	})
	if err == nil || !strings.Contains(err.Error(), "byte 104 begins tokens") {
		t.Errorf("a vocabulary of RWKV without a byte got the error %v, want \"byte 104 begins tokens\"", err)
	}
	if m := withVocabulary(t, "rwkv"); m == nil {
		t.Error("a whole vocabulary was refused, want it opened")
	}
}
