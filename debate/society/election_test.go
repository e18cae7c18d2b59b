package society

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
)

func electing(t *testing.T, rule, reading string, speaker debate.Speaker) debate.Transcript {
	t.Helper()
	s := Society{Agents: 3, Rounds: 1, Exchange: Exchange{Order: Order{Reading: reading}}, Decide: rule,
		Prompts: debatetest.Load(t, "tiny")}
	transcript, err := s.Run(t.Context(), speaker, debatetest.Puzzle)
	if err != nil {
		t.Fatal(err)
	}
	return transcript
}

// TestPromptsAskForEveryElection: a set of prompts that asks for a vote does so in every election.
func TestPromptsAskForEveryElection(t *testing.T) {
	asked := 0
	for _, name := range prompts.Names() {
		set := debatetest.Load(t, name)
		for _, e := range vote.Elections() {
			if len(set.Vote.Rules) == 0 {
				break
			}
			if asked++; set.Vote.Rules[e.Name] == "" {
				t.Errorf("the prompts %s have no request for the election %s", name, e.Name)
			}
		}
	}
	if asked < 8 {
		t.Errorf("%d requests were looked at, want at least 8", asked)
	}
}

// TestElectionInASociety: agents vote on each other's solutions; a reply that is no ballot is asked for again.
func TestElectionInASociety(t *testing.T) {
	lines := map[[2]int]string{{0, 0}: "I say (A)", {1, 0}: "I say (B)", {2, 0}: "I say (C)", {0, 1}: "Solution 2",
		{1, 1}: "2", {2, 1}: "number 7", {2, 2}: "1"}
	a := &debatetest.Actors{Lines: lines}
	transcript := electing(t, "simple", debate.ReadingCode, a)
	d := transcript.Decision
	if d.Answer.Text != "(C)" || d.Rule.String() != "simple vote" || !cmp.Equal(d.Tally.Scores, []float64{0, 1, 2}) ||
		len(d.Ballots) != 3 || d.Ballots[2].Ranking[0] != 1 {
		t.Errorf("a simple vote of 3 ballots decides (C) by [0 1 2], with the ranking of each voter: got %+v", d)
	}
	if len(transcript.Rounds) != 1 || len(transcript.Voting) != 2 || len(transcript.Voting[0]) != 3 ||
		len(transcript.Voting[1]) != 1 || transcript.Voting[1][0].Agent != 2 {
		t.Errorf("votes were asked for as %v, want 3 and then 1 of agent 2", transcript.Voting)
	}
	asked := debatetest.Say(a.Requests[1][1].Messages)
	for _, want := range []string{"assistant: I say (B)\nuser: ", "Solution 0: I say (A)", "Solution 1: I say (B)",
		"Solution 2: I say (C)", "Vote for the best"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(asked, want) {
				t.Errorf("agent 1 is asked %q, want %q in it", asked, want)
			}
		})
	}
	if a.Requests[1][2].Sampling.Seed == a.Requests[2][0].Sampling.Seed {
		t.Error("the second attempt draws what the first has drawn")
	}
}

// TestOpenElection: a tie has no answer in the code's reading, the first agent's in the paper's; a voter who never
// gives a valid ballot is asked ten times.
func TestOpenElection(t *testing.T) {
	lines := map[[2]int]string{{0, 0}: "(A)", {1, 0}: "(B)", {2, 0}: "(C)", {0, 1}: "1", {1, 1}: "2"}
	a := &debatetest.Actors{Lines: lines}
	transcript := electing(t, "simple", debate.ReadingCode, a)
	if d := transcript.Decision; d.Answer.Parsed || !d.Tie || d.Ballots[2].Invalid == "" || len(a.Requests) != 11 ||
		len(transcript.Voting) != 10 {
		t.Errorf("an election by open ballots gives %+v after %d calls, want a tie without an answer, one invalid "+
			"ballot and 11", d, len(a.Requests))
	}
	if d := electing(t, "simple", debate.ReadingPaper,
		&debatetest.Actors{Lines: lines}).Decision; d.Answer.Text != "(A)" ||
		!strings.Contains(d.Rule.String(), "first agent") {
		t.Errorf("in the reading paper an open election has the first agent's answer (A), and says so: got %q by %s",
			d.Answer.Text, d.Rule)
	}
}

// TestSoftVote adds up probabilities: two lukewarm votes can be worth less than a sure one.
func TestSoftVote(t *testing.T) {
	w := &debatetest.Weighing{Actors: debatetest.Actors{Lines: map[[2]int]string{{0, 0}: "(A)", {1, 0}: "(B)",
		{2, 0}: "(C)"}},
		Scores: [][]float64{{-1, -1.1, -9}, {-1, -1.1, -9}, {-9, -0.01, -9}}}
	transcript := electing(t, "soft", debate.ReadingCode, w)
	if d := transcript.Decision; d.Answer.Text != "(B)" || len(transcript.Voting) != 1 ||
		!cmp.Equal(w.Requests[1][0].Continuations, []string{"0", "1", "2"}) {
		t.Errorf("a soft vote weighs the numbers of all 3 solutions in one round and decides (B): got %q, %d "+
			"rounds, continuations %q", d.Answer.Text, len(transcript.Voting), w.Requests[1][0].Continuations)
	}
	for _, b := range transcript.Decision.Ballots {
		if sum := b.Weights[0] + b.Weights[1] + b.Weights[2]; sum < 0.999 || sum > 1.001 {
			t.Errorf("agent %d: probabilities add up to %v, want at least 0.999 and at most 1.001", b.Agent, sum)
		}
	}
	if _, err := (Society{Agents: 2, Rounds: 1, Decide: "lot", Prompts: debatetest.Load(t, "tiny")}).Run(t.Context(), w,
		debatetest.Puzzle); err == nil || !strings.Contains(err.Error(), "condorcet") {
		t.Errorf(`%v, want an error with "condorcet"`, err)
	}
	if _, err := (Society{Agents: 2, Rounds: 1, Decide: "soft", Prompts: debatetest.Load(t, "lesson")}).Run(t.Context(),
		w,
		debatetest.Puzzle); err == nil || !strings.Contains(err.Error(), "lack vote") {
		t.Errorf(`%v, want an error with "lack vote"`, err)
	}
}
