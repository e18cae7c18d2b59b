// Package session counts how often each session has asked the same without a seed, so that its k-th request always gets
// the k-th of a fixed row of seeds: a program that samples without seeds repeats its results when it starts again in a
// new session.
//
// What is remembered is bounded in bytes, evenly for each API key: a request is remembered by its hash, a session by a
// name of bounded length. Where there is no room left, the session that its key has used least recently is ended, since
// a seed must not come twice in one that goes on.
package session

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/parley-debate/parley/internal/lru"
)

// Header names the session of a request.
const Header = "X-Parley-Session"

// MaxName is how many bytes the name of a session may have.
const MaxName = 256

// Name names a session. Those of different keys are different sessions, whatever they are called.
type Name struct {
	Key  int    // the number of the API key; 0 if there are none
	Name string // "" is the session of all requests of the key that name none
}

// Of returns the session of a request that shows a key: that of the header, or else that of the field user. The word
// before the name keeps the two apart, since DELETE ends the first alone. The error names what is too long.
func Of(r *http.Request, key int, user string) (Name, error) {
	if name := r.Header.Get(Header); name != "" {
		return Named(key, name)
	}
	if len(user) > MaxName {
		return Name{}, fmt.Errorf("user names the session and has %d bytes: at most %d are allowed", len(user), MaxName)
	}
	if user != "" {
		user = "user " + user
	}
	return Name{key, user}, nil
}

// Named returns the session of a key that the header calls so.
func Named(key int, name string) (Name, error) {
	if len(name) > MaxName {
		return Name{}, fmt.Errorf("the name of the session (%s) has %d bytes: at most %d are allowed", Header,
			len(name), MaxName)
	}
	return Name{key, "session " + name}, nil
}

// ErrFull is the error of a session that takes all that its key may have.
var ErrFull = errors.New("no room to remember another request without a seed")

// What is kept of a session besides its name, and of each request, in bytes: measured by TestBudget.
const (
	sessionBytes = 640
	requestBytes = 104
)

// Counts are the sessions of a server. They are safe for concurrent use.
type Counts struct {
	most int // bytes that the sessions of a key may take; 0 is no bound

	mu   sync.Mutex // guards what follows
	keys map[int]*account
}

// account has the sessions of one key.
type account struct {
	sessions *lru.Cache[string, counts]
	bytes    int
}

// counts are those of a session, by the hash of what was asked.
type counts map[[sha256.Size]byte]uint64

// NewCounts makes counts that take so many bytes at most, the same share of them for each of so many keys. 0 bytes are
// no bound.
func NewCounts(bytes, keys int) *Counts {
	return &Counts{most: bytes / max(1, keys), keys: make(map[int]*account)}
}

// Occurrence returns how often the session has asked for this content before, from 0, and counts the request. It ends
// the sessions that the key has not used for longest where there is no room, and fails with ErrFull if the session
// itself takes all of it; what it has asked before goes on.
func (c *Counts) Occurrence(n Name, content [sha256.Size]byte) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.keys[n.Key]
	if a == nil {
		a = &account{}
		a.sessions = lru.New(0, func(name string, gone counts) { a.bytes -= gone.bytes(name) })
		c.keys[n.Key] = a
	}
	asked, known := a.sessions.Get(n.Name)
	if k, again := asked[content]; again {
		asked[content]++
		return k, nil
	}
	own := asked.bytes(n.Name) + requestBytes
	if c.most > 0 && own > c.most {
		return 0, fmt.Errorf("%w: the session remembers %d, which take the %d bytes that its API key may have: send "+
			"seeds, or end the session with DELETE /sessions/NAME", ErrFull, len(asked), c.most)
	}
	if !known {
		asked = make(counts)
		a.sessions.Add(n.Name, asked)
		a.bytes += asked.bytes(n.Name)
	}
	asked[content] = 1
	for a.bytes += requestBytes; c.most > 0 && a.bytes > c.most; {
		a.sessions.RemoveOldest() // never this one, which is the newest and fits
	}
	return 0, nil
}

// bytes returns what a session takes.
func (c counts) bytes(name string) int { return sessionBytes + len(name) + requestBytes*len(c) }

// Forget ends a session: its next request without a seed gets the first seed of its row again. A session that was never
// used is ended like any other.
func (c *Counts) Forget(n Name) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a := c.keys[n.Key]; a != nil {
		a.sessions.Remove(n.Name)
	}
}
