package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
)

// Legend explains the rows and columns of Table; times says whether the table has the engine's time.
func (c Comparison) Legend(times bool) string {
	out, costs := "", "calls and tokens"
	if times && c.Work().Known() {
		costs = "calls, tokens and engine time"
	}
	names := c.meanings()
	for _, n := range names {
		out += fmt.Sprintf("  %-*s %s\n", names.width(), n.name, n.meaning)
	}
	if !task.Scored(c.Measure) {
		out += fmt.Sprintf("  %-*s accuracy %.3f: the best constant answer, on the whole task\n", names.width(),
			constantGuess, c.Guess)
	}
	out += strings.Join(c.Methods(), ";\n") + "\n"
	out += fmt.Sprintf("unparsed: replies to the question without a readable answer, never right; %s are "+
		"counted as if nothing were shared\n", costs)
	if c.told() && c.closed() {
		out += "right of these: of the replies that state their answer, without a closing turn, those that are right\n"
	}
	if times && !c.Work().Known() {
		out += "time –: how long the engine computed is not recorded\n"
	}
	return out
}

// constantGuess is the control that needs no model.
const constantGuess = "constant guess"

// legend explains names of conditions.
type legend []struct{ name, meaning string }

// width is the number of columns that the longest name takes, at least that of the constant guess and three more.
func (l legend) width() int {
	width := len(constantGuess) + 3
	for _, entry := range l {
		width = max(width, len(entry.name))
	}
	return width
}

// meanings has an entry for each row; neighbours with the same meaning, such as the points of a sweep, share one.
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

// Methods says in clauses how intervals and p-values are computed, what they are about, and how a run that might stop
// early ended. The legend of the terminal and the caption of the report quote it. Only what the run has is explained,
// so that each clause is about something in the table.
func (c Comparison) Methods() []string {
	var clauses []string
	tests := c.tests()
	compared := 0
	for _, n := range tests {
		compared += n
	}
	if compared > 0 {
		clauses = append(clauses,
			fmt.Sprintf("%s; %s: paired difference on the same questions", c.intervals(), c.differenceTitle()),
			fmt.Sprintf("p: %s test, two-sided, Holm-corrected for %s", testNames(tests), wording.Count(compared,
				"comparison")))
		if noise := c.NoiseText(); noise != "" {
			clauses = append(clauses, noise)
		}
	} else {
		clauses = []string{c.intervals()}
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Same != nil }) {
		clauses = append(clauses, sameMeans)
	}
	if duplicates := c.duplicates(); duplicates != "" {
		clauses = append(clauses, duplicates)
	}
	if clusters := c.byCluster(); clusters != "" {
		clauses = append(clauses, clusters)
	}
	if samples := c.Samples(); samples > 0 {
		clauses = append(clauses, wording.AboutSamples(samples))
	}
	if c.failed() {
		clauses = append(clauses,
			"failed: debates that could not be held; no accuracy counts them, and a difference leaves them out on "+
				"both sides")
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Partial != nil }) {
		clauses = append(clauses, fmt.Sprintf("%s: mean over questions, with an interval over them", c.degree()))
	}
	if detectable := c.detectable(); detectable != "" {
		clauses = append(clauses, detectable)
	}
	if method := equivalenceMethod(c.EquivalenceName(), c.tests()); c.Equivalence > 0 && method != "" {
		clauses = append(clauses, method)
	}
	if c.Stopped != nil {
		clauses = append(clauses, c.Stopped.sentence())
	}
	return clauses
}

// duplicates says why conditions share a row and a bound has no p, "" if none does.
func (c Comparison) duplicates() string {
	var says []string
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.DuplicateOf != "" }) {
		says = append(says, "names joined by =: conditions that sent and decided the same in all debates, tested once")
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Above != nil }) {
		says = append(says, "a bound is no method, and not tested")
	}
	return strings.Join(says, "; ")
}

// tests counts the tests that give the p-values, by name.
func (c Comparison) tests() map[string]int {
	tests := make(map[string]int)
	for _, r := range c.Rows {
		if r.Paired != nil && r.DuplicateOf == "" {
			tests[r.Paired.Test]++
		}
	}
	return tests
}

// testNames are the tests in words, by how often each gives a p-value. Cases are in the order of what leaves least to
// say: at most two kinds of tests occur in one table, since stopping early and clusters hold for all of its rows.
func testNames(tests map[string]int) string {
	once := tests[TestMcNemar] + tests[TestSamples]
	switch {
	case tests[TestFisher] > 0 && once > 0:
		return "exact McNemar (where repeats do not pair: Fisher's exact)"
	case tests[TestFisher] > 0:
		return "Fisher's exact"
	case tests[TestSequential] > 0:
		return "always-valid sequential"
	case tests[TestClusters] > 0:
		return "cluster permutation"
	case tests[TestFlip] > 0 && once > 0:
		return "exact McNemar (of repeats, groups and other measures: permutation)"
	case tests[TestFlip] > 0:
		return "permutation"
	}
	return "exact McNemar"
}

// intervals says how the intervals of accuracies are computed.
func (c Comparison) intervals() string {
	repeats := 0
	for _, r := range c.Rows {
		if r.Repeats != nil {
			repeats = max(repeats, r.Repeats.N)
		}
	}
	switch {
	case repeats > 0 && c.Samples() > 0:
		return fmt.Sprintf("accuracy over %d repeats with Wilson interval; ± is the deviation over repeats", repeats)
	case repeats > 0:
		return fmt.Sprintf("accuracy over %d repeats, ± their deviation; interval over questions, each with all "+
			"its repeats", repeats)
	}
	return "accuracy with Wilson interval"
}

// byCluster says what the clusters are, "" if there are none.
func (c Comparison) byCluster() string {
	if c.Cluster == "" {
		return ""
	}
	most, rows := 0, 0
	for _, r := range c.Rows {
		most, rows = max(most, r.Clusters), max(rows, r.Questions)
	}
	if c.Cluster == task.EqualQuestions {
		return fmt.Sprintf("%s, %s: intervals and tests of this table count with questions, not with rows",
			wording.Count(rows, "row"), wording.Count(most, "different question"))
	}
	return fmt.Sprintf("intervals and tests of this table count with %s of questions by %s, not with single questions",
		wording.Count(most, "cluster"), c.Cluster)
}

// differenceTitle is the head of the column of differences.
func (c Comparison) differenceTitle() string {
	if c.oneReference() {
		return "vs " + c.Reference
	}
	return "difference"
}

// oneReference reports whether all rows are compared with the same condition. Points of a sweep are compared with the
// points of another sweep that have the same values.
func (c Comparison) oneReference() bool {
	return !slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Paired != nil && r.Paired.Against != c.Reference })
}

// Samples is how often the only question was asked, 0 if there are several questions. The repeats of a single question
// are the units of its intervals and tests, which then say nothing of other questions.
func (c Comparison) Samples() (most int) {
	for _, r := range c.Rows {
		if r.Questions > 1 {
			return 0
		}
		most = max(most, r.N)
	}
	return most
}

// failed reports whether any debate failed.
func (c Comparison) failed() bool {
	return slices.ContainsFunc(c.Rows, func(r Row) bool { return r.Failed > 0 })
}

// detectable says how small a difference the run could detect, about: that is estimated from the run itself.
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
		least += " to " + most + ", depending on the condition,"
	}
	return fmt.Sprintf("a true difference of %s would be detected with power near %g at p %g, uncorrected; smaller "+
		"ones less often", least, power, alpha)
}
