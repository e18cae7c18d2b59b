package puzzle

import (
	"regexp"
	"slices"
	"strings"
)

// maxClaims bounds what is read of a reply.
const maxClaims = 200

var (
	sentenceEnd = lazily(`[.!?;]+(?:\s|$)|\n`)
	opening     = lazily(`(?i)^\W*(?:(?:now|so|then|let us|let's|we),? )?` +
		`(?:if|suppose|supposing|assume|assuming)\b(?: that)?`)
	consequence = lazily(`(?i),? then |, `)
	concluding  = lazily(`(?i)^\W*(?:therefore|thus|hence|so|in conclusion|conclusion|finally|otherwise|but|however)\b`)
	impossible  = lazily(`(?i)\b(?:contradict(?:s|ion|ory)?|impossible|inconsistent)\b`)
	denied      = lazily(`(?i)\b(?:no|not|without|n't)\b[^,]*\b(?:contradict|impossible|inconsistent)`)
	reported    = lazily(`(?i)\b(?:say|says|said|saying|state|states|stated|claim|claims|claimed|` +
		`claiming|according to|whether|whose|who|maybe|perhaps|might|may|could|possibly|unless|agree|agrees|` +
		`disagree|disagrees)\b`)
)

// reader finds facts about the players of one puzzle.
type reader struct {
	players []string
	role    *regexp.Regexp
	truth   *regexp.Regexp
	saying  *regexp.Regexp
}

// newReader compiles the forms in which facts are stated of these players.
func newReader(players []string) reader {
	quoted := make([]string, len(players))
	for i, name := range players {
		quoted[i] = regexp.QuoteMeta(name)
	}
	name := `(?i)\b(` + strings.Join(quoted, "|") + `)`
	verb := ` (?:is|must be|has to be|is therefore|is thus|must then be|would be|would have to be)`
	never := `| (?:cannot|can't|can not|could not) be| is not| isn't| must not be`
	role := `(knight|knave|spy)\b`
	return reader{
		players,
		regexp.MustCompile(name + `(?:` + verb + `|(` + never[1:] + `))( not)? (?:an? |the )?` + role +
			`(?: or (?:an? |the )?` + role + `)?`),
		regexp.MustCompile(name + `(?:` + verb + `|(` + never[1:] + `))( not)? (telling the truth|truthful|lying)\b`),
		regexp.MustCompile(name + `(?:'s|’s) (?:statement|claim)(?:` + verb + `|(` + never[1:] +
			`))( not)? (true|false)\b`),
	}
}

// Claims finds what a reply claims of the players of a puzzle: facts such as "Rachel must be a spy" or "Olivia's
// statement is false", what follows from a supposition, and contradictions. It reads with restraint: sentences that
// report what somebody says, or leave something possible, make no claim. A sentence that only supposes something
// ("Suppose Rachel is a knight.") is the supposition of the sentences after it, up to one that concludes ("Therefore
// ...") or the end of the line. At most 200 claims are read.
func (r reader) Claims(reply string) (claims []Claim) {
	for line := range strings.Lines(reply[:min(len(reply), maxTextBytes)]) {
		var supposed []Fact
		for _, text := range sentenceEnd().Split(line, -1) {
			text = strings.TrimSpace(text)
			if len(claims) >= maxClaims || text == "" {
				continue
			}
			if concluding().MatchString(text) {
				supposed = nil
			}
			var c Claim
			c.If, c.Then, supposed = r.read(text, supposed)
			if len(c.Then) > 0 || len(c.If) > 0 && impossible().MatchString(text) && !denied().MatchString(text) {
				c.Text = text
				claims = append(claims, c)
			}
		}
	}
	return claims
}

// read takes a sentence apart: what it supposes, beside what was supposed before it, and what it claims. next is what
// the sentence after it starts from.
func (r reader) read(text string, supposed []Fact) (suppositions, claimed, next []Fact) {
	at := opening().FindStringIndex(text)
	if at == nil {
		return supposed, r.facts(text), supposed
	}
	rest := text[at[1]:]
	// The supposition ends at the first comma or "then" that has a fact before it.
	for _, cut := range consequence().FindAllStringIndex(rest, -1) {
		if facts := r.facts(rest[:cut[0]]); len(facts) > 0 {
			return facts, r.facts(rest[cut[1]:]), nil
		}
	}
	facts := r.facts(rest)
	return facts, nil, facts
}

// facts are those that a clause states. One that reports or doubts states none.
func (r reader) facts(clause string) (facts []Fact) {
	if !mayState(clause) || reported().MatchString(clause) {
		return nil
	}
	for _, m := range r.role.FindAllStringSubmatch(clause, -1) {
		roles := roleOf(m[4]) | roleOf(m[5])
		if m[2] != "" || m[3] != "" {
			roles = Any &^ roles
		}
		facts = append(facts, Fact{Player: r.player(m[1]), Roles: roles})
	}
	for _, pattern := range []*regexp.Regexp{r.truth, r.saying} {
		for _, m := range pattern.FindAllStringSubmatch(clause, -1) {
			says, negated := SaysTrue, m[2] != "" || m[3] != ""
			if falsehood := strings.EqualFold(m[4], "lying") || strings.EqualFold(m[4], "false"); falsehood != negated {
				says = SaysFalse
			}
			facts = append(facts, Fact{Player: r.player(m[1]), Said: says})
		}
	}
	return facts
}

// stating are the words of which one is in every fact.
var stating = []string{"knight", "knave", "spy", "truth", "lying", "statement", "claim"}

// mayState reports whether a clause has such a word, so that most are not matched with patterns. Cases are folded as
// patterns do, to which a Kelvin sign is a k.
func mayState(clause string) bool {
	folded := strings.ToLower(strings.ToUpper(clause))
	return slices.ContainsFunc(stating, func(word string) bool { return strings.Contains(folded, word) })
}

func (r reader) player(name string) int {
	return slices.IndexFunc(r.players, func(p string) bool { return strings.EqualFold(p, name) })
}

func roleOf(word string) Roles {
	return map[string]Role{"knight": Knight, "knave": Knave, "spy": Spy}[strings.ToLower(word)]
}
