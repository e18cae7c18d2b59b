package inference

import (
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bug"
)

// pieces shows a reply to Request.OnPiece as it is drawn.
type pieces struct {
	show  func(Piece)   // nil if nobody looks
	read  *reader       // of what is drawn token by token
	stops *ending.Stops // the same
	drawn int           // tokens so far

	failed error // of show, which panicked: the reply is complete all the same, but the caller is told
}

// push shows what a token adds.
func (p *pieces) push(s step.Sampled, cached int) {
	if p.failed != nil {
		return
	}
	defer bug.Catch(&p.failed)
	p.drawn++
	drawn := score(s)
	piece := Piece{Tokens: p.drawn, Cached: cached, Drawn: &drawn, End: s.End}
	if !s.End && !s.Stuck {
		piece.Text, piece.Reasoning, _ = p.read.read(s.Token)
		piece.Text, _ = p.stops.Push(piece.Text)
	}
	p.show(piece)
}

// end shows what is left of a complete reply: the bytes of a character that was cut off, or all of a reply that was not
// drawn token by token.
func (p *pieces) end(reply Reply) {
	if p.show == nil || reply.Err != nil || p.failed != nil {
		return
	}
	defer bug.Catch(&p.failed)
	rest, reasoning := reply.Text, reply.Reasoning
	if p.drawn > 0 {
		rest, reasoning = p.read.rest()
		rest, _ = p.stops.Push(rest)
		rest += p.stops.Flush()
	}
	p.show(Piece{Text: rest, Reasoning: reasoning, Tokens: reply.Tokens, Cached: reply.CachedTokens, Done: true})
}

// watch looks for the end of a reply that its model does not end. What it finds depends on the tokens alone.
type watch struct {
	read    *reader
	control func(step.Token) bool
	stops   *ending.Stops
	loop    *ending.Loop // nil if loops do not end the reply
	bytes   []int        // of the text before each token
	length  int          // of the text so far, in bytes
	stopped bool         // a stop text came
}

// watch returns nil where nothing ends a reply but its model and its length.
func (p *pending) watch() *watch {
	if len(p.Stop) == 0 && !p.EndLoops {
		return nil
	}
	w := &watch{read: p.reader(), control: p.model.model.IsControl, stops: ending.NewStops(p.Stop)}
	if p.EndLoops {
		w.loop = new(ending.Loop)
	}
	return w
}

// invisible stands for a control token, which has no text: some models draw one without end.
const invisible = "\x00"

// token reads a token, and reports whether it ends the reply.
func (w *watch) token(s step.Sampled) bool {
	w.bytes = append(w.bytes, w.length)
	if s.End || s.Stuck {
		return false
	}
	text := w.read.spell(s.Token)
	answer, _, reasons := w.read.part(text)
	if reasons { // no stop text goes across it
		w.stops.Flush()
	}
	_, w.stopped = w.stops.Push(answer)
	if w.loop == nil {
		return w.stopped
	}
	if text == "" && w.control(s.Token) {
		text = invisible
	}
	w.length += len(text)
	return w.loop.Push(text) || w.stopped
}

// enterEnd records how the reply to a request ended, as the watch over its tokens says, and cuts it at a stop text. Its
// text is there.
func (p *pending) enterEnd(tokens []step.Sampled) {
	w := p.watch()
	if w == nil {
		return
	}
	for _, s := range tokens {
		w.token(s)
	}
	switch {
	case w.stopped:
		p.Reply.Stop = StopText
	case w.loop != nil && w.loop.From() > 0:
		p.Reply.Stop, p.Reply.LoopFrom = StopLooped, tokenAt(w.bytes, w.loop.From())
	}
	p.Reply.cut(p.Stop)
}

// tokenAt returns the first token that begins at a byte or after it.
func tokenAt(begins []int, at int) int {
	token, _ := slices.BinarySearch(begins, at)
	return token
}

// cut ends a reply before the first stop text in its answer.
func (r *Reply) cut(stops []string) {
	before, stopped := ending.Cut(r.Text, stops)
	if !stopped {
		return
	}
	r.Raw = strings.TrimSuffix(r.Raw, r.Text[len(before):])
	r.Text, r.Stop = before, StopText
}

// endLoop ends a reply where it repeats itself, as if it had been watched: one that came as a whole. How its text was
// made of tokens is not known, so that LoopFrom is in proportion. A loop in the reasoning leaves the texts as they are.
func (r *Reply) endLoop() {
	whole := r.Whole()
	from, end, repeats := ending.Repeats(whole)
	if !repeats {
		return
	}
	r.Stop, r.LoopFrom = StopLooped, from*r.Tokens/len(whole)
	if left := len(r.Text) - (len(whole) - end); left >= 0 {
		r.Raw = strings.TrimSuffix(r.Raw, r.Text[left:])
		r.Text = r.Text[:left]
	}
}

// End ends a reply that came as a whole where its request says: before a stop text, or where it repeats itself.
func (r Request) End(reply *Reply) {
	if reply.cut(r.Stop); reply.Stop != StopText && r.EndLoops {
		reply.endLoop()
	}
}

// Repeats returns the first token of a reply that only repeats what came before, if the reply ended because of that or
// at its length, whoever made it and whether loops were to end or not. Unless it ended because of that, the token is
// where it would be if all tokens were of one length.
func (r Reply) Repeats() (from int, repeats bool) {
	switch r.Stop {
	case StopLooped:
		return r.LoopFrom, true
	case StopLength:
		whole := r.Whole()
		at, _, repeats := ending.Repeats(whole)
		return at * r.Tokens / max(1, len(whole)), repeats
	}
	return 0, false
}
