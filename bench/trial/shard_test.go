package trial_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/trial"
)

// TestCut is worked by hand: a cut is where what comes before it is closest to its part of the sum.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		weights []int
		n       int
		want    []int
	}{
		{[]int{1, 1, 1, 1}, 1, []int{0, 4}},
		{[]int{1, 1, 1, 1}, 2, []int{0, 2, 4}},
		{[]int{1, 1, 1, 1}, 4, []int{0, 1, 2, 3, 4}},
		{[]int{10, 1, 1, 1, 1, 1}, 2, []int{0, 1, 6}},      // 10 of 15 are nearer to 7.5 than 0
		{[]int{1, 1, 1, 1, 1, 10}, 2, []int{0, 5, 6}},      // as are 5
		{[]int{1, 1, 1, 97}, 3, []int{0, 2, 3, 4}},         // each shard has a question
		{[]int{97, 1, 1, 1}, 3, []int{0, 1, 2, 4}},         //
		{[]int{2, 2, 2, 2, 2, 2, 2}, 3, []int{0, 2, 5, 7}}, // 4.67 and 9.33 of 14
	} {
		t.Run(fmt.Sprintf("%v %v", c.weights, c.n), func(t *testing.T) {
			if got := trial.Cut(c.weights, c.n); !slices.Equal(got, c.want) {
				t.Errorf("%v in %d: %v, want %v", c.weights, c.n, got, c.want)
			}
		})
	}
}

// TestCutsAndCanaries: every shard has a question, none has more than its part and the heaviest question, and there are
// as many canaries as there should be.
func TestCutsAndCanaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 300).Draw(t, "weights")
		n := rapid.IntRange(1, len(weights)).Draw(t, "shards")
		cuts := trial.Cut(weights, n)
		if len(cuts) != n+1 || cuts[0] != 0 || cuts[n] != len(weights) {
			t.Fatalf("%d shards have %d cuts from 0 to %d: got %v", n, n+1, len(weights), cuts)
		}
		total, canaries := 0, 0
		for _, w := range weights {
			total += w
		}
		for i := range n {
			if cuts[i] >= cuts[i+1] {
				t.Fatalf("every shard has a question: got none in shard %d of %v", i+1, cuts)
			}
			part := 0
			for _, w := range weights[cuts[i]:cuts[i+1]] {
				part += w
			}
			if largest := slices.Max(weights); part*n > total+largest*n && cuts[i+1]-cuts[i] > 1 {
				t.Errorf("shard %d weighs no more than its part of %d and the heaviest question, %d: got %d",
					i+1, total, largest, part)
			}
			if trial.HasCanary(i, n, len(weights)) {
				canaries++
			}
		}
		want := min(n, (len(weights)+49)/50)
		if n == 1 {
			want = 0
		}
		if canaries != want {
			t.Errorf("%d canaries in %d shards of %d questions, want %d", canaries, n, len(weights), want)
		}
	})
}

func TestShardsThatThereCannotBe(t *testing.T) {
	for _, c := range []struct {
		trial.Shard
		says string
	}{
		{trial.Shard{Index: 0, Of: 8}, "shard 0/8: shards are numbered from 1 to 8"},
		{trial.Shard{Index: 9, Of: 8}, "shard 9/8: shards are numbered from 1 to 8"},
		{trial.Shard{Index: 1}, "shard 1/0: a run has from 1 to 100000 shards"},
		{trial.Shard{Index: 1, Of: 100_001}, "a run has from 1 to 100000 shards"},
	} {
		t.Run(fmt.Sprintf("%.60s", c.says), func(t *testing.T) {
			if err := c.Validate(); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v, want %q", c.Shard, err, c.says)
			}
		})
	}
	if err := (&trial.Shard{Index: 8, Of: 8}).Validate(); err != nil {
		t.Errorf("the last shard is one of a run: got %v", err)
	}
}

// TestPartsOf is worked by hand: of tasks with 3, 2, 9 and 4 questions, four shards compute the small ones in turn.
func TestPartsOf(t *testing.T) {
	want := [][]string{ // by shard, of each task: part, and who computes the first one
		{"1/3 1/4", "2/2 4/4", "1/4 1/4", "1/4 1/4"},
		{"2/3 1/4", "", "2/4 1/4", "2/4 1/4"},
		{"3/3 1/4", "", "3/4 1/4", "3/4 1/4"},
		{"", "1/2 4/4", "4/4 1/4", "4/4 1/4"},
	}
	for i, parts := range want {
		t.Run(fmt.Sprintf("%d parts", i+1), func(t *testing.T) {
			for j, part := range trial.PartsOf(i+1, 4, []int{3, 2, 9, 4}) {
				got := ""
				if part != nil {
					if got = part.String() + " " + part.Slot(1); part.Slot(part.Index) != fmt.Sprintf("%d/4", i+1) {
						t.Errorf("shard %d is computed by its own part, %d/4: got %s by %s",
							i+1, i+1, part, part.Slot(part.Index))
					}
				}
				if got != parts[j] {
					t.Errorf("shard %d, task %d: %q, want %q", i+1, j, got, parts[j])
				}
			}
		})
	}
}
