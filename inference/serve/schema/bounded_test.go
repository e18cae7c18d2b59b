package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
)

// expressionOf turns a grammar that is not recursive into a regular expression of its sentences.
func expressionOf(t *testing.T, text string) *regexp.Regexp {
	t.Helper()
	if err := llamacpp.CheckGrammar(text); err != nil {
		t.Fatalf("the grammar of a schema is refused: %v, want no error:\n%s", err, text)
	}
	rules := make(map[string]string)
	for line := range strings.Lines(text) {
		name, body, _ := strings.Cut(strings.TrimSpace(line), " ::= ")
		rules[name] = body
	}
	unescape := regexp.MustCompile(`\\(?:x(..)|u(....)|U(........))`)
	symbol := regexp.MustCompile(`^(?:("(?:[^"\\]|\\.)*")|(\[(?:[^\]\\]|\\.)*\])|([a-z][a-z0-9-]*)|\s+|.)`)
	var write func(body string) string
	write = func(body string) string {
		var b strings.Builder
		for body != "" {
			m := symbol.FindStringSubmatch(body)
			switch {
			case m[1] != "":
				var plain string
				quoted := regexp.MustCompile(`\\x(..)`).ReplaceAllString(m[1], `\u00$1`)
				if err := json.Unmarshal([]byte(quoted), &plain); err != nil {
					t.Fatalf("the literal %s is no JSON string: %v, want no error", quoted, err)
				}
				b.WriteString("(?:" + regexp.QuoteMeta(plain) + ")")
			case m[2] != "":
				b.WriteString(unescape.ReplaceAllString(m[2], `\x{$1$2$3}`))
			case m[3] != "":
				b.WriteString("(?:" + write(rules[m[3]]) + ")")
			default:
				b.WriteString(strings.TrimSpace(m[0]))
			}
			body = body[len(m[0]):]
		}
		return b.String()
	}
	compiled, err := regexp.Compile("^(?:" + write(rules["root"]) + ")$")
	if err != nil {
		t.Fatalf("the grammar is no regular expression: %v, want no error:\n%s", err, text)
	}
	return compiled
}

// TestNumbers: of numbers with up to three digits behind the point, those between two bounds are accepted, and no
// others, whatever the bounds.
func TestNumbers(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, seed))
	decimal := func() string { // such as -12.5, in the shortest form
		text := fmt.Sprint(r.IntN(40) - 20)
		if digits := strings.TrimRight(fmt.Sprintf("%03d", r.IntN(1000)), "0"); digits != "" && r.IntN(3) > 0 {
			text += "." + digits
		}
		if strings.Trim(text, "-0.") == "" {
			return "0"
		}
		return text
	}
	rat := func(text string) *big.Rat { x, _ := new(big.Rat).SetString(text); return x }
	accepted, refused := 0, 0
	for range 300 {
		low, high, words := decimal(), decimal(), []string{"minimum", "maximum"}
		if rat(low).Cmp(rat(high)) > 0 {
			low, high = high, low
		}
		open := [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}
		for i, word := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
			if open[i] {
				words[i] = word
			}
		}
		schema := fmt.Sprintf(`{"type":"number","%s":%s,"%s":%s}`, words[0], low, words[1], high)
		leftOut := r.IntN(4) // of the bounds; from 2 on none
		switch leftOut {
		case 0:
			schema = fmt.Sprintf(`{"type":"number","%s":%s}`, words[1], high)
		case 1:
			schema = fmt.Sprintf(`{"type":"number","%s":%s}`, words[0], low)
		}
		grammar, err := Compile(t.Context(), []byte(schema))
		if err != nil {
			if leftOut < 2 || low != high || !open[0] && !open[1] {
				t.Errorf("%s is refused: %v, want a refusal only of equal bounds with one that is open", schema, err)
			}
			continue
		}
		accepts := expressionOf(t, grammar)
		for range 60 {
			text := decimal()
			want := true
			if c := rat(text).Cmp(rat(low)); leftOut != 0 && (c < 0 || c == 0 && open[0]) {
				want = false
			}
			if c := rat(text).Cmp(rat(high)); leftOut != 1 && (c > 0 || c == 0 && open[1]) {
				want = false
			}
			if accepts.MatchString(text) != want {
				t.Errorf("seed %d, %s: %s is accepted: %v, want %v\n%s", seed, schema, text, !want, want, grammar)
			}
			if want {
				accepted++
			} else {
				refused++
			}
		}
	}
	if accepted < 1000 || refused < 1000 {
		t.Errorf("%d numbers were accepted and %d refused, want some thousands of each", accepted, refused)
	}
}

