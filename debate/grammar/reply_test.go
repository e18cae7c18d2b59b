package grammar_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/grammar"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/models/modeltest"
)

// TestReplies lets the embedded model reply under each grammar at temperature 1. It was never trained to write any of
// these forms, so that the grammar alone makes its replies valid.
func TestReplies(t *testing.T) {
	path := modeltest.Embedded(t)
	l, err := inference.Open(path, inference.Threads(1))
	if errors.Is(err, llamacpp.ErrNoCgo) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := l.Join(0)
	defer p.Leave()
	for name, form := range forms {
		replies, err := p.Generate(t.Context(), requests(form.value))
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]bool{}
		for _, r := range replies {
			texts[r.Text] = true
			if r.Err != nil || r.Stop != inference.StopEnd || !form.holds(r.Text) {
				t.Errorf("%s: the model ends a reply that its grammar admits: got %q, stop %s, %v", name, r.Text,
					r.Stop, r.Err)
			}
		}
		if len(texts) < 2 {
			t.Errorf("%s: all replies are the same: %v, want at least 2 of them", name, texts)
		}
		t.Logf("%s: %q", name, replies[0].Text)
	}
}

// requests asks for replies of one form with different seeds.
func requests(form grammar.Value) (all []inference.Request) {
	const question = "Which of them is best? Answer as you were told to."
	for seed := range uint64(24) {
		all = append(all, inference.Request{
			Messages: []inference.Message{{Role: "user", Content: question}},
			Sampling: inference.Sampling{Temperature: 1, Seed: seed}, MaxTokens: 400, Grammar: form.String(),
			Sample: int(seed),
		})
	}
	return all
}

// forms are Values, and for each a check of what the model wrote that shares no code with grammars.
var forms = map[string]struct {
	value grammar.Value
	holds func(text string) bool
}{
	"choice": {grammar.Choice("The red book", "The reddest", "42"), func(text string) bool {
		return slices.Contains([]string{"The red book", "The reddest", "42"}, text)
	}},
	"text": {grammar.Text(12), func(text string) bool {
		return len([]rune(text)) <= 12 && !strings.Contains(text, "\uFFFD")
	}},
	"number": {grammar.Number(-37, 1234), func(text string) bool {
		n, err := strconv.Atoi(text)
		return err == nil && -37 <= n && n <= 1234 && text == strconv.Itoa(n)
	}},
	"object":       {object, isObject},
	"points":       {grammar.Points(4, 10), sharesTenPoints},
	"ranking":      {grammar.Ranking(4, 9), func(text string) bool { return permutes(text, " ", 4, 4) }},
	"three of ten": {grammar.Ranking(10, 3), func(text string) bool { return permutes(text, " ", 10, 3) }},
	"all of ten":   {grammar.Ranking(10, 10), func(text string) bool { return permutes(text, " ", 10, 10) }},
	"ranking of fifteen": {grammar.Ranking(15, 3), func(text string) bool {
		return len(strings.Split(text, " ")) == 3
	}},
	"approval": {grammar.Approval(12), func(text string) bool {
		return permutes(text, ",", 12, 0) && ascends(text)
	}},
}

var object = grammar.Object(
	grammar.Field{"answer", grammar.Choice("(A)", "(B)", `"C"`)},
	grammar.Field{"sure", grammar.Number(-5, 100)},
	grammar.Field{"why", grammar.Text(40)},
	grammar.Field{"steps", grammar.List(grammar.Text(9), 1, 3)},
	grammar.Field{"grid", grammar.List(grammar.List(grammar.Number(0, 12), 0, 2), 2, 2)},
	grammar.Field{"rank", grammar.Ranking(3, 3)},
	grammar.Field{"inner", grammar.Object(grammar.Field{"Yes", grammar.Choice("é\n")})},
)

// isObject reports whether a text is an object as described above.
func isObject(text string) bool {
	var got struct {
		Answer string               `json:"answer"`
		Sure   int                  `json:"sure"`
		Why    string               `json:"why"`
		Steps  []string             `json:"steps"`
		Grid   [][]int              `json:"grid"`
		Rank   string               `json:"rank"`
		Inner  struct{ Yes string } `json:"inner"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&got)
	return err == nil && slices.Contains([]string{"(A)", "(B)", `"C"`}, got.Answer) &&
		-5 <= got.Sure && got.Sure <= 100 && len([]rune(got.Why)) <= 40 &&
		len(got.Steps) >= 1 && len(got.Steps) <= 3 && len(got.Grid) == 2 &&
		permutes(got.Rank, " ", 3, 3) && got.Inner.Yes == "é\n"
}

// sharesTenPoints reports whether a text distributes ten points among four candidates.
func sharesTenPoints(text string) bool {
	points, sum := map[string]int{}, 0
	err := json.Unmarshal([]byte(text), &points)
	for _, n := range points {
		sum += n
	}
	return err == nil && len(points) == 4 && sum == 10
}

// permutes reports whether a text lists count different candidates; a count of 0 allows any number of them.
func permutes(text, separator string, candidates, count int) bool {
	var seen []string
	for one := range strings.SplitSeq(text, separator) {
		n, err := strconv.Atoi(one)
		if err != nil || fmt.Sprint(n) != one || n < 0 || n >= candidates || slices.Contains(seen, one) {
			return false
		}
		seen = append(seen, one)
	}
	return count == 0 || len(seen) == count
}

// ascends reports whether a text lists one or more numbers in ascending order.
func ascends(text string) bool {
	var numbers []int
	json.Unmarshal([]byte("["+text+"]"), &numbers)
	return slices.IsSorted(numbers) && len(numbers) > 0
}
