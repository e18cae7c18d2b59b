package vote

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/parley-debate/parley/debate"
)

// TestElections holds elections of four candidates in which the rules differ. A ballot is a reply as MALLM's code
// reads it.
func TestElections(t *testing.T) {
	for _, test := range []struct {
		story, rule string
		replies     []string
		scores      []float64
		winner      int
	}{
		{"one vote each", "simple", []string{"Solution 1", "1", "the best is 2"}, []float64{0, 2, 1, 0}, 1},
		{"a tie leaves it open", "simple", []string{"0", "1"}, []float64{1, 1, 0, 0}, -1},
		{"all digits are one number, which names nobody", "simple", []string{"Solution 1, not 2", "3"},
			[]float64{0, 0, 0, 1}, 3},
		{"no valid vote", "simple", []string{"none of them", "9"}, []float64{0, 0, 0, 0}, -1},
		{"approval counts each, repeated ones again, and drops who is not there", "approval", []string{"0, 1", "1,1,7"},
			[]float64{1, 3, 0, 0}, 1},
		{"approval in words is invalid", "approval", []string{"0 and 1", "2"}, []float64{0, 0, 1, 0}, 2},
		{"ten points, as JSON or Python", "cumulative", []string{`{"0": 4, "1": 6}`, `{'2': 10}`, `{0: 3, 1: 7}`},
			[]float64{7, 13, 10, 0}, 1},
		{"eleven points are invalid, and so are negative ones", "cumulative",
			[]string{`{"0": 11}`, `{"0": 12, "1": -2}`, `{"3": 10}`}, []float64{0, 0, 0, 10}, 3},
		{"a candidate that has points under two spellings makes a ballot invalid", "cumulative",
			[]string{`{"1": 4, "01": 6}`, `{"3": 10}`}, []float64{0, 0, 0, 10}, 3},
		{"points whose sum overflows to ten are invalid", "cumulative",
			[]string{`{"0": 9223372036854775807, "1": 9223372036854775807, "2": 12}`, `{"3": 10}`},
			[]float64{0, 0, 0, 10}, 3},
		{"ranks give 4, 3, 2, 1 points of four", "ranked", []string{"0 1 2 3", "1 2", "1"}, []float64{4, 11, 5, 1}, 1},
		{"a ranking of somebody else is invalid, an empty one is not", "ranked", []string{"0 4", "", "2"},
			[]float64{0, 0, 4, 0}, 2},
		// Tennessee's capital, the textbook example of how rules differ: 42 % Memphis, 26 % Nashville, 15 %
		// Chattanooga, 17 % Knoxville.
		{"plurality: Memphis", "simple", tennessee("0", "1", "2", "3"), []float64{42, 26, 15, 17}, 0},
		{"Borda: Nashville", "borda", tennessee("0 1 2 3", "1 2 3 0", "2 3 1 0", "3 2 1 0"),
			[]float64{126, 194, 173, 107}, 1},
		{"Condorcet: Nashville beats all", "condorcet", tennessee("0 1 2 3", "1 2 3 0", "2 3 1 0", "3 2 1 0"),
			[]float64{0, 3, 2, 1}, 1},
		{"instant run-off: Knoxville", "run-off", tennessee("0 1 2 3", "1 2 3 0", "2 3 1 0", "3 2 1 0"),
			[]float64{3, 2, 1, 4}, 3},
		{"most pairs won are no Condorcet winner with one lost", "condorcet",
			[]string{"0 1 2 3", "0 1 2 3", "1 2 3 0", "2 1 3 0", "3 0 2 1", "3 0 2 1"}, []float64{2, 1, 1, 1}, -1},
		{"a cycle has no Condorcet winner", "condorcet", []string{"0 1 2", "1 2 0", "2 0 1"}, []float64{2, 2, 2, 0},
			-1},
	} {
		t.Run(test.story, func(t *testing.T) {
			var rule Election
			for _, e := range Elections() {
				if e.Name == test.rule {
					rule = e
				}
			}
			var ballots []debate.Ballot
			for i, reply := range test.replies {
				b, err := rule.Read(reply, 4)
				if b.Agent = i; err != nil {
					b.Invalid = err.Error()
				}
				ballots = append(ballots, b)
			}
			got := rule.Count(ballots, 4)
			if diff := cmp.Diff(test.scores, got.Scores); diff != "" || got.Winner != test.winner {
				t.Errorf("%s: %d wins, want %d %s", test.story, got.Winner, test.winner, diff)
			}
		})
	}
}

