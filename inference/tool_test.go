package inference_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/calculator"
	"github.com/parley-debate/parley/inference/step"
)

// callers are requests for replies in which the characters of calls are likely; those of reasoning without end have a
// bound, or -1 for none.
func callers(t *testing.T, l *inference.Local, bounds ...int) (requests []inference.Request) {
	t.Helper()
	vocabulary, err := l.Vocabulary("")
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range thinkers(bounds...) {
		r.Tool, r.MaxTokens, r.Agent, r.Sampling.Temperature = calculator.Name, 150, i, 2
		for _, likely := range []struct {
			text string
			by   float32
		}{{"*+-/", 60}, {"0246", 60}, {"<", 63 + float32(i%5)}, {"=", 63}, {">", 60}} {
			for _, c := range likely.text {
				tokens, err := vocabulary.Tokenize(string(c), false, false)
				if err != nil {
					t.Fatal(err)
				}
				r.Sampling.Bias = append(r.Sampling.Bias,
					inference.TokenBias{Token: step.Token(tokens[len(tokens)-1]), Bias: likely.by})
			}
		}
		slices.SortFunc(r.Sampling.Bias, func(a, b inference.TokenBias) int { return int(a.Token - b.Token) })
		requests = append(requests, r)
	}
	return requests
}

var (
	answered = regexp.MustCompile(`<<([^<=>\n]{1,100})=([^>]*)>>`)
	unasked  = regexp.MustCompile(`<<[^<=>\n]{1,100}>`)
)

// checkCalls: behind each expression stands its value, and what was not drawn is counted as such.
func checkCalls(t *testing.T, r inference.Request, reply inference.Reply) (calls, computed int) {
	t.Helper()
	if reply.Err != nil {
		t.Fatal(reply.Err)
	}
	for _, m := range answered.FindAllStringSubmatch(reply.Text, -1) {
		if strings.TrimSpace(m[1]) != "" && m[2] != calculator.Answer(m[1]) {
			t.Errorf("%s: want %s", m[0], calculator.Answer(m[1]))
		}
	}
	for _, m := range unasked.FindAllString(reply.Text, -1) {
		if strings.TrimSpace(strings.Trim(m, "<>")) != "" {
			t.Errorf("%s has no value, want one behind each expression: %q", m, reply.Text)
		}
	}
	calls, computed = calculator.Calls(reply.Text)
	all := len(reply.Generated)
	put := all - reply.Tokens
	if (put > 0) != (calls > 0 || reply.ReasoningEnded) || all > r.Most()+len("\n</think>\n\n") {
		t.Errorf("%d calls, and %d tokens of %d that were not drawn, want some if and only if something was put in: %q",
			calls, put, all, reply.Whole())
	}
	return calls, computed
}

// TestTool: replies call the calculator while they are written. One at a time gives what many at once give, with room
// or without, with drafts, and in an engine that has computed nothing before; a journal gives all of it again. Calls in
// reasoning are none, and its bounds count what they did.
func TestTool(t *testing.T) {
	for name, c := range map[string]struct {
		options []inference.Option
		bounds  []int
	}{
		"answers":   {nil, []int{-1, -1, -1, -1}},
		"reasoning": {[]inference.Option{inference.ChatTemplate(thinkingTemplate)}, []int{-1, 0, 5, 20, 40}},
	} {
		t.Run(name, func(t *testing.T) {
			var journal kept
			l := open(t, append(c.options, inference.OnGeneration(journal.add))...)
			requests := callers(t, l, c.bounds...)
			replies := generate(t, l, requests...)
			all, computed := 0, 0
			for i, r := range replies {
				calls, values := checkCalls(t, requests[i], r)
				all, computed = all+calls, computed+values
				if n, set := requests[i].Sampling.ReasoningTokens.Tokens(); set && n > 0 &&
					(!r.ReasoningEnded || r.ReasoningTokens > n || r.ReasoningWaited != 0) {
					t.Errorf("%d: a bound of %d gives %+v, want the reasoning ended within it, and no waits", i, n, r)
				}
			}
			if t.Logf("%d calls, %d with a value", all, computed); computed < 5 || computed == all {
				t.Errorf("%d calls, %d of them computed, want at least 5 but not all, such as %q", all, computed,
					replies[0].Text)
			}
			checkReasoningAgain(t, requests, replies, func(options ...inference.Option) *inference.Local {
				return open(t, append(options, c.options...)...)
			})
			resumed := open(t, append(c.options, inference.Known(journal.known))...)
			if diff := cmp.Diff(replies, generate(t, resumed, requests...), ofReplies,
				cmpopts.IgnoreFields(inference.Reply{}, "Generated")); diff != "" || resumed.Stats().Generations != 0 {
				t.Errorf("a resumed run has the replies of the first and computes none (-want +got):\n%s", diff)
			}
		})
	}
}

// TestToolIsPartOfTheRequest: without the tool the reply and its key are others.
func TestToolIsPartOfTheRequest(t *testing.T) {
	l := open(t)
	requests := callers(t, l, -1, -1, -1, -1)
	with := requests[0]
	replies, differ := generate(t, l, requests...), false
	for i, r := range requests {
		r.Tool = ""
		plain := generate(t, l, r)[0]
		if plain.Key == replies[i].Key {
			t.Errorf("%d: one key with and without a calculator, want two", i)
		}
		calls, _ := calculator.Calls(replies[i].Text)
		if differ = differ || calls > 0; (calls > 0) != (plain.Text != replies[i].Text) {
			t.Errorf("%d calls give %q, without a calculator %q, want them different if and only if something was "+
				"called", calls, replies[i].Text, plain.Text)
		}
	}
	if !differ {
		t.Error("nothing was called, want at least one call")
	}
	for name, change := range map[string]func(*inference.Request){
		"unknown": func(r *inference.Request) { r.Tool = "abacus" },
		"grammar": func(r *inference.Request) { r.Grammar = `root ::= "a"` },
		"scores":  func(r *inference.Request) { r.Continuations = []string{"A", "B"} },
		"forced":  func(r *inference.Request) { r.Forced = []int32{1} },
	} {
		r := with
		if change(&r); generate(t, l, r)[0].Err == nil {
			t.Errorf("a calculator with %s is not refused, want an error", name)
		}
	}
}
