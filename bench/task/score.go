package task

import (
	"slices"
	"strings"
	"unicode"

	"parley/debate/answer"
	"parley/debate/answer/symbolic"
)

// measure says when an answer that could be read is right, and of some families how right it is in part.
type measure struct {
	meaning string
	right   func(q Question, text string) bool
	degree  string // name of what partial measures, as papers report it; "" without partial
	partial func(q Question, text string) float64
}

var measures = map[string]measure{
	"equal": {"the answer is the target", equal, "", nil},
	"math": {"the answer is the target after string normalisation; " +
		"in part (symbolic), 1 where both have the same value",
		equal, "symbolic", sameValue},
	"any":       {"the answer is one of those accepted", accepted, "", nil},
	"contained": {"the right name is in the answer (source 4)", contained, "", nil},
	"squad": {"exact match with an accepted answer after normalisation; " +
		"in part (f1), the best F1 over words (SQuAD 2.0)",
		accepted, "f1", bestF1},
	"lexical": {"nearer to the correct than to the incorrect reference by chrF (a stand-in, see Lexical); " +
		"in part (chrf), chrF with the correct one",
		lexical, "chrf", chrfTruth},
	"roles": {"all players' roles are right; in part (smooth), the share of them (source 2: strict and smooth)",
		equal, "smooth", sharedRoles},
}

// Degree is what a measure says of answers that are right in part: f1, chrf or smooth; "" if it only tells right from
// wrong.
func Degree(measure string) string { return measures[measure].degree }

// Degrees lists the names that Degree gives, sorted.
func Degrees() (names []string) {
	for _, m := range measures {
		if m.degree != "" {
			names = append(names, m.degree)
		}
	}
	slices.Sort(names)
	return names
}

// Meaning says in words when an answer is right.
func (f Family) Meaning() string { return measures[f.Measure].meaning }

func (t Task) measure() measure {
	if m, ok := measures[t.Measure]; ok {
		return m
	}
	return measures["equal"]
}

// Reader is the rule by which answers to a question are read.
func (t Task) Reader(q Question) answer.Extractor {
	if q.Extract != nil {
		return q.Extract
	}
	return t.Extract
}

// Score says whether an answer is right by the measure of the task.
func (t Task) Score(q Question, given answer.Answer) Score {
	switch {
	case !given.Parsed:
		return Unparsed
	case t.measure().right(q, given.Text):
		return Right
	}
	return Wrong
}

// Partial says how right an answer is, from 0 to 1, by the degree of the task's measure; nil if that has none. An
// answer that could not be read is not right at all.
func (t Task) Partial(q Question, given answer.Answer) *float64 {
	partial, degree := t.measure().partial, 0.0
	if partial == nil {
		return nil
	}
	if given.Parsed {
		degree = partial(q, given.Text)
	}
	return &degree
}

// ByTarget reports whether what is right follows from the recorded target alone, without the task's file.
func ByTarget(measure string) bool { return slices.Contains([]string{"", "equal", "math"}, measure) }

// sameValue is whether an answer in LaTeX has the value of the target, as far as package symbolic can tell.
func sameValue(q Question, text string) float64 {
	if symbolic.Same(text, q.Truth.Text) {
		return 1
	}
	return 0
}

func equal(q Question, text string) bool    { return answer.Of(text).Equal(q.Truth) }
func accepted(q Question, text string) bool { return slices.Contains(q.Accepted, text) }

// contained looks into what answer.Among gives: names with commas between them.
func contained(q Question, text string) bool {
	return strings.Contains(", "+text+", ", ", "+q.Truth.Text+", ")
}

// bestF1 is the F1 of SQuAD 2.0's evaluation: over words with their numbers, the best over all accepted answers; if
// either side is that there is none, 1 if both are.
func bestF1(q Question, text string) (best float64) {
	for _, a := range q.Accepted {
		if a == answer.NoSpan || text == answer.NoSpan {
			if a == text {
				return 1
			}
			continue
		}
		best = max(best, f1(strings.Fields(text), strings.Fields(a)))
	}
	return best
}

func f1(given, want []string) float64 {
	common := overlap(tally(given), tally(want))
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(given)+len(want))
}

func tally(items []string) map[string]int {
	m := map[string]int{}
	for _, item := range items {
		m[item]++
	}
	return m
}

func overlap(a, b map[string]int) (n int) {
	for item, times := range a {
		n += min(times, b[item])
	}
	return n
}

func sharedRoles(q Question, text string) float64 {
	want, given := strings.Split(q.Truth.Text, ", "), strings.Split(text, ", ")
	if len(want) != len(given) {
		return 0
	}
	right := 0
	for i := range want {
		if want[i] == given[i] {
			right++
		}
	}
	return float64(right) / float64(len(want))
}

func lexical(q Question, text string) bool {
	return Lexical(text, q.Truth.Text, q.Rejected)
}

func chrfTruth(q Question, text string) float64 { return ChrF(text, q.Truth.Text) }

// Lexical says whether a translation has understood an ambiguous word: whether it is nearer to the reference that has
// than to the one that has not, by ChrF. Source 3's own accuracy is a judgement of people, its data has no lists of
// words, and this stands in for it: it puts the six systems whose outputs are published into the order of source 3's
// Table 3, at lower numbers. A tie is wrong.
func Lexical(text, correct, incorrect string) bool {
	return ChrF(text, correct) > ChrF(text, incorrect)
}

// ChrF is the character F-score of Popović (2015) as it is commonly computed: runs of one to six letters, blanks left
// out, precision and recall averaged over the lengths that both texts have, recall weighted twice.
func ChrF(text, reference string) float64 {
	given, want := letters(text), letters(reference)
	precision, recall, lengths := 0.0, 0.0, 0.0
	for n := 1; n <= min(6, len(given), len(want)); n++ {
		common := float64(overlap(tally(runs(given, n)), tally(runs(want, n))))
		precision += common / float64(len(given)-n+1)
		recall += common / float64(len(want)-n+1)
		lengths++
	}
	if precision+recall == 0 {
		return 0
	}
	return 5 * precision * recall / (4*precision + recall) / lengths
}

func letters(text string) []rune {
	return slices.DeleteFunc([]rune(text), unicode.IsSpace)
}

func runs(text []rune, n int) (all []string) {
	for i := range len(text) - n + 1 {
		all = append(all, string(text[i:i+n]))
	}
	return all
}
