package remote

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/inference/step"
)

// question is what one generation asks, as servers are sent it: token ids or messages.
type question struct {
	inference.Request
	messages []inference.Message // it is nil where tokens are sent
	prompt   []int32             // it is nil where messages are sent
	opened   bool                // the prompt ends within reasoning
	answer   int                 // most tokens of the answer, where its reasoning has a bound of its own
}

// questionOf checks a request, and refuses what no server of this kind can do, before anything is sent.
func (e *Engine) questionOf(ctx context.Context, r inference.Request) (q question, err error) {
	if err := e.Able(r); err != nil {
		return q, err
	}
	q.Request = r
	q.answer, q.MaxTokens = cmp.Or(r.MaxTokens, inference.DefaultMaxTokens), r.Most()
	if q.messages = r.Messages; e.vocabulary == nil {
		return q, nil
	}
	if q.prompt, q.messages = r.Prompt, nil; r.Prompt == nil {
		q.prompt, q.opened, err = e.vocabulary.Prompt(ctx, r.Sampling, r.Messages)
	}
	if room := e.info.Context; err == nil && room > 0 && len(q.prompt)+q.MaxTokens > room {
		err = fmt.Errorf("%w: %d prompt tokens and up to %d new ones, the server takes %d in all; lower --max-tokens "+
			"or the number of agents", inference.ErrTooLong, len(q.prompt), q.MaxTokens, room)
	}
	return q, err
}

// Able implements inference.Running.
func (e *Engine) Able(r inference.Request) error {
	if r.UsualBound { // the server's own limit holds
		r.Sampling.ReasoningTokens = 0
	}
	program := e.pool.servers[0].about.program
	_, err := sampling(program, r.Sampling)
	err = cmp.Or(r.Sampling.Validate(), e.checkAble(program, r), e.checkThinking(program, r), err)
	if err == nil && e.vocabulary != nil {
		err = e.vocabulary.Able(r)
	}
	return err
}

// checkAble returns the error of a request for what such a program does not do, nil if it does it all.
func (e *Engine) checkAble(program string, r inference.Request) error {
	switch {
	case r.Forced != nil:
		return e.cannot("score given tokens")
	case r.Sampling.Alternatives > 0:
		return e.cannot("tell the alternatives to each token")
	case r.Prompt != nil && e.vocabulary == nil:
		return e.cannot("be sent token ids; name the model's GGUF file with --model if the server takes them")
	case inference.GoesOn(r.Messages) && e.vocabulary == nil:
		return e.cannot("be sent the beginning of a reply, or a prompt without a template, in messages; name the " +
			"model's GGUF file with --model if the server takes token ids")
	case len(r.Continuations) > 0 && (e.vocabulary == nil || program != vLLM && program != parleyServe):
		return e.cannot("tell how probable given answers are, which this debate asks for: only vLLM and parley " +
			"serve can, and need the model's GGUF file in --model for its vocabulary; or choose a protocol that lets " +
			"agents vote or say how sure they are")
	case r.Tool != "":
		return e.cannot("have a reply call a " + r.Tool + " while it is written: name the model's GGUF file with " +
			"--model and leave out --engine, or leave out tool")
	case r.Grammar != "" && grammarField(program) == "":
		return e.cannot("keep a reply to a grammar, as this debate asks: llama-server, vLLM, SGLang and parley " +
			"serve can; or choose a protocol without forms to fill in")
	}
	return nil
}

// cannot returns the error of a request that such a server cannot serve. It is an inference.ErrCannot.
func (e *Engine) cannot(what string) error {
	return inference.Cannot{Err: fmt.Errorf("model %s: %s cannot %s", e.info.Name, e.info.Remote.Program, what)}
}

// prefix hashes what chooses the server: the beginning of the prompt, which the rounds of a debate have in common. Of
// token ids these are the first 64, which reach into the first question.
func (q question) prefix() uint64 {
	h := fnv.New64a()
	if q.Messages != nil {
		h.Write([]byte(prefixText(q.Messages)))
	} else {
		_ = binary.Write(h, binary.LittleEndian, q.prompt[:min(64, len(q.prompt))])
	}
	return h.Sum64()
}

// grammarField returns the field in which a program reads a grammar in GBNF, "" if it reads none.
func grammarField(program string) string {
	return map[string]string{llamaServer: "grammar", parleyServe: "grammar", sgLang: "ebnf",
		vLLM: "structured_outputs"}[program]
}

