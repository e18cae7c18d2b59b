package rowfile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestKeysTwice: an object is refused if and only if one of its objects has a key twice.
func TestKeysTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		twice := false
		var value func(depth int) string
		value = func(depth int) string {
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			if depth == 0 || kind < 2 {
				return rapid.SampledFrom([]string{"1", `"a"`, `"b\"{"`, "null", "true", "{}", "[]", "[{}]"}).Draw(t,
					"leaf")
			}
			var parts []string
			seen := map[string]bool{}
			for range rapid.IntRange(0, 4).Draw(t, "parts") {
				part := value(depth - 1)
				if kind == 3 {
					key := rapid.SampledFrom([]string{"a", "b", "c", "", "é"}).Draw(t, "key")
					twice, seen[key] = twice || seen[key], true
					quoted, _ := json.Marshal(key)
					part = fmt.Sprintf("%s: %s", quoted, part)
				}
				parts = append(parts, part)
			}
			return map[int]string{2: "[", 3: "{"}[kind] + strings.Join(parts, ", ") +
				map[int]string{2: "]", 3: "}"}[kind]
		}
		text := value(4)
		var into any
		if err := Decode([]byte(text), &into); (err != nil) != twice {
			t.Errorf("%s: a key that stands twice (%v) is refused, no other: got %v", text, twice, err)
		}
	})
}
