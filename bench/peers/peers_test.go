package peers_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/details"
	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat/team"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

// columns are the debates of a table of these outcomes.
func columns(outcomes ...trial.Outcome) []relation.Debate {
	return relation.Rows(outcome.NewTable(outcomes).Debates())
}

// debated is a debate on a question whose right answer is A: a letter for each agent's answer in each round, "." for
// one that cannot be read, and the decision.
func debated(question int, topology, visibility, decision string, rounds ...string) trial.Outcome {
	t := debate.Transcript{Topology: topology, Visibility: visibility,
		Decision: debate.Decision{Answer: answer.Of(decision)}}
	for r, letters := range rounds {
		turns := debatetest.TurnsOf(letters)
		for i := range turns {
			turns[i].Round = r
		}
		t.Rounds = append(t.Rounds, turns)
	}
	o := trial.Outcome{Question: fmt.Sprint("q", question), Truth: answer.Of("A"), Transcript: t}
	o.Score = o.ScoreOf(t.Decision.Answer)
	return o
}

// TestHeardOnly: in a ring, the mode of an agent's peers is that of its neighbours. Agent 0 hears B and B, changes to
// what most of all others say, C, and so follows nobody; where nobody hears anybody, as in an isolated team, all count.
func TestHeardOnly(t *testing.T) {
	first, last := "ABCCCB", "CBCCCB"
	ring, isolated := debated(1, "ring", "", "C", first, last), debated(1, "isolated", "", "C", first, last)
	for i := range ring.Transcript.Rounds[1] {
		ring.Transcript.Rounds[1][i].Heard = []int{(i + 5) % 6, (i + 1) % 6}
	}
	heard, all := peers.InfluenceOf(columns(ring)), peers.InfluenceOf(columns(isolated))
	// in the ring, 1 and 5 hear one A and one C, 2 and 4 a B and a C, 3 two C like its own
	if heard.Opposed != 1 || heard.OpposedFlipped != 1 || heard.Adopted != 0 {
		t.Errorf("heard: %+v, want Opposed 1, OpposedFlipped 1 and Adopted 0", heard)
	}
	if all.Opposed != 3 || all.OpposedFlipped != 1 || all.Adopted != 1 {
		t.Errorf("all others: %+v, want Opposed 3, OpposedFlipped 1 and Adopted 1", all)
	}
}

// TestInfluence counts two debates by hand. In the first, agent 2 hears A twice and takes it; nobody else moves. In the
// second, agent 0 is right, hears B twice, and is misled.
func TestInfluence(t *testing.T) {
	got := peers.InfluenceOf(columns(
		debated(1, "", "", "A", "AAB", "AAA"),
		debated(2, "", "", "B", "ABB", "BBB"),
		debated(3, "", "", "B", "BAC", "B.A"),
	))
	want := &peers.Influence{Agents: 9, Flipped: 4, Opposed: 2, OpposedFlipped: 2, Adopted: 2,
		Right: 4, Lost: 2, Wrong: 5, Recovered: 2, Questions: 3, AnyRight: 2, PluralityRight: 1,
		Exposed: 1, Misled: 1, Decided: 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("influence is counted as by hand (-want +got):\n%s", diff)
	}
	stay := relation.ValuesOf(columns(debated(1, "", "", "A", "AABC", "AABB")), "", 0.95)
	if share, known := stay.Number("obstinacy"); !known || share != 0.5 {
		t.Errorf("obstinacy %g, want 1/2: of agents 2 and 3, whose peers say A, agent 2 keeps B", share)
	}
	if n := peers.InfluenceOf(columns(debated(1, "", "", "A", "AAB"))); n != nil {
		t.Errorf("a vote has no influence of peers: got %+v, want none", n)
	}
}

// TestConfederateIsNoAgent: what it says is nobody's answer.
func TestConfederateIsNoAgent(t *testing.T) {
	o := debated(1, "", "", "A", "AB", "AB")
	for r := range o.Transcript.Rounds {
		o.Transcript.Rounds[r][1].Kind = debate.KindConfederate
	}
	if n := peers.InfluenceOf(columns(o)); n == nil || n.Agents != 1 {
		t.Errorf("a confederate counts as no agent: got %+v, want 1 agent", n)
	}
}

