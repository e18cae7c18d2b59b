package inference

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference/chat"
	"github.com/parley-debate/parley/inference/ending"
	"github.com/parley-debate/parley/inference/llamacpp"
	"github.com/parley-debate/parley/inference/step"
	"github.com/parley-debate/parley/internal/bug"
)

// Whole returns the reply as it was generated: its reasoning with the marks of it, and the answer.
func (r Reply) Whole() string { return cmp.Or(r.Raw, r.Text) }

// divide tells the reasoning in a reply from the answer. The reply has its whole text, or is divided already.
func (r *Reply) divide(marks *chat.Marks, opened bool) {
	whole := r.Whole()
	if said := chat.Split(marks, opened, whole); said.Reasons {
		r.Raw, r.Text, r.Reasoning, r.ReasoningCut = whole, said.Answer, said.Reasoning, said.Cut
	}
}

// reasons reports whether the reply to a request may have reasoning. It is an answer as it is where a grammar shapes it
// or the chat template did not render the end of the prompt.
func (r Request) reasons() bool {
	return r.Prompt == nil && r.Grammar == "" && len(r.Continuations) == 0 && !GoesOn(r.Messages)
}

// learn reads how the model marks its reasoning: see chat.Marks. Marks that are control tokens are no part of a text
// otherwise.
func (m *instance) learn(template string) error {
	if template != "" {
		m.info.Template = fmt.Sprintf("%x", sha256.Sum256([]byte(template)))
	}
	m.marks, m.markTokens = chat.MarksOf(template), make(map[step.Token]string)
	m.info.Reasons = m.template.Reasons()
	if m.thinking = newThinking(m.template); m.marks == nil {
		return nil
	}
	var err error
	if m.thinking.ending, err = m.model.Tokenize(m.marks.Closing(), false, true); err != nil {
		return err
	}
	for _, mark := range m.marks.Texts() {
		tokens, err := m.model.Tokenize(mark, false, true)
		if err != nil {
			return err
		}
		if len(tokens) == 1 && m.model.IsControl(tokens[0]) {
			m.markTokens[tokens[0]] = mark
		}
		if len(tokens) == 1 && m.marks.Ends(mark) {
			m.thinking.ends = append(m.thinking.ends, tokens[0])
		}
	}
	m.thinking.wait, err = m.model.Tokenize(waitWord, false, false)
	if text := m.model.Detokenize(m.thinking.wait, false); strings.TrimSpace(text) != waitWord {
		m.thinking.wait = nil // some of its characters have no tokens
	}
	m.info.Waits = m.info.Reasons > 0 && m.thinking.waits()
	return err
}

// reader turns the tokens of a reply into text, and tells its reasoning from the answer.
type reader struct {
	marks  map[step.Token]string
	text   *llamacpp.TextStream
	divide *chat.Splitter // it is nil if the reply is an answer as it is
}

func (p *pending) reader() *reader {
	if !p.reasons {
		return &reader{text: p.model.model.NewTextStream()}
	}
	return p.dividing()
}

// dividing returns a reader that tells reasoning and answer, whether the reply will do so or not.
func (p *pending) dividing() *reader {
	return &reader{text: p.model.model.NewTextStream(), marks: p.model.markTokens,
		divide: chat.NewSplitter(p.model.marks, p.opened)}
}

// spell returns what a token adds to the whole text.
func (r *reader) spell(t step.Token) string {
	if mark := r.marks[t]; mark != "" {
		return r.text.Flush() + mark
	}
	return r.text.Push(t)
}

// read returns what a token adds to the answer and to the reasoning, and whether it is part of the reasoning or its
// marks.
func (r *reader) read(t step.Token) (answer, reasoning string, reasons bool) {
	return r.part(r.spell(t))
}

// part is read for the text that a token adds.
func (r *reader) part(text string) (answer, reasoning string, reasons bool) {
	if r.divide == nil {
		return text, "", false
	}
	before := r.divide.Marks()
	answer, reasoning = r.divide.Push(text)
	return answer, reasoning, r.divide.Reasoning() || r.divide.Marks() > before
}

// rest returns what was held back.
func (r *reader) rest() (answer, reasoning string) {
	text := r.text.Flush()
	if r.divide == nil {
		return text, ""
	}
	answer, reasoning = r.divide.Push(text)
	more, why := r.divide.End()
	return answer + more, reasoning + why
}

