package validity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate/answer"
)

// leastMeasured is the share of replies that have to say what their agent answers before accuracies are compared. Below
// it, differences may be those between readings rather than between answers.
const leastMeasured = 0.8

// often is the share of replies from which on something is worth a word.
const often = 0.2

// Condition is what is known of a condition before it is compared.
type Condition struct {
	Name            string
	Reading         Reading
	N               int // debates that did not fail
	Right, Unparsed int // of these
	Accuracy        float64
	Degree          string  // what Partial is called, "" if the measure has no degrees
	Partial         float64 // how right its debates are in part, from 0 to 1
	Bound           bool    // it is no method: it looks at the truth
	Texts           bool    // a complete reply is an answer as it stands, such as a translation
	Arrived         []Arrival
}

// readCounts counts the replies that say what their agents answer, or the answers that somebody writes in the place of
// a vote, of which fewer could be read.
func (c Condition) readCounts() (n, of int) {
	n, of = c.repliesRead()
	for _, a := range c.Arrived {
		if a.written() && (of == 0 || a.Arrived*of < n*a.Asked) {
			n, of = a.Arrived, a.Asked
		}
	}
	return n, of
}

// repliesRead counts the replies that say what their agents answer. Where the rule does not tell how it reads, it is
// enough that the decisions could be read: some forms have turns that need no answer.
func (c Condition) repliesRead() (n, of int) {
	n, of = c.Reading.Measured()
	if c.Texts {
		n += c.Reading.How[answer.Fallback]
	}
	if c.Reading.Told() == 0 && (of == 0 || stat.Share(c.N-c.Unparsed, c.N) > stat.Share(n, of)) {
		return c.N - c.Unparsed, c.N
	}
	return n, of
}

func (c Condition) isMeasured() bool {
	n, of := c.readCounts()
	return of == 0 || float64(n) >= leastMeasured*float64(of)
}

// Finding says whether a run measured anything.
type Finding struct {
	Unmeasured []string // conditions too few of whose replies say what their agents answer
	NobodyIs   bool     // right in full, under any condition
	Says       []string // sentences for the head of a report; none of a run that measured what it compares
}

// Comparable reports whether a comparison between conditions says something.
func (f Finding) Comparable(conditions ...string) bool {
	return !f.NobodyIs && f.Measured(conditions...)
}

// Measured reports whether enough replies under each of these conditions say what their agents answer.
func (f Finding) Measured(conditions ...string) bool {
	return !slices.ContainsFunc(conditions, func(c string) bool { return slices.Contains(f.Unmeasured, c) })
}

// Unmeasured is whether a comparison rests on answers that were not measured: its difference, p-values and verdicts say
// nothing of how good the answers are. No output for people has them, and no table the p-values.
type Unmeasured bool

// Text is a text about the comparison, none where it says nothing.
func (u Unmeasured) Text(text string) string {
	if u {
		return table.Absent
	}
	return text
}

// Probability is the text of a p-value of the comparison.
func (u Unmeasured) Probability(p float64) string { return u.Text(wording.Probability(p)) }

// Values are fields about p-values of the comparison, nil where these say nothing.
func (u Unmeasured) Values(values ...any) []any {
	if u {
		return nil
	}
	return values
}

// Of judges a run by its conditions and the accuracy of the best constant answer.
func Of(conditions []Condition, guess float64) (f Finding) {
	var methods, unmeasured []Condition
	right := 0
	for _, c := range conditions {
		if right += c.Right; c.N == 0 || c.Bound {
			continue
		}
		if methods = append(methods, c); !c.isMeasured() {
			unmeasured = append(unmeasured, c)
			f.Unmeasured = append(f.Unmeasured, c.Name)
		}
	}
	if len(methods) == 0 {
		return f
	}
	best := slices.MaxFunc(methods, func(a, b Condition) int { return cmp.Compare(a.Accuracy, b.Accuracy) })
	switch {
	case len(unmeasured) > 0:
		f.Says = append(f.Says, unread(unmeasured, len(methods)), try(unmeasured))
	case right == 0:
		f.NobodyIs = true
		f.Says = append(f.Says, nobody(methods))
	case best.Accuracy < guess:
		f.Says = append(f.Says, fmt.Sprintf("No condition reaches chance: the best one, %s, is right on %.3f, and the "+
			"same answer to all questions on %.3f. Try easier questions, another prompt set or a stronger model.",
			best.Name, best.Accuracy, guess))
	}
	if text := empty(methods); text != "" {
		f.Says = append(f.Says, text)
	}
	return f
}

