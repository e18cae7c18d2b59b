package serve

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/serve/strict"
	"github.com/parley-debate/parley/internal/bug"
)

// textRequest is a body of /v1/completions.
type textRequest struct {
	settings
	Prompt         prompts `json:"prompt"`
	Echo           bool    `json:"echo"`
	Logprobs       *int    `json:"logprobs"`
	ReturnTokenIDs bool    `json:"return_token_ids"`
}

// prompts are one or several texts, or lists of token ids.
type prompts []prompt

// prompt is one prompt: its tokens are known after tokenize, its text only if the client gave that.
type prompt struct {
	text   *string // nil where the client gave tokens
	tokens []int32
}

// ReadStrictly implements strict.Reader.
func (p *prompts) ReadStrictly(raw []byte, at string) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) == nil && len(items) > 0 {
		switch items[0][0] {
		case '[':
			return p.lists(raw, at)
		case '"':
		default:
			*p = make(prompts, 1)
			return strict.Read(raw, at, &(*p)[0].tokens)
		}
	}
	var list texts
	if json.Unmarshal(raw, new(string)) != nil && items == nil {
		return strict.Wrong(at, "must be a text, a list of texts, a list of token ids, or a list of such lists")
	}
	err := list.ReadStrictly(raw, at)
	for _, text := range list {
		*p = append(*p, prompt{text: &text})
	}
	return err
}

// lists reads lists of token ids.
func (p *prompts) lists(raw []byte, at string) error {
	var lists [][]int32
	err := strict.Read(raw, at, &lists)
	for _, tokens := range lists {
		*p = append(*p, prompt{tokens: tokens})
	}
	return err
}

// defaultTextTokens bounds a text completion for which the client set no bound, as with OpenAI.
const defaultTextTokens = 16

// complete answers POST /v1/completions. Prompts that are echoed with their log-probabilities are scored first, in
// places of their own, so that the replies can be streamed behind them.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) error {
	var request textRequest
	if err := decode(r, &request); err != nil {
		return err
	}
	m, err := s.model(request.Model)
	if err != nil {
		return err
	}
	n, err := request.check(s.options.MaxChoices)
	if err != nil {
		return err
	}
	if err := request.tokenize(m); err != nil {
		return err
	}
	from, err := askerOf(r, request.User)
	if err != nil {
		return err
	}
	// From here on the request counts: it has its seeds, and a caller of WithTurn is told that it may send the next.
	all, u, err := s.askedOf(r.Context(), &request, m, from, n)
	if err != nil {
		return err
	}
	form := &textForm{id: identity("cmpl-", all), request: &request, model: m, n: n,
		scores: make([][]inference.TokenScore, len(request.Prompt))}
	if err := turn(r.Context(), form.id+m.fingerprint()); err != nil {
		return err
	}
	if request.Echo && request.Logprobs != nil {
		if err := s.scorePrompts(r.Context(), from, form); err != nil {
			return err
		}
		u.computed = u.PromptTokens // each row of it is needed
	}
	if request.none() {
		return form.echo(w, s.total(&u))
	}
	choices, err := s.startChoices(r.Context(), from, all)
	if err != nil {
		return err
	}
	return s.reply(w, r, &request.settings, choices, form, u)
}

// none reports whether nothing is to be generated: prompts are only scored.
func (r *textRequest) none() bool { return r.Echo && r.MaxTokens != nil && *r.MaxTokens == 0 }

// alternatives returns how many of the best tokens are asked for at each position.
func (r *textRequest) alternatives() (n int) {
	set(&n, r.Logprobs)
	return n
}

// check refuses what cannot be served, and returns how many choices each prompt has.
func (r *textRequest) check(most int) (n int, err error) {
	if len(r.Prompt) == 0 {
		return 0, invalid("prompt", "prompt is missing or empty")
	}
	if k := r.alternatives(); k < 0 || k > mostAlternatives {
		return 0, invalid("logprobs", "logprobs %d: must be from 0 to %d", k, mostAlternatives)
	}
	if r.none() && r.Stream {
		return 0, invalid("stream", "there is nothing to stream where max_tokens is 0")
	}
	if n, err = r.choices(most); err == nil && n*len(r.Prompt) > most {
		err = invalid("prompt", "%d prompts with %d choices each: at most %d choices are allowed in all (parley serve "+
			"--max-choices)", len(r.Prompt), n, most)
	}
	return n, err
}

