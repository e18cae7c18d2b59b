package knights

import (
	"regexp"

	lru "github.com/hashicorp/golang-lru/v2"
)

// patterns are those that compiled has made of late.
var patterns, _ = lru.New[string, *regexp.Regexp](1000) // it refuses sizes below one only

// compiled compiles a pattern with a name in it, and remembers it: all replies about a puzzle are read for the same
// players, and compiling takes longer than reading. The pattern must be valid.
func compiled(pattern string) *regexp.Regexp {
	if known, ok := patterns.Get(pattern); ok {
		return known
	}
	made := regexp.MustCompile(pattern)
	patterns.Add(pattern, made)
	return made
}
