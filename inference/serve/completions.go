package serve

import (
	"context"
	"net/http"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/generation"
	"github.com/parley-debate/parley/inference/serve/served"
	"github.com/parley-debate/parley/inference/serve/wire"
)

// defaultTextTokens bounds a text completion for which the client set no bound, as with OpenAI.
const defaultTextTokens = 16

// complete answers POST /v1/completions. Prompts that are echoed with their log-probabilities are scored first, in
// places of their own, so that the replies can be streamed behind them.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) error {
	var request wire.TextRequest
	if err := decode(r, &request); err != nil {
		return err
	}
	m, err := s.model(request.Model)
	if err != nil {
		return err
	}
	n, err := request.Check(s.options.MaxChoices)
	if err != nil {
		return err
	}
	from, err := s.expect(r, request.User, len(request.Prompt)*n, leastBytes(m, &request.Settings,
		request.Alternatives()))
	if err != nil {
		return err
	}
	if err := tokenizePrompts(m, &request); err != nil {
		return err
	}
	// From here on the request counts: it has its seeds, and a caller of WithTurn is told that it may send the next.
	all, u, err := s.askedOf(r.Context(), &request, m, from, n)
	if err != nil {
		return err
	}
	form := &textForm{id: identity("cmpl-", all), request: &request, model: m, n: n,
		scores: make([][]inference.TokenScore, len(request.Prompt))}
	turn(r.Context(), form.id+m.Fingerprint())
	if err := reserve(r.Context(), all, form.scoredBytes()); err != nil {
		return err
	}
	if form.scored() {
		if err := s.scorePrompts(r.Context(), from, form); err != nil {
			return err
		}
		u.computed = u.PromptTokens // each row of it is needed
	}
	if request.ScoresOnly() {
		return form.echo(w, s.total(&u))
	}
	choices, err := s.startChoices(r.Context(), from, all)
	if err != nil {
		return err
	}
	return s.reply(w, r, &request.Settings, choices, form, u)
}

