package reader

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
)

// KindOfQuestion tells from the words of a question what it wants to be answered with: one of its options, which it
// then returns, yes or no, a number, or else words. It knows English only; of a question in another language it finds
// the options.
//
// Options are lettered from A without a gap: "(A) Mars (B) Venus", also as "A) Mars" or, on lines of their own,
// "A. Mars" and "A: Mars".
func KindOfQuestion(question string) (answer.Kind, []string) {
	if options := Listed(question); options != nil {
		return answer.KindChoice, options
	}
	asked := lastSentence(question)
	switch {
	case yesOrNo.MatchString(question), closed.MatchString(asked) && !notClosed.MatchString(asked):
		return answer.KindYesNo, nil
	case counted.MatchString(asked), arithmetic.MatchString(asked):
		return answer.KindNumber, nil
	}
	return answer.KindWords, nil
}

var (
	yesOrNo = regexp.MustCompile(`(?i)\b(?:yes or no|yes/no|true or false|true/false)\b`)
	closed  = regexp.MustCompile(`(?i)^(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|should|` +
		`may|might|must|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|won't)\b.*\?$`)
	// "Is it A or B?", and German
	notClosed  = regexp.MustCompile(`(?i)\bor\b|^was (?:ist|sind|war|hat|wird|macht|bedeutet|kann)\b`)
	counted    = regexp.MustCompile(`(?i)\bhow (?:many|much)\b|\bwhat (?:number|percentage|percent|fraction)\b`)
	arithmetic = regexp.MustCompile(`[0-9)] *(?:[+*/×÷^=]| [-−] ) *[-−]?[(0-9?]`)
)

// lastSentence returns the last sentence that is a question, or else the last one.
func lastSentence(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.LastIndexByte(text, '?'); end >= 0 {
		text = text[:end+1]
	}
	from := strings.LastIndexAny(strings.TrimRight(text, ".!?"), ".!?:\n") + 1
	if from > 0 && from < len(text) && text[from] != ' ' && text[from-1] != '\n' { // a point within a number or a word
		from = strings.LastIndexAny(text[:from], "\n") + 1
	}
	return strings.TrimSpace(text[from:])
}

// lettering are ways to letter options: the letter is the group.
var lettering = []*regexp.Regexp{
	regexp.MustCompile(`\(([A-Za-z])\)`),
	regexp.MustCompile(`(?:^|\s)([A-Za-z])\)\s`),
	regexp.MustCompile(`(?m)^[ \t]*([A-Z])[.:]\s`),
}

// Listed returns the texts of the last list of at least two options in a question, or nil. Options may speak of each
// other, as in "(C) both (A) and (B)".
func Listed(question string) (options []string) {
	for _, letters := range lettering {
		var now, outer list // the list that is being read, and the one in whose last option it may stand
		for _, at := range letters.FindAllStringSubmatchIndex(question, -1) {
			letter, before := strings.ToUpper(question[at[2]:at[3]]), question[:at[0]]
			if outer.from > 0 && now.awaits(letter) && mention.MatchString(before[now.from:]) {
				now, outer = outer, list{}
				continue
			}
			if !now.awaits(letter) && outer.awaits(letter) {
				now, outer = outer, list{}
			}
			switch {
			case now.awaits(letter):
				now = list{append(now.options, trimOption(before[now.from:])), at[1]}
			case letter == "A":
				if len(now.options) > 0 {
					outer = now
				}
				now = list{from: at[1]}
			}
		}
		if len(now.options) == 0 {
			now = outer
		}
		if len(now.options) > 0 {
			return append(now.options, trimOption(firstLine(question[now.from:])))
		}
	}
	return nil
}

// list is one that is being read: from is where the text behind its last letter begins, 0 before the first.
type list struct {
	options []string
	from    int
}

// awaits reports whether a letter is the next one.
func (l list) awaits(letter string) bool {
	return l.from > 0 && letter == string(rune('A'+len(l.options)+1))
}

// mention matches what stands between the letters of options that are spoken of.
var mention = regexp.MustCompile(`(?i)^[ \t]*(?:,?[ \t]*(?:and|or|nor|and/or)|,|&)?[ \t]*$`)

// trimOption removes white space, commas and semicolons around an option.
func trimOption(text string) string { return strings.Trim(text, " \t\r\n,;") }

// firstLine returns a text up to its first line break after its beginning.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	return line
}

// Relisted returns a question with its options in another order: option order[i], counted from 0, under the letter at
// place i. It reports false if order is none of as many options, or the text does not list them as (A), (B) and so on.
func Relisted(q answer.Question, order []int) (answer.Question, bool) {
	options := OptionsOf(q)
	seen := make([]bool, len(options))
	for _, o := range order {
		if o < 0 || o >= len(options) || seen[o] {
			return q, false
		}
		seen[o] = true
	}
	if len(options) < 2 || len(order) != len(options) {
		return q, false
	}
	text, end := "", q.Text
	relisted := make([]string, len(options))
	for i := len(options) - 1; i >= 0; i-- { // from the end: options may speak of earlier ones
		at := strings.LastIndex(end, answer.OptionName(i)+" "+options[i])
		if at < 0 {
			return q, false
		}
		relisted[i] = options[order[i]]
		at += len(answer.OptionName(i) + " ")
		text, end = relisted[i]+end[at+len(options[i]):]+text, end[:at]
	}
	return answer.Question{Text: end + text, Options: relisted}, true
}

// OptionsOf returns the options of a question: those that it has, or else those that its text lists.
func OptionsOf(q answer.Question) []string {
	if len(q.Options) > 0 {
		return q.Options
	}
	return Listed(q.Text)
}

