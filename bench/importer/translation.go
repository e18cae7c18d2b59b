package importer

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/titfortat"
)

// translations are those that a log names: the decision, the verdict's, the base translation, and the candidates that
// the judge lists. Arguments are free text, in which only a known translation can be found.
type translations []string

// answerOf returns the answer of a turn. For moderator and judge it is that of their verdict, for a side the
// translation that stands last in its argument. Spellings of one translation become the first of them.
func (t translations) answerOf(turn debate.Turn) answer.Answer {
	text := turn.Reply.Text
	if turn.Agent == moderator || turn.Agent == judge {
		v, _ := titfortat.ReadVerdict(text)
		if text = v.Answer; normalize(text) == "" {
			return answer.Unparsed
		}
	}
	if found := t.lastIn(normalize(text)); found != "" {
		return answer.Of(found)
	}
	if turn.Agent == moderator || turn.Agent == judge {
		return answer.Of(text)
	}
	return answer.Unparsed
}

// lastIn returns the translation that ends last in a normalized text, and the longest of those that end there.
func (t translations) lastIn(text string) (found string) {
	end, length := -1, 0
	for _, translation := range t {
		plain := normalize(translation)
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

// normalize returns a text without differences that make no other translation: case, white space, a full stop, and
// apostrophes, which that program removed from replies before it read them.
func normalize(text string) string {
	text = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(text))
	return strings.TrimRight(strings.Join(strings.Fields(text), " "), ". ")
}

var quotation = regexp.MustCompile(`"([^"\n]+)"|“([^”\n]+)”`)

// maxQuotations bounds the candidates, of which there are two to five.
const maxQuotations = 32

// quotations returns the passages of several words in double quotes, except quotations of the Chinese source.
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
