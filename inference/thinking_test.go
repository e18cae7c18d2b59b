package inference_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/models/modeltest"
)

// thinkingTemplate opens reasoning, and closes it again where it is told to.
const thinkingTemplate = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}" +
	"{% if add_generation_prompt %}assistant:<think>\n" +
	"{% if enable_thinking is false %}\n</think>\n\n{% endif %}{% endif %}"

// thinkers are requests of a model that reasons without end: bounds of many sizes, samples and rounds, and as many
// without a bound.
func thinkers(bounds ...int) (requests []inference.Request) {
	for i, n := range bounds {
		for sample := range 2 {
			messages := ask(puzzles[i%len(puzzles)])
			if i%3 == 2 {
				messages = append(messages, inference.Message{Role: "assistant", Content: "(A)"},
					inference.Message{Role: "user", Content: "Are you sure?"})
			}
			s := inference.Sampling{Temperature: 1, Seed: uint64(10*i + sample), IgnoreEnd: true}
			if n >= 0 {
				s.ReasoningTokens = inference.BudgetOf(n)
			}
			requests = append(requests, inference.Request{Messages: messages, MaxTokens: 9, Agent: i, Sample: sample,
				Sampling: s})
		}
	}
	return requests
}

var ofReplies = cmpopts.IgnoreFields(inference.Reply{}, "Duration", "CachedTokens")

// TestReasoningBounds: the reasoning of a reply ends at its bound, the answer at the limit of replies; one at a time
// gives what many at once give, with room or without, with drafts, and in an engine that has computed nothing before;
// a journal gives all of it again.
func TestReasoningBounds(t *testing.T) {
	requests := thinkers(1, 2, 7, 30, -1, 0, 7)
	var journal kept
	thinks := inference.ChatTemplate(thinkingTemplate)
	l := open(t, thinks, inference.OnGeneration(journal.add))
	replies := generate(t, l, requests...)
	if met := boundsMet(t, requests, replies); met < 8 {
		t.Errorf("%d bounds were met to the token, want most of 10", met)
	}
	checkReasoningAgain(t, requests, replies, func(options ...inference.Option) *inference.Local {
		return open(t, append(options, thinks)...)
	})
	resumed := open(t, thinks, inference.Known(journal.known))
	if diff := cmp.Diff(replies, generate(t, resumed, requests...), ofReplies,
		cmpopts.IgnoreFields(inference.Reply{}, "Generated")); diff != "" || resumed.Stats().Generations != 0 {
		t.Errorf("a resumed run has the replies of the first and computes none, %+v (-want +got):\n%s",
			resumed.Stats(), diff)
	}
}

// boundsMet checks replies of 9 tokens behind their reasoning, and returns how many reason up to their bound.
func boundsMet(t *testing.T, requests []inference.Request, replies []inference.Reply) (met int) {
	t.Helper()
	for i, r := range replies {
		n, bounded := requests[i].Sampling.ReasoningTokens.Tokens()
		switch {
		case r.Err != nil:
			t.Fatal(r.Err)
		case !bounded || n == 0:
			if want := !bounded; r.Tokens != 9 || r.ReasoningEnded || r.ReasoningCut != want ||
				(r.ReasoningTokens > 0) != want {
				t.Errorf("%d: without a bound, or without reasoning: %+v, want 9 tokens, not ended, and cut with some "+
					"reasoning: %v", i, r, want)
			}
		case !r.ReasoningEnded || r.ReasoningTokens > n || r.ReasoningTokens < n-1 || r.Tokens != n+9 ||
			r.Text == "" || r.ReasoningCut || !strings.Contains(r.Raw, "\n</think>\n\n") ||
			r.Stop != inference.StopLength ||
			len(r.Generated) <= r.Tokens:
			t.Errorf("%d: a bound of %d tokens gives %+v, want the reasoning ended there and 9 tokens behind it", i, n,
				r)
		case r.ReasoningTokens == n: // an end of the model that is ignored has no text
			met++
		}
	}
	return met
}

