package throughput

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/parley-debate/parley/bug"
	"github.com/parley-debate/parley/inference/llamacpp"
)

// Peer is a server that others wrote, used through its HTTP interface: that of llama-server, or else OpenAI's
// completions.
//
// As a user, it sends all requests at once, each by itself. As an expert, it asks for all samples of a prompt in one
// request (n_cmpl, or n), keeps an agent on the slot that holds its history, and never asks for more replies at a time
// than there are slots.
type Peer struct {
	URL      string
	Expert   bool
	InFlight int // of an expert: replies asked for at a time; 0 for as many as the server has slots

	http  *http.Client
	llama bool                // it is a llama-server
	slots int                 // of a llama-server
	model string              // its name on an OpenAI-compatible server
	gate  *semaphore.Weighted // holds an expert's requests back

	started time.Time
	mu      sync.Mutex // guards what follows
	used    Usage
}

// Name implements System.
func (p *Peer) Name() string {
	if p.Expert {
		return "peer, expert"
	}
	return "peer, user"
}

// Start implements System.
func (p *Peer) Start(ctx context.Context) error {
	if p.http == nil {
		if err := p.identify(ctx); err != nil {
			return err
		}
	}
	p.gate = nil
	if p.Expert {
		p.gate = semaphore.NewWeighted(int64(p.inFlight()))
	}
	p.used = Usage{}
	p.started = time.Now()
	return nil
}

// identify finds out what kind of server it is.
func (p *Peer) identify(ctx context.Context) error {
	p.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 0}}
	var props struct {
		Slots int `json:"total_slots"`
	}
	if err := p.get(ctx, "/props", &props); err == nil && props.Slots > 0 {
		p.llama, p.slots = true, props.Slots
		return nil
	}
	var models struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := p.get(ctx, "/v1/models", &models); err != nil {
		return fmt.Errorf("peer %s: %w; start a llama-server or an OpenAI-compatible server there", p.URL, err)
	}
	if len(models.Data) == 0 {
		return fmt.Errorf("peer %s: serves no model", p.URL)
	}
	p.model = models.Data[0].ID
	return nil
}

// Join implements System.
func (p *Peer) Join(int) Client { return peerClient{p} }

// Stop implements System.
func (p *Peer) Stop() (Usage, error) {
	u := p.used
	u.Wall = time.Since(p.started)
	u.Decoded, u.Generations = u.Generated, u.Requests
	u.PeakMemory = llamacpp.PeakMemory(listener(p.URL))
	return u, nil
}

type peerClient struct{ peer *Peer }

// Leave implements Client.
func (peerClient) Leave() {}

// Generate implements Client.
func (c peerClient) Generate(ctx context.Context, requests []Request) ([]Reply, error) {
	p := c.peer
	replies := make([]Reply, len(requests))
	g, ctx := errgroup.WithContext(ctx)
	for _, group := range p.groups(requests) {
		if p.gate != nil {
			if err := p.gate.Acquire(ctx, int64(len(group))); err != nil { // here, so that prompts are sent in order
				return nil, errors.Join(g.Wait(), err)
			}
		}
		g.Go(func() (err error) {
			defer bug.Catch(&err)
			if p.gate != nil {
				defer p.gate.Release(int64(len(group)))
			}
			got, err := p.complete(ctx, requests[group[0]], len(group))
			for i, reply := range got {
				replies[group[i]] = reply
			}
			return err
		})
	}
	return replies, g.Wait()
}

// groups are the indices of requests that are sent as one: an expert's requests with the same prompt.
func (p *Peer) groups(requests []Request) (groups [][]int) {
	most := 1
	if p.Expert {
		most = p.inFlight()
	}
	for i, r := range requests {
		if n := len(groups); n > 0 && len(groups[n-1]) < most {
			first := requests[groups[n-1][0]]
			if len(first.Prompt) == len(r.Prompt) && &first.Prompt[0] == &r.Prompt[0] && first.Slot == 0 &&
				r.Slot == 0 {
				groups[n-1] = append(groups[n-1], i)
				continue
			}
		}
		groups = append(groups, []int{i})
	}
	return groups
}

// inFlight is how many replies an expert asks for at a time.
func (p *Peer) inFlight() int {
	most := 256
	if p.llama {
		most = p.slots
	}
	if p.InFlight > 0 {
		most = min(most, p.InFlight)
	}
	return most
}

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

func (p *Peer) completeLlama(ctx context.Context, r Request, n int) (replies []Reply, computed int, err error) {
	request := map[string]any{
		"prompt": r.Prompt, "n_predict": r.Tokens, "n_cmpl": n, "seed": uint32(r.Seed*2654435761 + 1),
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
		"n": n, "seed": uint32(r.Seed*2654435761 + 1),
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

// listener is the process on this machine that listens at an address, 0 if there is none or it cannot be found.
func listener(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return 0
	}
	var port int
	fmt.Sscan(u.Port(), &port)
	inode := ""
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(table)
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line) // number, local address, remote address, state, ..., inode
			if len(f) > 9 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) {
				inode = f[9]
			}
		}
	}
	if inode == "" {
		return 0
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		if target, _ := os.Readlink(link); target == "socket:["+inode+"]" {
			var pid int
			fmt.Sscanf(link, "/proc/%d/", &pid)
			return pid
		}
	}
	return 0
}