// TestWorth: agents that always agree are one channel, agents that never do are as many as they are.
func TestWorth(t *testing.T) {
	for _, c := range []struct {
		answers  []string
		channels float64
		size     float64 // 0: not known
	}{
		{[]string{"AAA", "BBB"}, 1, 1},
		{[]string{"ABC", "CAB"}, 3, 0},                // agent 2 is never right
		{[]string{"AB", "BA", "AA", "BB"}, 1.7548, 2}, // agree in half of the debates; errors are independent
		{[]string{"..", ".."}, 0, 0},                  // what cannot be read is no channel
		{[]string{"A.", "B."}, 1, 0},
	} {
		t.Run(fmt.Sprintf("%v %v", c.answers, c.channels), func(t *testing.T) {
			var outcomes []trial.Outcome
			for q, letters := range c.answers {
				outcomes = append(outcomes, debated(q, "", "", "A", letters))
			}
			w := peers.WorthOf(columns(outcomes...))
			if w == nil || math.Abs(w.Channels-c.channels) > 1e-4 || (w.Errors == nil) != (c.size == 0) ||
				(w.Errors == nil) != (w.Why != "") || w.Errors != nil && math.Abs(w.Errors.Effective-c.size) > 1e-9 {
				t.Errorf("%v: worth %g channels and %g agents of independent errors (0 is unknown, with a reason): "+
					"got %+v", c.answers, c.channels, c.size, w)
			}
		})
	}
	if w := peers.WorthOf(columns(debated(1, "", "", "A", "AB"), debated(2, "", "", "A", "ABC"))); w != nil {
		t.Errorf("teams that differ in size have no common worth: got %+v, want none", w)
	}
	if w := peers.WorthOf(columns(debated(1, "", "", "A", "A"))); w != nil {
		t.Errorf("one agent has no worth beside others: got %+v, want none", w)
	}
}

// TestFlips: five agents, each changed by something else: checking, stance, empty arguments, reasons, nothing. The mode
// of each one's peers is A.
func TestFlips(t *testing.T) {
	var outcomes []trial.Outcome // in one table, so that answers under all conditions have the same numbers
	add := func(name, topology, visibility, last string) {
		for _, o := range []trial.Outcome{
			debated(1, topology, visibility, "A", "BBBBBAAAAAA", last),
			debated(2, topology, visibility, "A", "B"+last[1:2]+"BBBAAAAAA", "AAAAAAAAAAA"), // agent 1 differs at first
		} {
			o.Condition = name
			outcomes = append(outcomes, o)
		}
	}
	add("mad", "", "", "AAAABAAAAAA")
	add("isolated", "isolated", "", "ABBBBAAAAAA")
	add("answers-only", "", "answers", "AABBBAAAAAA")
	add("vacuous", "", "vacuous", "AAABBAAAAAA")
	table := outcome.NewTable(outcomes)
	var all []peers.Held
	for _, name := range []string{"mad", "isolated", "answers-only", "vacuous"} {
		all = append(all, peers.Held{Condition: name, Debates: relation.Rows(table.Under(name).All)})
	}
	full := all[0]
	f := peers.FlipsOf(full, all)
	if f == nil || f.Isolated != "isolated" || f.Answers != "answers-only" || f.Vacuous != "vacuous" {
		t.Fatalf("controls are found by what their protocols show: got %+v", f)
	}
	// of debate 2, ten agents are moved by checking or stay right, and agent 1 is not comparable
	if f.Unpaired != 1 || f.Sources.N != 21 || f.Sources.Spontaneous != 1+4 || f.Sources.Stance != 1 ||
		f.Sources.Reasoning != 2 || f.Sources.Stable != 1+6+6 || f.Sources.Otherwise != 0 || f.Empty.Reasoning != 1 ||
		f.Both != 1 || f.Sources.Helpful != [2]int{1, 2} {
		t.Errorf("21 turns have 5 spontaneous, 1 by stance, 2 by reasoning and 13 stable sources, 1 unpaired: "+
			"got %+v, empty %+v", f, f.Empty)
	}
	if f := peers.FlipsOf(full, all[:2]); f != nil {
		t.Errorf("without a condition of answers only there are no flips to tell apart: got %+v, want none", f)
	}
	if f := peers.FlipsOf(all[1], all); f != nil {
		t.Errorf("the isolated team has no flips that others made: got %+v, want none", f)
	}
}