// TestNumberForms: numbers are written as JSON has them, also far behind the point and beyond 0.
func TestNumberForms(t *testing.T) {
	for schema, texts := range map[string][2][]string{
		`{"type":"number","minimum":0,"maximum":1}`: {{"0", "1", "0.5", "1.0", "0.0", "0.99999999999999"},
			{"1.1", "-0", "-0.5", "00.5", ".5", "1.", "1e0", "2", "0.999999999999999"}},
		`{"type":"number","exclusiveMinimum":0,"maximum":1}`: {{"0.00000000000001", "0.1", "1"}, {"0", "0.0", "-1"}},
		`{"type":"number","minimum":1e-3}`:                   {{"0.001", "0.0011", "123456789"}, {"0.0009", "0", "-7"}},
		`{"type":"number","maximum":-2.5}`:                   {{"-2.5", "-2.6", "-1000"}, {"-2.4", "-2", "0", "2.5"}},
		`{"type":"number","minimum":0.5,"exclusiveMinimum":0.5,"exclusiveMaximum":0.75,"maximum":9}`: {{"0.51", "0.7"},
			{"0.5", "0.75"}},
		`{"type":"integer","exclusiveMinimum":0,"maximum":10,"exclusiveMaximum":10}`: {{"1", "9"}, {"0", "10", "1.0"}},
	} {
		t.Run(schema, func(t *testing.T) {
			grammar, err := Compile(t.Context(), []byte(schema))
			if err != nil {
				t.Fatal(err)
			}
			for i, list := range texts {
				for _, text := range list {
					if expressionOf(t, grammar).MatchString(text) != (i == 0) {
						t.Errorf("%s is accepted: %v, want %v\n%s", text, i == 1, i == 0, grammar)
					}
				}
			}
		})
	}
}

// patterns are regular expressions that mean the same in Go. Their parts meet in random texts.
var patterns = []string{`a+`, `^a+$`, `^[ab]{2,3}`, `b$`, `^$`, `^(a|b1)*$`, `a|^b|1$`, `^\d{1,2}[a-b]?$`, `^[^a]+$`,
	`^(?:ab|ba)+1?$`, `"`, `^\\*$`, `^a\nb`, `^[\w"\\]*$`, `^(a(b(1)?)?)?$`, `^a|b`, `^\S\S$`, `^[\s\d]+$`, `(a|)b`,
	`^(?<word>[a-z]+)1$`, `^\u0061\x62$`, `^\/?\-$`}

// TestPatterns: a JSON string is accepted if the regular expression matches somewhere in it, and a text alone if it
// matches all of it; nothing else is.
func TestPatterns(t *testing.T) {
	const seed = 9
	r := rand.New(rand.NewPCG(seed, seed))
	letters := []string{"a", "b", "1", `"`, `\`, "\n", " ", "/", "-", "é"}
	for _, p := range patterns {
		t.Run(p, func(t *testing.T) {
			quoted, _ := json.Marshal(p)
			grammar, err := Compile(t.Context(), fmt.Appendf(nil, `{"type":"string","pattern":%s}`, quoted))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := Regex(p)
			if err != nil {
				t.Fatal(err)
			}
			inGo := strings.NewReplacer(`\u0061`, "a", `(?<`, `(?P<`).Replace(p)
			somewhere, all := regexp.MustCompile(inGo), regexp.MustCompile("^(?:"+inGo+")$")
			inStrings, alone, matched := expressionOf(t, grammar), expressionOf(t, whole), 0
			for range 4000 {
				text := ""
				for range r.IntN(5) {
					text += letters[r.IntN(len(letters))]
				}
				if want, got := somewhere.MatchString(text), inStrings.MatchString(encode(text)); got != want {
					t.Fatalf("seed %d: the string %q is accepted: %v, want %v\n%s", seed, text, got, want, grammar)
				} else if want {
					matched++
				}
				if want, got := all.MatchString(text), alone.MatchString(text); got != want {
					t.Fatalf("seed %d: the text %q is accepted: %v, want %v\n%s", seed, text, got, want, whole)
				}
			}
			if matched == 0 {
				t.Error("no text was accepted, want some")
			}
		})
	}
}

// TestPatternsRefused: what a grammar cannot say, or means something else in Go, is refused by name.
func TestPatternsRefused(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?=a)b`: "lookarounds", `(?<!a)b`: "lookarounds", `(?i)a`: "flags", `\bword`: "not supported",
		`(a)\1`: "not supported", `a^b`: "^ and $", `[]a]`: "without characters", `\Qa\E`: "not supported",
		`(a`: "missing closing )", `a**`: "nested repetition", `\u12`: "no escape", `\u{110000}`: "escape",
		`a{3,2}`: "invalid repeat", `[\S]`: "within a class", `\`: "ends in an escape",
		`[\x00-\x05]`: "no character", strings.Repeat("a", 1025): "bytes of a regular expression", `(a?)*`: "",
	} {
		t.Run(pattern, func(t *testing.T) {
			text, err := Regex(pattern)
			if err == nil {
				err = llamacpp.CheckGrammar(text)
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q\n%s", err, want, text)
			}
		})
	}
	for _, pattern := range []string{strings.Repeat(`\pL`, 300), strings.Repeat(`\pL`, mostProperties),
		strings.Repeat(`[^a]`, 250), strings.Repeat(`(`, 500) + strings.Repeat(`)`, 500)} {
		quoted, _ := json.Marshal(pattern)
		_, err := compiled(t, `{"type":"string","pattern":`+string(quoted)+`}`)
		t.Logf("%.20s: %v", pattern, err)
	}
}
