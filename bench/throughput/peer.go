package throughput

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/internal/bug"
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
	return nil
}

// Begin implements System.
func (p *Peer) Begin() { p.used, p.started = Usage{}, time.Now() }

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

// Lap implements System.
func (p *Peer) Lap() Usage {
	u := p.used
	u.Wall = time.Since(p.started)
	u.Decoded, u.Generations = u.Generated, u.Requests
	u.PeakMemory = machine.PeakMemory(listener(p.URL))
	return u
}

// Stop implements System.
func (p *Peer) Stop() error { return nil }

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
