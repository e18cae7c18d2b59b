package knights

import (
	"regexp"
	"sync"

	"github.com/parley-debate/parley/internal/lru"
)

// patterns are those that compiled has made of late.
var patterns = struct {
	mu   sync.Mutex
	kept *lru.Cache[string, *regexp.Regexp]
}{kept: lru.New[string, *regexp.Regexp](1000, nil)}

// compileOnce compiles a pattern with a name in it, and remembers it: all replies about a puzzle are read for the same
// players, and compiling takes longer than reading. The pattern must be valid.
func compileOnce(pattern string) *regexp.Regexp {
	patterns.mu.Lock()
	defer patterns.mu.Unlock()
	if known, ok := patterns.kept.Get(pattern); ok {
		return known
	}
	made := regexp.MustCompile(pattern)
	patterns.kept.Add(pattern, made)
	return made
}
