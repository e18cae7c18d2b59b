package relation

import (
	"cmp"
	"fmt"

	"github.com/parley-debate/parley/bench/stat"
)

// tries are the numbers of tries that passes ask for; 0 is all that there are, at least two.
var tries = []int{2, 4, 8, 0}

// passes are what several tries give: repeats of a debate, the same where a debate has something to settle, and the
// first answers of a debate, which nobody's reply led to.
func passes() (list []Measure) {
	for _, of := range []struct {
		prefix, title, what, where string
		judged                     bool
		asked                      func(Debate) stat.Asked
	}{
		{"", InRepeats, "repeats", "", false, Debate.Repeats},
		{"contested-", InContested, "repeats", ", where first answers differ", false, ofContested},
		{"first-", InFirst, "first answers", "", true, Debate.FirstAsked},
	} {
		for _, k := range tries {
			for _, way := range []struct {
				name, sign, some string
				chance           func(stat.Asked, int) (float64, bool)
				source           string
			}{
				{"at", "@", "some of", stat.PassAny, "Chen et al. (arXiv 2107.03374); with all tries, coverage"},
				{"hat", "^", "each of", stat.PassAll, "tau-bench (arXiv 2406.12045)"},
			} {
				number, many := "all", "the"
				if k > 0 {
					number = fmt.Sprint(k)
					many = number
				}
				head := fmt.Sprintf("pass%s%s", way.sign, number)
				list = append(list, Measure{Name: fmt.Sprintf("%spass-%s-%s", of.prefix, way.name, number), Head: head,
					Table: of.title, Unit: Share, Of: "debates", Source: way.source, Judged: of.judged, Better: true,
					ByQuestion: true, OverRepeats: true, None: "there are fewer tries",
					Says: fmt.Sprintf("%s: %s %s %s is right%s.", head, way.some, many, of.what, of.where),
					count: each(func(d Debate) (float64, bool) {
						q := of.asked(d)
						if q.Times < 2 {
							return 0, false
						}
						return way.chance(q, cmp.Or(k, q.Times))
					})})
			}
		}
	}
	return list
}

// ofContested counts the repeats of a debate where in some of them two first answers differ.
func ofContested(d Debate) (q stat.Asked) {
	if d.Contested() {
		q = d.Repeats()
	}
	return q
}
