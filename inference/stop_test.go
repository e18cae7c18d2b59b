package inference_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/parley-debate/parley/inference"
)

// kept is a journal.
type kept struct{ all []inference.Generation }

func (k *kept) add(g inference.Generation) error {
	k.all = append(k.all, g)
	return nil
}

func (k *kept) known(key string) (inference.Reply, bool) {
	for _, g := range k.all {
		if g.Reply.Key == key {
			return g.Reply, true
		}
	}
	return inference.Reply{}, false
}

// TestStopTexts: a reply ends before a stop text, wherever tokens begin, and says so; its tokens are those of the reply
// without stop texts up to there; pieces never show a part of one; a journal and a script agree.
func TestStopTexts(t *testing.T) {
	var journal kept
	l := open(t, inference.OnGeneration(journal.add))
	plain := greedy(puzzles[0])
	whole := generate(t, l, plain)[0]
	for _, stops := range [][]string{{"Step 2"}, {"ep 2: Th", "none"}, {"tep 2", "2: "}, {"T", "he"}} {
		at := len(whole.Text)
		for _, stop := range stops {
			if i := strings.Index(whole.Text, stop); i >= 0 {
				at = min(at, i)
			}
		}
		want, tokens := whole.Text[:at], 0
		r := plain
		r.Stop = stops
		var shown strings.Builder
		r.OnPiece = func(p inference.Piece) {
			shown.WriteString(p.Text)
			tokens = p.Tokens
			if !strings.HasPrefix(want, shown.String()) {
				t.Errorf("with the stop texts %q there is shown %q, want the beginning of %q", stops, shown.String(),
					want)
			}
		}
		got := generate(t, l, r)[0]
		r.OnPiece = nil
		if got.Text != want || got.Stop != inference.StopText || got.Tokens >= whole.Tokens || got.Key == whole.Key ||
			shown.String() != want || tokens != got.Tokens || got.Raw != "" {
			t.Errorf("%q: %+v, want %q, shown %q", stops, got, want, shown.String())
		}
		if diff := cmp.Diff(whole.Generated[:got.Tokens], got.Generated); diff != "" {
			t.Errorf("%q: a stopped reply has the tokens of the whole one (-want +got):\n%s", stops, diff)
		}
		ignored := cmpopts.IgnoreFields(inference.Reply{}, "Duration", "CachedTokens", "Generated", "Scores", "LogProb")
		again := open(t, inference.Known(journal.known))
		known := generate(t, again, r)[0]
		if diff := cmp.Diff(got, known, ignored); diff != "" || again.Stats().Restored != 1 {
			t.Errorf("%q, from the journal: the reply is as it was, restored once (-want +got):\n%s", stops, diff)
		}
		other := r
		other.Sampling.Seed = 9 // which the journal lacks
		script := inference.NewScript(func(inference.Request) string { return whole.Text })
		if scripted := generate(t, script, other)[0]; scripted.Text != want || scripted.Stop != inference.StopText {
			t.Errorf("%q, scripted: %+v; want Text %v and Stop %v", stops, scripted, want, inference.StopText)
		}
		survey := again.Survey()
		survey.Write = func(inference.Request, func(string) bool) string { return whole.Text }
		surveyed, err := survey.Generate(t.Context(), []inference.Request{other})
		if err != nil || surveyed[0].Text != want {
			t.Errorf("%q, surveyed: %+v, %v; want Text %v and no error", stops, surveyed, err, want)
		}
	}
	none := plain
	none.Stop = []string{"a text that no reply has"}
	if got := generate(t, l, none)[0]; got.Text != whole.Text || got.Stop != whole.Stop {
		t.Errorf("with a stop text that no reply has: %+v, want %q", got, whole.Text)
	}
	bad := plain
	bad.Stop = []string{""}
	if got := generate(t, l, bad)[0]; got.Err == nil {
		t.Error("an empty stop text was taken, want an error")
	}
}

// looping has the embedded model draw one token for ever.
func looping() inference.Request {
	r := greedy(puzzles[0])
	r.MaxTokens, r.Sampling.Bias = 900, []inference.TokenBias{{Token: 300, Bias: 100}}
	return r
}

// TestLoops: a reply that repeats itself ends if it is to, and says since when; the same tokens end by their length
// otherwise, and it can be told of them too.
func TestLoops(t *testing.T) {
	l := open(t)
	r := looping()
	long := generate(t, l, r)[0]
	if from, repeats := long.Repeats(); long.Stop != inference.StopLength || long.Tokens != 900 || !repeats ||
		from != 1 {
		t.Errorf("a reply whose loops do not end is %s after %d tokens, %v since %d, want %s after 900, repeating "+
			"since 1: %.60q", long.Stop, long.Tokens, repeats, from, inference.StopLength, long.Text)
	}
	r.EndLoops = true
	for _, request := range []inference.Request{r, func() inference.Request {
		reasons := r
		reasons.Stop = []string{"\n\n\n"} // watched too
		return reasons
	}()} {
		t.Run(fmt.Sprintf("stop texts %q", request.Stop), func(t *testing.T) {
			short := generate(t, l, request)[0]
			if short.Stop != inference.StopLooped || short.LoopFrom != 1 || short.Tokens < 12 || short.Tokens > 340 ||
				!strings.HasPrefix(long.Text, short.Text) || short.Key == long.Key {
				t.Errorf("a reply that repeats itself is %+v, want it ended as looped from 1 after 12 to 340 tokens, "+
					"under another key", short)
			}
			if from, repeats := short.Repeats(); !repeats || from != 1 {
				t.Errorf("%v since %d, want true and 1", repeats, from)
			}
		})
	}
	said := "Well. " + strings.Repeat("I do not know. ", 40)
	script := inference.NewScript(func(inference.Request) string { return said })
	if got := generate(t, script, r)[0]; got.Stop != inference.StopLooped || len(got.Text) > 150 ||
		!strings.HasPrefix(said, got.Text) {
		t.Errorf("a scripted reply that repeats itself is %+v, want it ended as looped within 150 bytes", got)
	}
	r.EndLoops = false
	if got := generate(t, script, r)[0]; got.Text != said {
		t.Errorf("a scripted reply, where loops do not end, is %+v, want the whole %q", got, said)
	}
}

