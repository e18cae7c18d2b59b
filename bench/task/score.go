package task

import (
	"slices"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/symbolic"
)

// measure says when a parsed answer is right and, for some families, how right it is.
type measure struct {
	meaning string
	right   func(q Question, text string) bool
	degree  string                                // the name of the partial score in papers; "" if there is none
	partial func(q Question, text string) float64 // from 0 to 1; nil if there is none
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

// Degree returns the name of a measure's partial score, such as f1; "" if the measure only tells right from wrong.
func Degree(measure string) string { return measures[measure].degree }

// Degrees lists the names of all partial scores, sorted.
func Degrees() (names []string) {
	for _, m := range measures {
		if m.degree != "" {
			names = append(names, m.degree)
		}
	}
	slices.Sort(names)
	return names
}

// Meaning says in words when an answer to a question of the family is right.
func (f Family) Meaning() string { return measures[f.Measure].meaning }

func (t Task) measure() measure {
	if m, ok := measures[t.Measure]; ok {
		return m
	}
	return measures["equal"]
}

// Reader returns the rule that reads answers to a question. Our readers know its options.
func (t Task) Reader(q Question) answer.Extractor {
	if q.Extract != nil {
		return q.Extract
	}
	if answer.IsReader(t.Rule) && len(q.Options) > 0 {
		if extract, err := answer.Named(t.Rule, q.Options...); err == nil {
			return extract
		}
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

// Partial returns how right an answer is, from 0 to 1, by the partial score of the task's measure; nil if the measure
// has none. An unparsed answer scores 0.
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

// ByTarget reports whether answers can be scored by the recorded target alone, without the task file.
func ByTarget(measure string) bool { return slices.Contains([]string{"", "equal", "math"}, measure) }

// sameValue returns 1 if an answer in LaTeX has the value of the target, as far as package symbolic can tell, else 0.
func sameValue(q Question, text string) float64 {
	if symbolic.Same(text, q.Truth.Text) {
		return 1
	}
	return 0
}

func equal(q Question, text string) bool    { return answer.Of(text).Equal(q.Truth) }
func accepted(q Question, text string) bool { return slices.Contains(q.Accepted, text) }

// contained looks for the right name in an answer of answer.Among, which separates names by commas.
func contained(q Question, text string) bool {
	return strings.Contains(", "+text+", ", ", "+q.Truth.Text+", ")
}

// bestF1 returns the F1 of SQuAD 2.0's evaluation: over the multisets of words, and the best over all accepted answers.
// If one side says that there is no answer, it is 1 if the other says so too, else 0.
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

// tally counts how often each item occurs.
func tally(items []string) map[string]int {
	m := map[string]int{}
	for _, item := range items {
		m[item]++
	}
	return m
}

// overlap returns the size of the intersection of two multisets.
func overlap(a, b map[string]int) (n int) {
	for item, times := range a {
		n += min(times, b[item])
	}
	return n
}

// sharedRoles returns the share of the players whose roles are right.
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

// Lexical reports whether a translation understood an ambiguous word: whether ChrF puts it nearer to the correct
// reference than to the incorrect one. A tie is wrong.
//
// It stands in for the accuracy of source 3, which people judged, since the data has no lists of words. It puts the six
// systems with published outputs into the order of source 3's Table 3, at lower numbers.
func Lexical(text, correct, incorrect string) bool {
	return ChrF(text, correct) > ChrF(text, incorrect)
}

// ChrF returns the character F-score of Popović (2015), from 0 to 1, as it is commonly computed: over n-grams of one to
// six characters without white space, with precision and recall averaged over the lengths that both texts have, and
// with recall weighted twice.
func ChrF(text, reference string) float64 {
	given, want := letters(text), letters(reference)
	precision, recall, lengths := 0.0, 0.0, 0.0
	for n := 1; n <= min(6, len(given), len(want)); n++ {
		common := float64(overlap(tally(ngrams(given, n)), tally(ngrams(want, n))))
		precision += common / float64(len(given)-n+1)
		recall += common / float64(len(want)-n+1)
		lengths++
	}
	if precision+recall == 0 {
		return 0
	}
	return 5 * precision * recall / (4*precision + recall) / lengths
}

// letters returns the characters of a text without white space.
func letters(text string) []rune {
	return slices.DeleteFunc([]rune(text), unicode.IsSpace)
}

// ngrams returns the runs of n characters.
func ngrams(text []rune, n int) (all []string) {
	for i := range len(text) - n + 1 {
		all = append(all, string(text[i:i+n]))
	}
	return all
}
