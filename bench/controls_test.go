package bench_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

// TestControls: every protocol has its controls, or a reason why not.
func TestControls(t *testing.T) {
	for _, p := range protocol.Protocols() {
		conditions, err := trial.Controls(p, debate.Asking{}, "tiny")
		if p.Form == "centre" {
			if err == nil || !strings.Contains(err.Error(), "form centre builds on another debate") {
				t.Errorf(`%s: %v, want an error with "form centre builds on another debate"`, p.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s has its controls: got %v, want no error", p.Name, err)
			continue
		}
		want := []string{"single", "vote", "self-consistency", "self-consistency-tokens", "shuffled", "oracle"}
		if reason := trial.NotShuffled(p); reason != "" {
			want = slices.Delete(want, 4, 5)
		}
		want = slices.DeleteFunc(want, func(name string) bool { return name == p.Name })
		var names []string
		for _, c := range conditions {
			names = append(names, c.Name)
			spends := strings.HasPrefix(c.Name, "self-consistency")
			if spends != (c.DependsOn == p.Name) || c.Oracle != (c.Name == "oracle") ||
				c.Oracle != (c.Protocol == nil) {
				t.Errorf("%s: a control spends on what it depends on (spends: %v), and the oracle alone is a bound "+
					"without a protocol: got %+v", p.Name, spends, c)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %v, want %v", p.Name, names, want)
		}
	}
	for name, want := range map[string]string{
		"madc": "", "ring": "", "reconcile": "show grouped", "madc-program": "beside a program",
		"one-by-one": "one-by-one", "self-consistency": "nobody hears",
		"tit-for-tat": "form tit-for-tat does not list", "lesson": "form lesson",
	} {
		t.Run(name, func(t *testing.T) {
			p, err := protocol.LoadProtocol(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := trial.NotShuffled(p); !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		})
	}
}

// TestControlsCost holds protocols with their controls: those at equal cost have it, what can be shared is, and a bound
// bounds.
func TestControlsCost(t *testing.T) {
	questions, _ := benchtest.Setup(t, 1, 1)
	questions = questions.Subset(6, 1)
	for name, agents := range map[string]int{"madc": 3, "reconcile": 3, "madc-profiles": 6, "lesson": 3,
		"tit-for-tat": 2, "vote-ranked": 3, "self-reflect": 1} {
		p, err := protocol.LoadProtocol(name)
		if err != nil {
			t.Fatal(err)
		}
		ask := debate.Asking{Seeds: debate.Seeds{Run: 1}}
		conditions, err := trial.Controls(p, ask, "tiny")
		if err != nil {
			t.Fatal(err)
		}
		reference, err := trial.Held(p, "tiny", ask)
		if err != nil {
			t.Fatal(err)
		}
		engine := benchtest.Crowd(questions)
		c, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: append(conditions, reference),
			Engine: engine})
		if err != nil || len(c.Failed) > 0 {
			t.Fatalf("%s: all debates of the controls are held: %v, failed %v", name, err, c.Failed)
		}
		single, vote, oracle, calls, tokens, own := benchtest.Row(t, c, "single"), benchtest.Row(t, c, "vote"),
			benchtest.Row(t, c, "oracle"),
			benchtest.Row(t, c, "self-consistency"), benchtest.Row(t, c, "self-consistency-tokens"),
			benchtest.Row(t, c, p.Name)
		if single.Replies != 6 || vote.Replies != 6*agents || calls.Replies != own.Replies ||
			oracle.Right < vote.Right {
			t.Errorf("%s: single asks 6 times, vote %d, self-consistency as often as the debate (%d), and the "+
				"oracle is right no less than vote (%d): got %d, %d, %d calls and %d right",
				name, 6*agents, own.Replies, vote.Right, single.Replies, vote.Replies, calls.Replies, oracle.Right)
		}
		// the longest reply of the script has four words
		if tokens.Tokens > own.Tokens || tokens.Tokens < own.Tokens-6*4 {
			t.Errorf("%s: self-consistency at equal tokens spends %d tokens or up to 24 fewer: got %d",
				name, own.Tokens, tokens.Tokens)
		}
	}
}

// TestShuffledControl: a donor's first answers are those of its own debate, so that they cost nothing more; with one
// Question there is no donor.
func TestShuffledControl(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	questions = questions.Subset(5, 1)
	some, err := trial.Select(conditions, []string{"shuffled"})
	if err != nil {
		t.Fatal(err)
	}
	engine := benchtest.Crowd(questions)
	c, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: some, Engine: engine})
	if err != nil || len(c.Failed) > 0 {
		t.Fatalf("with a stand-in each shuffled debate is held: %v, failed %v", err, c.Failed)
	}
	if got, most := c.Stats.Generations, 5*(3+3+3); got > most || benchtest.Row(t, c, "shuffled").Replies != 5*9 {
		t.Errorf("reasoning that is shuffled is generated once, at most %d generations for 45 replies: got %d, "+
			"%+v", most, got, benchtest.Row(t, c, "shuffled"))
	}
	questions.Questions = questions.Questions[:1]
	c, err = bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: some, Engine: engine})
	if err != nil || len(c.Failed) != 1 || !strings.Contains(c.Failed[0],
		"takes the reasoning from another question") || benchtest.Row(t, c, "shuffled").Failed != 1 ||
		benchtest.Row(t, c, "shuffled").N != 0 || benchtest.Row(t, c, "mad").N != 1 {
		t.Errorf("without another question the shuffled control fails alone, and says why: %v, failed %q, rows %+v",
			err, c.Failed, c.Rows)
	}
}