// TestGreedyOnce: requests at temperature 0 that differ in what decides nothing are one generation, in one call, in
// several, and after a run was broken off; each has a record of its own key, which earlier programs wrote too.
func TestGreedyOnce(t *testing.T) {
	const n = 20
	var requests []inference.Request
	for i := range n {
		r := greedy(puzzles[0])
		r.Sampling.Seed, r.Agent, r.MaxTokens = uint64(i)*77, i, 40
		if i%2 == 1 {
			r.Sampling.TopK, r.Sampling.TopP, r.Sampling.MinP = 7, 0.5, 0.1
		}
		requests = append(requests, r)
	}
	for name, options := range map[string][]inference.Option{
		"as it is": nil, "one at once": {inference.Parallel(1)},
		"drafts": {inference.Speculate(true), inference.StepCost(8)},
	} {
		t.Run(name, func(t *testing.T) {
			var journal kept
			l := open(t, append(options, inference.OnGeneration(journal.add))...)
			replies := append(generate(t, l, requests[:n/2]...), generate(t, l, requests...)[n/2:]...)
			keys := make(map[string]bool)
			for _, r := range replies {
				keys[r.Key] = true
				if r.Text != replies[0].Text || r.LogProb != replies[0].LogProb || r.Stop != replies[0].Stop ||
					r.Err != nil {
					t.Errorf("%s: greedy requests have one reply: want %q (%g, %s), got %+v", name, replies[0].Text,
						replies[0].LogProb, replies[0].Stop, r)
				}
			}
			joined := 0
			for _, g := range journal.all {
				if g.Joined {
					joined++
				}
			}
			if s := l.Stats(); s.Generations != 1 || s.Decoded != replies[0].Tokens || s.Joined != n/2+n-1 ||
				len(keys) != n || len(journal.all) != n || joined != n-1 {
				t.Errorf("%[1]s: of %[6]d equal requests %+[2]v, %[3]d keys, %[4]d records, %[5]d joined; want one "+
					"generation, and a key and a record each", name, s, len(keys), len(journal.all), joined, n)
			}
			whole := len(journal.all)
			resume(t, &journal, requests, replies, inference.Stats{Restored: n})
			if len(journal.all) != whole {
				t.Errorf("%s: %d records after resuming a complete run, want %v", name, len(journal.all), whole)
			}
			journal.all = journal.all[:3]
			resume(t, &journal, requests, replies, inference.Stats{Restored: 3, Joined: n - 3})
			if len(journal.all) != n {
				t.Errorf("%s: %d records after resuming, want %v", name, len(journal.all), n)
			}
		})
	}
	l := open(t)
	var others []inference.Request
	for i, change := range []func(*inference.Sampling){func(*inference.Sampling) {},
		func(s *inference.Sampling) { s.RepeatPenalty = 1.3 }, func(s *inference.Sampling) { s.FrequencyPenalty = 0.5 },
		func(s *inference.Sampling) { s.PresencePenalty = 0.5 }, func(s *inference.Sampling) { s.IgnoreEnd = true },
		func(s *inference.Sampling) { s.Bias = []inference.TokenBias{{Token: 300, Bias: 1}} },
		func(s *inference.Sampling) { s.Alternatives = 2 },
		func(s *inference.Sampling) { s.Temperature = 0.5 }, func(s *inference.Sampling) { s.Temperature = 0.5 }} {
		r := requests[0]
		r.Sampling.Seed = uint64(i)
		change(&r.Sampling)
		others = append(others, r)
	}
	generate(t, l, others...)
	if s := l.Stats(); s.Generations != len(others) || s.Joined != 0 {
		t.Errorf("what decides: %+v, want Generations %v and Joined 0", s, len(others))
	}
}

// resume asks all requests on an engine that knows a journal, the last first, and adds to it.
func resume(t *testing.T, journal *kept, requests []inference.Request, want []inference.Reply, counts inference.Stats) {
	t.Helper()
	recorded := kept{journal.all}
	l := open(t, inference.Known(recorded.known), inference.OnGeneration(journal.add))
	var group []inference.Participant
	for i := range 2 {
		group = append(group, l.Join(i))
	}
	done := make(chan []inference.Reply)
	for i, p := range group {
		go func() {
			defer p.Leave()
			replies, err := p.Generate(t.Context(), requests[i*len(requests)/2:(i+1)*len(requests)/2])
			if err != nil {
				t.Error(err)
			}
			done <- replies
		}()
	}
	got := make(map[string]inference.Reply)
	for range group {
		for _, r := range <-done {
			got[r.Key] = r
		}
	}
	for _, r := range want {
		if diff := cmp.Diff(r, got[r.Key], cmpopts.IgnoreFields(inference.Reply{}, "Duration", "CachedTokens",
			"Generated",
			"Scores")); diff != "" {
			t.Errorf("a resumed engine gives the replies of the first one (-want +got):\n%s", diff)
		}
	}
	if s := l.Stats(); s.Restored != counts.Restored || s.Joined != counts.Joined || s.Generations != 0 ||
		s.Decoded != 0 || s.Steps != 0 {
		t.Errorf("resumed: %+v, want Restored %v, Joined %v, Generations 0, Decoded 0 and Steps 0",
			s, counts.Restored, counts.Joined)
	}
}
