package stat

import "fmt"

// PassAny is the chance that some of k answers to a question is right, and PassAll that all of them are, as estimated
// without bias from those that were given: of all ways to take k of these, the share that has a right one (Chen et al.,
// arXiv 2107.03374), or right ones alone (Yao et al., tau-bench, arXiv 2406.12045). Neither is known of more answers
// than were given.
func PassAny(q Asked, k int) (chance float64, known bool) {
	none, known := PassAll(Asked{Right: q.Times - q.Right, Times: q.Times}, k)
	return 1 - none, known
}

// PassAll is described at PassAny.
func PassAll(q Asked, k int) (chance float64, known bool) {
	if k < 1 || q.Right < 0 || q.Right > q.Times {
		panic(fmt.Sprintf("%d of %d right of %d", k, q.Right, q.Times))
	}
	if k > q.Times {
		return 0, false
	}
	chance = 1
	for i := range k {
		chance *= float64(max(0, q.Right-i)) / float64(q.Times-i)
	}
	return chance, true
}
