package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
)

// largestP is the largest adjusted p that a verdict calls a difference, as the tables do. Every verdict compares the
// adjusted p with it, never the interval, which is not adjusted: unadjusted explains where the two seem to disagree.
const largestP = 0.05

// mostSpelled is how many comparisons a verdict spells out. Of more it gives the counts, and spells out the clearest
// one alone.
const mostSpelled = 2

// mostBrief is how many further comparisons a verdict names in one sentence.
const mostBrief = 12

// headlineContrasts returns the comparisons that a report of a run begins with: the contrasts that were asked for or,
// without any, the reference against its rivals or, without any of these, the first condition that is a method. In both
// cases, all other methods follow that differ significantly.
func (s study) headlineContrasts() []contrasted {
	list, rivals := contrastsOf(s), trial.Rivals()
	why, rows := byDefault, slices.DeleteFunc(s.rowsOf(s.Comparison.Rows),
		func(r row) bool { return r.Paired == nil || r.Apart() })
	if len(list) > 0 {
		why, rivals = beside, nil
	}
	rank := func(r row) int {
		if i := slices.Index(rivals, r.Condition); i >= 0 && !slices.Contains(rivals, r.Paired.Against) {
			return i
		}
		return len(rivals)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(rank(a), rank(b)) })
	for _, r := range rows {
		k := contrasted{Contrast: contrast.Between(r.Condition, r.Paired.Against), Of: s.Header.Task, Paired: r.Paired,
			why: why}
		named := slices.ContainsFunc(list, func(o contrasted) bool { return o.Measure == "" && o.sameSides(k) })
		if !named && (len(list) == 0 || rank(r) < len(rivals) || r.Paired.Holm <= largestP) {
			list = append(list, k)
		}
	}
	return list
}

// sameSides reports whether two comparisons are of the same two conditions.
func (k contrasted) sameSides(o contrasted) bool {
	return slices.Equal(k.First, o.First) && slices.Equal(k.Second, o.Second) ||
		slices.Equal(k.First, o.Second) && slices.Equal(k.Second, o.First)
}

// meanings says in words what the conditions of runs are, by their names.
func meanings(studies []study) map[string]string {
	words := make(map[string]string)
	for _, s := range studies {
		conditions, err := s.Header.ConditionsOf()
		if err != nil {
			continue // the names have to do
		}
		for _, c := range conditions {
			words[c.Name] = cmp.Or(words[c.Name], inWords(c))
		}
	}
	return words
}

// inWords says in a few words what a condition is: a debate by its size, a control by its meaning; "" where neither is
// known, or the meaning is long.
func inWords(c trial.Condition) string {
	const most = 90
	agents, meaning := c.Agents, c.Meaning
	if c.Protocol != nil {
		agents = c.Protocol.FormOf().AgentsOf(c.Protocol.Settings)
	}
	after, isDebate := strings.CutPrefix(meaning, "debate")
	if c.Name == trial.Reference {
		after = ""
	}
	own := c.Protocol != nil && !strings.HasPrefix(c.Protocol.Source, trial.ControlOf)
	switch {
	case own && c.Protocol.FormOf().Prior == debate.PriorNone && agents > 1 && c.Rounds != 1:
		isDebate, after = true, ""
		fallthrough
	case isDebate && agents > 0:
		size := "debate of " + wording.Count(agents, "agent")
		if c.Rounds > 0 {
			size += ", " + wording.Count(c.Rounds, "round")
		}
		return size + after
	case utf8.RuneCountInString(meaning) > most:
		return ""
	}
	return meaning
}

// named is a side of a comparison, with what it is where it is told for the first time.
func (k contrasted) named(written string) string {
	text := side(written)
	if words := k.words[written]; words != "" {
		text += " (" + words + ")"
	}
	delete(k.words, written)
	return text
}

// brief is a comparison in half a sentence.
func (k contrasted) brief(many bool) string {
	first, second := k.Sides()
	of := ""
	if many {
		of, _, _ = strings.Cut(k.Of, ": ")
		of += ": "
	}
	of += ifText(k.Measure != "", "by "+k.Measure+", ")
	return fmt.Sprintf("%s%s (%s, adjusted p %s)", of,
		strings.TrimSuffix(k.judgement(k.named(first), k.named(second)), "."), k.Paired.Signed(),
		wording.Probability(k.Paired.Holm))
}

