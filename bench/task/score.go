package task

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/debate/answer/symbolic"
)

// measure says when a parsed answer is right and, for some families, how right it is.
type measure struct {
	meaning string
	right   func(q Question, text string) bool
	degree  string                                // the name of the partial score in papers; "" if there is none
	partial func(q Question, text string) float64 // from 0 to 1; nil if there is none
	floor   *float64                              // of measures that compare texts: the least chrF of a right one
	looksAt looksAt                               // what right looks at
}

var measures = map[string]measure{
	"equal": {"the answer is the target", equal, "", nil, nil, equality},
	"math": {"the answer is the target after string normalisation; " +
		"in part (symbolic), 1 where both have the same value",
		equal, "symbolic", sameValue, nil, equality},
	"any":       {"the answer is one of those accepted", accepted, "", nil, nil, allAccepted},
	"contained": {"the right name is in the answer (MALLM)", contained, "", nil, nil, truthAlone},
	"squad": {"exact match with an accepted answer after normalisation; " +
		"in part (f1), the best F1 over words (SQuAD 2.0)",
		accepted, "f1", bestF1, nil, allAccepted},
	"lexical": {"nearer to the correct than to the incorrect reference by chrF (a stand-in, see Lexical); " +
		"in part (chrf), chrF with the correct one",
		lexicalFrom(0), "chrf", chrfTruth, new(float64), bothReference},
	"lexical-2": {"nearer to the correct than to the incorrect reference by chrF, and like the correct one by " +
		"0.25 at " +
		"least (a stand-in, see leastLike); in part (chrf), chrF with the correct one",
		lexicalFrom(leastLike), "chrf", chrfTruth, &leastLike, bothReference},
	"facts": {"all facts agree with what the agents wrote last, of those that the judge decided upon; in part " +
		"(facts), the share of them (Du et al.)", func(Question, string) bool { return false }, "facts",
		func(Question, string) float64 { return 0 }, nil, judgement},
	Logged: {"the log says so", func(Question, string) bool { return false }, "", nil, nil, judgement},
	LoggedPartly: {"the log gives the whole score; in part (score), what it gives",
		func(Question, string) bool { return false }, "score", func(Question, string) float64 { return 0 }, nil,
		judgement},
	"roles": {"all players' roles are right; in part (smooth), the share of them (Wu et al.: strict and smooth)",
		equal, "smooth", sharedRoles, nil, equality},
}

// Logged and LoggedPartly are the measures of samples that another program has scored, with two values or with more.
const (
	Logged       = "logged"
	LoggedPartly = "logged-partly"
)

// Scored reports whether a measure is what another program's log says, so that nothing but it knows what is right.
func Scored(measure string) bool { return measure == Logged || measure == LoggedPartly }

// Degree returns the name of a measure's partial score, such as f1, or "" if the measure only tells right from wrong.
func Degree(measure string) string { return measures[measure].degree }

// Degrees lists the names of all partial scores, sorted, each once.
func Degrees() (names []string) {
	for _, m := range measures {
		if m.degree != "" {
			names = append(names, m.degree)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Meaning says in words when an answer to a question of the family is right.
func (f Family) Meaning() string { return measures[f.Measure].meaning }

func (t Task) measure() measure {
	if m, ok := measures[t.Measure]; ok {
		return m
	}
	return measures["equal"]
}

// Reader returns the rule that reads answers to a question. Our readers know the question and its options. A paper's
// rule on data of one's own gives no answer that is none of the options.
func (t Task) Reader(q Question) answer.Extractor {
	if q.Extract != nil {
		return q.Extract
	}
	if answer.IsReader(t.Rule) {
		if extract, err := reader.RuleFor(t.Rule, q.About()); err == nil {
			return extract
		}
	}
	if t.Family == FamilyOwn {
		return answer.Offered(t.Extract, q.Options)
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

// Partial returns how right an answer is, from 0 to 1, by the partial score of the task's measure, or nil if the
// measure has none. An unparsed answer scores 0.
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

// Judged reports whether only a judge of facts can say what is right by a measure.
func Judged(measure string) bool { return measures[measure].looksAt == judgement }

// OfTexts reports whether a measure compares whole texts, such as translations.
func OfTexts(measure string) bool { return measures[measure].degree == "chrf" }

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

// leastLike is the chrF with the correct reference below which our own measure calls no translation right. By the
// measure without it, one constant sentence is right on 122 of Liang et al.'s 200 questions, more than any system whose
// outputs are published (at most 114); with it, on 9. The systems lose none (GPT-4) to 5 of their right answers.
var leastLike = 0.25

// lexicalFrom is the measure Lexical of texts that are like the correct reference by at least floor.
func lexicalFrom(floor float64) func(q Question, text string) bool {
	return func(q Question, text string) bool {
		return Lexical(text, q.Truth.Text, q.Rejected) && (floor == 0 || chrF(text, q.Truth.Text) >= floor)
	}
}

// measureWith returns the measure of answers that are read by a rule, where the family has this measure: our readers go
// with our own measures, and the rules of papers with those whose numbers the papers publish.
func measureWith(measure, rule string) string {
	if measure == "lexical" && answer.IsReader(rule) {
		return "lexical-2"
	}
	return measure
}

func chrfTruth(q Question, text string) float64 { return chrF(text, q.Truth.Text) }

// Lexical reports whether a translation understood an ambiguous word: whether chrF puts it nearer to the correct
// reference than to the incorrect one. A tie is wrong.
//
// It stands in for the accuracy of Liang et al., which people judged, since the data has no lists of words. It puts the
// six systems with published outputs into the order of Liang et al.'s Table 3, at lower numbers.
func Lexical(text, correct, incorrect string) bool {
	return chrF(text, correct) > chrF(text, incorrect)
}
