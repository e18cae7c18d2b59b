package analysis

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/bench/stat"
	"parley/bench/table"
	"parley/bench/wording"
	"parley/inference"
)

// Write prints the table, what its rows mean, and what the scheduler saved.
func (c Comparison) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\n%s\n%s", c.Table(true), c.Legend(true), Savings(c.Stats))
	return errors.Join(err, WriteFailures(w, "failed:", c.Failed))
}

// WriteFailures lists debates that could not be held, not all where they are many.
func WriteFailures(w io.Writer, what string, failures []string) error {
	const shown = 10
	for _, failure := range failures[:min(shown, len(failures))] {
		if _, err := fmt.Fprintln(w, what, failure); err != nil {
			return err
		}
	}
	if more := len(failures) - shown; more > 0 {
		_, err := fmt.Fprintf(w, "%s %s more, which --json lists\n", what, wording.Comma(more))
		return err
	}
	return nil
}

// Table has a row for each condition, with the engine's time or without.
func (c Comparison) Table(times bool) string {
	repeats := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Repeats != nil })
	partial := slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Partial != nil })
	failed, oneReference := c.failed(), c.oneReference()
	return table.New([]table.Column[Row]{
		table.Left("condition", func(r Row) string { return r.Condition }),
		table.Right("n", func(r Row) string { return fmt.Sprint(r.N) }),
		{Name: "failed", Hidden: !failed, Text: func(r Row) string { return fmt.Sprint(r.Failed) }},
		table.Right("accuracy", func(r Row) string { return r.ofDebates("%.3f", r.Accuracy) }),
		table.Right("95 % interval", func(r Row) string {
			return r.ofDebates("%.3f – %.3f", r.Interval.Low, r.Interval.High)
		}),
		{Name: c.degree(), Hidden: !partial, Text: Row.inPart},
		{Name: "± repeats", Hidden: !repeats, Text: Row.deviation},
		{Name: "vs", Hidden: oneReference, Text: func(r Row) string {
			return r.against(func(p Paired) string { return p.Against })
		}},
		table.Right(c.compared(), func(r Row) string {
			return r.against(func(p Paired) string { return fmt.Sprintf("%+.3f", p.Difference) })
		}),
		table.Right("p", func(r Row) string {
			return r.against(func(p Paired) string { return wording.Probability(p.Holm) })
		}),
		table.Right("unparsed", Row.unparsed),
		table.Right("calls", func(r Row) string { return fmt.Sprint(r.Replies) }),
		table.Right("tokens", func(r Row) string { return wording.Comma(r.Tokens) }),
		{Name: "time", Hidden: !times, Text: func(r Row) string { return fmt.Sprintf("%7.1f s", r.Milliseconds/1000) }},
	}, c.Rows).Terminal()
}

// ofDebates are numbers as a text, a dash where no debate was held, as when no question was a candidate.
func (r Row) ofDebates(format string, numbers ...any) string {
	if r.N == 0 {
		return table.Absent
	}
	return fmt.Sprintf(format, numbers...)
}

// unparsed is the share of replies, a dash of none.
func (r Row) unparsed() string {
	if r.Replies == 0 {
		return table.Absent
	}
	return fmt.Sprintf("%.1f %%", 100*stat.Share(r.UnparsedReplies, r.Replies))
}

// deviation is that of the accuracy over repeats.
func (r Row) deviation() string {
	if r.Repeats == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", r.Repeats.Deviation)
}

// inPart is how right the row is by degrees, with its interval.
func (r Row) inPart() string {
	switch {
	case r.Partial == nil:
		return ""
	case r.Partial.Interval == nil:
		return fmt.Sprintf("%.3f", r.Partial.Mean)
	}
	return fmt.Sprintf("%.3f (%.3f – %.3f)", r.Partial.Mean, r.Partial.Interval.Low, r.Partial.Interval.High)
}

// against is empty in the row of the reference.
func (r Row) against(text func(Paired) string) string {
	if r.Paired == nil {
		return ""
	}
	return text(*r.Paired)
}

// Legend says what the rows and columns are.
func (c Comparison) Legend(times bool) string {
	out, costs := "", "calls and tokens"
	if times {
		costs = "calls, tokens and engine time"
	}
	names := c.meanings()
	for _, n := range names {
		out += fmt.Sprintf("  %-*s %s\n", names.width(), n.name, n.meaning)
	}
	out += fmt.Sprintf("  %-*s accuracy %.3f: the most frequent target, always\n", names.width(), constantGuess,
		c.Guess)
	out += strings.Join(c.Methods(), ";\n") + "\n"
	return out + fmt.Sprintf("unparsed: replies without a readable answer, never right; %s as if nothing were shared\n",
		costs)
}

// constantGuess is the control that needs no model.
const constantGuess = "constant guess"

// legend explains conditions.
type legend []struct{ name, meaning string }

// width is that of the names.
func (l legend) width() int {
	width := len(constantGuess) + 3
	for _, entry := range l {
		width = max(width, len(entry.name))
	}
	return width
}

// meanings are those of the rows; neighbours that mean the same, such as the steps of a sweep, have one entry.
func (c Comparison) meanings() (l legend) {
	for i, r := range c.Rows {
		switch last := len(l) - 1; {
		case i == 0 || l[last].meaning != r.Meaning:
			l = append(l, struct{ name, meaning string }{r.Condition, r.Meaning})
		case strings.Contains(l[last].name, " to "):
			first, _, _ := strings.Cut(l[last].name, " to ")
			l[last].name = first + " to " + r.Condition
		default:
			l[last].name += " to " + r.Condition
		}
	}
	return l
}

