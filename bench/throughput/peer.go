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

	"parley/bug"
	"parley/inference/llamacpp"
)

// Peer is a server: llama-server by its own interface, anything else by OpenAI's completions.
//
// A user sends every request by itself and all at once. An expert asks for all samples of a prompt in one request
// (n_cmpl, or n), keeps an agent on the slot that holds its history, and never asks for more than there are slots.
type Peer struct {
	URL      string
	Expert   bool
	InFlight int // replies of an expert on the way at a time, in order; 0 for as many as the server has slots

	client *http.Client
	llama  bool   // it is a llama-server
	model  string // as an OpenAI-compatible server calls it
	slots  int    // a llama-server has
	gate   *semaphore.Weighted

	started time.Time
	mu      sync.Mutex // guards what follows
	used    Usage
}

// Name implements Side.
func (p *Peer) Name() string {
	if p.Expert {
		return "peer, expert"
	}
	return "peer, user"
}

// Start implements Side.
func (p *Peer) Start(ctx context.Context) error {
	if p.client == nil {
		if err := p.introduce(ctx); err != nil {
			return err
		}
	}
	p.gate = nil
	if p.Expert {
		p.gate = semaphore.NewWeighted(int64(p.width()))
	}
	p.used = Usage{}
	p.started = time.Now()
	return nil
}

// introduce finds out what kind of server answers.
func (p *Peer) introduce(ctx context.Context) error {
	p.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 0}}
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

// Join implements Side.
func (p *Peer) Join(int) Seat { return peerSeat{p} }

// Stop implements Side.
func (p *Peer) Stop() (Usage, error) {
	u := p.used
	u.Wall = time.Since(p.started)
	u.Decoded, u.Generations = u.Generated, u.Requests
	u.PeakMemory = llamacpp.PeakMemory(listener(p.URL))
	return u, nil
}

type peerSeat struct{ peer *Peer }

func (peerSeat) Leave() {}

// Ask implements Seat.
func (s peerSeat) Ask(ctx context.Context, asks []Ask) ([]Answer, error) {
	p := s.peer
	answers := make([]Answer, len(asks))
	g, ctx := errgroup.WithContext(ctx)
	for _, group := range p.groups(asks) {
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
			got, err := p.complete(ctx, asks[group[0]], len(group))
			for i, a := range got {
				answers[group[i]] = a
			}
			return err
		})
	}
	return answers, g.Wait()
}

// groups are the indices of asks that go out in one request.
func (p *Peer) groups(asks []Ask) (groups [][]int) {
	most := 1
	if p.Expert {
		most = p.width()
	}
	for i, a := range asks {
		if n := len(groups); n > 0 && len(groups[n-1]) < most {
			first := asks[groups[n-1][0]]
			if len(first.Prompt) == len(a.Prompt) && &first.Prompt[0] == &a.Prompt[0] && first.Slot == 0 &&
				a.Slot == 0 {
				groups[n-1] = append(groups[n-1], i)
				continue
			}
		}
		groups = append(groups, []int{i})
	}
	return groups
}

// width is how many replies an expert has on the way at a time.
func (p *Peer) width() int {
	width := 256
	if p.llama {
		width = p.slots
	}
	if p.InFlight > 0 {
		width = min(width, p.InFlight)
	}
	return width
}

// complete asks for n replies to one prompt.
func (p *Peer) complete(ctx context.Context, a Ask, n int) (answers []Answer, err error) {
	var computed int
	if p.llama {
		answers, computed, err = p.completeLlama(ctx, a, n)
	} else {
		answers, computed, err = p.completeOpenAI(ctx, a, n)
	}
	if err != nil {
		return nil, err
	}
	if len(answers) != n {
		return nil, fmt.Errorf("peer %s: %d replies to %d requests", p.URL, len(answers), n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, answer := range answers {
		if len(answer.Tokens) != a.Reply {
			return nil, fmt.Errorf("peer %s: a reply has %d tokens instead of %d", p.URL, len(answer.Tokens),
				a.Reply)
		}
		p.used.Generated += a.Reply
	}
	p.used.Requests += n
	p.used.Asked += n * len(a.Prompt)
	p.used.Computed += computed
	return answers, nil
}

func (p *Peer) completeLlama(ctx context.Context, a Ask, n int) (answers []Answer, computed int, err error) {
	request := map[string]any{
		"prompt": a.Prompt, "n_predict": a.Reply, "n_cmpl": n, "seed": uint32(a.Seed*2654435761 + 1),
		"return_tokens": true, "cache_prompt": true, "ignore_eos": true,
		"temperature": 1, "top_k": 0, "top_p": 1, "min_p": 0, "repeat_penalty": 1, "samplers": []string{"temperature"},
	}
	if p.Expert && a.Slot > 0 {
		request["id_slot"] = a.Slot - 1
	}
	text, err := p.post(ctx, "/completion", request)
	if err != nil {
		return nil, 0, err
	}
	type reply struct {
		Index   int     `json:"index"`
		Tokens  []int32 `json:"tokens"`
		Slot    int     `json:"id_slot"`
		Timings struct {
			Prompt int `json:"prompt_n"`
		} `json:"timings"`
	}
	replies := make([]reply, 1)
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '[' {
		err = json.Unmarshal(text, &replies)
	} else {
		err = json.Unmarshal(text, &replies[0])
	}
	if err != nil {
		return nil, 0, fmt.Errorf("peer %s: the reply cannot be read: %w", p.URL, err)
	}
	for _, r := range replies {
		answers = append(answers, Answer{Tokens: r.Tokens, Slot: r.Slot + 1})
		computed = max(computed, r.Timings.Prompt) // all replies of one request report its one prompt
	}
	return answers, computed, nil
}

func (p *Peer) completeOpenAI(ctx context.Context, a Ask, n int) (answers []Answer, computed int, err error) {
	text, err := p.post(ctx, "/v1/completions", map[string]any{
		"model": p.model, "prompt": a.Prompt, "max_tokens": a.Reply, "min_tokens": a.Reply, "ignore_eos": true, "n": n,
		"seed":        uint32(a.Seed*2654435761 + 1),
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
	if reply.Usage.Completion != 0 && reply.Usage.Completion != n*a.Reply {
		return nil, 0, fmt.Errorf("peer %s: generated %d tokens instead of %d: the server supports neither "+
			"ignore_eos nor min_tokens", p.URL, reply.Usage.Completion, n*a.Reply)
	}
	for i, c := range reply.Choices {
		if len(c.Tokens) == 0 { // it does not say; what follows is then as long but another text
			c.Tokens = player{run: a.Seed, vocabulary: 10_000}.text(a.Reply, i)
		}
		answers = append(answers, Answer{Tokens: c.Tokens})
	}
	return answers, reply.Usage.Prompt - reply.Usage.Details.Cached, nil
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
	response, err := p.client.Do(request)
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

// listener is the process on this machine that listens at the address, 0 if it is not here or cannot be seen.
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
