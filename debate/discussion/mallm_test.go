package discussion

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
	"github.com/parley-debate/parley/internal/datatest"
)

// expectations are what tools/differential wrote of a source's program, a case a line.
func expectations[T any](t *testing.T, name string) (cases []T) {
	t.Helper()
	content := datatest.Read(t, filepath.Join("..", "testdata", "differential", name))
	for line := range strings.Lines(string(content)) {
		var c T
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("a line of %s is no JSON: %v, want no error", name, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// TestBallotsOfMALLM reads and counts random ballots as MALLM's program does.
func TestBallotsOfMALLM(t *testing.T) {
	type ballots struct {
		Rule       string
		Candidates int
		Agents     int
		Replies    []string
		Read       []bool
		Winner     int
	}
	compared, valid, won := 0, 0, 0
	for _, c := range expectations[ballots](t, "mallm-ballots.jsonl") {
		e, err := vote.ElectionNamed(c.Rule)
		if err != nil {
			t.Fatal(err)
		}
		e = e.Among(c.Agents).As(debate.ReadingCode)
		var given []debate.Ballot
		for i, reply := range c.Replies {
			b, err := e.Read(reply, c.Candidates)
			if (err == nil) != c.Read[i] {
				t.Errorf("%s of %d candidates: %q is read: %v (%v); the program: %v", c.Rule, c.Candidates, reply,
					err == nil, err, c.Read[i])
			}
			if c.Read[i] {
				given, valid = append(given, b), valid+1
			}
			compared++
		}
		if got := e.Count(given, c.Candidates).Winner; got != c.Winner {
			t.Errorf("%s of %q: candidate %d wins, want that of the program, %d", c.Rule, c.Replies, got, c.Winner)
		} else if got >= 0 {
			won++
		}
	}
	if compared < 2000 || valid < 500 || won < 200 {
		t.Errorf("%d ballots, %d valid, %d elections won; want at least 2000, at least 500 and at least 200",
			compared, valid, won)
	}
}

// TestConsensusOfMALLM agrees on random records where MALLM's program does.
func TestConsensusOfMALLM(t *testing.T) {
	type agreement struct {
		Rule                    string
		Panelists, Agents, Turn int
		Records                 []struct {
			Agrees   *bool
			Solution string
		}
		Reached  bool
		Solution string
	}
	reached, open := 0, 0
	for i, c := range expectations[agreement](t, "mallm-consensus.jsonl") {
		rule, ok := findConsensus(c.Rule)
		if !ok {
			t.Fatalf("%v, want ok", c.Rule)
		}
		var records []debate.Record
		for _, r := range c.Records {
			records = append(records, debate.Record{Agreement: r.Agrees, Solution: r.Solution})
		}
		solution, got := rule.reached(records, c.Agents, c.Panelists, c.Turn)
		if got != c.Reached || got && solution != c.Solution {
			t.Errorf("case %d, %+v: consensus %v on %q, want %v on %q", i, c, got, solution, c.Reached, c.Solution)
		}
		if got {
			reached++
		} else {
			open++
		}
	}
	if reached < 50 || open < 50 {
		t.Errorf("%d reached, %d open; want at least 50 and at least 50", reached, open)
	}
}

// TestViewsOfMALLM: in the paradigm debate agents are shown the messages that they are shown in MALLM's program.
func TestViewsOfMALLM(t *testing.T) {
	type views struct {
		Agents, Rounds, Turns int
		Drafting              string
		Messages              []struct {
			Agent int
			Sees  []int
		}
	}
	set, err := prompts.LoadDiscussion("discussion")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, c := range expectations[views](t, "mallm-views.jsonl") {
		d := discussion{Agents: c.Agents, Rounds: c.Rounds, Turns: c.Turns, Paradigm: paradigmDebate,
			Drafting: c.Drafting, Decide: "unanimity", Reading: debate.ReadingCode, Prompts: set}.complete()
		x := d.start(nil, debate.Case{ID: "views", Question: "?", Extract: answer.Raw}, &debate.Transcript{})
		for x.turn < c.Turns {
			x.turn++
			for _, group := range x.paradigm.turn(x.agents(), x.Rounds) {
				for _, p := range group {
					var sees []int
					for _, r := range x.view(p).records {
						sees = append(sees, slices.IndexFunc(x.Transcript.Records,
							func(other debate.Record) bool { return other.Message == r.Message }))
					}
					message := len(x.Transcript.Records)
					want := c.Messages[message]
					if want.Agent != p.agent {
						t.Fatalf("message %d of %+v is said by %d, want agent %d", message, c, p.agent, want.Agent)
					}
					if diff := cmp.Diff(want.Sees, sees, cmp.Transformer("empty",
						func(s []int) []int { return append([]int{}, s...) })); diff != "" {
						t.Errorf("%d agents, %d rounds, message %d sees what MALLM shows (-want +got):\n%s", c.Agents,
							c.Rounds, message, diff)
					}
					r := debate.Record{Agent: p.agent, Turn: x.turn, To: p.to, Message: string(rune('a' + message)),
						Solution: "x"}
					x.Transcript.Records = append(x.Transcript.Records, r)
					x.passOn(r)
					compared++
				}
			}
		}
	}
	if compared < 300 {
		t.Errorf("%d messages were compared, want at least 300", compared)
	}
}

// TestFullOfMALLM: where all turns are to be held, the paradigm debate ends with a decision as in MALLM's program,
// and the setting is refused there.
func TestFullOfMALLM(t *testing.T) {
	type full struct{ Agents, Turns, Held int }
	cases := expectations[full](t, "mallm-full.jsonl")
	for _, c := range cases {
		d := discussion{Agents: c.Agents, Turns: c.Turns, Full: true, Paradigm: paradigmDebate,
			Reading: debate.ReadingCode}
		if got := d.goesOn(); got != (c.Held > 1) {
			t.Errorf("%+v: another turn after the decision: %t, want %t", c, got, !got)
		}
		if d.Reading = debate.ReadingPaper; !d.goesOn() {
			t.Error("in the paper's reading all turns are held")
		}
	}
	if len(cases) == 0 {
		t.Error("the file of MALLM's discussions has no cases, want some")
	}
	s := Settings{Full: true, Paradigm: paradigmDebate}
	if !slices.ContainsFunc(idle, func(r debate.IdleRule[Settings]) bool {
		return slices.Contains(r.Settings, "full") && r.When(s)
	}) {
		t.Error("full is not refused in the paradigm debate of the code's reading")
	}
}
