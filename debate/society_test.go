package debate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"parley/debate/answer"
	"parley/debate/prompts"
	"parley/inference"
)

// actors speak by agent and round, and remember what they were asked.
type actors struct {
	lines    map[[2]int]string // agent, round
	fail     map[[2]int]error
	round    int
	requests [][]inference.Request
}

func (a *actors) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	a.requests = append(a.requests, requests)
	replies := make([]inference.Reply, len(requests))
	for i, r := range requests {
		at := [2]int{r.Agent, a.round}
		replies[i] = inference.Reply{Text: a.lines[at], Err: a.fail[at]}
	}
	a.round++
	return replies, nil
}

func load(t *testing.T, name string) prompts.Set {
	t.Helper()
	s, err := prompts.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var puzzle = Case{ID: "q1", Question: "Q?", Extract: answer.Choice, Truth: answer.Of("(A)")}

func say(messages []inference.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}

// TestSociety follows one debate of three agents and two rounds, byte by byte.
func TestSociety(t *testing.T) {
	speaker := &actors{lines: map[[2]int]string{
		{0, 0}: "I say (B).", {1, 0}: "No idea.", {2, 0}: "(A)", {0, 1}: "(A) then", {1, 1}: "(A)", {2, 1}: "(B)",
	}}
	order, _ := ParseOrder("truth-last", "")
	var seen []int
	s := Society{
		Agents: 3, Rounds: 2, Order: order, Prompts: load(t, "madc-zero"), Sampling: inference.Sampling{Temperature: 1}, MaxTokens: 99,
		Seeds: Seeds{Run: 1}, Observe: func(round []Turn) { seen = append(seen, len(round)) },
	}
	got, err := s.Run(t.Context(), speaker, puzzle)
	if err != nil {
		t.Fatal(err)
	}
	want := "system: You are a helpful assistant.\n" +
		"user: Can you answer the following question as accurately as possible? Q? Explain your answer. Make sure putting the answer in the form (X) at the end of your response. Let's think step by step.\n" +
		"assistant: No idea.\n" +
		"user: These are the solutions to the problem from other agents: \n\n One agent solution: ```I say (B).```\n\n One agent solution: ```(A)```\n\n" +
		" Using the reasoning from other agents as additional advice, can you give an updated answer? Examine your solution and that other agents step by step. Put your answer in the form (X) at the end of your response.\n"
	if diff := cmp.Diff(want, say(got.Rounds[1][1].Messages)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]int{{1, 2}, {0, 2}, {0, 1}}, [][]int{got.Rounds[1][0].Heard, got.Rounds[1][1].Heard, got.Rounds[1][2].Heard}); diff != "" {
		t.Error(diff)
	}
	if want := (Decision{Answer: answer.Of("(A)"), Votes: []Count{{"(A)", []int{0, 1}}, {"(B)", []int{2}}}, Rule: MajorityRule}); cmp.Diff(want, got.Decision) != "" {
		t.Error(cmp.Diff(want, got.Decision))
	}
	if len(speaker.requests) != 2 || len(speaker.requests[0]) != 3 || cmp.Diff([]int{3, 3}, seen) != "" {
		t.Errorf("%d calls, observed %v", len(speaker.requests), seen)
	}
	if r := speaker.requests[1][2]; r.Name != "q1 round 1 agent 2" || r.MaxTokens != 99 || r.Sampling.Temperature != 1 || r.Sampling.Seed != s.Seeds.Of("q1", 2, 1, 0) {
		t.Errorf("request %+v", r)
	}
	if got.Rounds[0][1].Answer.Parsed || !got.Changed(0, 1) || got.Changed(0, 0) {
		t.Errorf("turns %+v", got.Rounds)
	}
}

// TestAlone gets the double-check message of source 0.
func TestAlone(t *testing.T) {
	speaker := &actors{lines: map[[2]int]string{{0, 0}: "(B)", {0, 1}: "(A)"}}
	got, err := Society{Agents: 1, Rounds: 2, Prompts: load(t, "madc")}.Run(t.Context(), speaker, puzzle)
	if err != nil {
		t.Fatal(err)
	}
	messages := got.Rounds[1][0].Messages
	if last := messages[len(messages)-1].Content; !strings.HasPrefix(last, "Can you double check that your answer is correct.") {
		t.Errorf("sent %q", last)
	}
}

