package importer

import (
	"regexp"
	"strings"
	"unicode"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/titfortat"
)

// translations are those that a log names: the one decided on, the first one, and the candidates that the judge was
// given. Arguments are free text, in which a translation can be found only if it is known.
type translations []string

// readBy is the answer of a turn: of moderator and judge that of their verdict, of a side the translation that stands
// last in its argument. Spellings of one translation are given as the first of them.
func (t translations) readBy(turn debate.Turn) answer.Answer {
	text := turn.Reply.Text
	if turn.Agent == moderator || turn.Agent == judge {
		v, _ := titfortat.ReadVerdict(text)
		if text = v.Answer; plainly(text) == "" {
			return answer.Unparsed
		}
	}
	if found := t.lastIn(plainly(text)); found != "" {
		return answer.Of(found)
	}
	if turn.Agent == moderator || turn.Agent == judge {
		return answer.Of(text)
	}
	return answer.Unparsed
}

// lastIn is the translation that ends last in a plain text; of those that end there, the longest.
func (t translations) lastIn(text string) (found string) {
	end, length := -1, 0
	for _, translation := range t {
		plain := plainly(translation)
		at := strings.LastIndex(text, plain)
		if plain == "" || at < 0 {
			continue
		}
		if ends := at + len(plain); ends > end || ends == end && len(plain) > length {
			end, length, found = ends, len(plain), translation
		}
	}
	return found
}

// plainly is a text without what does not make it another translation: capitals, blanks, apostrophes, which that
// program took out of replies before it read them, and a full stop.
func plainly(text string) string {
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text))
	return strings.TrimRight(strings.Join(strings.Fields(text), " "), ". ")
}

var quotation = regexp.MustCompile(`"([^"\n]+)"|“([^”\n]+)”`)

// maxQuotations bounds the candidates, of which there are two to five.
const maxQuotations = 32

// quotations are the passages of several words in double quotes, without those that quote Chinese.
func quotations(text string) (found []string) {
	for _, m := range quotation.FindAllStringSubmatch(text, maxQuotations) {
		passage := m[1] + m[2]
		if strings.Contains(strings.TrimSpace(passage), " ") &&
			!strings.ContainsFunc(passage, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			found = append(found, passage)
		}
	}
	return found
}