// write enters the text of the tokens, and how many of those that were drawn are reasoning.
func (p *pending) write(tokens []step.Token, put []bool) {
	if !p.reasons || len(p.model.markTokens) == 0 {
		p.Reply.Text = p.model.model.Detokenize(tokens, false)
	} else {
		r := p.reader()
		for _, t := range tokens {
			p.Reply.Text += r.spell(t)
		}
		p.Reply.Text += r.text.Flush()
	}
	if !p.reasons {
		return
	}
	p.Reply.divide(p.model.marks, p.opened)
	if p.Reply.Raw != "" {
		p.Reply.ReasoningTokens = p.countReasoning(tokens, put)
	}
}

// countReasoning counts the tokens of a reply that are part of its reasoning or its marks, and were drawn.
func (p *pending) countReasoning(tokens []step.Token, put []bool) (n int) {
	r := p.reader()
	for i, t := range tokens {
		if _, _, reasons := r.read(t); reasons && (put == nil || !put[i]) {
			n++
		}
	}
	return n
}

// restore divides a reply that an older program recorded as a whole. How its text was made of tokens is not known, so
// that they are counted as the tokenizer makes them.
func (p *pending) restore() error {
	if !p.reasons || p.Reply.Raw != "" {
		return nil
	}
	if p.Reply.divide(p.model.marks, p.opened); p.Reply.Raw == "" {
		return nil
	}
	tokens, err := p.model.model.Tokenize(p.Reply.Raw, false, true)
	p.Reply.ReasoningTokens = min(p.countReasoning(tokens, nil), p.Reply.Tokens)
	return err
}

// pieces shows a reply to Request.OnPiece as it is drawn.
type pieces struct {
	show  func(Piece)           // it is nil if nobody looks
	read  *reader               // of what is drawn token by token
	stops *ending.Stops         // it reads what is drawn token by token, too
	drawn int                   // tokens so far
	marks map[step.Token]string // as in reader

	failed error // of show, which panicked: the reply is complete all the same, but the caller is told
}

// push shows what a token adds.
func (p *pieces) push(s step.Sampled, cached int) {
	if p.failed != nil {
		return
	}
	defer bug.Catch(&p.failed)
	piece := Piece{Cached: cached, End: s.End, Mark: p.marks[s.Token]}
	if !s.Put {
		p.drawn++
		drawn := score(s)
		piece.Drawn = &drawn
	}
	piece.Tokens = p.drawn
	if !s.End && s.Stuck == 0 {
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
	loop    *ending.Loop // it is nil if loops do not end the reply
	bytes   []int        // of the text before each token
	length  int          // of the text so far, in bytes
	stopped bool         // a stop text came
	bound   *bound       // of the reasoning; nil if it has none
	tool    *tool        // that the answer may call; nil if there is none
}

// watch returns nil where nothing ends a reply but its model and its length.
func (p *pending) watch() *watch {
	bound, tool := p.newBound(), p.newTool()
	if len(p.Stop) == 0 && !p.EndLoops && bound == nil && tool == nil {
		return nil
	}
	w := &watch{read: p.reader(), control: p.model.model.IsControl, stops: ending.NewStops(p.Stop), bound: bound,
		tool: tool}
	if p.EndLoops {
		w.loop = new(ending.Loop)
	}
	return w
}

// invisible stands for a control token, which has no text: some models draw one without end.
const invisible = "\x00"

// put returns what goes behind the tokens that were read, and reads it.
func (w *watch) put(step.Sampled) []step.Token { return w.readPut(w.bound.put()) }

// instead returns what takes the place of a token, and reads it.
func (w *watch) instead(s step.Sampled) []step.Token {
	tokens := w.bound.instead(s)
	if tokens == nil {
		tokens = w.tool.instead(s, w.read)
	}
	return w.readPut(tokens)
}

func (w *watch) readPut(tokens []step.Token) []step.Token {
	for _, t := range tokens {
		w.token(step.Sampled{Token: t, Put: true})
	}
	return tokens
}

// token reads a token, and reports whether it ends the reply.
func (w *watch) token(s step.Sampled) bool {
	full := w.bound.token(s, w.tool.writes(s))
	return w.ends(s) || full
}

// ends is token without a bound.
func (w *watch) ends(s step.Sampled) bool {
	w.bytes = append(w.bytes, w.length)
	if s.End || s.Stuck != 0 {
		return false
	}
	text := w.read.spell(s.Token)
	answer, _, reasons := w.read.part(text)
	w.tool.read(text, reasons)
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
	if w.bound != nil {
		p.Reply.ReasoningEnded, p.Reply.ReasoningWaited = w.bound.ended > 0, w.bound.waited()
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