// TestRoundZeroIsShared sends byte-equal first requests with equal seeds whatever the strategy, the number of agents
// and the number of rounds: that is what makes conditions paired.
func TestRoundZeroIsShared(t *testing.T) {
	first := func(agents, rounds int, name string) []inference.Request {
		order, err := ParseOrder(name, "")
		if err != nil {
			t.Fatal(err)
		}
		speaker := &actors{lines: map[[2]int]string{}}
		if _, err := (Society{Agents: agents, Rounds: rounds, Order: order, Prompts: load(t, "madc"), Seeds: Seeds{Run: 3}}).Run(t.Context(), speaker, puzzle); err != nil {
			t.Fatal(err)
		}
		return speaker.requests[0]
	}
	want := first(3, 2, "fixed")
	if want[0].Sampling.Seed == want[1].Sampling.Seed {
		t.Error("two agents have one seed")
	}
	for _, name := range OrderNames() {
		if diff := cmp.Diff(want, first(3, 2, name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if diff := cmp.Diff(want, first(6, 1, "fixed")[:3]); diff != "" {
		t.Error(diff)
	}
}

// TestSilence: an agent whose request failed is not heard any more and has no vote; a debate of silent agents fails.
func TestSilence(t *testing.T) {
	tooLong := errors.New("too long")
	speaker := &actors{
		lines: map[[2]int]string{{0, 0}: "(A)", {1, 0}: "(B)", {2, 0}: "(C)", {0, 1}: "(A)", {2, 1}: "(C)"},
		fail:  map[[2]int]error{{1, 1}: tooLong},
	}
	s := Society{Agents: 3, Rounds: 3, Prompts: load(t, "tiny")}
	got, err := s.Run(t.Context(), speaker, puzzle)
	if err != nil {
		t.Fatal(err)
	}
	if len(speaker.requests[2]) != 2 || cmp.Diff([]int{2}, got.Rounds[2][0].Heard) != "" || !errors.Is(got.Rounds[2][1].Reply.Err, tooLong) {
		t.Errorf("after falling silent: %d requests, agent 0 heard %v, turn %+v", len(speaker.requests[2]), got.Rounds[2][0].Heard, got.Rounds[2][1])
	}
	_, err = s.Run(t.Context(), &actors{fail: map[[2]int]error{{0, 0}: tooLong, {1, 0}: tooLong, {2, 0}: tooLong}}, puzzle)
	if !errors.Is(err, ErrSilence) || !errors.Is(err, tooLong) {
		t.Errorf("nobody could speak: %v", err)
	}
	if _, err := (Society{Agents: 0, Rounds: 1}).Run(t.Context(), speaker, puzzle); err == nil {
		t.Error("a debate without agents was held")
	}
}

func turnsOf(letters string) (turns []Turn) {
	answers, _ := answersOf(letters)
	for i, a := range answers {
		turns = append(turns, Turn{Agent: i, Answer: a})
	}
	return turns
}

func TestVote(t *testing.T) {
	for _, c := range []struct {
		answers, want string
		tie           bool
	}{{"ABB", "B", false}, {"BAAB", "B", true}, {"..A", "A", false}, {".BA", "B", true}, {"...", "", false}, {"", "", false}, {"CABAB", "A", true}} {
		got := Vote(turnsOf(c.answers))
		if got.Answer.Text != c.want || got.Answer.Parsed != (c.want != "") || got.Tie != c.tie {
			t.Errorf("%s: %+v, want %q and tie %v", c.answers, got, c.want, c.tie)
		}
	}
}

// TestVoteCountsEveryParsedAnswerOnce, and nobody has more votes than the winner.
func TestVoteCountsEveryParsedAnswerOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[ABC.]{0,12}`).Draw(t, "answers")
		d, votes := Vote(turnsOf(letters)), 0
		for _, c := range d.Votes {
			votes += len(c.Agents)
			if len(c.Agents) > len(d.Votes[0].Agents) || strings.Count(letters, c.Answer) != len(c.Agents) {
				t.Fatalf("%s: %+v", letters, d)
			}
		}
		if votes != len(letters)-strings.Count(letters, ".") {
			t.Fatalf("%s: %d votes", letters, votes)
		}
	})
}

// TestLesson is the lesson's stateless loop: three agents, two rounds, raw strings.
func TestLesson(t *testing.T) {
	speaker := &actors{lines: map[[2]int]string{{0, 0}: "42", {1, 0}: "42.", {2, 0}: "41", {0, 1}: "42.", {1, 1}: "42", {2, 1}: "41"}}
	got, err := Lesson{Prompts: load(t, "lesson"), Seeds: Seeds{Run: 1}}.Run(t.Context(), speaker, Case{ID: "q", Question: "6*7?"})
	if err != nil {
		t.Fatal(err)
	}
	want := LessonResult{Answer: "42.", Rounds: [][]string{{"42", "42.", "41"}, {"42.", "42", "41"}}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(LessonResult{}, "Transcript")); diff != "" {
		t.Error(diff)
	}
	if !got.Transcript.Decision.Tie {
		t.Error("42. and 42 are different strings, so this is a tie")
	}
	messages := "system: Here are other agents' answers to the same task. Use them to critique and improve your own: update it if they are more convincing, otherwise defend it. State only your answer.\n" +
		"user: Task: 6*7?\n\nYour answer: 42.\n\nOther answers:\n42\n41\n"
	if diff := cmp.Diff(messages, say(got.Transcript.Rounds[1][1].Messages)); diff != "" {
		t.Error(diff)
	}
	if _, err := (Lesson{Agents: -1, Prompts: load(t, "lesson")}).Run(t.Context(), speaker, puzzle); err == nil {
		t.Error("a debate of -1 agents was held")
	}
}

// TestSeeds is a golden test: changing the encoding would change every experiment.
func TestSeeds(t *testing.T) {
	if got, want := (Seeds{Run: 1}).Of("q1", 2, 3, 4), uint64(0x4113ffe898b5d5a0); got != want {
		t.Errorf("seed %#x, want %#x", got, want)
	}
	seen := map[uint64]bool{}
	for run := range uint64(3) {
		for agent := range 3 {
			for round := range 3 {
				for sample := range 3 {
					seen[Seeds{run}.Of("q", agent, round, sample)] = true
				}
			}
		}
	}
	if len(seen) != 81 {
		t.Errorf("81 names gave %d seeds", len(seen))
	}
}
