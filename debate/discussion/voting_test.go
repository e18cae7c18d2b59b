package discussion

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/vote"
)

// stubborn has three agents say one letter each and stick to it.
func stubborn(turns int) (lines []string) {
	for range turns {
		lines = append(lines, "(A)", "(B)", "(C)")
	}
	return lines
}

// TestVoteAfterATurn: nothing before turn 3, then final answers and ballots; the winner's answer stands.
func TestVoteAfterATurn(t *testing.T) {
	p := &panel{messages: stubborn(3), others: map[string][]string{"Vote for the best": {"1", "Solution 1", "0"}}}
	got := discuss(t, discussion{Decide: "simple", Personas: personaIPIP}, p)
	d := got.Decision
	if d.Answer.Text != "(B)" || d.Tie || d.Rule.String() != "simple vote at turn 3, message 9: decided" ||
		len(d.Ballots) != 3 || !cmp.Equal(d.Tally.Scores, []float64{1, 2, 0}) {
		t.Errorf("a simple vote at turn 3, message 9 decides (B) with scores [1 2 0] of 3 ballots and no tie: got "+
			"%+v", d)
	}
	want := map[debate.Kind]int{debate.KindMessage: 9, debate.KindSolution: 9, debate.KindFinal: 3,
		debate.KindBallot: 3}
	if diff := cmp.Diff(want, kinds(got)); diff != "" {
		t.Errorf("requests are of these kinds, in this order (-want +got):\n%s", diff)
	}
	ballot := got.Voting[0][1].Messages
	if !strings.Contains(ballot[0].Content, "Participant 2 (") ||
		!strings.Contains(ballot[1].Content, "Solution 0: (A)\nSolution 1: (B)\nSolution 2: (C)\n\nVote") {
		t.Errorf("a ballot names the voter and lists all solutions in order, got %q", debatetest.Say(ballot))
	}
}

// TestTiedVote: one more turn, then another vote; after the last turn the readings differ.
func TestTiedVote(t *testing.T) {
	ties := func() *panel {
		return &panel{messages: stubborn(5), others: map[string][]string{"Vote for the best": {"0", "1", "2", "0", "1",
			"2", "2", "2", "1"}}}
	}
	if got := discuss(t, discussion{Decide: "simple"},
		ties()); got.Decision.Rule.String() != "simple vote at turn 5, message 15: decided" ||
		got.Decision.Answer.Text != "(C)" {
		t.Errorf("ties go on to turn 5, message 15, where (C) is decided: got %s, %q", got.Decision.Rule,
			got.Decision.Answer.Text)
	}
	for reading, want := range map[string]answer.Answer{debate.ReadingCode: answer.Unparsed,
		debate.ReadingPaper: answer.Of("(A)")} {
		t.Run(reading, func(t *testing.T) {
			got := discuss(t, discussion{Decide: "simple", Turns: 4, Reading: reading}, ties())
			if got.Decision.Answer != want || !got.Decision.Tie ||
				!strings.Contains(got.Decision.Rule.String(), "open after the last turn") {
				t.Errorf(`reading %s: a vote that stays tied has the answer %+v, is a tie and says "open after the `+
					`last turn": got %+v`, reading, want, got.Decision)
			}
		})
	}
}

// TestInvalidBallots: a ballot that cannot be read is asked for ten times, and then is missing; 10 points are shared
// out in the code's reading and 25 in the paper's.
func TestInvalidBallots(t *testing.T) {
	for _, test := range []struct {
		rule, reading, asks string
		ballots             []string // the last is invalid
		scores              []float64
		winner              string
	}{
		{"simple", debate.ReadingCode, "Vote for the best", []string{"2", "2", "nobody"}, []float64{0, 0, 2}, "(C)"},
		{"approval", debate.ReadingCode, "can you accept", []string{"0, 2", "2", "0 and 1"}, []float64{1, 0, 2}, "(C)"},
		{"ranked", debate.ReadingCode, "in order, the best first", []string{"1 2", "1 0 2", "7"}, []float64{2, 6, 3},
			"(B)"},
		{"cumulative", debate.ReadingCode, "You have 10 points", []string{`{"0": 10}`, `{"0": 4, "1": 6}`, `{"1": 25}`},
			[]float64{14, 6, 0}, "(A)"},
		{"cumulative", debate.ReadingPaper, "You have 25 points",
			[]string{`{"0": 25}`, `{"1": 20, "0": 5}`, `{"1": 10}`},
			[]float64{30, 20, 0}, "(A)"},
	} {
		t.Run(test.asks, func(t *testing.T) {
			p := &panel{messages: stubborn(3), others: map[string][]string{test.asks: test.ballots}}
			got := discuss(t, discussion{Turns: 3, Decide: test.rule, Reading: test.reading}, p)
			if n := kinds(got)[debate.KindBallot]; n != 12 || got.Decision.Ballots[2].Invalid == "" ||
				got.Decision.Answer.Text != test.winner {
				t.Errorf("%s, %s: %d ballots and %+v, want 12, the third invalid, and %s", test.rule, test.reading, n,
					got.Decision, test.winner)
			}
			if diff := cmp.Diff(test.scores, got.Decision.Tally.Scores); diff != "" {
				t.Errorf("%s, %s: the scores without invalid ballots (-want +got):\n%s", test.rule, test.reading, diff)
			}
		})
	}
}

