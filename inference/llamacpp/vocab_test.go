package llamacpp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/parley-debate/parley/inference/llamacpp"
)

// TestTokenizeRoundTrip gives back every text, also what the model never saw.
func TestTokenizeRoundTrip(t *testing.T) {
	m := load(t)
	for _, text := range []string{"", "a", question, "naïve café 東京 🦜🎉 e\u0301", "\x00 zero",
		strings.Repeat("long ", 5000)} {
		t.Run(fmt.Sprintf("%.60s", text), func(t *testing.T) {
			tokens, err := m.Tokenize(text, false, true)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Detokenize(tokens, true); got != text {
				t.Errorf("%.40q came back from its tokens as %.40q, want the same text", text, got)
			}
		})
	}
	plain, _ := m.Tokenize("<|im_end|>", false, false)
	parsed, _ := m.Tokenize("<|im_end|>", false, true)
	if len(parsed) != 1 || !m.IsEnd(parsed[0]) || !m.IsControl(parsed[0]) || len(plain) < 3 {
		t.Errorf("a control token is %v as text and %v parsed, want 3 or more and one that ends", plain, parsed)
	}
	if got := strings.Join(m.ControlTokens(), " "); got != "<|endoftext|> <|im_start|> <|im_end|>" {
		t.Errorf("control tokens %s, want \"<|endoftext|> <|im_start|> <|im_end|>\"", got)
	}
}

// TestTextStream never hands out a part of a character.
func TestTextStream(t *testing.T) {
	m := load(t)
	text := "東京 🦜🎉 é " + question
	tokens, err := m.Tokenize(text, false, false)
	if err != nil {
		t.Fatal(err)
	}
	stream, got, split := m.NewTextStream(), "", 0
	for _, token := range tokens {
		piece := stream.Push(token)
		if !utf8.ValidString(piece) || strings.ContainsRune(piece, utf8.RuneError) {
			t.Errorf("a stream shows the piece %q, want whole characters of valid UTF-8", piece)
		}
		if !utf8.Valid(m.Piece(token, false)) {
			split++
		}
		got += piece
	}
	if got += stream.Flush(); got != text || split == 0 {
		t.Errorf("a stream of %d pieces that were parts gave %q, want some, and %q", split, got, text)
	}
	stream.Push(tokens[0]) // the first byte of a character
	if rest := stream.Flush(); rest != "\uFFFD" {
		t.Errorf("an unfinished character was flushed as %q, want \"\uFFFD\"", rest)
	}
}

// TestTextStreamOfAnyTokens: whatever tokens come, the stream ends up with the text that Detokenize has.
func TestTextStreamOfAnyTokens(t *testing.T) {
	m := load(t)
	random, invalid := rand.New(rand.NewPCG(1, 2)), 0
	for range 2000 {
		var tokens []llamacpp.Token
		for range random.IntN(6) {
			tokens = append(tokens, llamacpp.Token(random.IntN(m.VocabSize())))
		}
		stream, got := m.NewTextStream(), ""
		for _, token := range tokens {
			got += stream.Push(token)
		}
		want := m.Detokenize(tokens, false)
		if got += stream.Flush(); got != want {
			t.Fatalf("%v: streamed %q, want %q", tokens, got, want)
		}
		if strings.ContainsRune(want, utf8.RuneError) {
			invalid++
		}
	}
	if invalid < 100 {
		t.Errorf("%d texts had bytes that are no UTF-8, want at least 100", invalid)
	}
}

// TestModelFacts reads what the recipe of the embedded model says.
func TestModelFacts(t *testing.T) {
	m := load(t)
	if m.Layers() != 4 || m.EmbeddingSize() != 256 || m.VocabSize() != 768 || m.TrainContext() != 4096 ||
		m.ParameterCount() < 2_500_000 {
		t.Errorf("%d layers, width %d, %d tokens, context %d, %d parameters; want 4, 256, 768, 4096 and 2,500,000 or "+
			"more", m.Layers(), m.EmbeddingSize(), m.VocabSize(), m.TrainContext(), m.ParameterCount())
	}
	if got := m.KVBytesPerCell(llamacpp.KVF16, llamacpp.KVF16); got != 4*4*32*2*2 {
		t.Errorf("keys and values take %d bytes a token, want %d", got, 4*4*32*2*2)
	}
	if m.Metadata()["general.architecture"] != "qwen2" || !strings.Contains(m.ChatTemplate(), "im_start") ||
		!strings.Contains(m.Description(), "qwen2") {
		t.Errorf("the metadata are %v, want the architecture qwen2, its chat template and its description",
			m.Metadata())
	}
	b := llamacpp.Build()
	if b.Llama == "" || b.Compiler == "" || len(b.Features) == 0 || len(llamacpp.Devices()) == 0 ||
		llamacpp.SystemInfo() == "" {
		t.Errorf("the build is %+v, the devices %v, want none of them empty", b, llamacpp.Devices())
	}
}

// TestLoadingCanBeGivenUp by its progress callback.
func TestLoadingCanBeGivenUp(t *testing.T) {
	load(t)
	calls := 0
	_, err := llamacpp.LoadModel(tiny, llamacpp.ModelOptions{Progress: func(float32) bool { calls++; return false }})
	if err == nil || calls == 0 {
		t.Errorf("loading that its caller gives up after %d calls got the error %v, want an error after at least 1",
			calls, err)
	}
	if _, err := llamacpp.LoadModel(tiny, llamacpp.ModelOptions{Device: "nonsense"}); err == nil ||
		!strings.Contains(err.Error(), "nonsense") {
		t.Errorf("an unknown device got the error %v, want one that names it", err)
	}
}