// seedOf returns a seed as a program takes it: parley serve any of 64 bits, others the 31 bits that all of them have in
// common. Records have the seed as it was asked for.
func seedOf(program string, seed uint64) int64 {
	if program == parleyServe {
		return int64(seed)
	}
	return int64(seed % (1<<31 - 1))
}

// sampling returns the fields that say how tokens are drawn. All that a program knows are sent, since the defaults of
// some are not neutral: llama-server's are top-k 40, top-p 0.95 and min-p 0.05, vLLM's stand in a file of the model. A
// program of which nothing is known but that it speaks OpenAI's protocol is sent what is set.
func sampling(program string, s inference.Sampling) (map[string]any, error) {
	body := map[string]any{"temperature": s.Temperature, "seed": seedOf(program, s.Seed)}
	for _, p := range inference.Parameters()[1:] {
		if _, budget := p.In(&s).(*inference.Budget); budget { // see addThinking
			continue
		}
		value := p.Of(s)
		known := slices.Contains(p.Servers, program) || slices.Contains(p.Servers, step.ServersAll)
		switch {
		case known && (value != 0 || program != openAI):
			body[p.JSON] = float32(cmp.Or(value, p.Default))
		case !known && value != 0 && value != p.Default:
			return nil, inference.Cannot{Err: fmt.Errorf("--%s is not known to have the same effect on %s: leave it "+
				"out, or use %s", p.Name, program, strings.Join(p.Servers, " or "))}
		}
	}
	if program == vLLM || program == sgLang {
		body["top_k"], body["repetition_penalty"] = cmp.Or(s.TopK, -1), 1
	}
	if len(s.Bias) > 0 {
		return nil, inference.Cannot{Err: errors.New("the logit bias of tokens is not sent to servers: leave it out")}
	}
	if s.IgnoreEnd {
		if !slices.Contains(takesTokens, program) {
			return nil, inference.Cannot{Err: errors.New("this server cannot go on after the end of a reply")}
		}
		body["ignore_eos"] = true
	}
	return body, nil
}

// mostStops is how many stop texts OpenAI's protocol allows. Others cut replies too, once these are here.
const mostStops = 4

// body returns the request for a reply, and the path that it goes to.
func (e *Engine) body(s *server, q question) (path string, body map[string]any, err error) {
	program := s.about.program
	if body, err = sampling(program, q.Sampling); err != nil {
		return "", nil, err
	}
	switch field := grammarField(program); {
	case q.Grammar == "":
	case program == vLLM:
		body[field] = map[string]string{"grammar": q.Grammar}
	default:
		body[field] = q.Grammar
	}
	if n := len(q.Stop); n > 0 {
		body["stop"] = q.Stop
		if program == openAI {
			body["stop"] = q.Stop[:min(n, mostStops)]
		}
	}
	if program == ollama { // whose options do not have the model's name among them
		return "/api/chat", ollamaBody(s, q, body), nil
	}
	body["model"] = s.about.model
	addThinking(program, q, body)
	most := q.MaxTokens
	if program == parleyServe { // which bounds the answer alone, too
		most = q.answer
	}
	if q.messages == nil {
		body["prompt"], body["max_tokens"], body["logprobs"] = q.prompt, most, 1
		// the file may end replies by another token than the server's own configuration does
		if len(e.ends) > 0 && !q.Sampling.IgnoreEnd && (program == vLLM || program == sgLang) {
			body["stop_token_ids"] = e.ends
		}
		return "/v1/completions", body, nil
	}
	body["messages"], body["logprobs"] = q.messages, true
	if program == llamaServer {
		body["top_logprobs"] = 1 // or it tells 20
	}
	// OpenAI's reasoning models refuse the older name, and other programs may not know the newer one
	if body["max_tokens"] = most; ofOpenAI(s.url) {
		delete(body, "max_tokens")
		body["max_completion_tokens"] = q.MaxTokens
	}
	return "/v1/chat/completions", body, nil
}

// ollamaBody returns the request in Ollama's own protocol, since in OpenAI's it takes neither top-k nor a bound on the
// prompt. A prompt that is too long is refused, where it would be cut otherwise.
func ollamaBody(s *server, q question, options map[string]any) map[string]any {
	options["num_predict"] = q.MaxTokens
	body := map[string]any{"model": s.about.model, "messages": q.messages, "stream": false, "logprobs": true,
		"truncate": false, "shift": false, "options": options}
	if q.Sampling.ReasoningTokens != 0 { // none, since it knows no other bound
		body["think"] = false
	}
	return body
}
