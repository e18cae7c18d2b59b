package debate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
	"github.com/parley-debate/parley/internal/escape"
)

// stream shows on a terminal what agents write while they write it: side by side, or, where that does not fit, one line
// with the numbers of their tokens. A finished round takes the place of what was shown of it.
type stream struct {
	live    *terminal.Overlay
	reasons bool // the reasoning in replies is shown, too
	role    func(agent int) string
	stop    chan struct{}
	stopped chan struct{}

	mu     sync.Mutex // guards what follows; no other lock is taken while it is held
	round  int
	drafts []*draft // of the round under way, in the order in which they were asked first
	drawn  bool     // nothing has changed since
}

// frameEvery is the time between two frames.
const frameEvery = 80 * time.Millisecond

// newStream begins to draw on the terminal behind out. Everything that is printed on the consoles meanwhile comes to
// stand above. There is none, nil, if out is no terminal.
func newStream(out, errors io.Writer, role func(agent int) string) *stream {
	live := terminal.NewOverlay(out, errors)
	if live == nil {
		return nil
	}
	s := &stream{live: live, role: role, stop: make(chan struct{}), stopped: make(chan struct{})}
	go bug.Lone(s.run)()
	return s
}

// run draws frames until the stream is stopped.
func (s *stream) run() {
	defer close(s.stopped)
	tick := time.NewTicker(frameEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			s.frame()
		}
	}
}

// frame draws what has changed. The lock is not held meanwhile, since a terminal may take long. So a round that is
// cleared meanwhile may be drawn once more; the next frame removes it.
func (s *stream) frame() {
	width, height, err := s.live.Size()
	if err != nil {
		return
	}
	picture, fresh := s.picture(width, height)
	if fresh {
		s.live.Draw(picture)
	}
}

// picture is what a terminal of some size shows of the round under way, and whether that has changed since the last
// call. The last line of the terminal stays free for the cursor.
func (s *stream) picture(width, height int) (lines []terminal.Styled, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		return nil, false
	}
	s.drawn = true
	return s.lines(width, height), true
}

// lines are what is drawn: the drafts side by side, or counts alone where the terminal is too narrow for them. The
// caller has the lock.
func (s *stream) lines(width, height int) []terminal.Styled {
	if len(s.drafts) == 0 {
		return nil
	}
	cell := terminal.CellWidth(len(s.drafts), width)
	if cell == 0 {
		return []terminal.Styled{{terminal.Span{Text: ansi.Truncate(escape.Text(s.counts()), width-1, "…")}}}
	}
	blocks := make([]terminal.Block, len(s.drafts))
	for i, a := range s.drafts {
		blocks[i] = terminal.Block{Head: terminal.Span{Text: s.role(a.agent) + ": " + a.progress()}, Text: a.text}
	}
	return terminal.SideBySide(blocks, cell, height-1)
}

// counts says who is writing, and how much each has written.
func (s *stream) counts() string {
	all, parts := 0, make([]string, len(s.drafts))
	for i, a := range s.drafts {
		all += a.tokens
		parts[i] = s.role(a.agent) + " " + a.progress()
	}
	return fmt.Sprintf("round %d, %s: %s", s.round, wording.Count(all, "token"), strings.Join(parts, ", "))
}

// ask enters a request, and returns what takes the pieces of its reply.
func (s *stream) ask(r inference.Request) func(inference.Piece) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Round != s.round {
		s.round, s.drafts = r.Round, nil
	}
	at := slices.IndexFunc(s.drafts, func(a *draft) bool { return a.agent == r.Agent })
	if at < 0 {
		at = len(s.drafts)
		s.drafts = append(s.drafts, &draft{agent: r.Agent})
	}
	a := s.drafts[at]
	if a.before, a.done = a.tokens, false; a.text != "" {
		a.text += "\n\n"
	}
	s.drawn = false
	return func(p inference.Piece) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.reasons {
			a.reason(p.Reasoning)
		}
		if p.Text != "" && a.reasoning {
			a.reasoning, a.text = false, a.text+"\n[answer]\n"
		}
		a.text += p.Text
		a.tokens, a.done, s.drawn = a.before+p.Tokens, p.Done, false
	}
}

// clear forgets the round under way, which is about to be printed.
func (s *stream) clear() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drafts, s.drawn = nil, false
}

// close ends the drawing. What agents have written of a round that is not finished stays where it is if keep is set.
func (s *stream) close(keep bool) {
	if s == nil {
		return
	}
	close(s.stop)
	<-s.stopped
	if !keep {
		s.clear()
	}
	s.frame()
	s.live.End()
}

// streamed is a speaker whose replies a stream shows while they are written.
type streamed struct {
	speaker debate.Speaker
	stream  *stream
}

// Generate implements debate.Speaker.
func (s *streamed) Generate(ctx context.Context, requests []inference.Request) ([]inference.Reply, error) {
	requests = slices.Clone(requests)
	for i, r := range requests {
		requests[i].OnPiece = s.stream.ask(r)
	}
	s.stream.frame() // says who is asked, however long their prompts take
	return s.speaker.Generate(ctx, requests)
}
