package rundir

import (
	"fmt"
	"time"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/inference"
)

// Count is how much of a run is recorded. The process that computes a run counts what it records, and those who watch
// it count what they read, so that both tell the same.
type Count struct {
	Debates, Failed int // recorded under the header, and how many of them could not be held
	Expected        int // debates when the run is finished; an upper bound
	Conditions      int // of the header
	Generations     int // under all headers
	Held            int // generations of the recorded debates; each counts once, however many debates share it
	Most            int // generations there can be when the run is finished, as was foreseen before it; 0 if unknown
	// of the generations: tokens generated, prompt tokens, and how many of these were shared with other prompts and not
	// computed again
	Tokens, PromptTokens, CachedTokens int
}

// Left estimates how long the rest of the run takes, from what was recorded since an earlier count in some time. It is
// below 0 if unknown. Generations say more than debates: of these many are under way at once, and they are recorded in
// their order. A debate that is not recorded takes as many generations as those that are, on average, which holds once
// there is one of each condition.
func (c Count) Left(before Count, took time.Duration) time.Duration {
	if c.Debates >= c.Expected {
		return 0
	}
	if c.Debates < c.Conditions {
		return -1
	}
	return c.until(before, took, float64(c.Held)/float64(max(1, c.Debates))*float64(c.Expected))
}

// MostLeft is how long the rest takes at most, by the generations that there can be; below 0 if unknown.
func (c Count) MostLeft(before Count, took time.Duration) time.Duration {
	return c.until(before, took, float64(c.Most))
}

// until estimates how long it takes until there are so many generations.
func (c Count) until(before Count, took time.Duration, of float64) time.Duration {
	done := float64(c.Generations - before.Generations)
	if done <= 0 || of <= float64(c.Generations) || took <= 0 {
		return -1
	}
	return time.Duration(float64(took) / done * (of - float64(c.Generations)))
}

// Done says how many debates are recorded.
func (c Count) Done() string {
	text := fmt.Sprintf("%s of %s debates", wording.Comma(c.Debates), wording.Comma(c.Expected))
	if c.Failed > 0 {
		text += fmt.Sprintf(" (%s failed)", wording.Comma(c.Failed))
	}
	return text
}

// Work says what was generated, at a rate in tokens per second if that is not below 0, and what was saved; the more
// important first.
func (c Count) Work(rate float64) []string {
	tokens := wording.Comma(c.Tokens) + " tokens"
	if rate >= 0 {
		tokens += fmt.Sprintf(" (%s/s)", wording.Comma(int(rate)))
	}
	work := []string{tokens, wording.Count(c.Generations, "generation")}
	if c.Most > c.Generations {
		work[1] = fmt.Sprintf("%s of at most %s", wording.Comma(c.Generations), wording.Count(c.Most, "generation"))
	}
	if c.PromptTokens > 0 {
		work = append(work, fmt.Sprintf("%d %% of prompt tokens saved", 100*c.CachedTokens/c.PromptTokens))
	}
	return work
}

// TimeLeft says how long a run will take that may stop early or not; "" if that is unknown.
func TimeLeft(left time.Duration, stops bool) string {
	text := "about " + left.Round(time.Second).String() + " left"
	switch {
	case left < 0:
		return ""
	case stops:
		return "at most " + text
	}
	return text
}

// addGeneration counts a generation. A joined one took no tokens of its own.
func (c *Count) addGeneration(reply inference.Reply, joined bool) {
	c.Generations++
	if !joined {
		c.Tokens += reply.Tokens
	}
	c.PromptTokens += reply.PromptTokens
	c.CachedTokens += reply.CachedTokens
}

// countOutcome counts a recorded debate and its generations.
func (c *contents) countOutcome(o trial.Outcome) {
	c.count.Debates++
	if o.Failed() {
		c.count.Failed++
	}
	for _, key := range keysOf(o.Transcript) {
		if key != "" && !c.held[key] {
			c.held[key] = true
			c.count.Held++
		}
	}
}

// countAnew forgets the debates, when a header begins a wider or narrower run.
func (c *contents) countAnew(h Header) {
	c.outcomes, c.seen, c.held = nil, make(map[debateID]bool), make(map[string]bool)
	c.count.Debates, c.count.Failed, c.count.Held, c.count.Expected = 0, 0, 0, h.expected()
	c.count.Conditions = len(h.Conditions)
}
