// Package generation has one reply of a server: a Spec says what is asked for, up to its seed, and a Choice hands on
// what is drawn, cut at the first stop text. It knows neither the engine nor who waits for it.
package generation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// Spec is one reply that is asked for, complete but for its seed until Seeded. It is copied for each choice, and the
// copies share prompt, stops and grammar, which nobody changes.
type Spec struct {
	Model   *served.Model
	Prompt  []int32
	Request inference.Request // for the engine
	Stops   []string          // a Choice cuts the reply at them; the engine does not know them

	hash *[sha256.Size]byte // see content; nil until Seeded
}

// New checks the settings for one prompt. usual is the bound on the reply if the client set none, and 0 if the prompt
// is only scored.
func New(ctx context.Context, m *served.Model, s *wire.Settings, prompt []int32, alternatives,
	usual int) (g Spec, err error) {
	if len(prompt) == 0 {
		return g, wire.Invalid(s.Fields.Prompt, "the prompt has no tokens: at least one is needed")
	}
	if o := s.StreamOptions; o != nil && o.IncludeUsage && !s.Stream {
		return g, wire.Invalid("stream_options", "stream_options: include_usage is for replies with stream: true")
	}
	g = Spec{Model: m, Prompt: prompt, Stops: s.Stop}
	if g.Request.Sampling, err = s.Sampling(alternatives); err != nil {
		return g, err
	}
	for _, b := range s.LogitBias {
		if err := m.CheckTokens("logit_bias", []int32{int32(b.Token)}); err != nil {
			return g, err
		}
	}
	if err := ending.CheckStops(s.Stop); err != nil {
		return g, wire.Invalid("stop", "%v", err)
	}
	if g.Request.Grammar, err = s.GrammarOf(ctx); err != nil {
		return g, err
	}
	g.Request.Model, g.Request.Prompt = m.Name, prompt
	g.Request.MaxTokens, err = bound(m, s, len(prompt), m.Vocabulary.Reasoning(g.Request), usual)
	return g, err
}

// bound returns how many tokens the answer may have, behind a prompt and reasoning of so many. A bound that the client
// did not set shrinks to the room that there is; one that it set is refused.
func bound(m *served.Model, s *wire.Settings, prompt, reasoning, usual int) (most int, err error) {
	left, least := m.Room()-prompt-reasoning, min(1, usual)
	if reasoning > 0 && left < least {
		return 0, wire.Invalid("reasoning_tokens", "reasoning_tokens: %d prompt tokens and %d for reasoning and its "+
			"end leave no room for an answer, since there are %d in all: lower them", prompt, reasoning, m.Room())
	}
	most = max(least, min(usual, left))
	wire.Set(&most, s.MaxTokens)
	switch {
	case most < least:
		return 0, wire.Invalid(s.Fields.Bound, "%s: %d must be at least %d", s.Fields.Bound, most, least)
	case most > left:
		return 0, m.TooLong(s.Fields.Bound, prompt+reasoning, most, least)
	}
	return most, s.CheckLeast(most)
}

// content hashes what is asked for, apart from the seed. Seeds of repetitions and names of replies are hashed from it,
// so that they are the same whatever computes the reply: it is no key, and must not come to hold how the model is run.
func (g *Spec) content() (hash [sha256.Size]byte) {
	if g.hash != nil {
		return *g.hash
	}
	h := sha256.New()
	r := g.Request
	r.OnPiece, r.Prompt, r.Sampling.Seed, r.Model = nil, nil, 0, ""
	said, _ := json.Marshal(struct {
		Model   string
		Request inference.Request
		Stops   []string
	}{g.Model.Info.Hash, r, g.Stops})
	_ = binary.Write(h, binary.LittleEndian, int64(len(said)))
	h.Write(said)
	_ = binary.Write(h, binary.LittleEndian, g.Prompt)
	return [sha256.Size]byte(h.Sum(nil))
}

// ID returns the name of the reply: a hash of what is asked for, and of the seed.
func (g *Spec) ID() string {
	content := g.content()
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(content[:], g.Request.Sampling.Seed))
	return hex.EncodeToString(sum[:16])
}

// Key identifies the generation by all that its reply depends on, which leaves out what decides nothing at temperature
// 0, such as the seed. The gate and the journal know generations by it, so that equal greedy replies are computed once.
// The stop texts are in it, although the engine never gets them: records end at the first of them.
func (g *Spec) Key() string {
	r := g.Request
	r.Sampling, r.Stop = r.Sampling.Deciding(), g.Stops // which are looked for here, and not by the engine
	return inference.KeyOf(g.Model.Identity, r, g.Prompt).String()
}