// Methods says in clauses how intervals and p came about, what they are about, and how a run that might stop early
// ended.
func (c Comparison) Methods() []string {
	var clauses []string
	tests := c.tests()
	compared := 0
	for _, n := range tests {
		compared += n
	}
	if compared > 0 {
		clauses = append(clauses,
			fmt.Sprintf("%s; %s: paired difference on the same questions", c.intervals(), c.compared()),
			fmt.Sprintf("p: %s test, two-sided, corrected by Holm for %s", testNames(tests), wording.Count(compared,
				"comparison")))
	} else {
		clauses = []string{c.intervals()}
	}
	if samples := c.Samples(); samples > 0 {
		clauses = append(clauses, wording.AboutSamples(samples))
	}
	if c.failed() {
		clauses = append(clauses,
			"failed: debates that could not be held; no accuracy counts them, and differences are of debates that "+
				"both could hold")
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Partial != nil }) {
		clauses = append(clauses, fmt.Sprintf("%s: mean over questions, with a t interval over them", c.degree()))
	}
	if detectable := c.detectable(); detectable != "" {
		clauses = append(clauses, detectable)
	}
	if c.Stopped != nil {
		clauses = append(clauses, c.Stopped.sentence())
	}
	return clauses
}

// tests counts those that give p.
func (c Comparison) tests() map[string]int {
	tests := make(map[string]int)
	for _, r := range c.Rows {
		if r.Paired != nil {
			tests[r.Paired.Test]++
		}
	}
	return tests
}

func testNames(tests map[string]int) string {
	once := tests[TestMcNemar] + tests[TestSamples]
	switch {
	case tests[TestFisher] > 0 && once > 0:
		return "exact McNemar (where repeats do not pair: Fisher's exact)"
	case tests[TestFisher] > 0:
		return "Fisher's exact"
	case tests[TestSequential] > 0:
		return "always-valid sequential"
	case tests[TestFlip] > 0 && once > 0:
		return "permutation (where a question was asked once: exact McNemar)"
	case tests[TestFlip] > 0:
		return "permutation"
	}
	return "exact McNemar"
}

// intervals says how those of accuracies are made.
func (c Comparison) intervals() string {
	repeats := 0
	for _, r := range c.Rows {
		if r.Repeats != nil {
			repeats = max(repeats, r.Repeats.N)
		}
	}
	switch {
	case repeats > 0 && c.Samples() > 0:
		return fmt.Sprintf("accuracy over %d repeats with Wilson interval; ± is their deviation", repeats)
	case repeats > 0:
		return fmt.Sprintf("accuracy over %d repeats, whose deviation is ±; interval over questions, each with all "+
			"its repeats", repeats)
	}
	return "accuracy with Wilson interval"
}

// compared says what with.
func (c Comparison) compared() string {
	if c.oneReference() {
		return "vs " + c.Reference
	}
	return "difference"
}

// oneReference reports whether all rows are compared with one condition; points of sweeps are with those of equal
// values.
func (c Comparison) oneReference() bool {
	return !slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Paired != nil && r.Paired.Against != c.Reference })
}

// Samples is how often the question was asked, if there is but one; else 0.
func (c Comparison) Samples() (most int) {
	for _, r := range c.Rows {
		if r.Questions > 1 {
			return 0
		}
		most = max(most, r.N)
	}
	return most
}

// failed reports whether a debate could not be held.
func (c Comparison) failed() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Failed > 0 })
}

// detectable says how small a difference the run could see.
func (c Comparison) detectable() string {
	var seen []float64
	for _, r := range c.Rows {
		if r.Paired != nil && r.Paired.Detectable != nil {
			seen = append(seen, *r.Paired.Detectable)
		}
	}
	if len(seen) == 0 {
		return ""
	}
	least, most := fmt.Sprintf("%.2f", slices.Min(seen)), fmt.Sprintf("%.2f", slices.Max(seen))
	if least != most {
		least += " to " + most + ", by condition,"
	}
	return fmt.Sprintf("a true difference of %s would be found with power %g at p %g, uncorrected; a smaller one "+
		"more seldom", least, power, alpha)
}

// Savings says in words what the scheduler did, from its own counts.
func Savings(s inference.Stats) string {
	return fmt.Sprintf(`
prompt tokens  %s asked, %s computed: %.1f %% saved by sharing prefixes and equal generations
generations    %s computed, %s more requests were given an equal one
generated      %s tokens, %s tokens/s; prefill %s tokens/s%s
batches        %s steps, %.1f of %d rows filled on average; at most %d generations at once, %s of %s KV cells
`,
		wording.Comma(s.PromptAsked), wording.Comma(s.PromptComputed), 100*stat.Share(s.PromptSaved(), s.PromptAsked),
		wording.Comma(s.Generations), wording.Comma(s.Joined),
		wording.Comma(s.Decoded), rate(s.Decoded, s.DecodeDuration), rate(s.PromptComputed, s.PrefillDuration),
		drafts(s),
		wording.Comma(s.Steps), float64(s.Rows)/float64(max(1, s.Steps)), s.BatchCapacity, s.PeakSequences,
		wording.Comma(s.PeakCells),
		wording.Comma(s.Cells))
}

// drafts says what speculation came to, if there was any.
func drafts(s inference.Stats) string {
	if s.Drafted == 0 {
		return ""
	}
	return fmt.Sprintf("; %s of %s drafted ones accepted", wording.Comma(s.Accepted), wording.Comma(s.Drafted))
}

func rate(tokens int, d time.Duration) string {
	if d <= 0 {
		return table.Absent
	}
	return wording.Comma(int(float64(tokens) / d.Seconds()))
}
