package serve

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/serve/generation"
)

// tenant is whoever shows one API key; without keys it is everybody. Sessions, the room to wait, counters, kept replies
// and cached prefixes belong to a tenant, so that no answer says what another one asked.
type tenant struct {
	number int // of the key, from 0
	space  int // of the prefixes that it may share, see scheduler.Request
	generation.Counters

	key    string // "" without keys
	shares bool   // kept replies, with all others
}

// tenantsOf returns one for each key, or one for everybody.
func tenantsOf(keys []string, sharePrefixes bool) []*tenant {
	if len(keys) == 0 {
		return []*tenant{{}}
	}
	var all []*tenant
	for i, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		t := &tenant{number: i, key: key, shares: sharePrefixes}
		if !sharePrefixes {
			t.space = i
		}
		all = append(all, t)
	}
	return all
}

// showing returns the one whose key a request shows in its header Authorization, or nil.
func showing(all []*tenant, authorization string) (found *tenant) {
	scheme, shown, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") { // names of schemes have no case (RFC 9110, 11.1)
		shown = ""
	}
	for _, t := range all { // each of them: the time says nothing
		if subtle.ConstantTimeCompare([]byte(shown), []byte(t.key)) == 1 {
			found = t
		}
	}
	return found
}

// tenantKey is the key under which the context of a request has its tenant.
type tenantKey struct{}

// tenantOf returns the tenant of a request.
func tenantOf(r *http.Request) *tenant { return r.Context().Value(tenantKey{}).(*tenant) }

// recordKey returns the name under which the journal has a tenant's generation. Tenants that share no prefixes share no
// kept replies either: a reply that comes at once would tell that it was asked for. Neither the API key nor which
// records have the same one can be seen in the journal.
func (t *tenant) recordKey(key string) string {
	if t.key == "" || t.shares {
		return key
	}
	mac := hmac.New(sha256.New, []byte(t.key))
	mac.Write([]byte(key))
	return key + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}
