package reader

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/soak"
)

// rules returns all readers of replies, including those that need a question.
func rules() map[string]answer.Extractor {
	all := map[string]answer.Extractor{
		"among":      answer.Among([]string{"Ann", "aaaa", "((", "é"}),
		"dictionary": func(reply string) answer.Answer { answer.Dictionary(reply); return answer.Unparsed },
		"math, normalised": func(reply string) answer.Answer {
			answer.NormalizeMath(reply)
			return answer.Unparsed
		},
	}
	for _, name := range answer.Names() {
		if rule, ok := answer.PaperRule(name); ok {
			all[name] = rule
		}
	}
	for kind, read := range readersOf {
		all["reader "+string(kind)] = read(answer.Question{Text: "Who was it, Ann or Bob?",
			Options: []string{"Ann", "aaaa", "((", "é", "A 1", "no"}})
	}
	all["reader of letters"] = readChoice(answer.Question{})
	all["reader of verdicts"] = readYesNo(answer.Question{Text: "AITA? Should Ann be the same as Bob?"})
	all["reader of counts"] = readersOf[answer.KindNumber](answer.Question{Text: "How many Anns does Bob need?"})
	return all
}

// hostile lists the shapes of long replies: a beginning, a part that is repeated, and an end. The parts are what rules
// look for, opened and never closed.
var hostile = []struct{ begin, part, end string }{
	{"", "1 Ann ", ""}, {"", "one Ann of 2 ", ""}, {"", "You need 1 ", "Ann."},
	{"", `\boxed{`, ""}, {"", `\boxed{`, "}"}, {"", `\boxed{}`, ""}, {`\boxed{`, "{", ""}, {`\boxed{`, `\frac`, "}"},
	{`\boxed{`, `\frac1`, "}"}, {`\boxed{`, `\sqrt`, "}"},
	{`\boxed{`, "1", "}"}, {`\boxed{`, "1/", "}"}, {`\boxed{`, "(1,", "}"}, {`\boxed{`, `\left(`, "}"},
	{`\boxed{`, "1,000", "}"}, {`\boxed{x=`, "-", "}"}, {`\boxed{`, "2^", "}"},
	{"", "1", ""}, {"", "1,", ""}, {"", "1.", ""}, {"", "-", "1"}, {"", "1/1 ", ""}, {"", "1/e", ""}, {"", "$", "1"},
	{"", "{1", ""}, {"{", "1", ""}, {"{", "1", "}"}, {"", "{.,$", ""},
	{"", "(", "A"}, {"", "(A", ""}, {"", "(1", ""}, {"(", "1", ""}, {"(", "٣", ")"}, {"", "A", ""}, {"", "A ", "é"},
	{"", "ΔG", ""}, {"", "\u0301A", ""}, {"", "é", ""},
	{"", "answer", ""}, {"", "answer is ", ""}, {"", "answer:", ""}, {"answer:", " ", ""},
	{"answer is (", "\u00a0", ""}, {"", "answer is (é)", ""}, {"", "Final Solution:", ""},
	{"Final Solution:", " ", ""}, {"", "final solution: é", ""}, {"", "\n", ""}, {"", " ", ""}, {"", "\\", ""},
	{"", `\text{ `, ""}, {"", "=", ""}, {"", ". ", ""}, {"", "\xff", ""},
	{"", "the answer is ", ""}, {"", "the answer is B or A ", ""}, {"", "**A** ", ""}, {"", "(A) is correct ", ""},
	{"", "\n(A) x", ""}, {"", "Ann ", ""}, {"", "is 1 ", ""}, {"", "1. ", ""}, {"", "1 1/2 ", ""}, {"", "1e9", ""},
	{"", "9,999", ""}, {"", "Question: x\n", ""}, {"", "<think>", ""}, {"", "</think>", ""}, {"", `"`, ""},
	{"", "$1$", ""}, {"", "$$\n", ""},
	{"", `"a b c" is `, ""}, {"", `translation is "a b c" `, ""}, {"the text ", "does ", ""}, {"", "if 1 in 500 ", ""},
	{"", "a\n", ""}, {"", "#1 each\n", ""}, {"", "(A)\n", ""}, {"", "x is y ", ""}, {"", "text no answer ", ""},
	{"", "Example: ", ""}, {"", "\nExample: the answer is 1\n", ""}, {"", "For example, the answer is 1. ", ""},
	{"", "Q: x?\n", ""}, {"", "<b>", ""}, {"", "<b>1</b>", ""}, {"x ", "<think>a b c", "</think>d"},
	{"", "Verdict: ", ""}, {"", "so\n", "B"}, {"", "value=", ""},
	{"", "not ", ""}, {"", "if the answer ", "is"}, {"", "= 1 ", ""}, {"", "½", ""}, {"", "A. ", ""}, {"", "- ", ""},
	{"", "answer to ", ""}, {"the answer to ", "x ", "is 5"}, {"", "translation ", ""}, {"", "A) ", ""},
	{"", "1^2", ""}, {"", "(A) (B) ", ""}, {"answer is (A)", " or B", ""}, {"", `\text{A}`, ""}, {"", "so, ", ""},
	{"", "the ", ""}, {"", "a", ""}, {"", "\x00", ""}, {"{", "'", ""}, {"{", "'a':", ""}, {"{'a': '", "' ", ""},
	{"a: 1", "\n\nIs it so?\nAnswer: 1\n", ""}, {"", "Who?\n(A) x\n(B) y\n", ""}, {"", "1 to buy 2 ", ""},
	{"", "if 1, 2 ", ""}, {"", "Ann is it. ", ""}, {"", "is Ann, a b", ""}, {"", "1:", ""},
	{"", "Options:\nA) x\n", ""},
	{"a", "\n#2. x?\n", ""}, {"A) ", "b ", "B) c C) d"}, {"if the text ", "x ", ", the answer is 1"},
	{"", "(A) x?\n(B) y?\n", ""}, {"", "Who?\n\n\n", ""}, {"", "$1$ is ", ""}, {"", "the answer to what is ", ""},
	{"", "Who was it Ann or Bob ", ""}, {"", "While Ann, ", "Bob"}, {"", "not Ann or Bob ", ""}, {"", "YTA ", ""},
	{"", "While Ann, Bob. ", ""}, {"", "says \"no\" ", ""}, {"", "If NTA. ", ""}, {"", "yes, I am sure. ", ""},
	{"Problem: ", "x ", "Solution: 1"},
	{"", "\nProblem: x", `\boxed{1}`},
	{"{'a': '", `\`, ""}, {"", "25%", ""}, {"", `\frac{1}{2}`, ""}, {`\frac{`, "1", "}{2}"},
}

// TestHostileReplies finds rules whose time is quadratic: each must finish on 200 KB of every shape within a
// second, and a reader on 48 KB. On
// a slow machine it may take longer, as long as the time is proportional to the length. A rule that is fast on a
// quarter of the text is not run on all of it.
func TestHostileReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	const limit = time.Second
	for _, h := range hostile {
		of := func(bytes int) string { return h.begin + strings.Repeat(h.part, bytes/len(h.part)) + h.end }
		for name, rule := range rules() {
			size := 200 << 10
			if strings.HasPrefix(name, "reader") {
				size = 48 << 10 // readers look for more
			}
			if fastest(1, rule, of(size/4)) < limit/10 {
				continue
			}
			quarter, whole := fastest(3, rule, of(size/4)), fastest(3, rule, of(size))
			if whole > limit && whole > 8*quarter {
				t.Errorf("%s took %v for %q, many %q, %q, and %v for a quarter", name, whole, h.begin, h.part, h.end,
					quarter)
			}
		}
	}
}

// fastest returns the shortest time of several runs, which a busy machine disturbs least.
func fastest(times int, rule answer.Extractor, reply string) (best time.Duration) {
	for i := range times {
		start := soak.Processor()
		rule(reply)
		if took := soak.Processor() - start; i == 0 || took < best {
			best = took
		}
	}
	return best
}

// FuzzExtract: on any input, rules do not panic, return valid text, and finish in time.
func FuzzExtract(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.begin + h.part + h.part + h.end)
	}
	for _, s := range []string{"ΔG is (B).", "l'Hôpital", "H₂", "Answer:\u00a0C or D", `\boxed{\frac{1}{2}}`,
		`\boxed{[0,1)\cup\{2\}}`, "{'a': 'b'}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		reply = reply[:min(len(reply), 200<<10)]
		for name, rule := range rules() {
			start := soak.Processor()
			a := rule(reply)
			if a.Parsed != (a.Text != "") || utf8.ValidString(reply) && !utf8.ValidString(a.Text) {
				t.Errorf("%s of %q: an answer is read if it has a text, and of valid text valid: got %+v", name, reply,
					a)
			}
			if took := soak.Processor() - start; took > 5*time.Second {
				t.Errorf("%s took %v for %d bytes, want at most 5 s", name, took, len(reply))
			}
		}
	})
}
