package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestPositionTwoWay is worked by hand: a full table of 2 agents at 3 places has the means of its rows and columns less
// the mean of all.
func TestPositionTwoWay(t *testing.T) {
	var question []Placed
	for agent, row := range [][]float64{{1, 2, 6}, {3, 2, 4}} {
		for place, x := range row {
			question = append(question, Placed{agent, place, x})
		}
	}
	got := Position([][]Placed{question, question}, 2, 3, 0.95)
	for i, want := range []float64{3, 0, 0, -1, -1, 2} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			e := all(got)[i]
			if wide := e.Interval.High - e.Interval.Low; !near(e.Estimate, want, 1e-7) || i > 0 && wide < 0.1 {
				t.Errorf("%d: %+v, want %g", i, e, want)
			}
		})
	}
}

func all(e Effects) []Estimated { return append(append([]Estimated{e.Mean}, e.Agents...), e.Places...) }

// TestPositionRecovers: outcomes that are sums of effects give them back, however unevenly agents sat, and with noise
// the intervals hold most of them.
func TestPositionRecovers(t *testing.T) {
	agents, places := []float64{0.2, -0.3, 0.1, 0}, []float64{-0.05, 0.15, 0, -0.1}
	square := [][]int{{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}} // each agent once in every place
	random, inside := rand.New(rand.NewPCG(5, 5)), 0
	for _, noise := range []float64{0, 0.1} {
		var questions [][]Placed
		for q := range 60 {
			var question []Placed
			for place, agent := range square[q%4][:2+q%3] { // some places stay empty
				question = append(question, Placed{agent, place,
					0.5 + agents[agent] + places[place] + noise*random.NormFloat64()})
			}
			questions = append(questions, question)
		}
		got := all(Position(questions, 4, 4, 0.95))
		for i, want := range append(append([]float64{0.5}, agents...), places...) {
			if noise == 0 && !near(got[i].Estimate, want, 1e-6) {
				t.Errorf("%d: %+v, want %g", i, got[i], want)
			}
			if noise > 0 && got[i].Interval.Low <= want && want <= got[i].Interval.High {
				inside++
			}
		}
	}
	if inside < 7 {
		t.Errorf("%d of 9 intervals hold the truth, want at least 7", inside)
	}
}

// TestPositionProperties: effects sum to zero, whatever the table lacks.
func TestPositionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		questions := make([][]Placed, rapid.IntRange(0, 5).Draw(t, "questions"))
		for i := range questions {
			for range rapid.IntRange(0, 4).Draw(t, "outcomes") {
				p := Placed{rapid.IntRange(0, 2).Draw(t, "agent"), rapid.IntRange(0, 3).Draw(t, "place"),
					rapid.Float64Range(0, 1).Draw(t, "outcome")}
				questions[i] = append(questions[i], p)
			}
		}
		got := Position(questions, 3, 4, 0.9)
		for _, effects := range [][]Estimated{got.Agents, got.Places} {
			sum := 0.0
			for _, e := range effects {
				sum += e.Estimate
			}
			if math.Abs(sum) > 1e-6 {
				t.Fatalf("the effects of places sum to 0, as those of agents: got %g of %+v", sum, effects)
			}
		}
	})
}
