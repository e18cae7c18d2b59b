package batch

import (
	"io"

	"github.com/parley-debate/parley/inference/serve/batch"
)

// answers receive the answers of a batch as they are computed, and write them in the order of their requests. close is
// called once, also after an error; complete says whether every request has an answer.
type answers interface {
	has(id string) bool
	put(batch.Answer) error
	close(complete bool) error
}

// answersPiped writes each answer as soon as all before it are written. An answer that comes early waits in memory,
// since nothing can be taken back from a pipe.
type answersPiped struct {
	to      io.Writer
	next    int // line
	waiting map[int][]byte
}

// has implements answers: what was written to a pipe earlier is not known.
func (p *answersPiped) has(string) bool { return false }

// put implements answers.
func (p *answersPiped) put(a batch.Answer) error {
	p.waiting[a.Line] = a.Text
	for text, ok := p.waiting[p.next]; ok; text, ok = p.waiting[p.next] {
		delete(p.waiting, p.next)
		p.next++
		if _, err := p.to.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// close implements answers. Answers that still wait for one before them are lost: the batch was interrupted, and its
// output would have a gap.
func (p *answersPiped) close(bool) error { return nil }
