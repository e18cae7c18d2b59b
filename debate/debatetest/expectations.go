package debatetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

// ReadExpectations reads a JSON file of debate/testdata/differential. It is for tests of packages directly below
// debate.
func ReadExpectations(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../testdata/differential", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// Enough fails the test if fewer cases were compared than are expected.
func Enough(t *testing.T, compared, want int) {
	t.Helper()
	if t.Logf("%d cases", compared); compared < want {
		t.Errorf("%d cases were compared, want %d", compared, want)
	}
}

var (
	input     = regexp.MustCompile("(?:Step )?·[^·`]*·")
	word      = regexp.MustCompile("-?[0-9]+|[^\\s`0-9]+")
	isNumber  = regexp.MustCompile(`^-?[0-9]+$`)
	lineStart = regexp.MustCompile(`\n[ \t]+`)
	wordsRun  = regexp.MustCompile(`§(?:[ \t]*§)+`)
	numbered  = regexp.MustCompile(`[ \t]*(-?[0-9]+)[ \t]*`)
)

// Mask masks a message as tools/differential/madc.py does: it keeps inputs, numbers, line breaks and backticks, and
// replaces all other words by §. So messages can be compared without the words of a source.
func Mask(text string) string {
	var b strings.Builder
	from := 0
	for _, at := range append(input.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		part := word.ReplaceAllStringFunc(text[from:at[0]], func(w string) string {
			if isNumber.MatchString(w) {
				return w
			}
			return "§"
		})
		part = wordsRun.ReplaceAllString(lineStart.ReplaceAllString(part, "\n"), "§")
		b.WriteString(numbered.ReplaceAllString(part, "$1") + text[at[0]:at[1]])
		from = at[1]
	}
	return b.String()
}

// MessageRoles returns the roles of messages.
func MessageRoles(messages []inference.Message) (roles []string) {
	for _, m := range messages {
		roles = append(roles, m.Role)
	}
	return roles
}
