package llamacpp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
)

// grammars in which nothing is wrong.
var grammars = []string{
	`root ::= "yes" | "no"`,
	"root ::= [0-9]+ # digits\n",
	"# a list\nroot ::= \"[\" (item (\",\" \n item)*)? \"]\"\r\n" +
		"item ::= \n [^\\]\\x00-\\x1f\"] | \"\\u00e9\" | root | .",
	"root ::= \"x\" root |",
	"root ::= \"a\"{3} \"b\"{2,} \"c\"{0,2000} ws end\nws ::= [ \\t\\n]*\nend ::= \"\"",
	"root ::= value\nvalue ::= \"[\" (value (\",\" value)*)? \"]\" | \"1\"",
}

// TestCheckGrammar accepts what llama.cpp does and names what is wrong with the rest.
func TestCheckGrammar(t *testing.T) {
	for _, good := range grammars {
		if err := llamacpp.CheckGrammar(good); err != nil {
			t.Errorf("the grammar %q is refused: %v, want no error", good, err)
		}
	}
	for bad, want := range map[string]string{
		"":                               `no rule "root"`,
		`start ::= "a"`:                  `no rule "root"`,
		"root ::= \"a\"\nroot ::= \"b\"": "line 2: rule \"root\" is defined twice",
		"root ::= \"a\"\n\n= b":          "line 3: expected the name of a rule",
		`root = "a"`:                     "expected ::=",
		`root ::= "a`:                    "is missing",
		`root ::= [a-`:                   "is missing",
		`root ::= []`:                    "without characters",
		`root ::= "\q"`:                  "unknown escape",
		`root ::= "\xg0"`:                "unknown escape",
		`root ::= "\`:                    "ends in an escape",
		`root ::= ("a"`:                  "expected )",
		`root ::= "a")`:                  "expected a symbol or the end",
		`root ::= <[12]>`:                "expected a symbol or the end",
		`root ::= *`:                     "expected a symbol or the end",
		`root ::= ""*`:                   "a repetition of nothing",
		`root ::= "a"{3,2}`:              "from 3 to 2",
		`root ::= "a"{x}`:                "expected a number",
		`root ::= "a"{1`:                 "expected }",
		`root ::= "a"{1,2001}`:           "at most 2000",
		`root ::= (("a"{2000}){2000}){2000} "abc"{2000}{2000}`: "4002000 rules",
		`root ::= a`:                                    `there is no rule "a"`,
		`root ::= "x" (b | "c")`:                        `there is no rule "b"`,
		`root ::= root "a" | "b"`:                       "left recursive",
		"root ::= a\na ::= b a | \"x\"\nb ::= c\nc ::=": "left recursive",
		`root ::= "x" ("a"*)*`:                          "repeats what can be empty",
		`root ::= "" | ""`:                              "empty in several ways",
		"root ::= \"\xff\"":                             "UTF-8",
		"root ::= \"\x00\"":                             "UTF-8",
		`root ::= ` + strings.Repeat("(", 65) + `"a"` + strings.Repeat(")", 65): "64 nested groups",
		`root ::= "` + strings.Repeat("a", 65<<10) + `"`:                        "at most 65536",
		`root ::= "a"` + strings.Repeat(`|"a"`, 5000):                           "4096 ways",
		chain(257, "r%d ::= r%d"):                                               "more than 256 rules",
		chain(129, "r%d ::= (r%d)"):                                             "more than 256 rules",
		chain(129, "r%d ::= r%d? \"b\""):                                        "more than 256 rules",
	} {
		t.Run(bad, func(t *testing.T) {
			if err := llamacpp.CheckGrammar(bad); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%.80q: got %v, want %q", bad, err, want)
			}
		})
	}
}

// chain is a grammar of rules each of which begins with the next; it names the last first.
func chain(rules int, form string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "r%d ::= \"a\"\n", rules-1)
	for i := rules - 2; i >= 0; i-- {
		fmt.Fprintf(&text, form+"\n", i, i+1)
	}
	return strings.Replace(text.String(), "r0 ", "root ", 1)
}

// TestCheckedGrammarsAreParsed: whatever passes the check, llama.cpp parses, and the first token can be drawn.
func TestCheckedGrammarsAreParsed(t *testing.T) {
	m := load(t)
	c := newContext(t, m, llamacpp.ContextOptions{Cells: 64})
	random, passed := rand.New(rand.NewPCG(3, 4)), 0
	parts := []string{"root", "a", "::=", "\n", "|", "(", ")", "*", "+", "?", "{2}", "{1,}", "{0,3}", `"x"`, `""`,
		"[a-c]", "[^\\n]", ".", "# c\n", " ", "\\u00e9", "-", "é"}
	for range 20000 {
		text := grammars[random.IntN(len(grammars))]
		for range 1 + random.IntN(3) {
			from := random.IntN(len(text) + 1)
			to := min(len(text), from+random.IntN(3))
			text = text[:from] + parts[random.IntN(len(parts))] + text[to:]
		}
		if llamacpp.CheckGrammar(text) != nil {
			continue
		}
		passed++
		b := prompt([]llamacpp.Token{1}, 0, 0, llamacpp.Start{Sampling: llamacpp.Sampling{Temperature: 1,
			Seed: uint64(passed)}, Grammar: text})
		b.Memory = []llamacpp.MemoryOp{{Dst: 0, To: -1}}
		out := make([]llamacpp.Sampled, 1)
		if err := c.Step(t.Context(), b, out); err != nil {
			t.Fatalf("the grammar %q passed the check and failed in a step: %v, want no error", text, err)
		}
	}
	if passed < 1000 {
		t.Errorf("%d of 20,000 grammars passed; want at least 1000", passed)
	}
	t.Logf("%d of 20,000 grammars passed", passed)
}

// FuzzCheckGrammar never panics.
func FuzzCheckGrammar(f *testing.F) {
	f.Add("root ::= (\"a\" | [b-c]{2,3})* # x\n")
	f.Fuzz(func(t *testing.T, text string) { llamacpp.CheckGrammar(text) })
}