// TestReversal builds a step of a threshold sweep on a pool that is sampled once: repeats hear the same solutions and
// reply anew.
func TestReversal(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 30, 1)
	questions = questions.Subset(4, 1)
	pool := conditions[1]
	pool.Name, pool.Once = "pool", true
	p, err := protocol.ParseProtocol([]byte("form: centre\nagents: 3\nmost: 4\norder: alternating\nprompts: tiny\n"))
	if err != nil {
		t.Fatal(err)
	}
	centre, err := trial.Held(p, "", debate.Asking{Seeds: debate.Seeds{Run: 1}})
	if err != nil {
		t.Fatal(err)
	}
	centre.Name, centre.DependsOn = "centre", pool.Name
	first, keys, pools := make(map[string]trial.Outcome), make(map[string]bool), make(map[string][]debate.Turn)
	c, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Repeats: 3},
		Task: questions, Conditions: []trial.Condition{pool, centre}, Engine: benchtest.Crowd(questions),
		Observe: func(o trial.Outcome) error {
			if o.Condition == pool.Name {
				pools[o.Question] = o.Transcript.Last()
				return nil
			}
			if o.Repeat == 0 {
				first[o.Question] = o
			}
			given, turn := o.Transcript.Rounds[0][0], o.Transcript.Rounds[1][0]
			if before := first[o.Question].Transcript.Rounds; given.Reply.Text != before[0][0].Reply.Text ||
				!slices.Equal(turn.Heard, before[1][0].Heard) {
				t.Errorf("%s, repeat %d hears %v after %q; want %v and %v",
					o.Question, o.Repeat, turn.Heard, given.Reply.Text, before[0][0].Reply.Text, before[1][0].Heard)
			}
			for place, i := range turn.Heard {
				if right := pools[o.Question][i].Answer.Equal(o.Truth); right != (place%2 == 0) {
					t.Errorf("%s: the pool has right solutions at even places and wrong ones at odd: got %t for "+
						"solution %d at place %d", o.Question, right, i, place)
				}
			}
			keys[turn.Reply.Key] = true
			return nil
		}})
	if err != nil || len(c.Failed) > 0 || len(keys) != 4*3 || benchtest.Row(t, c, "centre").Replies != 4*3 {
		t.Errorf("four questions have 12 solutions that differ and 12 replies of the centre: got %d and %+v, "+
			"failed %v, %v", len(keys), benchtest.Row(t, c, "centre"), c.Failed, err)
	}
}