// tokenizePrompts turns texts into tokens. What looks like a control token in them is one, as with vLLM: the client
// writes the whole prompt.
func tokenizePrompts(m *served.Model, r *wire.TextRequest) (err error) {
	for i, p := range r.Prompt {
		if p.Text == nil {
			err = m.CheckTokens("prompt", p.Tokens)
		} else {
			p.Tokens, err = m.Tokenize(*p.Text, "prompt", true, true)
			r.Prompt[i].Tokens = p.Tokens
		}
		if err == nil && len(p.Tokens) > m.Room() { // the next one may be as long
			least := 1
			if r.ScoresOnly() {
				least = 0
			}
			err = m.TooLong(r.Fields.Bound, len(p.Tokens), least, least)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askedOf returns the generations of all prompts, n for each and those of a prompt together, with what the prompts
// count.
func (s *Server) askedOf(ctx context.Context, r *wire.TextRequest, m *served.Model, from asker, n int) (
	all []generation.Spec, u usage, err error) {
	usual := defaultTextTokens
	if r.ScoresOnly() {
		usual = 0
	}
	for _, p := range r.Prompt {
		g, err := generation.New(ctx, m, &r.Settings, p.Tokens, r.Alternatives(), usual)
		if err != nil {
			return nil, u, err
		}
		u.PromptTokens += len(p.Tokens)
		if r.ScoresOnly() {
			all = append(all, g)
		} else {
			seeded, err := g.Seeded(r.Seed, n, s.sessions, from.session)
			if err != nil {
				return nil, u, err
			}
			all = append(all, seeded...)
		}
	}
	return all, u, nil
}

// scored reports whether the prompts are scored: they are echoed, and with log-probabilities.
func (f *textForm) scored() bool { return f.request.Echo && f.request.Logprobs != nil }

// scoredBytes are the bytes of the scores.
func (f *textForm) scoredBytes() (bytes int64) {
	if f.scored() {
		for _, p := range f.request.Prompt {
			bytes += scoredBytes(len(p.Tokens), f.request.Alternatives())
		}
	}
	return bytes
}

// scorePrompts has the engine score every prompt: each of its tokens given those before it.
func (s *Server) scorePrompts(ctx context.Context, from asker, f *textForm) error {
	return s.inTurn(ctx, from, len(f.request.Prompt), func(i int) (err error) {
		if tokens := f.request.Prompt[i].Tokens; len(tokens) > 1 {
			f.scores[i], err = s.score(ctx, from, f.model, tokens, f.request.Alternatives())
		}
		return err
	})
}

// score returns the score of each token of a prompt but the first, which nothing precedes.
func (s *Server) score(ctx context.Context, from asker, m *served.Model, tokens []int32,
	alternatives int) ([]inference.TokenScore, error) {
	from.Begin(len(tokens), 0)
	replies, err := s.engine.Ask(ctx, s.client(from), []inference.Request{{Model: m.Name, Prompt: tokens[:1],
		Forced: tokens[1:], Sampling: inference.Sampling{Alternatives: alternatives}}})
	if err != nil {
		return nil, err
	}
	return replies[0].Scores, replies[0].Err
}

// textForm writes replies as /v1/completions does. It belongs to one handler, and is not safe for several.
type textForm struct {
	id      string
	request *wire.TextRequest
	model   *served.Model
	n       int                      // choices of each prompt
	scores  [][]inference.TokenScore // of each prompt's tokens but the first
	written []int                    // characters of each choice that were streamed
}

// textChoice is one choice of a body, or what an event adds to it.
type textChoice struct {
	Text         string        `json:"text"`
	Index        int           `json:"index"`
	Logprobs     *textLogprobs `json:"logprobs"`
	FinishReason *string       `json:"finish_reason"`
	TokenIDs     []int32       `json:"token_ids,omitempty"` // of the reply, without the prompt
}

// head implements form; chunks look like whole bodies here.
func (f *textForm) head(bool) head {
	return head{ID: f.id, Object: "text_completion", Model: f.model.ID, Fingerprint: f.model.Fingerprint()}
}

// prefix returns what a choice begins with: the echoed prompt and its log-probabilities, as far as they are asked for.
// The log-probabilities are nil only if the client wants none at all.
func (f *textForm) prefix(choice int) (text string, l *textLogprobs) {
	if f.request.Logprobs != nil {
		l = &textLogprobs{Tokens: []string{}, TokenLogprobs: []*float32{}, TopLogprobs: []map[string]float32{},
			TextOffset: []int{}}
	}
	if !f.request.Echo {
		return "", l
	}
	p, tokens := f.request.Prompt[choice/f.n], f.request.Prompt[choice/f.n].Tokens
	text = f.model.Text(tokens)
	if p.Text != nil {
		text = *p.Text
	}
	if l == nil {
		return text, nil
	}
	offsets := f.model.Offsets(tokens, p.Text)
	l.addFirst(f.model, tokens[0])
	for i, score := range f.scores[choice/f.n] {
		l.add(f.model, generation.Token{ID: score.Token, LogProb: score.LogProb, Alternatives: score.Alternatives},
			f.request.Alternatives(), offsets[i+1])
	}
	return text, l
}

// add adds a drawn token at a character offset, unless the client wants no log-probabilities.
func (f *textForm) add(l *textLogprobs, t generation.Token, offset int) {
	if l != nil && t.ID != generation.Rest {
		l.add(f.model, t, f.request.Alternatives(), offset)
	}
}

// ids returns the IDs of drawn tokens, nil if the client did not ask for them.
func (f *textForm) ids(tokens ...generation.Token) (ids []int32) {
	if !f.request.ReturnTokenIDs {
		return nil
	}
	for _, t := range tokens {
		if t.ID != generation.Rest {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// whole implements form. Offsets count from the beginning of the echoed prompt.
func (f *textForm) whole(choice, index int, tokens []generation.Token, finish string) any {
	text, l := f.prefix(choice)
	offset := characters(text)
	for _, t := range tokens {
		f.add(l, t, offset)
		offset += characters(t.Text)
	}
	said, _ := joinTexts(tokens)
	return textChoice{Text: text + said, Index: index, Logprobs: l, FinishReason: &finish,
		TokenIDs: f.ids(tokens...)}
}

// first writes the echoed prompt, if there is one. It also prepares the offsets of the choice, and so must be called
// for the choices in their order.
func (f *textForm) first(choice, index int) any {
	f.written = append(f.written, 0)
	if !f.request.Echo {
		return nil
	}
	text, l := f.prefix(choice)
	f.written[choice] = characters(text)
	return textChoice{Text: text, Index: index, Logprobs: l}
}

// part shows the end token only among log-probabilities and token ids, as vLLM does.
func (f *textForm) part(choice, index int, t generation.Token) any {
	if t.End && f.request.Logprobs == nil && !f.request.ReturnTokenIDs {
		return nil
	}
	c := textChoice{Text: t.Text, Index: index, TokenIDs: f.ids(t)}
	if f.request.Logprobs != nil && t.ID != generation.Rest {
		c.Logprobs = &textLogprobs{}
		f.add(c.Logprobs, t, f.written[choice])
	}
	f.written[choice] += characters(t.Text)
	return c
}

// last implements form.
func (f *textForm) last(index int, finish string) []any {
	return []any{textChoice{Index: index, FinishReason: &finish}}
}

// echo writes prompts that were only scored.
func (f *textForm) echo(w http.ResponseWriter, u *usage) error {
	all := make([]any, len(f.request.Prompt)*f.n)
	for i := range all {
		all[i] = f.whole(i, i, nil, "length")
	}
	return answer(w, body{f.head(false), all, u})
}
