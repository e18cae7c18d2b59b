package remote

import (
	"bytes"
	"cmp"
)

// eventStream is the content type of a stream.
const eventStream = "text/event-stream"

// events reads a whole stream of OpenAI's protocol, whose pieces add up to an answer.
func (s *server) events(path string, text []byte, to *completion) error {
	var pieces []completion
	for line := range bytes.Lines(text) {
		data, isData := bytes.CutPrefix(line, []byte("data:"))
		data = bytes.TrimSpace(data)
		if !isData || len(data) == 0 || string(data) == "[DONE]" {
			continue
		}
		var piece completion
		if err := s.decode(path, data, &piece); err != nil {
			return err
		}
		pieces = append(pieces, piece)
	}
	*to = joined(pieces)
	return nil
}

// joined returns the answer of which these are the pieces, by halves: each text is copied a few times, not once for
// each piece.
func joined(pieces []completion) (a completion) {
	switch n := len(pieces); {
	case n == 1:
		a = pieces[0]
	case n > 1:
		a = joined(pieces[:n/2])
		a.add(joined(pieces[n/2:]))
	}
	return a
}

// add appends the pieces of an answer that came later. Only one choice is asked for in a stream: others are kept apart,
// for which read refuses the answer.
func (a *completion) add(more completion) {
	a.Model = cmp.Or(a.Model, more.Model)
	a.Usage, a.Timings = cmp.Or(more.Usage, a.Usage), cmp.Or(more.Timings, a.Timings)
	for _, c := range more.Choices {
		if len(a.Choices) == 0 || a.Choices[0].Index != c.Index {
			a.Choices = append(a.Choices, c)
			continue
		}
		a.Choices[0].add(c)
	}
}

// add appends a later piece of a choice.
func (c *wireChoice) add(more wireChoice) {
	c.FinishReason = cmp.Or(more.FinishReason, c.FinishReason)
	switch {
	case more.Delta != nil && c.Delta != nil:
		c.Delta.add(*more.Delta)
	case more.Delta != nil:
		c.Delta = more.Delta
	}
	switch {
	case more.Text != nil && c.Text != nil:
		*c.Text += *more.Text
	case more.Text != nil:
		c.Text = more.Text
	}
	if more.StopReason != nil {
		c.StopReason = more.StopReason
	}
	if isError(more.Error) {
		c.Error = more.Error
	}
	switch l := more.LogProbs; {
	case l != nil && c.LogProbs != nil:
		c.LogProbs.Tokens = append(c.LogProbs.Tokens, l.Tokens...)
		c.LogProbs.Content = append(c.LogProbs.Content, l.Content...)
	case l != nil:
		c.LogProbs = l
	}
}