// checkReasoningAgain asks for the replies in other engines.
func checkReasoningAgain(t *testing.T, requests []inference.Request, replies []inference.Reply,
	open func(...inference.Option) *inference.Local) {
	t.Helper()
	narrow := []inference.Option{inference.Context(700), inference.Parallel(2)}
	drafts := []inference.Option{inference.StepCost(8), inference.Speculate(true)}
	for name, options := range map[string][]inference.Option{"drafts": drafts, "narrow": narrow, "cold": nil} {
		t.Run(name, func(t *testing.T) {
			l := open(options...)
			if name != "cold" {
				if diff := cmp.Diff(replies, generate(t, l, requests...), ofReplies, within(1e-4)); diff != "" {
					t.Errorf("another engine divides reasoning and answer alike (-want +got):\n%s", diff)
				}
				return
			}
			for i, r := range requests {
				got := generate(t, l, r)[0]
				if diff := cmp.Diff(replies[i], got, ofReplies, within(1e-4)); diff != "" {
					t.Errorf("alone the reply is what it was in a batch (-batch +alone):\n%s", diff)
				}
				again := generate(t, l, r)[0] // its cells are there
				if diff := cmp.Diff(got, again, ofReplies, within(1e-4)); diff != "" || again.CachedTokens == 0 {
					t.Errorf("from its own cells, %d of them, the reply is the same (-first +again):\n%s",
						again.CachedTokens, diff)
				}
			}
		})
	}
}

// TestReasoningEndsReply: where the model would end its reply within its reasoning, that is ended and the answer
// follows: no reply with a bound lacks it, whatever the engine, and a bound that is not reached is none the less named.
func TestReasoningEndsReply(t *testing.T) {
	requests := thinkers(60, 60, 60, 60, 60, 9, 60, 60)
	for i := range requests {
		requests[i].Sampling.IgnoreEnd = false
	}
	var journal kept
	thinks := inference.ChatTemplate(thinkingTemplate)
	replies := generate(t, open(t, thinks, inference.OnGeneration(journal.add)), requests...)
	early := 0
	for i, r := range replies {
		n, _ := requests[i].Sampling.ReasoningTokens.Tokens()
		if r.Err != nil || r.ReasoningCut || !r.ReasoningEnded || r.ReasoningTokens > n || r.Tokens > n+9 {
			t.Errorf("%d, with a bound of %d: %+v, want reasoning ended within it, and at most 9 tokens behind", i, n,
				r)
		}
		if r.ReasoningTokens < n-1 {
			early++
		}
	}
	if early < 3 {
		t.Errorf("%d replies would have ended within their reasoning, want at least 3", early)
	}
	checkReasoningAgain(t, requests, replies, func(options ...inference.Option) *inference.Local {
		return open(t, append(options, thinks)...)
	})
	resumed := open(t, thinks, inference.Known(journal.known))
	if diff := cmp.Diff(replies, generate(t, resumed, requests...), ofReplies,
		cmpopts.IgnoreFields(inference.Reply{}, "Generated")); diff != "" || resumed.Stats().Generations != 0 {
		t.Errorf("resumed, the replies come from the journal without a generation: %+v (-want +got):\n%s",
			resumed.Stats(), diff)
	}
}

// TestUsualBounds: replies have the bound that models of a family usually take, or what the context leaves, whatever is
// less; none where a model of the team does not reason, or where nothing is left.
func TestUsualBounds(t *testing.T) {
	model := func(reasons, context int) inference.ModelInfo {
		return inference.ModelInfo{Reasons: reasons, Context: context}
	}
	team := model(4096, 32768)
	team.Team = []inference.ModelInfo{model(2048, 131072)}
	mixed := team
	mixed.Team = []inference.ModelInfo{model(0, 32768)}
	roomy := func(m inference.ModelInfo, room int) inference.ModelInfo {
		m.Room = room
		return m
	}
	small := team
	small.Team = []inference.ModelInfo{model(4096, 2048)}
	for name, c := range map[string]struct {
		of        inference.ModelInfo
		maxTokens int
		want      string
	}{
		"usual": {model(4096, 40960), 0, "4096"}, "long replies": {model(4096, 40960), 38000, "1480"},
		"small context": {model(4096, 4096), 0, "1536"}, "no context known": {model(2048, 0), 512, "2048"},
		"does not reason": {model(0, 4096), 0, "none"}, "nothing left": {model(4096, 1024), 0, "none"},
		"a small --context":       {roomy(model(4096, 40960), 4096), 0, "1536"},
		"just fits":               {roomy(model(4096, 40960), 5851), 0, "4096"},
		"just does not":           {roomy(model(4096, 40960), 5850), 0, "2413"},
		"a large --context":       {roomy(model(4096, 40960), 32768), 0, "4096"},
		"longer than the context": {model(4096, 1024), 5000, "none"}, "a team": {team, 1000, "2048"},
		"a team of which one does not": {mixed, 0, "4096"}, "a team with a small one": {small, 0, "512"},
	} {
		t.Run(name, func(t *testing.T) {
			s, from := c.of.BoundReasoning(inference.Sampling{Temperature: 1}, "the default", c.maxTokens)
			if got := s.ReasoningTokens.String(); got != c.want || s.Temperature != 1 ||
				(from == "the default") != (c.want == "none") {
				t.Errorf("bound %q (%s), want %q", got, from, c.want)
			}
		})
	}
}