// empty says how many replies have no text, so that others have nothing to be sent; "" if all have one.
func empty(conditions []Condition) string {
	var sum Reading
	for _, c := range conditions {
		sum = sum.plus(c.Reading)
	}
	if sum.Empty == 0 {
		return ""
	}
	says := fmt.Sprintf("Without a text that others could be sent: %s of %s replies", wording.Comma(sum.Empty),
		wording.Comma(sum.Answers))
	if sum.Unfinished == 0 {
		return says + "."
	}
	return says + fmt.Sprintf(". %s of these end within their reasoning or at the limit of tokens: a higher "+
		"--max-tokens leaves room for what follows.", wording.Comma(sum.Unfinished))
}

// nobody says that no debate was right, and where conditions differ all the same: in how right they are in part.
func nobody(conditions []Condition) string {
	counted := wording.Count(debates(conditions), "debate")
	byPart := func(a, b Condition) int { return cmp.Compare(a.Partial, b.Partial) }
	low, high := slices.MinFunc(conditions, byPart), slices.MaxFunc(conditions, byPart)
	if low.Degree != "" && low.Partial < high.Partial {
		return fmt.Sprintf("Nobody was right in full, under any condition: by accuracy %s tell nothing apart. By %s, "+
			"what is right in part, conditions differ: from %.3f (%s) to %.3f (%s).", counted, low.Degree, low.Partial,
			low.Name, high.Partial, high.Name)
	}
	return fmt.Sprintf("Nobody was right, under any condition: %s tell nothing apart. Try easier questions, another "+
		"prompt set or a stronger model.", counted)
}

func debates(conditions []Condition) (n int) {
	for _, c := range conditions {
		n += c.N
	}
	return n
}

// mostNamed is how many conditions a sentence names.
const mostNamed = 4

// unread says that, and where, too few replies say what their agents answer.
func unread(conditions []Condition, of int) string {
	told, counted := 0, 0
	var parts []string
	for _, c := range conditions {
		n, all := c.readCounts()
		told, counted = told+n, counted+all
		if len(parts) < mostNamed {
			parts = append(parts, fmt.Sprintf("%s %d of %d", c.Name, n, all))
		}
	}
	if more := len(conditions) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	where := "The answers were not measured"
	if len(conditions) < of {
		where = fmt.Sprintf("The answers of %d of %d conditions were not measured", len(conditions), of)
	}
	what := "state their answer"
	if conditions[0].Reading.Told() == 0 {
		what = "have an answer that could be read"
	}
	return fmt.Sprintf("%s: %d of %d replies (%.0f %%) %s (%s), and %.0f %% is the least by which conditions are "+
		"compared.", where, told, counted, 100*stat.Share(told, counted), what, strings.Join(parts, ", "),
		100*leastMeasured)
}

// try says what may help, by what became of the replies.
func try(conditions []Condition) string {
	var sum Reading
	for _, c := range conditions {
		sum = sum.plus(c.Reading)
	}
	var hints []string
	hint := func(n int, text string) {
		if float64(n) >= often*float64(max(1, sum.Answers)) {
			hints = append(hints, fmt.Sprintf("%d %s", n, text))
		}
	}
	hint(sum.How[answer.ByClosing], "state nothing, so that their answers are of closing turns, which ask for it alone"+
		sum.disputed())
	hint(sum.Looped, "repeat themselves: a lower --temperature, another prompt set or, with parley compare, a "+
		"--repeat-penalty")
	hint(sum.AtLimit, "end at the limit of tokens: a higher --max-tokens, or prompts that ask for less")
	hint(sum.How[answer.NoOption], "name none of the options: prompts that ask for a letter")
	// which command held the debates, a report does not know
	text := "Try prompts that ask for the answer in the form that the rule reads (parley compare: --prompts, " +
		"--answer; parley run: --set prompts=NAME, --rule)"
	if len(hints) == 0 {
		return text + "."
	}
	return fmt.Sprintf("%s. Of %d replies, %s.", text, sum.Answers, strings.Join(hints, "; "))
}
