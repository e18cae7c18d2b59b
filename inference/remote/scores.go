package remote

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/inference"
)

// scores asks a server how probable continuations are: each is sent behind the prompt, and the server echoes both with
// their log-probabilities. The most probable one is the reply's text, as with an engine in this process.
//
// The server takes prompt and continuation for one prompt, behind which it draws one more token, whose log-probability
// is not read. So of what it echoes, [0, from) belongs to the prompt, [from, to) to the continuation, and the rest to
// neither. Each continuation is an exchange of its own. Sums are natural logarithms, not divided by the length.
func (e *Engine) scores(ctx context.Context, s *server, q question) (r inference.Reply, err error) {
	r = inference.Reply{Stop: inference.StopScored, PromptTokens: len(q.prompt)}
	for i, text := range q.Continuations {
		// a continuation is text: neither is a token put before it, nor does it hold control tokens
		forced, err := e.vocabulary.Tokenize(text, false, false)
		if err == nil && len(forced) == 0 {
			err = fmt.Errorf("continuation %d is empty: there is nothing to score", i)
		}
		if err != nil {
			return r, err
		}
		body := map[string]any{"model": s.about.model, "prompt": slices.Concat(q.prompt, forced), "max_tokens": 1,
			"temperature": 0, "echo": true, "logprobs": 1}
		var answer completion
		if err := s.post(ctx, "/v1/completions", body, &answer); err != nil {
			return r, err
		}
		all, err := answer.read(s, 1)
		if err != nil {
			return r, err
		}
		d, from, to := all[0], len(q.prompt), len(q.prompt)+len(forced)
		if d.prompt != to || len(d.logProbs) < to {
			return r, s.wrong("it scores %d tokens of a prompt of %d, where %d were sent", len(d.logProbs),
				d.prompt, to)
		}
		total, unscored := sum(d.logProbs[from:to], to-from)
		if unscored {
			return r, s.wrong("the log-probabilities of the prompt are not all there")
		}
		r.LogProbs = append(r.LogProbs, total)
		r.Tokens += len(forced)
		// the first exchange computes the prompt; the reply counts as cached what a later one found of it
		r.CachedTokens = max(r.CachedTokens, min(d.cached, len(q.prompt)))
	}
	best := slices.Index(r.LogProbs, slices.Max(r.LogProbs))
	r.Text, r.LogProb = q.Continuations[best], r.LogProbs[best]
	return r, nil
}