// TestUsualBoundOfTeam: a bound that nobody chose holds for the model of a team that reasons, and the others reply, and
// their replies are called, as without one; a bound that was chosen is refused by a model that does not reason.
func TestUsualBoundOfTeam(t *testing.T) {
	path, _ := marked(t)
	data := datatest.Read(t, path)
	file := modeltest.Parse(data).Set("tokenizer.chat_template", thinkingTemplate)
	thinker := datatest.File(t, "thinker.gguf", file.Bytes())
	plain := modeltest.Embedded(t)
	l := openModel(t, thinker, inference.Also("plain", plain))
	ask := func(model string, bound inference.Budget, usual bool) inference.Reply {
		r := thinkers(7)[0]
		r.Model, r.UsualBound, r.Sampling.ReasoningTokens = model, usual, bound
		return generate(t, l, r)[0]
	}
	seven := inference.BudgetOf(7)
	if r := ask("", seven, true); r.Err != nil || !r.ReasoningEnded || r.ReasoningTokens != 7 {
		t.Errorf("the model that reasons: %+v, want its reasoning ended after 7 tokens", r)
	}
	if r, free := ask("plain", seven, true), ask("plain", 0, false); r.Err != nil || r.Key != free.Key ||
		r.Text != free.Text || r.Key == "" {
		t.Errorf("the model that does not: %+v, want %+v", r, free)
	}
	if r := ask("plain", seven, false); !errors.Is(r.Err, chat.ErrThinking) {
		t.Errorf("a chosen bound: %v, want %v", r.Err, chat.ErrThinking)
	}
}

// marked is the embedded model with a token of its own for the end of reasoning, and the id of that; it has none for
// what is taken away.
func marked(t *testing.T, without ...string) (path string, end step.Token) {
	t.Helper()
	embedded := modeltest.Embedded(t)
	data := datatest.Read(t, embedded)
	file := modeltest.Parse(data)
	tokens := slices.Clone(file.Get("tokenizer.ggml.tokens").([]string))
	types := slices.Clone(file.Get("tokenizer.ggml.token_type").([]int32))
	at := slices.Index(tokens, "ā") // U+0001, which no text here has
	tokens[at], types[at] = "</think>", 3
	for i, text := range tokens {
		if slices.Contains(without, text) {
			tokens[i] = fmt.Sprint("without ", i)
		}
	}
	path = filepath.Join(t.TempDir(), "marked.gguf")
	file.Set("tokenizer.ggml.tokens", tokens).Set("tokenizer.ggml.token_type", types)
	datatest.Write(t, path, file.Bytes())
	return path, step.Token(at)
}

