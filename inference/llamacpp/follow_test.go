package llamacpp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/inference/llamacpp"
	steps "github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/soak"
)

// manyWays are grammars whose replies can be read in ways that multiply, of each kind.
var manyWays = []string{
	`root ::= "x" root "y" | "x" root "z" | "q"`,
	`root ::= [a-z ] root [a-m] | [a-z ] root [m-z] | [a-z ]`,
	`root ::= ` + strings.Repeat(`"a"? `, 250) + strings.Repeat(`"a" `, 250),
	`root ::= ` + strings.Repeat(`[a-z ]? `, 140),
	`root ::= ` + strings.Repeat(`[a-z ]? `, 2000),
	`root ::= ` + strings.Repeat(`[a-z ]* `, 2000),
	`root ::= ` + strings.Repeat(`.* `, 2000),
	`root ::= . root root | . root | .`,
	`root ::= . root root root "x" | . root root | [a-z] root | .`,
	"root ::= a | b\na ::= \"{\" (\"a\" \":\" root)? \"}\"\nb ::= \"{\" (\"a\" \":\" root)? \"b\" \"}\"",
	`root ::= [a] root` + classes(2000),
	`root ::= [a] root` + classes(60),
}

func classes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, " | [^%c] root \"%d\"", 'a'+i%20, i)
	}
	return b.String()
}

// TestManyWays: whatever the grammar, a token takes a bounded time. A reply that would take more ends for that reason.
func TestManyWays(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 256})
	costly := 0
	for _, grammar := range manyWays {
		b := prompt([]llamacpp.Token{1}, 0, 0, llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 1, Seed: 7},
			Grammar: grammar})
		b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
		out := make([]llamacpp.Sampled, 1)
		for drawn := 1; drawn < 50; drawn++ {
			began := soak.Processor()
			if err := c.Step(t.Context(), b, out); err != nil {
				t.Fatalf("a step with the grammar %.60s failed: %v, want no error", grammar, err)
			}
			if took := soak.Processor() - began; took > time.Second {
				t.Errorf("%.60s: token %d took %v, want at most %v", grammar, drawn, took, time.Second)
			}
			if out[0].Stuck == steps.Costly {
				costly++
			}
			if out[0].End {
				break
			}
			b = &llamacpp.Batch{Rows: []llamacpp.Row{{Token: out[0].Token, Pos: int32(drawn)}},
				Samples: []llamacpp.Sample{{}}}
		}
	}
	if costly == 0 || costly > len(manyWays)/2 {
		t.Errorf("%d of %d grammars were too costly, want some but at most half", costly, len(manyWays))
	}
}

// TestAllowed compares what a grammar allows with the texts that it has, which are listed: a token is drawn with a high
// bias if and only if one of them begins with the reply and that token.
func TestAllowed(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 64, Batch: 64})
	compared, allowed, whole := 0, 0, map[string]bool{}
	for grammar, texts := range map[string][]string{
		`root ::= "yes" | "no" | "yellow"`: {"yes", "no", "yellow"},
		`root ::= "a"? "b"{1,2} "c"?`: {"b", "bb", "ab", "abb",
			"bc", "bbc", "abc", "abbc"},
		`root ::= x "d"` + "\n" + `x ::= ("a" | y)? "b"?` + "\n" + `y ::= "c"`: {"d", "ad", "cd", "bd", "abd", "cbd"},
		`root ::= [a-c] [^\x00-bd-\U7fffffff] | "é字"`:                          {"ac", "bc", "cc", "é字"},
		`root ::= ("the " | "that "){2}`: {"the the ", "the that ",
			"that the ", "that that "},
	} {
		for token := range llamacpp.Token(m.VocabSize()) {
			piece := string(m.Piece(token, true))
			want := false
			for _, text := range texts {
				want = want || piece != "" && !m.IsControl(token) && strings.HasPrefix(text, piece)
			}
			b := prompt([]llamacpp.Token{1}, 0, 0, llamacpp.Start{Grammar: grammar, Sampling: llamacpp.Sampling{
				Bias: []llamacpp.TokenBias{{Token: token, Bias: 100}}}})
			b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
			out := make([]llamacpp.Sampled, 1)
			if err := c.Step(t.Context(), b, out); err != nil {
				t.Fatal(err)
			}
			if got := out[0].Token == token; got != want {
				t.Errorf("%s: %q is allowed: %v, want %v", grammar, piece, got, want)
			}
			if compared++; want {
				allowed++
			}
		}
		for seed := range uint64(60) {
			reply := drawn(t, m, c, grammar, seed)
			if whole[reply] = true; !slices.Contains(texts, reply) {
				t.Errorf("%s: drew %q, want one of %q", grammar, reply, texts)
			}
		}
		for _, text := range texts {
			if !whole[text] {
				t.Logf("%s: %q was not drawn", grammar, text)
			}
		}
	}
	if allowed < 15 || len(whole) < 20 {
		t.Errorf("%d of %d tokens were allowed, %d texts drawn; want at least 15 and at least 20",
			allowed, compared, len(whole))
	}
}

// drawn returns a reply that follows a grammar, drawn to its end with little regard to the model.
func drawn(t *testing.T, m *llamacpp.Model, c *llamacpp.Context, grammar string, seed uint64) string {
	b := prompt([]llamacpp.Token{1}, 0, 0, llamacpp.Start{Grammar: grammar,
		Sampling: llamacpp.Sampling{Temperature: 5, Seed: seed}})
	b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
	out, reply := make([]llamacpp.Sampled, 1), []llamacpp.Token(nil)
	for pos := int32(1); pos < 40; pos++ {
		if err := c.Step(t.Context(), b, out); err != nil {
			t.Fatal(err)
		}
		if out[0].End {
			break
		}
		reply = append(reply, out[0].Token)
		b = &llamacpp.Batch{Rows: []llamacpp.Row{{Token: out[0].Token, Pos: pos}}, Samples: []llamacpp.Sample{{}}}
	}
	return m.Detokenize(reply, false)
}