// briefly names comparisons in one sentence, if there are any.
func briefly(begin string, list []contrasted, many bool) []string {
	var parts []string
	for i, k := range list {
		if i == mostBrief {
			parts = append(parts, fmt.Sprintf("and %d more, which are in the tables", len(list)-i))
			break
		}
		parts = append(parts, k.brief(many))
	}
	if parts == nil {
		return nil
	}
	return []string{begin + strings.Join(parts, "; ") + "."}
}

// neverApplied names the conditions of runs that differ in nothing from the one that they are compared with. It is part
// of every verdict, since such a row looks like a result of no effect.
func neverApplied(studies []study) (says []string) {
	for _, s := range studies {
		same := make(map[string][]string) // by the condition that they are compared with
		var order []string
		for _, r := range s.Comparison.Rows {
			if r.Same != nil {
				order = appendNew(order, r.Same.Against)
				same[r.Same.Against] = append(same[r.Same.Against], r.Condition)
			}
		}
		of := ifText(len(studies) > 1, cmp.Or(s.Label, s.Header.Task)+": ")
		for _, against := range order {
			says = append(says, fmt.Sprintf("%sThe treatment was never applied under %s: in all debates the same "+
				"was sent, "+
				"and decided, as under %s, so that there is nothing to compare.", of,
				wording.List(same[against]), against))
		}
	}
	return says
}

// sound says how a report begins: with what its runs did not measure. It also returns the comparisons of which there is
// something to say. An average over runs is left out if one of these runs has nothing to compare.
func sound(list []contrasted, studies []study) (says []string, comparable []contrasted) {
	findings := make(map[string]validity.Finding) // the keys are what contrasted.Of can be for a single run
	for _, s := range studies {
		f := s.Comparison.Validity()
		of := cmp.Or(s.Label, s.Header.Task)
		findings[of] = f
		for i, text := range slices.Concat(f.Says, s.Comparison.InVain()) {
			if i == 0 && len(studies) > 1 {
				text = of + ": " + text
			}
			says = append(says, text)
		}
	}
	for _, k := range list {
		bad := false
		for of, f := range findings {
			bad = bad || (k.Pooled || k.Of == of || strings.HasSuffix(k.Of, ", "+of)) &&
				!f.Comparable(k.conditions()...)
		}
		if k.Same > 0 || !bad {
			comparable = append(comparable, k)
		}
	}
	return says, comparable
}

// averagedFirst keeps, of each contrast that has averages over tasks or runs, only these.
func averagedFirst(list []contrasted) []contrasted {
	averaged := make(map[string]bool)
	for _, k := range list {
		averaged[k.Name] = averaged[k.Name] || k.Pooled
	}
	return slices.DeleteFunc(slices.Clone(list), func(k contrasted) bool { return averaged[k.Name] && !k.Pooled })
}

// conclude says in one sentence each, or for many in a few, what comparisons of studies show: it names all that are
// significant. With several tasks or runs, many, it names what each is of. Where nobody asked for contrasts, it begins
// with the most telling one on all tasks, or in all runs.
func conclude(all []contrasted, many bool, studies ...study) (says []string) {
	words := meanings(studies)
	var list, others []contrasted
	for _, k := range all {
		if k.words = words; k.why == beside {
			others = append(others, k)
		} else {
			list = append(list, k)
		}
	}
	var also []contrasted
	if len(list) > mostSpelled && list[0].why == byDefault {
		list, also = mostTelling(list, many)
	}
	if len(list) > mostSpelled {
		says = summarize(list, many)
	} else {
		for _, k := range list {
			says = append(says, k.conclusion(many))
		}
	}
	says = append(says, briefly("Also: ", also, many)...)
	says = append(says, briefly("What was not asked for, and differs too: ", others, many)...)
	return append(says, noises(studies)...)
}

// noises say of each run that was repeated how far conditions differ from themselves.
func noises(studies []study) (says []string) {
	for _, s := range studies {
		if c := s.Comparison; c.Noise != nil && c.NoiseText() != "" {
			says = append(says, ifText(len(studies) > 1, cmp.Or(s.Label, s.Header.Task)+": ")+sentence(c.NoiseText()))
		}
	}
	return says
}

