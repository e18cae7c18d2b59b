package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/serve/limits"
	"github.com/parley-debate/parley/inference/serve/strict"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bounds"
)

// settings are the fields that chat and text completions share. A pointer is nil where the client left the field out or
// sent null; what has another default than zero needs one.
type settings struct {
	common
	inference.Chosen
	shaping
	N                 *int           `json:"n"`
	Seed              *int64         `json:"seed"`
	RepetitionPenalty *float32       `json:"repetition_penalty"`
	FrequencyPenalty  *float32       `json:"frequency_penalty"`
	PresencePenalty   *float32       `json:"presence_penalty"`
	LogitBias         logitBias      `json:"logit_bias"`
	IgnoreEOS         bool           `json:"ignore_eos"`
	Stop              texts          `json:"stop"`
	MaxTokens         *int           `json:"max_tokens"`
	MinTokens         int            `json:"min_tokens"`
	Stream            bool           `json:"stream"`
	StreamOptions     *streamOptions `json:"stream_options"`
	User              string         `json:"user"`
}

// streamOptions are OpenAI's options of streams.
type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Besides implements strict.Besides.
func (streamOptions) Besides() map[string][]string {
	return map[string][]string{"include_obfuscation": {"false"}, "continuous_usage_stats": {"false"}}
}

// texts is a text or a list of texts.
type texts []string

// ReadStrictly implements strict.Reader.
func (t *texts) ReadStrictly(raw []byte, at string) error {
	if bytes.HasPrefix(raw, []byte("[")) {
		return strict.Read(raw, at, (*[]string)(t))
	}
	*t = make(texts, 1)
	if json.Unmarshal(raw, &(*t)[0]) != nil {
		return strict.Wrong(at, "must be a text or a list of texts")
	}
	return nil
}

// logitBias are numbers that are added to the logits of tokens, by token, in ascending order.
type logitBias []step.TokenBias

// ReadStrictly implements strict.Reader. The tokens are keys, and so texts.
func (l *logitBias) ReadStrictly(raw []byte, at string) error {
	// Each token is two values of an object. They are counted before they are read.
	d := json.NewDecoder(bytes.NewReader(raw))
	for i := int64(0); ; i++ {
		if _, err := d.Token(); err != nil {
			break
		}
		if i > 2*limits.Biases.Most+2 {
			return limits.Biases.Over(at)
		}
	}
	var byToken map[int32]float32
	if err := json.Unmarshal(raw, &byToken); err != nil {
		return strict.Wrong(at, "must be an object whose keys are token ids, and whose values are numbers")
	}
	*l = nil
	for _, token := range slices.Sorted(maps.Keys(byToken)) {
		if byToken[token] != 0 {
			*l = append(*l, step.TokenBias{Token: step.Token(token), Bias: byToken[token]})
		}
	}
	return nil
}

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

// sampling checks the fields that say how tokens are drawn. Their defaults are OpenAI's.
func (s *settings) sampling(alternatives int) (inference.Sampling, error) {
	out := s.In(inference.Sampling{Temperature: 1, Alternatives: alternatives, IgnoreEnd: s.IgnoreEOS})
	set(&out.FrequencyPenalty, s.FrequencyPenalty)
	set(&out.PresencePenalty, s.PresencePenalty)
	out.Bias = s.LogitBias
	if out.TopK == -1 { // vLLM's word for all
		out.TopK = 0
	}
	if s.TopP != nil && *s.TopP == 0 {
		return out, invalid("top_p", "top_p 0: must be above 0, up to 1")
	}
	if s.RepetitionPenalty != nil { // on the whole prompt and reply
		back, _ := inference.ParameterNamed("repeat-last-n")
		out.RepeatPenalty, out.RepeatLastN = *s.RepetitionPenalty, int(back.Range.High)
	}
	if err := out.Validate(); err != nil {
		wrong := new(bounds.Error)
		field := ""
		if errors.As(err, wrong) {
			field = strings.NewReplacer("repeat-penalty", "repetition_penalty", "-", "_").Replace(wrong.Name)
		}
		return out, invalid(field, "%v", err)
	}
	return out.Deciding(), nil // what decides nothing would make equal requests differ; it has no seed yet
}

// set writes a value that the client sent over a default.
func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// generation checks the settings for one prompt. usual is the bound on the reply if the client set none, and 0 if the
// prompt is only scored.
func (s *settings) generation(ctx context.Context, m *model, prompt []int32, alternatives, usual int) (g generation,
	err error) {
	if len(prompt) == 0 {
		return g, invalid("prompt", "the prompt has no tokens: at least one is needed")
	}
	if o := s.StreamOptions; o != nil && o.IncludeUsage && !s.Stream {
		return g, invalid("stream_options", "stream_options: include_usage is for replies with stream: true")
	}
	g = generation{model: m, prompt: prompt, stops: s.Stop}
	if g.request.Sampling, err = s.sampling(alternatives); err != nil {
		return g, err
	}
	for _, b := range s.LogitBias {
		if err := m.checkTokens("logit_bias", []int32{int32(b.Token)}); err != nil {
			return g, err
		}
	}
	if err := ending.CheckStops(s.Stop); err != nil {
		return g, invalid("stop", "%v", err)
	}
	// a bound that the client did not set shrinks to the room that there is; one that it set is refused
	room, _ := m.vocabulary.Room()
	least := min(1, usual)
	g.request.MaxTokens = max(least, min(usual, room-len(prompt)))
	set(&g.request.MaxTokens, s.MaxTokens)
	switch most := g.request.MaxTokens; {
	case most < least:
		return g, invalid("max_tokens", "max_tokens: %d must be at least %d", most, least)
	case most > room-len(prompt):
		return g, m.tooLong(len(prompt), most, least)
	}
	if err := s.checkLeast(g.request.MaxTokens); err != nil {
		return g, err
	}
	g.request.Model, g.request.Prompt = m.name, prompt
	g.request.Grammar, err = s.grammarOf(ctx)
	return g, err
}

// checkLeast refuses min_tokens, which the engine does not have, unless the reply has as many tokens anyway.
func (s *settings) checkLeast(most int) error {
	switch {
	case s.MinTokens < 0 || s.MinTokens > most:
		return invalid("min_tokens", "min_tokens %d: must be from 0 to max_tokens, %d", s.MinTokens, most)
	case s.MinTokens > 0 && (!s.IgnoreEOS || len(s.Stop) > 0):
		return invalid("min_tokens", "min_tokens %d is supported only with ignore_eos and without stop, where a reply "+
			"has max_tokens", s.MinTokens)
	}
	return nil
}

// choices returns how many replies are asked for, and refuses more than most.
func (s *settings) choices(most int) (int, error) {
	n := 1
	set(&n, s.N)
	if n < 1 || n > most {
		return 0, invalid("n", "n %d: must be from 1 to %d (parley serve --max-choices)", n, most)
	}
	return n, nil
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
