package relation_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/stat/team"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
)

// counts are those of the computation that the list replaced: one loop over the agents of all debates that counts what
// every quotient needs. It is the oracle of TestMeasuresAreTheCounts, and knows neither Agent nor Tally.
type counts struct {
	agents, flipped, opposed, opposedFlipped, adopted, right, lost, wrong, recovered, exposed, misled int
	questions, anyRight, decided                                                                      int
}

// add counts a debate by maps from agents to answers.
func (n *counts) add(o *outcome.Debate) {
	key := o.IDs().Key
	right := func(id int) bool { return key.Mark(id) == agreement.Right }
	first, last, times := make(map[int]int), make(map[int]int), make(map[int]int)
	var all, again []int
	for _, a := range o.Agents() {
		first[a.Number], last[a.Number], times[a.Number] = a.First.ID, a.Last.ID, a.Times
		if all = append(all, a.Number); a.Times > 1 {
			again = append(again, a.Number)
		}
	}
	if len(again) == 0 {
		return
	}
	heard := make([][]int, len(all)) // by agent, the places of those whom it heard
	some := false
	for _, round := range o.Rounds() {
		for _, turn := range round.Turns {
			for i, agent := range all {
				for j, other := range all {
					for _, h := range turn.Heard {
						if turn.Answers && turn.Agent == agent && h == other && i != j {
							heard[i], some = append(heard[i], j), true
						}
					}
				}
			}
		}
	}
	if !some || o.Transcript.HearsPool() {
		heard = nil
	}
	var before []int
	for _, agent := range all {
		before = append(before, first[agent])
	}
	n.questions++
	found := false
	for i, mode := range team.PeerModes(before, heard) {
		agent := all[i]
		if times[agent] < 2 {
			continue
		}
		was, is := first[agent], last[agent]
		n.agents++
		n.flipped += stat.One[int](was != is)
		if mode != agreement.Unparsed && mode != was {
			n.opposed++
			n.opposedFlipped += stat.One[int](was != is)
			n.adopted += stat.One[int](is == mode)
		}
		if right(was) {
			n.right++
			n.lost += stat.One[int](!right(is))
		} else {
			n.wrong++
			n.recovered += stat.One[int](right(is))
		}
		if mode != agreement.Unparsed && !right(mode) && right(was) {
			n.exposed++
			n.misled += stat.One[int](!right(is))
		}
		found = found || right(is)
	}
	n.anyRight += stat.One[int](found)
	n.decided += stat.One[int](o.IsRight(o.Transcript.Decision.Answer))
}

// anyDebate is a debate in which letters, and answers that cannot be read, fall at random: a ring, an isolated team or
// one where all hear all, in which some agents miss a round.
func anyDebate(r *rand.Rand, question int) trial.Outcome {
	agents, rounds := 1+r.IntN(5), 1+r.IntN(3)
	t := debate.Transcript{Decision: debate.Decision{Answer: answer.Of(string("ABC"[r.IntN(3)]))}}
	topology := r.IntN(3)
	for round := range rounds {
		letters := make([]byte, agents)
		for i := range letters {
			letters[i] = "AABC."[r.IntN(5)]
		}
		turns := debatetest.TurnsOf(string(letters))
		for i := range turns {
			turns[i].Round = round
			switch {
			case round == 0 || topology == 0:
			case topology == 1:
				turns[i].Heard = []int{(i + agents - 1) % agents, (i + 1) % agents}
			default:
				for j := range agents {
					turns[i].Heard = append(turns[i].Heard, j)
				}
			}
		}
		if round > 0 && r.IntN(4) == 0 {
			turns = turns[:r.IntN(agents)+1]
		}
		t.Rounds = append(t.Rounds, turns)
	}
	o := trial.Outcome{Question: fmt.Sprint("q", question/2), Repeat: question % 2, Truth: answer.Of("A"),
		Transcript: t}
	o.Score = o.ScoreOf(t.Decision.Answer)
	return o
}

// TestMeasuresAreTheCounts compares the measures of agents with the counts of the computation that they replaced.
func TestMeasuresAreTheCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	seen := make(map[string]map[relation.State]int)
	for range 300 {
		var outcomes []trial.Outcome
		for q := range 1 + r.IntN(8) {
			outcomes = append(outcomes, anyDebate(r, q))
		}
		var n counts
		debates := outcome.NewTable(outcomes).Debates()
		for _, d := range debates {
			n.add(d)
		}
		values := relation.ValuesOf(relation.Rows(debates), "", 0.95)
		for name, want := range map[string][2]int{"flips": {n.flipped, n.agents},
			"modal-adoption": {n.adopted, n.opposedFlipped}, "conformity": {n.adopted, n.opposed},
			"obstinacy":     {n.opposed - n.opposedFlipped, n.opposed},
			"vulnerability": {n.lost, n.right}, "recovery": {n.recovered, n.wrong}, "misled": {n.misled, n.exposed},
			"oracle-gap": {n.anyRight - n.decided, n.questions}} {
			got := values[name]
			if seen[name] == nil {
				seen[name] = make(map[relation.State]int)
			}
			seen[name][got.State]++
			number, known := values.Number(name)
			if known != (want[1] > 0) || got.Of != float64(want[1]) ||
				known && number != float64(want[0])/float64(want[1]) {
				t.Fatalf("%s is %g (%t) of %g, want %d of %d", name, number, known, got.Of, want[0], want[1])
			}
		}
	}
	for name, states := range seen {
		if states[relation.Known] < 30 || states[relation.Undefined] < 1 {
			t.Errorf("%s: %v, want it known in 30 runs and undefined in one", name, states)
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d measures, want 8", len(seen))
	}
}