// mostTelling divides comparisons that nobody asked for into those of the first pair of conditions, on all tasks or in
// all runs, and others. Of single tasks or runs these are the significant ones.
func mostTelling(list []contrasted, many bool) (first, others []contrasted) {
	for _, k := range list {
		switch {
		case k.Name == list[0].Name:
			first = append(first, k)
		case k.Paired != nil && (!many || k.Pooled || k.significant()):
			others = append(others, k)
		}
	}
	return first, others
}

// significant reports whether the two sides were found to differ.
func (k contrasted) significant() bool { return k.Paired != nil && k.Paired.Holm <= largestP }

// tally is what many comparisons show: how many of each kind, and the one of the smallest p, if any was tested.
type tally struct {
	higher, lower, untested, same, equivalent int
	clearest                                  contrasted
}

func (t *tally) add(k contrasted) {
	switch {
	case k.Same > 0:
		t.same++
		return
	case k.Paired == nil:
		t.untested++
		return
	case k.Paired.Holm > largestP:
		if k.shown() == pairs.Equivalent {
			t.equivalent++
		}
	case k.Paired.Difference > 0:
		t.higher++
	default:
		t.lower++
	}
	if t.clearest.Paired == nil || k.Paired.Holm < t.clearest.Paired.Holm {
		t.clearest = k
	}
}

// summarize counts what many comparisons show, spells out the clearest, and names the others that are significant.
func summarize(list []contrasted, many bool) (says []string) {
	var t tally
	for _, k := range list {
		t.add(k)
	}
	more, less := "better", "worse"
	if slices.ContainsFunc(list, func(k contrasted) bool { return !k.tellsBetter() }) {
		more, less = "higher", "lower"
	}
	all, apart := wording.Count(len(list), "comparison"), t.higher+t.lower
	text := fmt.Sprintf("Of %s, the first side is %s in %d and %s in %d, and in %d the two cannot be told apart", all,
		more, t.higher, less, t.lower, len(list)-apart-t.untested-t.same)
	switch {
	case t.clearest.Paired == nil:
		text = fmt.Sprintf("None of %s could be tested", all)
	case apart == 0:
		text = fmt.Sprintf("In none of %s can the two sides be told apart", all)
	}
	if t.equivalent > 0 {
		text += fmt.Sprintf(" (of which %s equivalent)", verb(t.equivalent, "1 is", fmt.Sprintf("%d are",
			t.equivalent)))
	}
	if t.same > 0 {
		text += fmt.Sprintf("; in %d the treatment was never applied, as both sides were sent the same", t.same)
	}
	if t.untested > 0 && t.clearest.Paired != nil {
		text += fmt.Sprintf("; %d could not be tested", t.untested)
	}
	if says = append(says, text+"."); t.clearest.Paired != nil {
		says = append(says, t.clearest.asClearest(list, many))
	}
	return append(says, briefly("Significant too: ", slices.DeleteFunc(slices.Clone(list), func(k contrasted) bool {
		return k.Same > 0 || !k.significant() || k.Paired == t.clearest.Paired
	}), many)...)
}

// asClearest is the sentence about the comparison of the smallest p. If adjustment makes all p 1, none is the smallest,
// and the largest difference is told in its place, with what the questions could have detected.
func (k contrasted) asClearest(list []contrasted, many bool) string {
	if k.Paired.Holm < 1 {
		return "The smallest p: " + k.conclusion(many)
	}
	for _, other := range list {
		if other.Paired != nil && math.Abs(other.Paired.Difference) > math.Abs(k.Paired.Difference) {
			k = other
		}
	}
	detects := "so few questions detect no difference"
	if d := k.Paired.Detectable; d != nil {
		detects = fmt.Sprintf("as many questions detect one of %.3f or more (power near 0.8 at p 0.05, unadjusted)", *d)
	}
	return fmt.Sprintf("All adjusted p are 1.000; %s. The largest difference: %s", detects, k.conclusion(many))
}

