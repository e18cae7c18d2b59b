package schema

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/serve/limits"
)

// growth is how many times as long as its schema a grammar may be, beside the rules that all of them share.
const growth = 2 * inline / len(`{"properties":{}}`)

// sharedRules is how many bytes the rules of parts have at most, and a root without anything.
const sharedRules = 1000

// nest puts a schema into itself, levels deep.
func nest(levels int, within func(inner string) string) string {
	text := `{"type":"null"}`
	for range levels {
		text = within(text)
	}
	return text
}

// object is an object of n optional properties with the same schema.
func object(n int, inner string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"p%03d":%s`, i, inner)
	}
	return `{"properties":{` + strings.Join(all, ",") + "}}"
}

// TestProduct: schemas whose grammars would be products or powers of their sizes take memory and time in proportion to
// these sizes: they become grammars of a length in proportion, or are refused for that length.
func TestProduct(t *testing.T) {
	null := nest(0, nil)
	for name, text := range map[string]string{
		"optional":       object(130, object(60, null)),
		"optional deep":  nest(12, func(in string) string { return object(2, in) }),
		"optional chain": nest(31, func(in string) string { return `{"properties":{"a":` + in + `,"b":{}}}` }),
		"lists":          nest(60, func(in string) string { return `{"type":"array","items":` + in + `}` }),
		"maps": nest(60, func(in string) string {
			return `{"type":"object","additionalProperties":` + in + `}`
		}),
		"any": nest(30, func(in string) string {
			return `{"anyOf":[` + in + `,{"type":"array","items":{}}]}`
		}),
		"enum":         `{"enum":[` + strings.Repeat("1,", 100_000) + `2]}`,
		"enum of many": `{"enum":[` + numbers(37_000) + `]}`,
		"const":        `{"const":[` + strings.Repeat("1,", 100_000) + `2]}`,
		"types": `{"type":[` + strings.Repeat(`"string",`, 20_000) + `"null"],"enum":[` +
			strings.Repeat("null,", 10_000) + `null]}`,
		"required": `{"properties":{"a":` + object(300, null) + `},"required":[` + strings.Repeat(`"a",`, 40_000) +
			`"a"]}`,
		"long key":   `{"properties":{"` + strings.Repeat("k", 50_000) + `":` + object(2000, null) + "}}",
		"references": chain(9000),
	} {
		t.Run(name, func(t *testing.T) {
			grammar, err := compiled(t, text)
			beyond := new(limits.Beyond)
			if err != nil && !errors.As(err, &beyond) && !strings.Contains(err.Error(), "occurs twice") {
				t.Errorf("%v, want a grammar or a bound", err)
			}
			t.Logf("%d bytes became %d, %.200v", len(text), len(grammar), err)
		})
	}
	if _, err := compiled(t, object(40, object(10, null))); err != nil {
		t.Errorf("40 times 10 optional properties are refused: %v, want no error", err)
	}
}

func numbers(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(i)
	}
	return strings.Join(all, ",")
}

// compiled compiles a schema, and fails where that takes more memory than the size of the schema explains, or makes a
// longer grammar.
func compiled(t *testing.T, text string) (string, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	grammar, err := Compile(t.Context(), []byte(text))
	runtime.ReadMemStats(&after)
	if took, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+400*len(text)); took > most {
		t.Errorf("%.100s: %d bytes of memory for a schema of %d, want up to %d", text, took, len(text), most)
	}
	if n, most := len(grammar), min(growth*len(text)+sharedRules, int(limits.Grammar.Most)); n > most {
		t.Errorf("%.100s: a grammar of %d bytes, want up to %d", text, n, most)
	}
	return grammar, err
}

// random is a schema of about n parts. Deep ones have few properties, and shallow ones many.
func random(r *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{`{"type":"null"}`, `{"type":"string","maxLength":9}`,
			`{"type":["integer","null"],"minimum":-5}`,
			`{"const":"a"}`, `{"enum":[1,2,"x"]}`, `{}`, `{"$ref":"#"}`, `{"type":"boolean"}`}[r.IntN(8)]
	}
	inner := func() string { return random(r, r.IntN(depth)) }
	switch r.IntN(5) {
	case 0:
		return `{"type":"array","items":` + inner() + `,"maxItems":` + fmt.Sprint(1+r.IntN(9)) + `}`
	case 1:
		return `{"type":"object","additionalProperties":` + inner() + `}`
	case 2:
		return `{"anyOf":[` + inner() + `,` + inner() + `,` + inner() + `]}`
	}
	n := 1 + r.IntN(12)
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(`"p%d":%s`, i, inner())
	}
	required := ""
	if r.IntN(2) == 0 {
		required = fmt.Sprintf(`,"required":["p%d"]`, r.IntN(n))
	}
	return `{"properties":{` + strings.Join(all, ",") + `}` + required + `}`
}

// TestRandomSchemas never take more than their size explains, and what they become is a grammar.
func TestRandomSchemas(t *testing.T) {
	r, became := rand.New(rand.NewPCG(3, 7)), 0
	for range 400 {
		text := random(r, 1+r.IntN(6))
		grammar, err := compiled(t, text)
		if err != nil {
			continue
		}
		became++
		if err := llamacpp.CheckGrammar(grammar); err != nil && !strings.Contains(err.Error(), "many") &&
			!strings.Contains(err.Error(), "more than") {
			t.Errorf("llama.cpp refuses the grammar of %.300s: %v, want no error but of its size:\n%.2000s", text, err,
				grammar)
		}
	}
	if became < 100 {
		t.Errorf("%d of 400 schemas became grammars, want most", became)
	}
}

// FuzzCompile: whatever the schema, compiling takes no more than its size explains.
func FuzzCompile(f *testing.F) {
	for _, c := range schemas {
		f.Add(c.schema)
	}
	f.Add(chain(50))
	f.Add(object(9, object(9, "{}")))
	f.Fuzz(func(t *testing.T, text string) {
		if grammar, err := compiled(t, text); err == nil {
			_ = llamacpp.CheckGrammar(grammar) // must not fail but by an error
		}
	})
}

// TestCancelled: compiling ends with the request.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Compile(ctx, []byte(object(50, object(50, "{}")))); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// pattern turns a rule that is not recursive into a regular expression.
func pattern(rules map[string]string, name string) string {
	var b strings.Builder
	for body := rules[name]; body != ""; {
		switch m := token.FindStringSubmatch(body); {
		case m[1] != "":
			b.WriteString(regexp.QuoteMeta(strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(m[1][1 : len(m[1])-1])))
			body = body[len(m[0]):]
		case m[2] != "":
			b.WriteString("(?:" + pattern(rules, m[2]) + ")")
			body = body[len(m[0]):]
		default:
			if body[0] != ' ' {
				b.WriteByte(body[0])
			}
			body = body[1:]
		}
	}
	return b.String()
}

// token matches a literal or the name of a rule, or nothing.
var token = regexp.MustCompile(`^(?:("(?:[^"\\]|\\.)*")|([a-z][a-z0-9-]*))?`)

// TestOptional: of optional properties each subset is accepted in the order of the schema, and nothing else is, whether
// they are written out or rules.
func TestOptional(t *testing.T) {
	for _, value := range []string{"v", strings.Repeat("v", inline)} {
		for n := 1; n <= 5; n++ {
			grammar, err := Compile(t.Context(), []byte(object(n, `{"const":"`+value+`"}`)))
			if err != nil {
				t.Fatal(err)
			}
			if ruled := strings.Contains(grammar, "more-"); ruled != (len(value) > 1 && n > 1) {
				t.Errorf("%d optional properties of %d bytes are rules: %v, want %v: %s", n, len(value), ruled, !ruled,
					grammar)
			}
			rules := make(map[string]string)
			for line := range strings.Lines(grammar) {
				name, body, _ := strings.Cut(strings.TrimSpace(line), " ::= ")
				rules[name] = body
			}
			accepts := regexp.MustCompile("^(?:" + pattern(rules, "root") + ")$")
			for subset := range 1 << n {
				var forward, backward []string
				for i := range n {
					if one := fmt.Sprintf(`"p%03d": "%s"`, i, value); subset>>i&1 == 1 {
						forward, backward = append(forward, one), append([]string{one}, backward...)
					}
				}
				text := "{" + strings.Join(forward, ", ") + "}"
				if !accepts.MatchString(text) {
					t.Errorf("%d properties: %.200s is refused, want it accepted by\n%.1000s", n, text, grammar)
				}
				text = "{" + strings.Join(backward, ", ") + "}"
				if accepts.MatchString(text) != (len(forward) < 2) ||
					accepts.MatchString(strings.TrimSuffix(text, "}")+", }") {
					t.Errorf("%d properties: %.200s is accepted, or with a comma, by\n%.1000s", n, text, grammar)
				}
			}
		}
	}
}
