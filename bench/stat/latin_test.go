package stat

import (
	"slices"
	"testing"
)

// TestLatinWilliams is the square of order 4 that Williams (Australian Journal of Scientific Research A 2, 1949, 149-168)
// builds from the row 0, 1, 3, 2.
func TestLatinWilliams(t *testing.T) {
	want := [][]int{{0, 1, 3, 2}, {1, 2, 0, 3}, {2, 3, 1, 0}, {3, 0, 2, 1}}
	for i, row := range Latin(4) {
		if !slices.Equal(row, want[i]) {
			t.Errorf("row %d: %v, want %v", i, row, want[i])
		}
	}
}

// TestLatinBalance counts who follows whom: once each if n is even; if n is odd, twice each with the reversed rows.
func TestLatinBalance(t *testing.T) {
	for n := range 13 {
		square := Latin(n)
		for i := range n {
			seen := make([]bool, n)
			for j := range n {
				seen[square[i][j]] = true
			}
			for j := range n {
				seen[square[j][i]] = seen[square[j][i]] != true // each holder is unset once
			}
			if slices.Contains(seen, true) {
				t.Errorf("order %d: row or place %d lacks a holder", n, i)
			}
		}
		for pair, follows := range successions(square) {
			if want := 1 + n%2; pair[0] != pair[1] && follows != want {
				t.Errorf("order %d: %v follow %d times, want %d", n, pair, follows, want)
			}
		}
		if got := len(successions(square)); got != n*(n-1) {
			t.Errorf("order %d: %d successions", n, got)
		}
	}
}

// successions counts them; the reversed rows too if the order is odd.
func successions(square [][]int) map[[2]int]int {
	count := make(map[[2]int]int)
	for _, row := range square {
		for i := 1; i < len(row); i++ {
			count[[2]int{row[i-1], row[i]}]++
			if len(square)%2 == 1 {
				count[[2]int{row[i], row[i-1]}]++
			}
		}
	}
	return count
}
