package inference

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/models/modeltest"
)

// byBytes is a tokenizer whose lines end with newlines and whose tokens are the bytes of a text. It counts its calls.
type byBytes int

func (c *byBytes) Tokenize(text string, addSpecial, _ bool) (tokens []step.Token, err error) {
	*c++
	if addSpecial {
		tokens = append(tokens, 1000)
	}
	for _, b := range []byte(text) {
		tokens = append(tokens, step.Token(b))
	}
	return tokens, nil
}

func (c *byBytes) Lines(text string) []string { return strings.SplitAfter(text, "\n") }

func (c *byBytes) Ends() (before, after []step.Token, err error) { return []step.Token{1000}, nil, nil }

func (c *byBytes) TokenizeLines(lines []string, _ bool) (tokens [][]step.Token, err error) {
	for _, line := range lines {
		some, _ := new(byBytes).Tokenize(line, false, false)
		tokens = append(tokens, some)
	}
	*c++
	return tokens, nil
}

// TestSegments: what is remembered is what would be tokenized, first and control are part of what is asked, and the
// oldest parts are forgotten when all of them take more than is allowed.
func TestSegments(t *testing.T) {
	var asked byBytes
	s := newSegmentCache()
	tokens := func(key segment) int {
		got, err := s.tokens(&asked, key)
		if want, _ := new(byBytes).Tokenize(key.Text, key.First, false); err != nil || !slices.Equal(got, want) {
			t.Fatalf("the text %q has the tokens %v of the whole: got %v, %v", key.Text, want, got, err)
		}
		return int(asked)
	}
	for i, key := range []segment{{Text: "a"}, {Text: "b"}, {Text: "a", First: true}, {Text: "a", Control: true}} {
		t.Run(fmt.Sprintf("%+v", key), func(t *testing.T) {
			if once, twice := tokens(key), tokens(key); once != i+1 || twice != once {
				t.Errorf("%+v was tokenised %d times in all, then %d, want %d both times", key, once, twice, i+1)
			}
		})
	}
	if s.hits != 4 {
		t.Errorf("%d were known, want 4", s.hits)
	}
	for _, c := range []struct {
		text  string
		calls int
	}{{"a\nb", 1}, {"a\nc\nd\nb", 1}, {"x\na\ny\nz", 2}, {"d\nx\na\n", 1}} {
		t.Run(c.text, func(t *testing.T) {
			before := int(asked)
			if got := tokens(segment{Text: c.text}) - before; got != c.calls {
				t.Errorf("%q: %d calls, want %v", c.text, got, c.calls)
			}
		})
	}
	if first := tokens(segment{Text: "a\nnew\nb", First: true}); first != tokens(segment{Text: "new\nb", First: true}) {
		t.Error("the lines of a first segment, or what begins it, were forgotten")
	}
	large := strings.Repeat("x", mostSegmentBytes/12)
	for i := range 5 {
		tokens(segment{Text: large[i:]})
	}
	if s.bytes > mostSegmentBytes || s.bytes < mostSegmentBytes/2 {
		t.Errorf("%d bytes are kept, want from %d to %d", s.bytes, mostSegmentBytes/2, mostSegmentBytes)
	}
	if before := int(asked); tokens(segment{Text: "b"}) != before+1 || tokens(segment{Text: large[4:]}) != before+1 {
		t.Error("the oldest part was kept, or the newest forgotten")
	}
	for range 100 { // more than there are parts
		s.kept.RemoveOldest()
	}
	if s.bytes != 0 {
		t.Errorf("%d bytes of nothing, want 0", s.bytes)
	}
}

// TestSegmentsKeepTokens: with a real vocabulary the tokens of a prompt, cold or put together from lines that others
// had, are those of the text in one piece, whatever the messages.
func TestSegmentsKeepTokens(t *testing.T) {
	path := modeltest.Embedded(t)
	m, err := llamacpp.LoadModel(path, llamacpp.ModelOptions{VocabOnly: true})
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	s, cut := newSegmentCache(), 0
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"", "The red book", "<|im_start|>user", "<|im_end|>", "7.", " (A)",
			"🎉é", "a\t"})
		text := strings.Join(rapid.SliceOfN(line, 1, 12).Draw(t, "lines"), "\n")
		key := segment{text, rapid.Bool().Draw(t, "first"), rapid.Bool().Draw(t, "control")}
		want, err := m.Tokenize(key.Text, key.First, key.Control)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.tokens(m, key); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%+v: %v, want %v, %v", key, got, want, err)
		}
		cut += len(m.Lines(text)) - 1
	})
	if !testing.Short() && (cut < 20 || s.hits < 20) { // of a hundred texts at least 82 and 46 were seen
		t.Errorf("the test tries too little: %d cuts, %d known parts; want at least 20 of each", cut, s.hits)
	}
}