// TestReasoningWaits: where the model would end its reasoning, that goes on behind "Wait", as often as was asked for,
// and no longer than to its bound; all of it is the same alone, in little room, with drafts and out of a journal.
func TestReasoningWaits(t *testing.T) {
	path, end := marked(t)
	requests := thinkers(40, 40, 40, 40, 40, 40, 40, 7, 7, 1)
	for i := range requests {
		s := &requests[i].Sampling
		s.ReasoningWaits = i % 4
		s.Bias = []inference.TokenBias{{Token: end, Bias: []float32{9, 14, 20}[i%3]}}
	}
	var journal kept
	thinks := inference.ChatTemplate(thinkingTemplate)
	l := openModel(t, path, thinks, inference.OnGeneration(journal.add))
	if m := l.Model(); !m.Waits || m.Room != min(m.Context, l.Cells()) {
		t.Errorf("with %d cells the model is told as %+v, want that it can wait, and the room", l.Cells(), m)
	}
	replies := generate(t, l, requests...)
	waited, ended := 0, 0
	for i, r := range replies {
		s := requests[i].Sampling
		n, _ := s.ReasoningTokens.Tokens()
		all := r.ReasoningWaited == s.ReasoningWaits
		if r.Err != nil || r.ReasoningWaited != strings.Count(r.Reasoning, "Wait") || r.Tokens > n+9 ||
			r.ReasoningCut || !all && (r.ReasoningWaited > s.ReasoningWaits || !r.ReasoningEnded) {
			t.Errorf("%d: %d waits within %d tokens give %+v, want each counted, and all or the reasoning ended", i,
				s.ReasoningWaits, n, r)
		}
		if waited += r.ReasoningWaited; all && !r.ReasoningEnded && s.ReasoningWaits > 0 {
			ended++
		}
	}
	if waited < 10 || ended < 3 {
		t.Errorf("%d waits, and %d replies ended their reasoning after the last: too few", waited, ended)
	}
	checkReasoningAgain(t, requests, replies, func(options ...inference.Option) *inference.Local {
		return openModel(t, path, append(options, thinks)...)
	})
	resumed := openModel(t, path, thinks, inference.Known(journal.known))
	if diff := cmp.Diff(replies, generate(t, resumed, requests...), ofReplies,
		cmpopts.IgnoreFields(inference.Reply{}, "Generated")); diff != "" || resumed.Stats().Generations != 0 {
		t.Errorf("resumed, the replies come from the journal without a generation: %+v (-want +got):\n%s",
			resumed.Stats(), diff)
	}
	wordless, _ := marked(t, "W")
	for name, l := range map[string]*inference.Local{"whose mark is several tokens": open(t, thinks),
		"whose vocabulary lacks a letter of the word": openModel(t, wordless, thinks)} {
		r := generate(t, l, requests[1])[0]
		if !errors.Is(r.Err, inference.ErrWaits) || !strings.Contains(r.Err.Error(), "reasoning-waits") ||
			l.Model().Waits {
			t.Errorf("a model %s got the error %v, want %v with reasoning-waits", name, r.Err, inference.ErrWaits)
		}
	}
}

// TestReasoningPieces: the pieces of a reply with a bound are its answer and its reasoning, and count what was drawn; a
// stop text and a loop end such a reply as ever.
func TestReasoningPieces(t *testing.T) {
	l := open(t, inference.ChatTemplate(thinkingTemplate))
	r := thinkers(6)[0]
	var text, reasoning strings.Builder
	drawn, tokens := 0, 0
	r.OnPiece = func(p inference.Piece) {
		text.WriteString(p.Text)
		reasoning.WriteString(p.Reasoning)
		if tokens = p.Tokens; p.Drawn != nil {
			drawn++
		}
	}
	whole := generate(t, l, r)[0]
	if text.String() != whole.Text || reasoning.String() != whole.Reasoning || drawn != whole.Tokens ||
		tokens != drawn {
		t.Errorf("shown are %q and the reasoning %q, of %d and %d tokens, want those of the reply %+v", text.String(),
			reasoning.String(), drawn, tokens, whole)
	}
	r.OnPiece, r.Stop = nil, []string{whole.Text[2:5]}
	if got := generate(t, l, r)[0]; got.Stop != inference.StopText || got.Reasoning != whole.Reasoning ||
		!strings.HasPrefix(whole.Text, got.Text) || !got.ReasoningEnded {
		t.Errorf("with the stop text %q the reply is %+v, want the same reasoning and the text's beginning", r.Stop,
			got)
	}
	r = thinkers(2000)[0]
	r.Sampling.Temperature, r.EndLoops = 0, true
	if got := generate(t, l, r)[0]; got.Err != nil || got.Stop != inference.StopLooped {
		t.Errorf("a loop: %s after %d tokens, %v; want %v and no error",
			got.Stop, got.Tokens, got.Err, inference.StopLooped)
	}
}

// TestReasoningRefused: a model of which no marks of reasoning are known takes no bound; a reply that cannot fit with
// its reasoning is refused as one that cannot fit without.
func TestReasoningRefused(t *testing.T) {
	for _, n := range []int{0, 5} {
		if r := generate(t, open(t), thinkers(n)[0])[0]; !errors.Is(r.Err, chat.ErrThinking) {
			t.Errorf("%d: %v, want the error %q", n, r.Err, chat.ErrThinking)
		}
	}
	l := open(t, inference.ChatTemplate(thinkingTemplate))
	if r := generate(t, l, thinkers(1_000_000)[0])[0]; !errors.Is(r.Err, inference.ErrTooLong) {
		t.Errorf("%v, want %v", r.Err, inference.ErrTooLong)
	}
	if r := generate(t, l, inference.Request{Messages: ask("?"), MaxTokens: 1, Sampling: inference.Sampling{
		ReasoningTokens: -2}})[0]; r.Err == nil || !strings.Contains(fmt.Sprint(r.Err), "reasoning-tokens -2") {
		t.Errorf("a budget below 0 is refused in the reply: got %v", r.Err)
	}
}