// conclusion returns the sentence about one comparison. It asks for Same before Paired: where nothing differs, nothing
// is tested, and a missing test alone would be put down to too few questions.
func (k contrasted) conclusion(many bool) string {
	first, second := k.Sides()
	first, second = k.named(first), k.named(second)
	of := ""
	if many {
		of, _, _ = strings.Cut(k.Of, ": ")
		of += ": "
	}
	if k.Same > 0 {
		return capital(fmt.Sprintf("%sThe treatment was never applied: %s and %s were sent, and decided, the same "+
			"in all "+
			"%s, so that there is nothing to compare.", of, first, second, wording.Count(k.Same, "debate")))
	}
	if k.Untested != "" {
		of += ifText(k.Measure != "", "by "+k.Measure+", ")
		return capital(fmt.Sprintf("%s%s could not be compared with %s: %s.", of, first, second, k.Untested))
	}
	if k.Paired == nil {
		return capital(fmt.Sprintf("%s%s could not be compared with %s, as they have too few questions in common.", of,
			first, second))
	}
	of += ifText(k.Measure != "", "by "+k.Measure+", ")
	return capital(of + k.judgement(first, second) + fmt.Sprintf(" The difference in %s is %s (95 %% "+
		"interval %s, adjusted p %s, %s%s).", cmp.Or(k.Measure, analysis.MeasureAccuracy),
		k.Paired.Signed(), between("%+.3f", k.Paired.Interval),
		wording.Probability(k.Paired.Holm), k.about(), k.margin()+k.explainAdjustedP()))
}

// judgement says which side is better, if that is known, and what is known of their equivalence.
func (k contrasted) judgement(first, second string) string {
	shown := k.shown()
	switch {
	case k.Paired.Holm <= largestP:
		words := []string{"lower", "higher"}
		if k.tellsBetter() {
			words = []string{"worse", "better"}
		}
		word := words[0]
		if k.Paired.Difference > 0 {
			word = words[1]
		}
		text := fmt.Sprintf("%s is %s than %s", first, word, second)
		if shown == pairs.Equivalent {
			text += ", but the difference is within the margin that counts as equivalent"
		}
		if k.Paired.Noise {
			text += ", but by no more than a condition differs from itself"
		}
		return text + "."
	case shown == pairs.Equivalent:
		return fmt.Sprintf("%s and %s are equivalent.", first, second)
	case shown == pairs.NotInferior:
		return fmt.Sprintf("%s cannot be told apart from %s, and is not inferior to it.", first, second)
	case shown == pairs.NotShown:
		return fmt.Sprintf("%s cannot be told apart from %s, and that they are equivalent is not shown either.", first,
			second)
	}
	return fmt.Sprintf("%s cannot be told apart from %s.", first, second)
}

// shown returns what is known of the equivalence of two sides that were tested, "" if it was not asked.
func (k contrasted) shown() string {
	if k.Paired.Equivalence == nil {
		return ""
	}
	return k.Paired.Equivalence.Verdict
}

// tellsBetter reports whether the side with more of the measure is the better one, as it is by accuracy.
func (k contrasted) tellsBetter() bool {
	m, _ := relation.MeasureOf(k.Measure)
	return k.Measure == "" || m.Better
}

// about says what the numbers of a comparison are about.
func (k contrasted) about() string {
	if t := k.Paired.Test; t == analysis.TestSamples || t == analysis.TestFisher {
		return "samples of one question"
	}
	about := wording.Count(k.Paired.Questions, "question")
	if n := k.Paired.Clusters; n > 0 {
		about += " in " + wording.Count(n, "cluster")
	}
	return about
}

// explainAdjustedP explains an interval without 0 beside a large p, which is adjusted for the number of comparisons.
func (k contrasted) explainAdjustedP() string {
	if i := k.Paired.Interval; k.Paired.Holm > largestP && (i.Low > 0 || i.High < 0) {
		return "; the interval is not adjusted for the number of comparisons, as p is"
	}
	return ""
}

// margin says what a verdict of equivalence rests on, "" without one. The interval has level 90 %, which two one-sided
// tests at 5 % correspond to.
func (k contrasted) margin() string {
	e := k.Paired.Equivalence
	if e == nil {
		return ""
	}
	return fmt.Sprintf("; equivalent would be %s, and the 90 %% interval is %s",
		table.Between("%+.3f", e.Bounds.Low, e.Bounds.High), between("%+.3f", e.Interval))
}

