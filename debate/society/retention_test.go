package society

import (
	"slices"
	"testing"
)

// TestChosenBy: the last list of a selector's reply counts, numbers without a reply are left out, and a reply from
// which nothing can be read retains all.
func TestChosenBy(t *testing.T) {
	shown := []int{0, 2, 3} // agent 1 has left
	for _, c := range []struct {
		name, reply string
		want        []int
	}{
		{"one", "[2]", []int{2}},
		{"two", "I choose [1, 3].", []int{0, 3}},
		{"the last list", "[1] at first, but rather [2, 3]", []int{2, 3}},
		{"over lines", "[\n3,\n1\n]", []int{3, 0}},
		{"a number without a reply", "[0, 3, 4]", []int{3}},
		{"none of them", "[7]", shown},
		{"an empty list", "[]", shown},
		{"no list", "1 and 3", shown},
		{"nothing", "", shown},
		{"a number that is too long", "[99999999999999999999]", shown},
		{"cut", "[1] then [2, 3", []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := chosenBy(c.reply, shown); !slices.Equal(got, c.want) {
				t.Errorf("%q retains %v, want %v", c.reply, got, c.want)
			}
		})
	}
}