// TestShownToVoters: what stands beside the solutions, and what it costs.
func TestShownToVoters(t *testing.T) {
	c := debatetest.Puzzle
	c.Facts = "Letters are facts."
	likely := strconv.Itoa(int(100 * math.Exp(-0.5)))
	for shown, test := range map[string]struct {
		want string
		sure int // calls for a confidence
	}{
		shownAnonymous:  {"Question: Q?\n\nSolution 0: (A)\n", 0},
		shownPublic:     {"Solution 1, by Participant 2: (B)\n", 0},
		shownFacts:      {"Letters are facts.", 0},
		shownHistory:    {"Participant 3: (C)\n\nParticipant 1: (A)\n\n", 0},
		shownConfidence: {"Solution 2: (C) (confidence: 100 %)", 0},
		shownPrompted: {"Solution 0: (A) (confidence: 70 %)\nSolution 1: (B) (confidence: 80 %)\nSolution 2: (C) " +
			"(confidence: 0 %)", 12},
		shownLikely: {"Solution 0: (A) (confidence: " + likely + " %)", 0},
	} {
		t.Run(shown, func(t *testing.T) {
			p := &panel{messages: stubborn(3), others: map[string][]string{"Vote for the best": {"1"},
				"How sure": {"70", "80", "quite"}}}
			d := discussion{Decide: "simple", Shown: shown, Prompts: discussionPrompts(t)}
			got, err := d.Run(t.Context(), p, c)
			if err != nil {
				t.Fatal(err)
			}
			ballot := debatetest.Say(got.Voting[0][0].Messages)
			if !strings.Contains(ballot, test.want) || kinds(got)[debate.KindConfidence] != test.sure {
				t.Errorf("%s: %d calls, %q; want %q in it and %v",
					shown, kinds(got)[debate.KindConfidence], ballot, test.want, test.sure)
			}
		})
	}
}

// TestBallotsAskedFor: with a grammar, and by probabilities.
func TestBallotsAskedFor(t *testing.T) {
	p := &panel{messages: stubborn(3), others: map[string][]string{"Vote for the best": {"1"}}}
	got := discuss(t, discussion{Decide: "simple", Ballots: vote.BallotsGrammar}, p)
	election, _ := vote.ElectionNamed("simple")
	if g := got.Voting[0][0].Grammar; g == "" || g != election.Grammar(3) || got.Rounds[0][0].Grammar != "" {
		t.Errorf("ballots have the grammar %q, want the election's %q, and replies none", g, election.Grammar(3))
	}
	for _, e := range vote.Elections() {
		if g := e.Grammar(4); (g == "") != (e.Read == nil) || g != "" && !strings.HasPrefix(g, "root ::= ") {
			t.Errorf("%s: elections that are read have a grammar, others have none: read %v, grammar %q", e.Name,
				e.Read != nil, g)
		}
	}
	w := &debatetest.Weighing{Scores: [][]float64{{-1, -1.1, -9}, {-1, -1.1, -9}, {-9, -0.01, -9}}}
	w.Lines = map[[2]int]string{}
	for round := range 100 {
		for agent, letter := range []string{"(A)", "(B)", "(C)"} {
			w.Lines[[2]int{agent, round}] = letter
		}
	}
	d := discussion{Decide: "simple", Ballots: vote.BallotsSoft, Prompts: discussionPrompts(t)}
	soft, err := d.Run(t.Context(), w, debatetest.Puzzle)
	if err != nil || soft.Decision.Answer.Text != "(B)" ||
		soft.Decision.Rule.String() != "soft vote at turn 3, message 9: decided" {
		t.Errorf("a soft vote at turn 3, message 9 decides (B): got %q by %s, %v", soft.Decision.Answer.Text,
			soft.Decision.Rule, err)
	}
}