// side writes one side of a contrast in words. A group is recognised by its parenthesis, which no name of a condition
// can begin with.
func side(written string) string {
	if inner, group := strings.CutPrefix(written, "("); group {
		return "the mean of " + wording.List(strings.Split(strings.TrimSuffix(inner, ")"), ", "))
	}
	return written
}

// capital begins a sentence that begins with a word of ours; names of conditions and tasks stay as they are.
func capital(text string) string {
	for _, ours := range []string{"the mean of ", "average of ", "pooled over ", "by "} {
		if strings.HasPrefix(text, ours) {
			first, size := utf8.DecodeRuneInString(text)
			return string(unicode.ToUpper(first)) + text[size:]
		}
	}
	return text
}

// departed says of each run that is not what its plan says in what it is not.
func departed(studies []study) (says []string) {
	for _, s := range studies {
		if len(s.Departures()) > 0 {
			says = append(says, ifText(len(studies) > 1, cmp.Or(s.Label, s.Header.Task)+": ")+s.Followed())
		}
	}
	return says
}

// toGoOn is what the command that goes on with a run follows.
const toGoOn = "To go on: "

// warnUnended warns of a verdict on runs that have not ended, or are shards of one. It returns nil if every run is
// whole.
func warnUnended(studies []study) []string {
	for _, s := range studies {
		if shard := s.Header.Shard; shard != nil {
			return []string{fmt.Sprintf("This is not the result of a run: it is shard %d of %d, with a part of its "+
				"questions. parley merge joins the shards.", shard.Index, shard.Of)}
		}
	}
	if !slices.ContainsFunc(studies, func(s study) bool { return !s.Finished }) {
		return nil
	}
	says := []string{"Not all debates have been held yet, and what they show may change this."}
	for _, s := range studies {
		if line := toGoOn + s.Resume; s.Resume != "" && !slices.Contains(says, line) {
			says = append(says, line)
		}
	}
	return says
}

// publishedWithin says how many of the published numbers that may be compared lie in our intervals. It returns nil if
// none are published. elsewhere counts those for other models or questions.
func publishedWithin(same []pair, elsewhere int) []string {
	within, tested := 0, 0
	for _, p := range same {
		if w := p.within(); w != "" {
			if tested++; w == "yes" {
				within++
			}
		}
	}
	var text string
	switch {
	case len(same)+elsewhere == 0:
		return nil
	case len(same) == 0:
		return []string{fmt.Sprintf("None of %s may be compared with ours: they are for other models or other "+
			"questions.", wording.Count(elsewhere, "published number"))}
	case tested == 0:
		text = fmt.Sprintf("%s may be compared with ours, which %s no interval", wording.Count(len(same),
			"published number"), verb(len(same), "has", "have"))
	default:
		text = fmt.Sprintf("%d of %s that may be compared %s within our 95 %% %s", within,
			wording.Count(tested, "published number"), verb(within, "lies", "lie"),
			verb(tested, "interval", "intervals"))
		if rest := len(same) - tested; rest > 0 {
			text += fmt.Sprintf("; for %d more we have no interval", rest)
		}
	}
	if elsewhere > 0 {
		text += fmt.Sprintf("; %d more %s for other models or other questions", elsewhere, verb(elsewhere, "is", "are"))
	}
	return []string{text + "."}
}

// verb chooses the form of a verb, or of a noun, for n things.
func verb(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// pairsByName returns the published accuracies of --paper as pairs with ours. The user vouches that they may be
// compared, so study.comparable is not asked.
func (s study) pairsByName() (list []pair) {
	for _, n := range s.Published {
		p := pair{}
		p.Task, p.Condition, p.Measure, p.Value = s.Header.Task, n.Condition, analysis.MeasureAccuracy, n.Accuracy
		p.Ours = s.measure(p.Number)
		list = append(list, p)
	}
	return list
}

// settled says what is worth its tokens in runs whose conditions have budgets: they were held to settle that.
func settled(studies []study) (texts []string) {
	for _, s := range studies {
		if s.settles() {
			texts = append(texts, ifText(len(studies) > 1, s.Header.Task+": ")+s.Comparison.Front.Verdict())
		}
	}
	return texts
}
