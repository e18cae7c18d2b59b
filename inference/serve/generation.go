package serve

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// defaultMaxTokens bounds a reply to a conversation for which the client set no bound.
const defaultMaxTokens = inference.DefaultMaxTokens

// generation is one reply that is asked for, complete but for its seed until assignSeeds. It is copied for each choice,
// and the copies share prompt, stops and grammar, which nobody changes.
type generation struct {
	model   *model
	prompt  []int32
	request inference.Request // without its prompt
	stops   []string          // choice cuts the reply at them; the engine does not know them

	repetition *repetition // nil if the client gave a seed, or asks for several choices
}

// generation checks the settings for one prompt. usual is the bound on the reply if the client set none, and 0 if the
// prompt is only scored.
func (m *model) generation(ctx context.Context, s *wire.Settings, prompt []int32, alternatives,
	usual int) (g generation, err error) {
	if len(prompt) == 0 {
		return g, wire.Invalid(s.Fields.Prompt, "the prompt has no tokens: at least one is needed")
	}
	if o := s.StreamOptions; o != nil && o.IncludeUsage && !s.Stream {
		return g, wire.Invalid("stream_options", "stream_options: include_usage is for replies with stream: true")
	}
	g = generation{model: m, prompt: prompt, stops: s.Stop}
	if g.request.Sampling, err = s.Sampling(alternatives); err != nil {
		return g, err
	}
	for _, b := range s.LogitBias {
		if err := m.checkTokens("logit_bias", []int32{int32(b.Token)}); err != nil {
			return g, err
		}
	}
	if err := ending.CheckStops(s.Stop); err != nil {
		return g, wire.Invalid("stop", "%v", err)
	}
	// a bound that the client did not set shrinks to the room that there is; one that it set is refused
	room, _ := m.vocabulary.Room()
	least := min(1, usual)
	g.request.MaxTokens = max(least, min(usual, room-len(prompt)))
	wire.Set(&g.request.MaxTokens, s.MaxTokens)
	switch most := g.request.MaxTokens; {
	case most < least:
		return g, wire.Invalid(s.Fields.Bound, "%s: %d must be at least %d", s.Fields.Bound, most, least)
	case most > room-len(prompt):
		return g, m.tooLong(s.Fields.Bound, len(prompt), most, least)
	}
	if err := s.CheckLeast(g.request.MaxTokens); err != nil {
		return g, err
	}
	g.request.Model, g.request.Prompt = m.name, prompt
	g.request.Grammar, err = s.GrammarOf(ctx)
	return g, err
}

// content hashes what is asked for, apart from the seed. Seeds of repetitions and names of replies are hashed from it,
// so that they are the same whatever computes the reply: it is no key, and must not come to hold how the model is run.
func (g *generation) content() (hash [sha256.Size]byte) {
	h := sha256.New()
	r := g.request
	r.OnPiece, r.Prompt, r.Sampling.Seed, r.Model = nil, nil, 0, ""
	said, _ := json.Marshal(struct {
		Model   string
		Request inference.Request
		Stops   []string
	}{g.model.info.Hash, r, g.stops})
	_ = binary.Write(h, binary.LittleEndian, int64(len(said)))
	h.Write(said)
	_ = binary.Write(h, binary.LittleEndian, g.prompt)
	return [sha256.Size]byte(h.Sum(nil))
}

// name returns the name of a reply: a hash of what is asked for, and of the seed.
func (g *generation) name() string {
	content := g.content()
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(content[:], g.request.Sampling.Seed))
	return hex.EncodeToString(sum[:16])
}

// key identifies the generation with its seed. Choices that were drawn ahead are found by it.
func (g *generation) key() string { return g.keyWith(g.request.Sampling) }

// deciding is key without what decides nothing at temperature 0, such as the seed. The gate and the journal know
// generations by it, so that equal greedy replies are computed once.
func (g *generation) deciding() string { return g.keyWith(g.request.Sampling.Deciding()) }

// keyWith returns the content key of the generation under a sampling. The stop texts are in it, although the engine
// never gets them: records end at the first of them.
func (g *generation) keyWith(s inference.Sampling) string {
	r := g.request
	r.Sampling, r.Stop = s, g.stops // which are looked for here, and not by the engine
	return inference.KeyOf(g.model.identity, r, g.prompt).String()
}
