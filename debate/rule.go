package debate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Rule says how a decision came about. Programs look at its fields; people and records get the sentence that String
// makes of them. A debate that was not decided has the zero value.
type Rule struct {
	Means Means
	Name  string // of what decided; of MeansOther the whole sentence
	Ties  string // of MeansRule: how equal counts are settled, such as TiesFirst
	// Turn and Message count from 1 and say when a discussion was decided, after so many messages; 0 elsewhere.
	Turn, Message int
	Outcome       Outcome // of a discussion, and of an election that was open
	Withheld      float64 // the share of the votes below which the answer is withheld, if it was; else 0
}

// Means is what decided a debate.
type Means string

// What can decide a debate.
const (
	MeansOther     Means = ""                // what Rule.Name says in the words of a form
	MeansLogged    Means = "as logged: "     // what Rule.Name says in the words of another program's log
	MeansRule      Means = "rule"            // a rule over what was said: see package vote
	MeansElection  Means = " vote"           // an election with ballots
	MeansConsensus Means = " consensus"      // enough panelists of a discussion who agree
	MeansJudge     Means = "judge"           // the first panelist of a discussion, who writes the answer
	MeansCount     Means = "counting"        // the final answers of a discussion, counted
	MeansWritten   Means = "written by the " // one more agent, which answers after the last round: Rule.Name says which
)

// Outcome is how a decision ended a debate.
type Outcome string

// Outcomes. OutcomeFirst is the paper's reading of MALLM, and the only one that an election outside a discussion
// has.
const (
	OutcomeDecided  Outcome = "decided"
	OutcomeAgreed   Outcome = "agreed"
	OutcomePanelist Outcome = "the first panelist's answer out of all"
	OutcomeNewest   Outcome = "not agreed after the last turn, so the newest solution"
	OutcomeDrawn    Outcome = "open after the last turn, drawn among the best"
	OutcomeFirst    Outcome = "open after the last turn, so the first agent's answer"
	OutcomeNone     Outcome = "open after the last turn, so no answer"
)

// How ties between answers are broken.
const (
	TiesFirst  = "first"  // in favour of the answer first in agent order (MADC, the agents-lab lesson and Wu et al.)
	TiesRandom = "random" // by a draw with the seed (Debate or Vote)
	TiesOpen   = "open"   // no answer
)

// Ties lists how ties can be broken.
func Ties() []string { return []string{TiesFirst, TiesRandom, TiesOpen} }

// TiesMeaning says in words how ties are broken.
func TiesMeaning(ties string) string {
	return map[string]string{TiesFirst: "ties to the answer first in agent order", TiesRandom: "ties drawn",
		TiesOpen: "ties open"}[ties]
}

// OtherRule is a rule in words of its own.
func OtherRule(words string) Rule { return Rule{Name: words} }

// String is the sentence of the rule, such as "majority, ties to the answer first in agent order".
func (r Rule) String() string {
	text := r.head()
	switch {
	case r.Turn > 0:
		text += fmt.Sprintf(" at turn %d, message %d: %s", r.Turn, r.Message, r.Outcome)
	case r.Outcome == OutcomeFirst:
		text += openFirst
	}
	if r.Withheld != 0 {
		text += fmt.Sprintf("%s%g", withheldBelow, r.Withheld)
	}
	return text
}

const (
	openFirst     = ", open, so the first agent's"
	withheldBelow = "; withheld below a share of "
)

// head is the sentence without what followed.
func (r Rule) head() string {
	switch r.Means {
	case MeansRule:
		return r.Name + ", " + TiesMeaning(r.Ties)
	case MeansElection, MeansConsensus:
		return r.Name + string(r.Means)
	case MeansLogged, MeansWritten:
		return string(r.Means) + r.Name
	case MeansJudge, MeansCount:
		return string(r.Means)
	}
	return r.Name
}

// MarshalText implements encoding.TextMarshaler: records have the sentence.
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It undoes String, and nothing else takes a sentence apart. What
// String would not write as it stands, as an older record may have it, is MeansOther.
func (r *Rule) UnmarshalText(text []byte) error {
	if *r = readRule(string(text)); r.String() != string(text) {
		*r = OtherRule(string(text))
	}
	return nil
}

// settled matches the end of a discussion's sentence.
var settled = regexp.MustCompile(`(?s)^(.*) at turn ([0-9]{1,9}), message ([0-9]{1,9}): (.*)$`)

// readRule parses the sentence of a decision, as old records have it. A sentence that it does not know becomes the name
// of the rule.
func readRule(text string) (r Rule) {
	if words, logged := strings.CutPrefix(text, string(MeansLogged)); logged {
		return Rule{Means: MeansLogged, Name: words}
	}
	text, share, withheld := strings.Cut(text, withheldBelow)
	if withheld {
		r.Withheld, _ = strconv.ParseFloat(share, 64)
	}
	if m := settled.FindStringSubmatch(text); m != nil {
		text, r.Outcome = m[1], Outcome(m[4])
		r.Turn, _ = strconv.Atoi(m[2])
		r.Message, _ = strconv.Atoi(m[3])
	} else if election, open := strings.CutSuffix(text, openFirst); open {
		text, r.Outcome = election, OutcomeFirst
	}
	r.Name = text
	if writer, written := strings.CutPrefix(text, string(MeansWritten)); written {
		r.Means, r.Name = MeansWritten, writer
	}
	for _, means := range []Means{MeansJudge, MeansCount} {
		if r.Turn > 0 && text == string(means) {
			r.Means, r.Name = means, ""
		}
	}
	for _, means := range []Means{MeansElection, MeansConsensus} {
		if name, is := strings.CutSuffix(text, string(means)); is {
			r.Means, r.Name = means, name
		}
	}
	for _, ties := range Ties() {
		if name, is := strings.CutSuffix(text, ", "+TiesMeaning(ties)); is {
			r.Means, r.Name, r.Ties = MeansRule, name, ties
		}
	}
	return r
}
