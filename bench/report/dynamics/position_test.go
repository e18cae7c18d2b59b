package dynamics_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/parley-debate/parley/bench/report/dynamics"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/reversal"
)

func changed(p *protocol.Protocol, name string, value any) { p.Settings = p.With(name, value) }

// placedRun has a sweep over three places and holders. How often of ten times the centre is right on each of four
// questions is a sum that is made up: 5, and what the holder and the place add.
func placedRun() (r rundir.Run) {
	holders, places := []int{-2, 0, 2}, []int{-1, -1, 2}
	for place := range 3 {
		for holder := range 3 {
			p := protocol.Protocol{Name: fmt.Sprintf("placed/order=placed:%d/holder=%d", place, holder)}
			p.Settings = debate.Flat("centre", reversal.Settings{Agents: 3, Order: fmt.Sprintf("placed:%d", place),
				Holder: holder})
			r.Header.Protocols = append(r.Header.Protocols, p)
			for question := range 4 {
				for repeat := range 10 {
					o := trial.Outcome{Question: fmt.Sprint(question), Repeat: repeat, Condition: p.Name,
						Score:      task.Wrong,
						Transcript: debate.Transcript{Rounds: make([][]debate.Turn, 2)}}
					if repeat < 5+holders[holder]+places[place] {
						o.Score = task.Right
					}
					r.Outcomes = append(r.Outcomes, o)
				}
			}
			r.Outcomes = append(r.Outcomes, trial.Outcome{Question: "cannot be held", Condition: p.Name,
				Score: task.Unparsed})
		}
	}
	return r
}

// TestPositions finds the parts of the sum again.
func TestPositions(t *testing.T) {
	found := positionsOf(placedRun())
	if len(found) != 1 || found[0].Series != "placed" || found[0].Questions != 4 {
		t.Fatalf("one series, placed, of 4 questions: got %+v", found)
	}
	p := found[0]
	got := []float64{p.Mean.Estimate}
	for _, effect := range slices.Concat(p.Agents, p.Places) {
		got = append(got, effect.Estimate)
		if w := effect.Interval.High - effect.Interval.Low; w < 0.2 {
			t.Errorf("four questions that are alike leave open what others are, with an interval of 0.2 or more: "+
				"got %g", w)
		}
	}
	for i, want := range []float64{0.5, -0.2, 0, 0.2, -0.1, -0.1, 0.2} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			if math.Abs(got[i]-want) > 1e-6 {
				t.Errorf("%d: %.4f, want %.1f", i, got[i], want)
			}
		})
	}
}

// TestPositionsOfOthers: the effects are told apart only where every place has every holder, in debates that are alike
// otherwise.
func TestPositionsOfOthers(t *testing.T) {
	for name, change := range map[string]func(*rundir.Run){
		"one is missing":     func(r *rundir.Run) { r.Header.Protocols = r.Header.Protocols[1:] },
		"one is another":     func(r *rundir.Run) { changed(&r.Header.Protocols[4], "own", reversal.InitialRight) },
		"none could be held": func(r *rundir.Run) { r.Outcomes = r.Outcomes[:0] },
		"beyond the agents":  func(r *rundir.Run) { changed(&r.Header.Protocols[8], "holder", 3) },
		"no number":          func(r *rundir.Run) { changed(&r.Header.Protocols[0], "order", "placed:x") },
	} {
		t.Run(name, func(t *testing.T) {
			r := placedRun()
			change(&r)
			if found := positionsOf(r); found != nil {
				t.Errorf("%s: %+v, want nil", name, found)
			}
		})
	}
}

// TestPositionsOfOneQuestion: what differs are its repeats, and the interval is about them.
func TestPositionsOfOneQuestion(t *testing.T) {
	r := placedRun()
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(o trial.Outcome) bool { return o.Question != "0" })
	found := positionsOf(r)
	if len(found) != 1 || found[0].Questions != 1 || found[0].Repeats != 10 {
		t.Fatalf("one question, 10 times: got %+v", found)
	}
	for _, effect := range slices.Concat(found[0].Agents, found[0].Places) {
		if w := effect.Interval.High - effect.Interval.Low; w < 0.05 || w > 1.5 {
			t.Errorf("the interval of an effect has a width from 0.05 to 1.5: got %+v", effect)
		}
	}
}

func positionsOf(r rundir.Run) []dynamics.Position {
	return dynamics.Positions(r.Header.Protocols, r.Table())
}
