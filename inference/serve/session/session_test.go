package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

func content(i int) [sha256.Size]byte { return sha256.Sum256(fmt.Append(nil, i)) }

func count(t *testing.T, c *Counts, n Name, i int) uint64 {
	t.Helper()
	k, err := c.Occurrence(n, content(i))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestOf: the header goes before the field user, the two cannot name each other's sessions, keys have sessions of their
// own, and a name has a bound.
func TestOf(t *testing.T) {
	of := func(key int, header, user string) (Name, error) {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header.Set(Header, header)
		return Of(r, key, user)
	}
	all := make(map[Name]string)
	for _, key := range []int{0, 1} {
		for _, header := range []string{"", "a", "user a"} {
			for _, user := range []string{"", "a", "session a"} {
				n, err := of(key, header, user)
				if err != nil {
					t.Fatal(err)
				}
				who := fmt.Sprint(key, "header", header)
				if header == "" {
					who = fmt.Sprint(key, "user", user)
				}
				if other, is := all[n]; is && other != who {
					t.Errorf("%+v is the session of %s and of %s, want one of them", n, who, other)
				}
				all[n] = who
			}
		}
	}
	long := strings.Repeat("x", MaxName+1)
	for _, c := range [][2]string{{long, ""}, {"", long}} {
		if _, err := of(0, c[0], c[1]); err == nil || !strings.Contains(err.Error(), "257 bytes: at most 256") {
			t.Errorf("a name of 257 bytes got the error %v, want \"257 bytes: at most 256\"", err)
		}
	}
	if _, err := of(0, "a", long[1:]); err != nil {
		t.Error(err)
	}
}

// TestOldestEnds: where there is no room, the session that was not used for longest begins anew, of the same key alone;
// a session that takes all of it is told so, and what it has asked before goes on.
func TestOldestEnds(t *testing.T) {
	c := NewCounts(2*3*(sessionBytes+requestBytes+1), 2)
	a, b, d, e := Name{0, "a"}, Name{0, "b"}, Name{0, "d"}, Name{0, "e"}
	other := Name{1, "a"}
	for _, n := range []Name{a, b, d, other} {
		if k := count(t, c, n, 1); k != 0 {
			t.Errorf("session %v is new and has %d requests before, want 0", n, k)
		}
	}
	if k := count(t, c, a, 1); k != 1 {
		t.Errorf("a goes on with %d requests before, want 1", k)
	}
	count(t, c, e, 1) // b was not used for longest
	for i, n := range []Name{a, d, e, other} {
		if k, want := count(t, c, n, 1), []uint64{2, 1, 1, 1}[i]; k != want {
			t.Errorf("%v goes on with %d, want %d", n, k, want)
		}
	}
	if k := count(t, c, b, 1); k != 0 {
		t.Errorf("b, unused for longest, goes on with %d requests before, want 0", k)
	}
	asked := 1
	for ; ; asked++ {
		if _, err := c.Occurrence(e, content(1+asked)); err != nil {
			if !errors.Is(err, ErrFull) {
				t.Error(err)
			}
			break
		}
	}
	if want := (3*(sessionBytes+requestBytes+1) - sessionBytes - 1) / requestBytes; asked != want {
		t.Errorf("a session remembers %d requests, want %d", asked, want)
	}
	if k := count(t, c, e, 2); k != 1 {
		t.Errorf("what is known goes on with %d requests before, want 1", k)
	}
	c.Forget(e)
	if k := count(t, c, e, 2); k != 0 {
		t.Errorf("a session that was ended goes on with %d requests before, want 0", k)
	}
	c.Forget(Name{7, "nobody"})
	if k := count(t, c, other, 1); k != 2 {
		t.Errorf("another key's session goes on with %d requests before, want 2", k)
	}
}

// TestBudget: whatever names and contents come, what is kept takes no more than the budget.
func TestBudget(t *testing.T) {
	const budget = 8 << 20
	for name, most := range map[string]int{"many sessions": 1, "many requests": 1000, "few requests": 12} {
		t.Run(name, func(t *testing.T) {
			before := heap()
			c := NewCounts(budget, 1)
			for i := range 150_000 {
				n := Name{0, fmt.Sprint(strings.Repeat("x", MaxName-10), i/most)}
				if _, err := c.Occurrence(n, content(i)); err != nil {
					t.Fatal(err)
				}
			}
			took := int(heap() - before)
			t.Logf("%d bytes, %d are counted", took, c.keys[0].bytes)
			if took > budget || c.keys[0].bytes > budget || c.keys[0].bytes < budget/2 {
				t.Errorf("%d bytes are kept and %d counted: the budget is %d", took, c.keys[0].bytes, budget)
			}
			runtime.KeepAlive(c)
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