// Relist asks a question with its options in an order that it draws. extract reads the letters of that list and gives
// those of the question.
type Relist func(random *rand.Rand) (order []int, question string, extract answer.Extractor)

// RelistBy returns the Relist of a question whose answers a rule reads; it is nil if Relisted is not possible, or
// answers are no letters.
func RelistBy(rule string, q answer.Question) Relist {
	if answer.KindOf(rule) != answer.KindChoice {
		return nil
	}
	return RelistOf(q, func(seen answer.Question) answer.Extractor {
		extract, _ := RuleFor(rule, seen) // which has read the question as it is
		return extract
	})
}

// RelistOf returns the Relist of a question, whose answers read reads; it is nil if Relisted is not possible.
func RelistOf(q answer.Question, read func(answer.Question) answer.Extractor) Relist {
	n := len(OptionsOf(q))
	if _, ok := Relisted(q, rand.New(rand.NewPCG(0, 0)).Perm(n)); !ok {
		return nil
	}
	fixed := inPlace(OptionsOf(q))
	return func(random *rand.Rand) ([]int, string, answer.Extractor) {
		order := arrange(fixed, random.Perm)
		relisted, _ := Relisted(q, order)
		return order, relisted.Text, answer.Reordered(read(relisted), order)
	}
}

// Rotations returns orders of options that have each of them once at each place that it can take, the first of them as
// they are. What Relist keeps in its place stays there, and nothing gets past it.
func Rotations(options []string) (orders [][]int) {
	fixed, most := inPlace(options), 1
	for k := 0; k < most; k++ {
		orders = append(orders, arrange(fixed, func(n int) []int {
			most = max(most, n)
			places := make([]int, n)
			for i := range places {
				places[i] = (i + k) % n
			}
			return places
		}))
	}
	return orders
}

// arrange makes an order of options in which the fixed ones keep their places, and no other gets past one of them: what
// stands above "all of the above" stays there. Those between two fixed ones are ordered among themselves.
func arrange(fixed []bool, among func(n int) []int) []int {
	order := make([]int, len(fixed))
	for from := 0; from < len(fixed); {
		to := from
		for to < len(fixed) && !fixed[to] {
			to++
		}
		for i, o := range among(to - from) {
			order[from+i] = from + o
		}
		if to < len(fixed) {
			order[to] = to
		}
		from = to + 1
	}
	return order
}

// listed is a letter and, with a sign of repetition behind it, others: "A, B and C".
const listed = `[A-Z]\b(?:(?: ?[,/&] ?|,? (?:and|or|nor|but|und|oder|et|ou|y) )(?:and |or |not )?[A-Z]\b)`

var (
	// aboutOthers matches an option that speaks of others by their places.
	aboutOthers = regexp.MustCompile(`(?i)\b(?:of|the|these|as) (?:the |all )?(?:above|foregoing|aforementioned)\b|` +
		`\b(?:above|below|preceding|previous) (?:options|choices|answers|statements|ones)\b|` +
		`\b(?:first|last|other) (?:two|three|four)\b[^\pL]*$|\b(?:first|second|third|fourth|fifth|last) (?:option|choice|answer)s?\b|` +
		`\b(?:oben genannt|obigen|vorstehenden|anteriores|ci-dessus|precedenti)|以上`)
	// byLetter matches what names options by their letters, which capital finds in it.
	byLetter = regexp.MustCompile(`[(\[][A-Z][)\]]|` +
		`(?i:\b(?:option|choice|answer|both|either|neither|only|except)) ` + listed + `*|\b` + listed + `+|` +
		`^[A-Z] (?i:only|alone)\b`)
	capital = regexp.MustCompile(`\b[A-Z]\b`)
	// ownLabel matches the label with which a text of an option begins.
	ownLabel = regexp.MustCompile(`^[(\[]?([A-Z]|[0-9]{1,2})[)\].:][)\]]?\s+`)
)

// inPlace reports which options have to keep their places: those that speak of others, those that these name by their
// letters, and all where options carry labels of their own.
func inPlace(options []string) []bool {
	fixed := make([]bool, len(options))
	_, labelled := ByLabel(options)
	for i, option := range options {
		fixed[i] = fixed[i] || labelled || aboutOthers.MatchString(option)
		named := capital.FindAllString(strings.Join(byLetter.FindAllString(option, -1), " "), -1)
		if slices.ContainsFunc(named, func(letter string) bool { return int(letter[0]-'A') >= len(options) }) {
			continue // other letters than those of options
		}
		for _, letter := range named {
			fixed[i], fixed[letter[0]-'A'] = true, true
		}
	}
	return fixed
}

// ByLabel returns options in the order of the labels with which their texts begin, such as "B) green" and "A) red". It
// reports false, and leaves them as they are, unless all have one of A, B and so on, or of the numbers from 0 or 1 on.
func ByLabel(options []string) (sorted []string, ok bool) {
	for _, name := range []func(i int) string{
		func(i int) string { return string(rune('A' + i)) }, strconv.Itoa,
		func(i int) string { return strconv.Itoa(i + 1) },
	} {
		sorted = make([]string, 0, len(options))
		for i := range options {
			for _, option := range options {
				if m := ownLabel.FindStringSubmatch(option); m != nil && m[1] == name(i) && len(sorted) == i {
					sorted = append(sorted, option)
				}
			}
		}
		if len(sorted) == len(options) && len(options) > 0 {
			return sorted, true
		}
	}
	return options, false
}