// TestStates: a share of nothing is undefined, one that the records do not tell is unknown, and zero is zero.
func TestStates(t *testing.T) {
	held := func(score string, rounds ...string) relation.Debate {
		o := trial.Outcome{Question: "q", Truth: answer.Of("A")}
		for r, letters := range rounds {
			turns := debatetest.TurnsOf(letters)
			for i := range turns {
				turns[i].Round = r
			}
			o.Transcript.Rounds = append(o.Transcript.Rounds, turns)
		}
		if o.Score = o.ScoreOf(o.Transcript.Decision.Answer); score != "" {
			o.Score = "right" // although nobody says A
		}
		return relation.Of(outcome.NewTable([]trial.Outcome{o}).Debates()[0])
	}
	state := func(name string, d relation.Debate) relation.State {
		return relation.ValuesOf([]relation.Debate{d}, "", 0.95)[name].State
	}
	for name, c := range map[string]struct {
		measure string
		of      relation.Debate
		want    relation.State
	}{
		"nobody flips":                       {"flips", held("", "AB", "AB"), relation.Known},
		"nobody answers twice":               {"flips", held("", "AB"), relation.Undefined},
		"nobody was right":                   {"vulnerability", held("", "BB", "BB"), relation.Undefined},
		"nobody was right, as far as told":   {"vulnerability", held("right", "BB", "BB"), relation.Unknown},
		"what needs no right answer":         {"flips", held("right", "BB", "BB"), relation.Known},
		"a debate without sides":             {"won-by-negative", held("", "AB"), relation.Undefined},
		"a degree that the task has not got": {"f1", held("", "AB"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := state(c.measure, c.of); got != c.want {
				t.Errorf("%s is %s, want %s", c.measure, got, c.want)
			}
		})
	}
}

// TestIntervals: a value of several questions has an interval that holds it and has a width, within the bounds of its
// unit; one of a single question, or of few questions without bounds, has none, and says why.
func TestIntervals(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	with, without := 0, 0
	for range 200 {
		var outcomes []trial.Outcome
		for q := range 1 + r.IntN(80) {
			outcomes = append(outcomes, anyDebate(r, q))
		}
		for name, v := range relation.ValuesOf(relation.Rows(outcome.NewTable(outcomes).Debates()), "", 0.95) {
			m, _ := relation.MeasureOf(name)
			number, known := v.Number, v.State == relation.Known
			switch {
			case known != (number != nil), v.Interval != nil && !known, (v.Interval == nil) != (v.Why != ""):
				t.Fatalf("%s: a value is known where there is a number, has an interval only then, or says why it "+
					"has none: got %s", name, cmp.Diff(relation.Value{}, v))
			case v.Interval == nil:
				without++
				if known && v.Questions > 1 && (m.Unit != relation.Count) {
					t.Fatalf("%s of %d questions has an interval: got none, as %s", name, v.Questions, v.Why)
				}
			default:
				with++
				i := *v.Interval
				if !(i.Low <= *number && *number <= i.High && i.Low < i.High) || m.Unit == relation.Share &&
					(i.Low < 0 || i.High > 1) || m.Unit == relation.Count && v.Questions < 30 {
					t.Fatalf("%s has its number %g of %d questions in an interval with a width, within 0 to 1 "+
						"for a share, of a count from 30 on: got %g to %g", name, *number, v.Questions, i.Low, i.High)
				}
			}
		}
	}
	if with < 500 || without < 500 {
		t.Errorf("500 values or more have an interval, and as many have none: got %d and %d", with, without)
	}
}

// TestMeasuresAreComplete: every entry says what it is.
func TestMeasuresAreComplete(t *testing.T) {
	all, names := relation.Measures(), make(map[string]bool)
	for _, m := range all {
		names[m.Name] = true
		what, says, _ := strings.Cut(m.Says, ": ")
		if !strings.EqualFold(what, m.Head) || says == "" || m.Of == "" || m.Table == "" || m.Unit == "" {
			t.Errorf("%s: an entry has a head like its meaning, a unit, and says what it is of and where: got %+v",
				m.Name, m)
		}
	}
	if len(all) < 20 || len(names) != len(all) {
		t.Errorf("20 measures or more have names of their own: got %d measures, %d names", len(all), len(names))
	}
}
