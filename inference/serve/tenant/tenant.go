// Package tenant tells apart those who ask a server, by their API keys. Sessions, what was drawn ahead, the room to
// wait, counters, kept replies and cached prefixes belong to a tenant, so that no answer says what another one asked.
package tenant

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/serve/metrics"
)

// Tenant is whoever shows one API key; without keys it is everybody.
type Tenant struct {
	Number int // of the key, from 0
	Space  int // of the prefixes that it may share, see scheduler.Request
	metrics.Counters

	key    string // "" without keys
	shares bool   // kept replies, with all others
}

// New returns one for each key, or one for everybody.
func New(keys []string, sharePrefixes bool) []*Tenant {
	if len(keys) == 0 {
		return []*Tenant{{}}
	}
	var all []*Tenant
	for i, key := range slices.Compact(slices.Sorted(slices.Values(keys))) {
		t := &Tenant{Number: i, key: key, shares: sharePrefixes}
		if !sharePrefixes {
			t.Space = i
		}
		all = append(all, t)
	}
	return all
}

// Of returns the one whose key a request shows in its header Authorization, or nil.
func Of(all []*Tenant, authorization string) (found *Tenant) {
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

// contextKey is the key under which the context of a request has its tenant.
type contextKey struct{}

// With returns the context of a tenant's request.
func With(ctx context.Context, t *Tenant) context.Context {
	return context.WithValue(ctx, contextKey{}, t)
}

// In returns the tenant of a request by its context, which With has made.
func In(ctx context.Context) *Tenant { return ctx.Value(contextKey{}).(*Tenant) }

// RecordKey returns the name under which the journal has a tenant's generation. Tenants that share no prefixes share no
// kept replies either: a reply that comes at once would tell that it was asked for. Neither the API key nor which
// records have the same one can be seen in the journal.
func (t *Tenant) RecordKey(key string) string {
	if t.key == "" || t.shares {
		return key
	}
	mac := hmac.New(sha256.New, []byte(t.key))
	mac.Write([]byte(key))
	return key + "-" + hex.EncodeToString(mac.Sum(nil)[:8])
}