// TestConsensusVoting: after every turn, on what differs, without a call for final answers; at the end a tie is drawn.
func TestConsensusVoting(t *testing.T) {
	p := &panel{messages: []string{"(A)", "(A)", "(B)"}, others: map[string][]string{"Vote for the best": {"1"}}}
	got := discuss(t, discussion{Decide: consensusVoting}, p)
	if got.Decision.Answer.Text != "(B)" || kinds(got)[debate.KindFinal] != 0 ||
		!cmp.Equal(got.Decision.Tally.Scores, []float64{0, 3}) || len(got.Records) != 3 {
		t.Errorf("consensus by a vote decides (B) by scores [0 3] in 3 messages without last answers: got %+v, %d "+
			"messages, %d last answers", got.Decision, len(got.Records), kinds(got)[debate.KindFinal])
	}
	drawn := map[string]bool{}
	for seed := range uint64(20) {
		p := &panel{messages: stubborn(1), others: map[string][]string{"Vote for the best": {"0", "1", "2"}}}
		d := discussion{Decide: consensusVoting, Turns: 1, Asking: debate.Asking{Seeds: debate.Seeds{Run: seed}}}
		got := discuss(t, d, p)
		if !got.Decision.Tie || !strings.Contains(got.Decision.Rule.String(), "drawn among the best") {
			t.Errorf("a tie is drawn among the best and called a tie: got tie %v by %s", got.Decision.Tie,
				got.Decision.Rule)
		}
		drawn[got.Decision.Answer.Text] = true
	}
	if len(drawn) != 3 {
		t.Errorf("drawn %v, want 3 of them", drawn)
	}
	nobody := &panel{messages: stubborn(1), others: map[string][]string{"Vote for the best": {"none"}}}
	if got := discuss(t, discussion{Decide: consensusVoting, Turns: 1}, nobody); got.Decision.Answer.Parsed ||
		!got.Decision.Tie {
		t.Errorf("without a valid ballot the decision is %+v, want a tie without an answer", got.Decision)
	}
	var all []candidate
	for _, text := range []string{"A) yes", "a) YES", "A) yes, since", "no", "No", "B)"} {
		all = append(all, candidate{Candidate: prompts.Candidate{Solution: text}})
	}
	var kept []string
	for _, c := range distinct(all) {
		kept = append(kept, c.Solution)
	}
	if diff := cmp.Diff([]string{"A) yes", "no", "B)"}, kept); diff != "" {
		t.Errorf("of equal solutions the first is kept (-want +got):\n%s", diff)
	}
}

// TestJudgeAndCounting: the first panelist writes the answer; or the answers are counted, and a tie goes on.
func TestJudgeAndCounting(t *testing.T) {
	p := &panel{messages: stubborn(3), others: map[string][]string{"Put these solutions together": {"Rather (D)."}}}
	got := discuss(t, discussion{Decide: judgeDecision}, p)
	if n := kinds(got); got.Decision.Answer.Text != "(D)" || n[debate.KindJudgement] != 1 || n[debate.KindFinal] != 3 ||
		len(got.Voting) != 0 {
		t.Errorf("1 judge decides (D) after 3 last answers without a vote: got %q, %v, %d ballots",
			got.Decision.Answer.Text, n, len(got.Voting))
	}
	lines := append(stubborn(3), "(A)", "(C)", "no letter")
	if got := discuss(t, discussion{Decide: countingDecision, Turns: 4},
		&panel{messages: lines}); got.Decision.Answer.Parsed || !got.Decision.Tie {
		t.Errorf("answers that are counted equal are a tie without an answer: got %+v", got.Decision)
	}
	lines = append(stubborn(3), "no letter", "(C)", "(C)")
	if got := discuss(t, discussion{Decide: countingDecision},
		&panel{messages: lines}); got.Decision.Answer.Text != "(C)" || len(got.Records) != 12 {
		t.Errorf("the most frequent of the last answers is (C), after 12 messages: got %q after %d",
			got.Decision.Answer.Text, len(got.Records))
	}
}
