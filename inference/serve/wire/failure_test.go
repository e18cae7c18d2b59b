package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLongMessages: an error that repeats what a client has sent is not as long as that.
func TestLongMessages(t *testing.T) {
	for _, sent := range []string{"1", "é", "\xff"} {
		text := strings.Repeat(sent, 1<<20)
		body := Invalid(text, "max_tokens: a number %s is too large", text).Body()
		var said struct {
			Error struct{ Message, Param string }
		}
		if err := json.Unmarshal(body, &said); err != nil {
			t.Fatal(err)
		}
		m := said.Error.Message
		if len(body) > 10_000 || !utf8.Valid(body) || !strings.HasPrefix(m, "max_tokens: a number ") ||
			!strings.HasSuffix(m, " is too large") {
			t.Errorf("the error of a huge number is %d bytes: %.100q, want at most 10,000 of valid UTF-8 that name "+
				"max_tokens", len(body), m)
		}
	}
}