// TestGrowth: the law that ratios follow is found, and the pilot of small teams predicts the larger ones.
func TestGrowth(t *testing.T) {
	law := team.Scaling{C: 0.4, Beta: 0.25}
	var teams []peers.Team
	for _, n := range []int{30, 2, 5, 3, 10} {
		teams = append(teams, peers.Team{Condition: fmt.Sprintf("mad/agents=%d", n),
			Worth: &peers.Worth{Agents: n, Channels: float64(n) * law.Ratio(n)}})
	}
	teams = append(teams, peers.Team{Condition: "vote", Worth: &peers.Worth{Agents: 3, Channels: 2}},
		peers.Team{Condition: "single/agents=1"}, peers.Team{Condition: "one/agents=4", Worth: teams[1].Worth})
	all := peers.GrowthOf(teams)
	if len(all) != 1 || all[0].Series != "mad" || all[0].By != peers.ByAnswers || all[0].Law == nil ||
		math.Abs(all[0].Law.C-law.C) > 1e-4 || all[0].Pilot == nil || all[0].Regime != "sublinear" ||
		math.Abs(all[0].Pilot.Ratio(30)-law.Ratio(30)) > 1e-3 {
		t.Errorf("the law of growth %+v is found again, from the pilot too, and called sublinear: got %+v", law, all)
	}
	for i, c := range []string{"mixed-of-2", "mixed-of-3"} {
		teams[i].Condition = c
	}
	if g := peers.GrowthOf(teams[:2]); len(g) != 1 || g[0].Series != "mixed" || len(g[0].Sizes) != 2 {
		t.Fatalf("teams of several models: %+v, want 1 of them, Series \"mixed\" and Sizes: 2 of them", g)
	}
	same := []peers.Team{{Condition: "mad/agents=2", Worth: &peers.Worth{Agents: 2, Channels: 1}},
		{Condition: "mad/agents=3", Worth: &peers.Worth{Agents: 3, Channels: 1}}}
	if g := peers.GrowthOf(same); len(g) != 1 || g[0].Regime != "hard ceiling" || g[0].Pilot != nil {
		t.Errorf("teams of agents that say the same have a hard ceiling and no pilot: got %+v", g)
	}
	if g := peers.GrowthTable(all); len(g.Lines) != 5 {
		t.Errorf("the table of growth has 5 lines: got %+v", g)
	}
}

// TestRun: a run with the controls has all of it, and agents begin alike in all of its debates.
func TestRun(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 4, 3)
	some, err := trial.Select(conditions, []string{"isolated", "noise", "vacuous", "answers-only", "vote"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := bench.Compare(t.Context(), bench.Options{Run: spec.Run{Repeats: 2},
		Task: questions.Subset(8, 1), Conditions: some, Engine: benchtest.Crowd(questions)})
	if err != nil || len(c.Failed) > 0 {
		t.Fatalf("all debates are held: %v, failed %v; want none and no error", err, c.Failed)
	}
	mad := benchtest.Row(t, c, "mad")
	if f := mad.Flips; f == nil || f.Unpaired != 0 || f.Sources.N != 8*2*4 || f.Empty == nil ||
		f.Empty.N != f.Sources.N || f.Empty.Spontaneous != f.Sources.Spontaneous {
		t.Errorf("each reply of mad has its pair without sources, %d of them: got %+v", 8*2*4, f)
	}
	isolated, vote := benchtest.Row(t, c, "isolated"), benchtest.Row(t, c, "vote")
	if isolated.Replies != mad.Replies || isolated.Dynamics.Influence == nil || vote.Dynamics.Influence != nil ||
		vote.Dynamics.Team == nil || isolated.Flips != nil {
		t.Errorf("influence is measured where agents hear each other, and worth of a team where they only vote: got "+
			"%+v and %+v", isolated.Dynamics, vote.Dynamics)
	}
	if tables := details.AmongPeers(c); len(tables) != 4 {
		t.Errorf("%d tables, want 4", len(tables))
	}
}

// TestNoRounds: a damaged record may have a debate without any, beside whole ones.
func TestNoRounds(t *testing.T) {
	whole := trial.Outcome{Transcript: debate.Transcript{Rounds: [][]debate.Turn{{{Agent: 0}}, {{Agent: 0}}}}}
	held := []peers.Held{{Condition: "mad", Debates: columns(trial.Outcome{}, whole)}}
	if f := peers.FlipsOf(held[0], held); f != nil {
		t.Errorf("a debate without rounds, beside a whole one, has no flips: got %+v", f)
	}
}

// TestNothingKnownOfAgents: where no answer was read, the sentence says so, and not how many agents there are.
func TestNothingKnownOfAgents(t *testing.T) {
	rows := []peers.Measures{{Condition: "team", Worth: &peers.Worth{Agents: 3},
		Values: relation.Values{"flips": {State: relation.Undefined}}}}
	if says, want := peers.InfluenceTable(rows).Says(), "Voices: unknown in all rows."; says != want {
		t.Errorf("the table says %q, want %q", says, want)
	}
}
