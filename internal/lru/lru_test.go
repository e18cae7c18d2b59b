package lru

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestCache: the cache does what a list does that is searched from its end, whatever is asked of it.
func TestCache(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(0, 5).Draw(t, "most")
		var dropped, wanted []string
		c := New(most, func(k, v int) { dropped = append(dropped, fmt.Sprint(k, v)) })
		type pair struct{ key, value int }
		var list []pair // the one used last at the end
		oldest := func() {
			if len(list) > 0 {
				wanted = append(wanted, fmt.Sprint(list[0].key, list[0].value))
				list = list[1:]
			}
		}
		for i := range rapid.IntRange(0, 40).Draw(t, "calls") {
			key := rapid.IntRange(0, 7).Draw(t, "key")
			at := slices.IndexFunc(list, func(p pair) bool { return p.key == key })
			switch rapid.IntRange(0, 4).Draw(t, "call") {
			case 0:
				got, ok := c.Get(key)
				if ok != (at >= 0) || ok && got != list[at].value {
					t.Fatalf("key %d is %d, %v; want place %d of %v", key, got, ok, at, list)
				}
				if at >= 0 {
					list = append(slices.Delete(slices.Clone(list), at, at+1), list[at])
				}
			case 1:
				oldest()
				c.RemoveOldest()
			case 2:
				if c.Remove(key); at >= 0 {
					wanted = append(wanted, fmt.Sprint(list[at].key, list[at].value))
					list = slices.Delete(list, at, at+1)
				}
			default:
				if at >= 0 {
					list = slices.Delete(list, at, at+1)
				}
				if list = append(list, pair{key, i}); most > 0 && len(list) > most {
					oldest()
				}
				c.Add(key, i)
			}
			if !slices.Equal(dropped, wanted) {
				t.Fatalf("dropped %v, want %v", dropped, wanted)
			}
		}
	})
}
