package stat

import "fmt"

// Latin is a square of order n: Latin(n)[row][place] is the holder, 0 to n-1, and every holder is once in every row and once
// in every place. If n is even, every holder also comes directly after every other one once, so that what a holder leaves
// behind for its successor cancels out (Williams, Australian Journal of Scientific Research A 2, 1949, 149-168). If n is odd
// no cyclic square can do that; the rows together with their reverses do, each succession twice. Order 0 has no rows.
func Latin(n int) [][]int {
	if n < 0 {
		panic(fmt.Sprintf("square of order %d", n))
	}
	square := make([][]int, n)
	for row := range square {
		square[row] = make([]int, n)
		for place := range n {
			square[row][place] = (row + zigzag(n, place)) % n
		}
	}
	return square
}

// zigzag is 0, 1, n-1, 2, n-2 and so on: its steps are all different if n is even.
func zigzag(n, place int) int {
	if place%2 == 1 {
		return (place + 1) / 2
	}
	return (n - place/2) % n
}
