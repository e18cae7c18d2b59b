package throughput

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// complete asks for n replies to one prompt.
func (p *Peer) complete(ctx context.Context, r Request, n int) (replies []Reply, err error) {
	var computed int
	if p.llama {
		replies, computed, err = p.completeLlama(ctx, r, n)
	} else {
		replies, computed, err = p.completeOpenAI(ctx, r, n)
	}
	if err != nil {
		return nil, err
	}
	if len(replies) != n {
		return nil, fmt.Errorf("peer %s: %d replies to %d requests", p.URL, len(replies), n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, reply := range replies {
		if len(reply.Tokens) != r.Tokens {
			return nil, fmt.Errorf("peer %s: a reply has %d tokens instead of %d", p.URL, len(reply.Tokens), r.Tokens)
		}
		p.used.Generated += r.Tokens
	}
	p.used.Requests += n
	p.used.Asked += n * len(r.Prompt)
	p.used.Computed += computed
	return replies, nil
}

// seed32 is a seed for servers that take 32 bits, another for each of a workload's.
func (r Request) seed32() uint32 {
	return (uint32(r.Seed)^uint32(r.Seed>>32)*0x9E3779B9)*2654435761 + 1
}

func (p *Peer) completeLlama(ctx context.Context, r Request, n int) (replies []Reply, computed int, err error) {
	request := map[string]any{
		"prompt": r.Prompt, "n_predict": r.Tokens, "n_cmpl": n, "seed": r.seed32(),
		"return_tokens": true, "cache_prompt": true, "ignore_eos": true,
		"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "repeat_penalty": 1, "samplers": []string{"temperature"},
	}
	if p.Expert && r.Slot > 0 {
		request["id_slot"] = r.Slot - 1
	}
	text, err := p.post(ctx, "/completion", request)
	if err != nil {
		return nil, 0, err
	}
	type completion struct {
		Tokens  []int32 `json:"tokens"`
		Slot    int     `json:"id_slot"`
		Timings struct {
			Prompt int `json:"prompt_n"`
		} `json:"timings"`
	}
	completions := make([]completion, 1)
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '[' {
		err = json.Unmarshal(text, &completions)
	} else {
		err = json.Unmarshal(text, &completions[0])
	}
	if err != nil {
		return nil, 0, fmt.Errorf("peer %s: the reply cannot be read: %w", p.URL, err)
	}
	for _, c := range completions {
		replies = append(replies, Reply{Tokens: c.Tokens, Slot: c.Slot + 1})
		computed = max(computed, c.Timings.Prompt) // all completions of one request report its one prompt
	}
	return replies, computed, nil
}

func (p *Peer) completeOpenAI(ctx context.Context, r Request, n int) (replies []Reply, computed int, err error) {
	text, err := p.post(ctx, "/v1/completions", map[string]any{
		"model": p.model, "prompt": r.Prompt, "max_tokens": r.Tokens, "min_tokens": r.Tokens, "ignore_eos": true,
		"n": n, "seed": r.seed32(),
		"temperature": 1, "top_p": 1, "return_token_ids": true,
	})
	if err != nil {
		return nil, 0, err
	}
	var reply struct {
		Choices []struct {
			Tokens []int32 `json:"token_ids"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Details    struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return nil, 0, fmt.Errorf("peer %s: the reply cannot be read: %w", p.URL, err)
	}
	if reply.Usage.Completion != 0 && reply.Usage.Completion != n*r.Tokens {
		return nil, 0, fmt.Errorf("peer %s: generated %d tokens instead of %d: the server supports neither "+
			"ignore_eos nor min_tokens", p.URL, reply.Usage.Completion, n*r.Tokens)
	}
	for i, c := range reply.Choices {
		if len(c.Tokens) == 0 { // the server does not return tokens: later prompts get others, of the same number
			c.Tokens = generator{run: r.Seed, vocabulary: 10_000}.text(r.Tokens, i)
		}
		replies = append(replies, Reply{Tokens: c.Tokens})
	}
	return replies, reply.Usage.Prompt - reply.Usage.Details.Cached, nil
}

const largestReply = 64 << 20

func (p *Peer) get(ctx context.Context, path string, to any) error {
	text, err := p.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func (p *Peer) post(ctx context.Context, path string, body any) ([]byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return p.do(ctx, http.MethodPost, path, text)
}

func (p *Peer) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(p.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestReply))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("peer %s%s: %s: %.300s", p.URL, path, response.Status, text)
	}
	return text, err
}
