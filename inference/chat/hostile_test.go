package chat

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/soak"
)

// nested is n times an opening, a text, and n times a closing.
func nested(open, text, close string, n int) string {
	return strings.Repeat(open, n) + text + strings.Repeat(close, n)
}

// hostile are templates that panic, recurse without end, ask for endless memory or time, or try what evaluators of
// Jinja are weak at. They may fail or give a text, in bounded time and memory.
var hostile = map[string]string{
	"floor division by zero":        "{{ 1 // 0 }}",
	"division by zero":              "{{ 1 / 0 }}",
	"modulo zero":                   "{{ 1 % 0 }}",
	"smallest number by -1":         "{{ (-9223372036854775807 - 1) // -1 }}{{ (-9223372036854775807 - 1) % -1 }}",
	"a number too large":            "{{ 99999999999999999999999999 }}",
	"a text less than once":         "{{ 'x' * -5 }}",
	"a text 10^9 times":             "{{ 'x' * 1000000000 }}",
	"a text 10^18 times":            "{{ 'x' * 1000000000000000000 }}",
	"a text as often as a power":    "{{ 'x' * (10 ** 9) }}",
	"a text times a text":           "{{ 'x' * 'y' }}{{ 'x' * none }}{{ none * 'x' }}{{ [] * 3 }}",
	"powers of powers":              "{{ 9 ** 9 ** 9 ** 9 }}",
	"products of texts":             "{{ ('x' * 100000) * 100000 }}",
	"brackets":                      "{{ " + nested("(", "1", ")", 100_000) + " }}",
	"lists":                         "{{ " + nested("[", "1", "]", 100_000) + " }}",
	"maps":                          "{{ " + nested("{'a':", "1", "}", 40_000) + " }}",
	"indices":                       "{{ x" + nested("[", "0", "]", 100_000) + " }}",
	"calls in calls":                "{{ " + nested("f(", "1", ")", 80_000) + " }}",
	"open brackets":                 "{{ " + strings.Repeat("(", 100_000),
	"closed brackets":               "{{ " + strings.Repeat(")", 100_000) + " }}",
	"brackets in turn":              "{{ " + strings.Repeat("([", 60_000) + " }}",
	"not":                           "{{ " + strings.Repeat("not ", 60_000) + "1 }}",
	"minus":                         "{{ " + strings.Repeat("-", 200_000) + "1 }}",
	"plus":                          "{{ 1" + strings.Repeat("+1", 100_000) + " }}",
	"tilde":                         "{{ 'a'" + strings.Repeat("~'a'", 50_000) + " }}",
	"comparisons":                   "{{ 1" + strings.Repeat(" == 1", 40_000) + " }}",
	"and":                           "{{ 1" + strings.Repeat(" and 1", 40_000) + " }}",
	"powers in a row":               "{{ 1" + strings.Repeat("**1", 80_000) + " }}",
	"attributes":                    "{{ messages" + strings.Repeat(".a", 100_000) + " }}",
	"indices in a row":              "{{ messages" + strings.Repeat("[0]", 80_000) + " }}",
	"methods in a row":              "{{ 'a'" + strings.Repeat(".strip()", 25) + " }}",
	"many methods in a row":         "{{ 'a'" + strings.Repeat(".strip()", 30_000) + " }}",
	"calls in a row":                "{{ messages" + strings.Repeat("()", 100_000) + " }}",
	"filters in a row":              "{{ 'a'" + strings.Repeat("|upper", 40_000) + " }}",
	"tests in a row":                "{{ 1" + strings.Repeat(" is string", 20_000) + " }}",
	"conditions in a row":           "{{ 1" + strings.Repeat(" if 1 else 1", 20_000) + " }}",
	"if in if":                      nested("{% if 1 %}", "x", "{% endif %}", 12_000),
	"for in for":                    nested("{% for a in [1,2] %}", "x", "{% endfor %}", 8_000),
	"few for in for":                nested("{% for a in [1,2] %}", "x", "{% endfor %}", 60),
	"set in set":                    nested("{% set x %}", "x", "{% endset %}", 10_000),
	"macro in macro":                nested("{% macro f() %}", "x", "{% endmacro %}", 8_000),
	"if that is open":               strings.Repeat("{% if 1 %}", 25_000),
	"elif":                          "{% if 0 %}" + strings.Repeat("{% elif 0 %}", 20_000) + "{% endif %}",
	"comments in comments":          nested("{#", "x", "#}", 60_000),
	"tags that are open":            strings.Repeat("{{", 100_000),
	"blocks that are open":          strings.Repeat("{%", 100_000),
	"replace in a chain":            "{{ 'a'" + strings.Repeat("|replace('a', 'aaaaaaaaaa')", 20) + " }}",
	"the method replace in a chain": "{{ 'a'" + strings.Repeat(".replace('a', 'aaaaaaaaaa')", 15) + " }}",
	"replace of nothing":            "{{ ('x' * 4000000)|replace('', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxx') }}",
	"replace with much":             "{{ ('x' * 4000000)|replace('x', 'y' * 4000000) }}",
	"replace by keyword":            "{{ ('x' * 4000000)|replace(old='x', new='y' * 4000000) }}",
	"join with much":                "{{ range(50000)|join('y' * 4000000) }}",
	"join by keyword":               "{{ range(50000)|join(d='y' * 4000000) }}",
	"the method join with much":     "{{ ('y' * 4000000).join(range(5000)|map('string')|list) }}",
	"indented far":                  "{{ ('\n' * 4000000)|indent(1000000) }}",
	"indented by a text":            "{{ ('a\n' * 2000000)|indent('y' * 1000000, true, true) }}",
	"indented by less than nothing": "{{ 'a\nb'|indent(-5) }}{{ 'a\nb'|indent(width=1000000000000) }}",
	"JSON indented far":             "{{ messages|tojson(indent=1000000000) }}",
	"JSON indented by less":         "{{ messages|tojson(indent=-4) }}",
	"JSON of functions":             "{{ range|tojson }}{{ namespace|tojson }}",
	"centred":                       "{{ 'x'.center(1000000000) }}",
	"the filter center":             "{{ 'x'|center(1000000000) }}",
	"filled up":                     "{{ 'x'.ljust(1000000000) }}",
	"filled with zeros":             "{{ 'x'.zfill(1000000000) }}",
	"tabs":                          "{{ '\t'.expandtabs(1000000000) }}",
	"a format with a width":         "{{ '{:>1000000000}'.format('x') }}{{ '%1000000000d'|format(1) }}",
	"a wrap of nothing":             "{{ 'x y'|wordwrap(0) }}{{ 'x'|truncate(-1) }}",
	"batches":                       "{{ range(10)|batch(1000000000, 'x')|list }}{{ [1]|slice(1000000000)|list }}",
	"latin":                         "{{ lipsum(1000000000) }}",
	"a long range":                  "{{ range(1000000000) }}",
	"the length of a long range":    "{{ range(1000000000)|length }}",
	"a range without a step":        "{{ range(1, 10, 0) }}",
	"a range past the largest": "{% for i in range(9223372036854775800, 9223372036854775807, 5) %}{{ i }}{% " +
		"endfor %}",
	"a range of texts":         "{{ range('a') }}{{ range() }}{{ range(1, 2, 3, 4) }}",
	"a loop over a long range": "{% for i in range(1000000000) %}x{% endfor %}",
	"an empty loop over it":    "{% for i in range(1000000000) %}{% endfor %}",
	"loops over ranges": "{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) " +
		"%}{% endfor %}{% endfor %}{% endfor %}",
	"a loop that filters": "{% for a in range(50000) %}{% for b in range(50000) if false %}{% endfor %}{% " +
		"endfor %}",
	"a loop that breaks": "{% for a in range(90000) %}{% for b in range(90000) %}{% break %}{% endfor " +
		"%}{% endfor %}",
	"a loop over a text":      "{% for a in 'x' * 10000000 %}{% endfor %}",
	"a text taken apart":      "{{ ('x' * 10000000)|list|length }}{{ ('x' * 10000000)|map('upper')|list|length }}",
	"a text split":            "{{ ('x ' * 5000000).split(' ')|length }}{{ ('x' * 5000000).split('')|length }}",
	"lines":                   "{{ ('\n' * 10000000).splitlines()|length }}",
	"a loop that writes much": "{% set x = 'x' * 1000000 %}{% for i in range(100000) %}{{ x }}{% endfor %}",
	"a macro that writes much": "{% macro f() %}{% for i in range(90000) %}" + strings.Repeat("x", 200_000) +
		"{% endfor %}{% endmacro %}{{ f()|length }}",
	"a raw text, often": "{% for i in range(90000) %}{% raw %}" + strings.Repeat("x", 200_000) +
		"{% endraw %}{% endfor %}",
	"a set that collects much": "{% set x %}{% for i in range(90000) %}" + strings.Repeat("x", 100_000) +
		"{% endfor %}{% endset %}{{ x|length }}",
	"a text doubled": "{% set ns = namespace(x='x') %}{% for i in range(60) %}{% set ns.x = ns.x + " +
		"ns.x %}{% endfor %}{{ ns.x|length }}",
	"a text doubled by a tilde": "{% set ns = namespace(x='x') %}{% for i in range(60) %}{% set ns.x = ns.x ~ " +
		"ns.x %}{% endfor %}{{ ns.x|length }}",
	"a list doubled": "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + " +
		"ns.x %}{% endfor %}{{ ns.x|length }}",
	"lists in lists": "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, " +
		"ns.x] %}{% endfor %}{{ ns.x }}",
	"lists in lists, deep": "{% set ns = namespace(x=[1]) %}{% for i in range(50000) %}{% set ns.x = " +
		"[ns.x] %}{% endfor %}{{ ns.x }}",
	"maps in maps, deep": "{% set ns = namespace(x={}) %}{% for i in range(50000) %}{% set ns.x = {'a': " +
		"ns.x} %}{% endfor %}{{ ns.x|tojson }}",
	"a map in itself":          "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}",
	"a map in itself, as JSON": "{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns|tojson }}",
	"two maps in each other": "{% set a = namespace() %}{% set b = namespace(a=a) %}{% set a.b = b %}{{ a == " +
		"b }}{{ a }}",
	"a message in itself":          "{% set messages[0].content = messages %}{{ messages }}",
	"a message in itself, by name": "{% set messages[0]['content'] = messages %}{{ messages|tojson }}",
	"a list in itself":             "{% set x = [] %}{% do x.append(x) %}{% do x.append(x) %}{{ x }}",
	"a map updated with itself": "{% set x = {} %}{% do x.update({'x': x}) %}{% do " +
		"messages[0].update(a=messages) %}{{ x }}{{ messages }}",
	"a default that is itself": "{% do messages[0].setdefault('a', messages) %}{{ messages }}",
	"an endless append":        "{% set x = [1] %}{% for i in x %}{% do x.append(i) %}{% endfor %}{{ x }}",
	"many appends": "{% set x = [] %}{% for i in range(90000) %}{% do x.append('abcdefgh') %}{% " +
		"endfor %}{{ x|length }}",
	"a macro without end":        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
	"a macro that calls two":     "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}",
	"a macro in its own default": "{% macro f(n=f()) %}x{% endmacro %}{{ f() }}",
	"a caller that calls": "{% macro f() %}{{ caller() }}{% endmacro %}{% call f() %}{% call f() %}{{ f() " +
		"}}{% endcall %}{% endcall %}",
	"a caller without end": "{% macro f() %}{{ caller() }}{% call f() %}x{% endcall %}{% endmacro %}{% " +
		"call f() %}y{% endcall %}",
	"a macro of many branches": "{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% " +
		"endmacro %}{{ f(40) }}",
	"a loop that recurses":       "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
	"a loop that recurses twice": "{% for a in [1, 2] recursive %}{{ loop([1, 2]) }}{{ loop([1, 2]) }}{% endfor %}",
	"an error that is replaced": "{% for a in range(90000) %}{% for b in range(90000) %}{{ (1 % 0)|default('x') " +
		"}}{% endfor %}{% endfor %}",
	"an error that is tested": "{% for a in range(90000) %}{{ range(90000) is defined or range(90000) }}{% " +
		"endfor %}",
	"texts compared": "{% set x = 'x' * 7000000 %}{% set y = 'x' * 7000000 %}{% for a in " +
		"range(90000) %}{% if x == y and x in y %}{% endif %}{% endfor %}",
	"lists compared": "{% set x = range(50000)|list %}{% for a in range(40000) %}{% if -1 in x %}{% " +
		"endif %}{% endfor %}",
	"things sorted": "{{ range(50000)|map('string')|sort|length }}{{ messages|sort }}{{ [1, 'a', " +
		"none, {}]|sort }}",
	"methods of Go": "{{ [1, 2].Swap(7, 9) }}{{ {}.Get(1) }}{{ messages.Interface() }}{{ " +
		"loop.Call() }}{{ self }}",
	"attributes of nothing": "{{ none.a.b }}{{ x.y.z() }}{{ none[0] }}{{ 1[0] }}{{ ''[0] }}{{ [][-1] }}{{ " +
		"'a'[-5] }}{{ 'a'[99] }}",
	"slices": "{{ 'abc'[5:1] }}{{ 'abc'[-9:-7] }}{{ 'abc'[::0] }}{{ [1,2][7:] }}{{ " +
		"[1,2][-9:9] }}{{ messages[3:1] }}",
	"slices of numbers": "{{ 1[1:2] }}{{ none[1:] }}{{ 'a'['b':'c'] }}{{ 'é'[:1] }}",
	"empty separators": "{{ 'abc'.split('') }}{{ 'abc'.rsplit('') }}{{ 'abc'.partition('') }}{{ " +
		"'abc'.rpartition('') }}{{ 'abc'.replace('', 'x') }}",
	"odd counts": "{{ 'abc'.split('b', -7) }}{{ 'abc'.count('', 9, -9) }}{{ 'abc'.find('', 99) " +
		"}}{{ 'abc'.rfind('c', -99, 99) }}{{ 'abc'.replace('a', 'b', -9) }}",
	"odd prefixes": "{{ 'abc'.startswith('', 9) }}{{ 'abc'.endswith('c', 9, -9) }}{{ " +
		"'abc'.strip('') }}{{ 'abc'.lstrip(none) }}",
	"no parts of a method": "{{ 'a'.replace() }}{{ 'a'.split(1, 2, 3) }}{{ 'a'.join() }}{{ {}.pop() }}{{ " +
		"[].append() }}",
	"empty things": "{{ [] | first }}{{ [] | last }}{{ [] | max }}{{ [] | min }}{{ [] | sum }}{{ " +
		"'' | first }}{{ [] | join }}",
	"filters of odd things": "{{ none | upper }}{{ 1 | length }}{{ none | list }}{{ 1 | tojson }}{{ range | " +
		"string }}{{ none | items }}",
	"rounding": "{{ 1.5 | round(1000000000) }}{{ 1 | round(-400) }}{{ 'x' | round }}{{ 'x' | " +
		"int }}{{ 'x' | abs }}",
	"tests of odd things": "{{ 1 is divisibleby 0 }}{{ 1 is divisibleby }}{{ none is divisibleby('x') " +
		"}}{{ 1 is nosuch }}{{ 1 is in 2 }}",
	"an empty raw":       "{% raw %}{% endraw %}",
	"tags without parts": "{% set %}{% for %}{% if %}{% macro %}{% call %}{% do %}",
	"set of odd things": "{% set 1 = 2 %}{% set 'a' = 2 %}{% set f() = 1 %}{% set x.y = 1 %}{% set " +
		"messages.x = 1 %}{% set messages[9] = 1 %}",
	"a call of no macro":     "{% call 1 %}{% endcall %}{% call messages() %}{% endcall %}",
	"break without a loop":   "{% break %}{% continue %}",
	"names of ours":          "{{ \x00meter(0) }}{{ \x00budget }}",
	"numbers of the meters":  "{{ self.meter }}{{ __caller__() }}",
	"bytes that are no text": "\xff\xfe{{ '\xff' }}{% \xff %}",
	"zeros":                  strings.Repeat("\x00", 1000) + "{{ \x00 }}",
	"escapes":                `{{ '\x' }}{{ '\u12' }}{{ "\U99999999" }}{{ '\` + "\n" + `' }}{{ 'a`,
	"an open tag":            "{{",
	"an open statement":      "{%",
	"an open comment":        "{#",
	"an open text":           "{{ '",
	"included":               "{% include '/etc/passwd' %}",
}

// within fails if a function takes longer, or more memory, than a rendering may.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done, most := make(chan struct{}), make(chan uint64, 1)
	go func() {
		var peak uint64
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
			select {
			case <-tick.C:
			case <-done:
				most <- peak
				return
			}
		}
	}()
	began := soak.Processor()
	f()
	took := soak.Processor() - began
	close(done)
	if peak := <-most; took > 5*time.Second || peak > 1<<30 {
		t.Errorf("%s took %v and %d MiB, want at most 5 s and 1,024 MiB", what, took, peak>>20)
	}
}

// renderAny parses and renders, and gives what came of it.
func renderAny(ctx context.Context, source string) (string, error) {
	template, err := NewTemplate(source, "<B>", "<E>", []string{"<e>"})
	if err != nil {
		return "", err
	}
	segments, err := template.Render(ctx, chat)
	var text strings.Builder
	for _, s := range segments {
		text.WriteString(s.Text)
	}
	return text.String(), err
}

func TestHostileTemplates(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	for name, source := range hostile {
		t.Run(name, func(t *testing.T) {
			within(t, name, func() {
				text, err := renderAny(t.Context(), source)
				t.Logf("%d bytes, %v", len(text), err)
				if err != nil && len(err.Error()) > 2000 || len(text) > 64<<20 {
					t.Errorf("the error is %.3000v and the text %d bytes, want at most 2,000 and %d bytes", err,
						len(text), 64<<20)
				}
			})
		})
	}
}

// TestRenderingEnds with its context, also in the middle of a template that has time left.
func TestRenderingEnds(t *testing.T) {
	template, err := NewTemplate("{% for a in range(300) %}{% for b in range(300) %}{{ messages|tojson }}{% endfor "+
		"%}{% endfor %}", "", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	time.AfterFunc(time.Millisecond, func() { cancel(stopped) })
	began := soak.Processor()
	_, err = template.Render(ctx, chat)
	if took := soak.Processor() - began; !errors.Is(err, stopped) || took > time.Second {
		t.Errorf("after %v: %v, want the error %q and at most %v", took, err, stopped, time.Second)
	}
}

// FuzzTemplate renders anything in bounded time and memory.
func FuzzTemplate(f *testing.F) {
	for _, source := range hostile {
		if len(source) < 4096 {
			f.Add(source)
		}
	}
	for _, source := range realTemplates {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		within(t, fmt.Sprintf("%.200q", source), func() { renderAny(t.Context(), source) })
	})
}

func BenchmarkTemplate(b *testing.B) {
	for name, source := range realTemplates {
		messages := chat[1:]
		b.Run(name, func(b *testing.B) {
			template, err := NewTemplate(source, "<B>", "<E>", nil)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				template.Render(b.Context(), messages)
			}
		})
	}
}
