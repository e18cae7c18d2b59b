package society

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
)

// Whether agents change their answers, for FREE-MAD's score (trajectory).
const (
	verdictInferred = "inferred" // as their answers tell
	// verdictStated is as they say, in the words for which keepOrRevise asks; of an agent that says neither, its
	// answers tell.
	verdictStated = "stated"
)

// keepOrRevise is the wording that asks for verdicts.
const keepOrRevise = "keep-or-revise"

var (
	// a label, and behind it, on the same line, marks and a few words at most, and one of the two
	verdictAt = regexp.MustCompile(`(?i)\b(?:verdict|decision)\b[^\pL]*(?:(?:is|to|i|will|we)\b[^\pL]*)*` +
		`(keep(?:ing)?|kept|revis(?:e|ed|ing))\b`)
	verdictAlone = regexp.MustCompile(`(?i)^[^\pL]*(keep|revise)[^\pL]*$`)
	// the request itself, which leaves open which of the two
	verdictOpen = regexp.MustCompile(`(?i)\bkeep\b["*]*\W*(?:or\W+)?(?:verdict\W+|decision\W+)?\brevise\b`)
)

// verdictIn returns the last verdict that a reply states: "Verdict: keep", "**Decision:** REVISE", or the word on a
// line of its own. It is "" if the reply states none.
func verdictIn(reply string) debate.Verdict {
	for _, line := range slices.Backward(strings.Split(reply, "\n")) {
		all := append(verdictAt.FindAllStringSubmatch(line, -1), verdictAlone.FindAllStringSubmatch(line, -1)...)
		if len(all) == 0 || verdictOpen.MatchString(line) {
			continue
		}
		if strings.HasPrefix(strings.ToLower(all[len(all)-1][1]), "r") {
			return debate.VerdictRevise
		}
		return debate.VerdictKeep
	}
	return ""
}

// contradictions says how often verdicts do not go with the answers beside them, and how often there are none, or "" if
// that is never.
func contradictions(rounds [][]debate.Turn) string {
	asked, silent, kept, revised := 0, 0, 0, 0
	for r := 1; r < len(rounds); r++ {
		for i, t := range rounds[r] {
			if t.Silent() || t.Kind != debate.KindReply {
				continue
			}
			same := t.Answer.Same(rounds[r-1][i].Answer)
			switch asked++; {
			case t.Verdict == "":
				silent++
			case t.Verdict == debate.VerdictKeep && !same:
				kept++
			case t.Verdict == debate.VerdictRevise && (same || !t.Answer.Parsed):
				revised++
			}
		}
	}
	if silent+kept+revised == 0 {
		return ""
	}
	return fmt.Sprintf("verdicts asked for: %d; that keep beside another answer: %d; that revise and give no other: "+
		"%d; not stated: %d", asked, kept, revised, silent)
}