func tennessee(memphis, nashville, chattanooga, knoxville string) (replies []string) {
	for reply, count := range map[string]int{memphis: 42, nashville: 26, chattanooga: 15, knoxville: 17} {
		for range count {
			replies = append(replies, reply)
		}
	}
	return replies
}

// TestInvalidPointsHaveOneReason: the reason is recorded, so that it must not depend on the order of a map.
func TestInvalidPointsHaveOneReason(t *testing.T) {
	for range 20 {
		_, err := readCumulative(10)(`{"a": 1, "b": 2, "c": 3, "d": 4}`, 4)
		if err == nil || !strings.Contains(err.Error(), "to candidate a of 4") {
			t.Fatalf(`%v, want an error with "to candidate a of 4"`, err)
		}
	}
}

// TestLiteralPoints: a literal of Python has points as int() makes them.
func TestLiteralPoints(t *testing.T) {
	for reply, want := range map[string][]int{
		"{False: 4, True: 6}": {4, 6, 0}, "{2: True, 1: '9', 0: False}": {0, 9, 1}, "{0: 3.9, 1: 7}": {3, 7, 0},
		"{0: 1, 0: 10}": {10, 0, 0},
	} {
		b, err := readCumulativeLiteral(10)(reply, 3)
		if diff := cmp.Diff(want, b.Points); diff != "" {
			t.Errorf("points of %s (-want +got), %v:\n%s", reply, err, diff)
		}
	}
}

// TestPlaces: rankings are read, and places averaged, as karpathy/llm-council does (parse_ranking_from_text and
// calculate_aggregate_rankings): the expected places are worked out by hand from its patterns. A score is one by the
// mean place.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		name, reply string
		ranking     []int
	}{
		{"a list", "Response A is good.\nFINAL RANKING:\n1. Response C\n2. Response A\n3. Response B",
			[]int{2, 0, 1}},
		{"no space, and others", "FINAL RANKING:\n1.Response B\n2.\n Response A", []int{1, 0}},
		{"bold names are no list", "FINAL RANKING:\n1. **Response B**\n2. **Response C**", []int{1, 2}},
		{"a list hides what is beside it", "FINAL RANKING: Response A\n1. Response B", []int{1}},
		{"the second section does not count", "FINAL RANKING:\n1. Response A\nFINAL RANKING:\n1. Response B", []int{0}},
		{"no section", "Response B beats Response A, for Response B is right.", []int{1, 0, 1}},
		{"a letter of nobody", "FINAL RANKING:\n1. Response Z\n2. Response B", []int{25, 1}},
		{"another script", "FINAL RANKING:\n१. Response B", []int{1}},
		{"small letters", "final ranking: response a", nil},
		{"an empty section", "Response A.\nFINAL RANKING:\n", nil},
		{"letters of nobody alone", "Response X", nil},
	} {
		b, err := readPlaces(c.reply, 3)
		if !slices.Equal(b.Ranking, c.ranking) || (err != nil) != (c.ranking == nil) {
			t.Errorf("%s: %v, %v; want %v", c.name, b.Ranking, err, c.ranking)
		}
	}
	got := PeerRanking().Count([]debate.Ballot{{Ranking: []int{2, 0}}, {Ranking: []int{0, 2, 7, 0}},
		{Invalid: "none", Ranking: []int{1}}}, 3) // 0 has places 2, 1 and 4, 2 has 1 and 2, and nobody ranks 1
	want := debate.Tally{Scores: []float64{Round(3. / 7), 0, Round(2. / 3)}, Winner: 2, Rule: "mean place"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the average places of agents are these (-want +got):\n%s", diff)
	}
}
