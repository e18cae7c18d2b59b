package serve

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/parley-debate/parley/inference/serve/session"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// tenant is whoever shows one API key; without keys it is everybody. Sessions, what was drawn ahead, the room to wait,
// counters, kept replies and cached prefixes belong to a tenant, so that no answer says what another one asked.
type tenant struct {
	key    string // "" without keys
	number int    // of the key, from 0
	space  int    // of the prefixes that it may share, see scheduler.Request

	asked    atomic.Int64 // prompt tokens of generations that began
	computed atomic.Int64 // of these, those that were not in the cache
	drawn    atomic.Int64 // tokens
	joined   atomic.Int64 // generations that an equal one under way was used for
	restored atomic.Int64 // generations that the journal had
	began    atomic.Int64 // generations that were begun before they were asked for
	used     atomic.Int64 // of these, those that were asked for
}

// newTenants returns one for each key, or one for everybody.
func newTenants(keys []string, sharePrefixes bool) []*tenant {
	if len(keys) == 0 {
		return []*tenant{{}}
	}
	var all []*tenant
	for i, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		t := &tenant{key: key, number: i}
		if !sharePrefixes {
			t.space = i
		}
		all = append(all, t)
	}
	return all
}

// tenantOf returns the one whose key a request shows, or nil.
func (s *Server) tenantOf(r *http.Request) (found *tenant) {
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") { // names of schemes have no case (RFC 9110, 11.1)
		shown = ""
	}
	for _, t := range s.tenants { // all of them: the time says nothing
		if subtle.ConstantTimeCompare([]byte(shown), []byte(t.key)) == 1 {
			found = t
		}
	}
	return found
}

// tenantKey is the key under which the context of a request has its tenant, since mayAsk.
type tenantKey struct{}

// tenantIn returns the tenant of a request that may ask.
func tenantIn(r *http.Request) *tenant { return r.Context().Value(tenantKey{}).(*tenant) }

// withTenant returns the request of a tenant.
func withTenant(r *http.Request, t *tenant) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), tenantKey{}, t))
}

// recordKey returns the name under which the journal has a tenant's generation. Tenants that share no prefixes share no
// kept replies either: a reply that comes at once would tell that it was asked for. Neither the API key nor which
// records have the same one can be seen in the journal.
func (s *Server) recordKey(t *tenant, key string) string {
	if t.key == "" || s.options.SharePrefixes {
		return key
	}
	mac := hmac.New(sha256.New, []byte(t.key))
	mac.Write([]byte(key))
	return key + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}

// asker is on whose behalf a generation is computed.
type asker struct {
	*tenant
	session session.Name
}

// expect returns who sent a request, whose field user is given, for n choices or texts to embed, or the gate's error if
// these would find no room to wait now. It is asked before the request is rendered, tokenized and hashed, since a
// client that is refused may ask again at once; so what it asks also costs no seeds.
func (s *Server) expect(r *http.Request, user string, n int) (asker, error) {
	from, err := askerOf(r, user)
	if err != nil {
		return from, err
	}
	return from, s.gate.Room(from.session, n)
}

// askerOf returns who sent a request whose field user is given.
func askerOf(r *http.Request, user string) (asker, error) {
	t := tenantIn(r)
	name, err := session.Of(r, t.number, user)
	if err != nil {
		return asker{}, wire.Invalid("user", "%v", err)
	}
	return asker{t, name}, nil
}