// tokenize turns texts into tokens. What looks like a control token in them is one, as with vLLM: the client writes the
// whole prompt.
func (r *textRequest) tokenize(m *model) (err error) {
	for i, p := range r.Prompt {
		if p.text == nil {
			err = m.checkTokens("prompt", p.tokens)
		} else {
			p.tokens, err = m.tokensOf(*p.text, "prompt", true, true)
			r.Prompt[i].tokens = p.tokens
		}
		if room, _ := m.vocabulary.Room(); err == nil && len(p.tokens) > room { // the next one may be as long
			least := 1
			if r.none() {
				least = 0
			}
			err = m.tooLong(len(p.tokens), least, least)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askedOf returns the generations of all prompts, n for each and those of a prompt together, with what the prompts
// count.
func (s *Server) askedOf(ctx context.Context, r *textRequest, m *model, from asker, n int) (all []generation,
	u usage, err error) {
	asked, usual := r.settings, defaultTextTokens
	if r.none() {
		usual = 0
	}
	for _, p := range r.Prompt {
		g, err := asked.generation(ctx, m, p.tokens, r.alternatives(), usual)
		if err != nil {
			return nil, u, err
		}
		u.PromptTokens += len(p.tokens)
		if r.none() {
			all = append(all, g)
		} else {
			seeded, err := s.assignSeeds(from, r.Seed, g, n)
			if err != nil {
				return nil, u, err
			}
			all = append(all, seeded...)
		}
	}
	return all, u, nil
}

// scorePrompts has the engine score every prompt: each of its tokens given those before it. It waits for all of them,
// also after an error, since the goroutines write to the form.
func (s *Server) scorePrompts(ctx context.Context, from asker, f *textForm) error {
	bytes := int64(0)
	for _, p := range f.request.Prompt {
		bytes += scoredBytes(len(p.tokens), f.request.alternatives())
	}
	h := holdingOf(ctx)
	if err := h.reply.Grow(bytes); err != nil {
		return err
	}
	h.prepared()
	tickets, err := s.gate.Admit(from.session, make([]string, len(f.request.Prompt)))
	if err != nil {
		return err
	}
	s.ahead.claim(from.tenant, nil) // scoring is other work than what was foreseen
	errs := make(chan error)
	for i, p := range f.request.Prompt {
		s.working.Go(bug.Guarded(func() error {
			defer s.gate.Leave(tickets[i])
			err := s.gate.Wait(ctx, tickets[i])
			if err == nil && len(p.tokens) > 1 {
				f.scores[i], err = s.score(ctx, from, f.model, p.tokens, f.request.alternatives())
			}
			return err
		}, func(err error) { errs <- err }))
	}
	for range f.request.Prompt {
		if failed := <-errs; err == nil {
			err = failed
		}
	}
	return err
}

// score returns the score of each token of a prompt but the first, which nothing precedes.
func (s *Server) score(ctx context.Context, from asker, m *model, tokens []int32,
	alternatives int) ([]inference.TokenScore, error) {
	from.count(len(tokens), 0)
	replies, err := s.engine.Ask(ctx, s.guest(from), []inference.Request{{Model: m.name, Prompt: tokens[:1],
		Forced: tokens[1:], Sampling: inference.Sampling{Alternatives: alternatives}}})
	if err != nil {
		return nil, err
	}
	return replies[0].Scores, replies[0].Err
}

// textForm writes replies as /v1/completions does. It belongs to one handler, and is not safe for several.
type textForm struct {
	id      string
	request *textRequest
	model   *model
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
	return head{ID: f.id, Object: "text_completion", Model: f.model.id, Fingerprint: f.model.fingerprint()}
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
	p, tokens := f.request.Prompt[choice/f.n], f.request.Prompt[choice/f.n].tokens
	text = f.model.textOf(tokens)
	if p.text != nil {
		text = *p.text
	}
	if l == nil {
		return text, nil
	}
	offsets := f.model.offsets(tokens, p.text)
	l.addFirst(f.model, tokens[0])
	for i, score := range f.scores[choice/f.n] {
		l.add(f.model, Token{ID: score.Token, LogProb: score.LogProb, Alternatives: score.Alternatives},
			f.request.alternatives(), offsets[i+1])
	}
	return text, l
}

// add adds a drawn token at a character offset, unless the client wants no log-probabilities.
func (f *textForm) add(l *textLogprobs, t Token, offset int) {
	if l != nil && t.ID != rest {
		l.add(f.model, t, f.request.alternatives(), offset)
	}
}

// ids returns the IDs of drawn tokens, nil if the client did not ask for them.
func (f *textForm) ids(tokens ...Token) (ids []int32) {
	if !f.request.ReturnTokenIDs {
		return nil
	}
	for _, t := range tokens {
		if t.ID != rest {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// whole implements form. Offsets count from the beginning of the echoed prompt.
func (f *textForm) whole(choice, index int, tokens []Token, finish string) any {
	text, l := f.prefix(choice)
	offset := characters(text)
	for _, t := range tokens {
		f.add(l, t, offset)
		offset += characters(t.Text)
	}
	return textChoice{Text: text + joinTexts(tokens), Index: index, Logprobs: l, FinishReason: &finish,
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
func (f *textForm) part(choice, index int, t Token) any {
	if t.End && f.request.Logprobs == nil && !f.request.ReturnTokenIDs {
		return nil
	}
	c := textChoice{Text: t.Text, Index: index, TokenIDs: f.ids(t)}
	if f.request.Logprobs != nil && t.ID != rest {
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
