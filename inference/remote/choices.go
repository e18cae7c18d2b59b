package remote

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/bug"
)

// ChoicesRange bounds Options.Choices.
var ChoicesRange = bounds.From(1, 1024)

// takesChoices are the programs that draw the choices of one request with different seeds, as their sources say, and
// count the tokens of all of them. Of SGLang and others the former is not known, and llama-server counts the tokens of
// the first choice alone.
var takesChoices = []string{vLLM, parleyServe}

// checkChoices refuses choices of other programs.
func (e *Engine) checkChoices() error {
	about := e.pool.servers[0].about
	if e.options.Choices <= 1 || slices.Contains(takesChoices, about.program) {
		return nil
	}
	return fmt.Errorf("model %s: --choices needs %s, whose choices of one request are drawn with different seeds and "+
		"have all their tokens counted; of %s that is not known: leave --choices out", about.model,
		strings.Join(takesChoices, " or "), about.program)
}

// choices are jobs that one request asks for: equal in all but their seeds, of which the server gets that of the first.
// They gather while the first waits for a place, so that no job waits for others. Most are a single job, and the
// request is then what it would be if there were no choices.
type choices struct {
	question // of the first job
	common   string
	started  sync.Once
	jobs     []*job // guarded by the engine's mutex, constant once sealed
}

// commonOf returns what a job has in common with those that can go in one request: its key without its seed. It is ""
// for a job that goes alone. Replies at temperature 0 do: vLLM refuses choices that would be equal. So do those with
// stop texts, whose tokens servers count or leave out, and continuations, which are scored and not drawn.
func (e *Engine) commonOf(q question) string {
	if e.options.Choices <= 1 || q.Sampling.Temperature == 0 || len(q.Continuations)+len(q.Stop) > 0 {
		return ""
	}
	q.Sampling.Seed = 0
	return e.keyOf(q)
}

// join adds a job to the choices that gather, or begins some. Full choices start, as do those that go alone; others
// start once all requests of a call are in. The caller holds the mutex.
func (e *Engine) join(j *job, common string) {
	c := e.gathering[common]
	if c == nil {
		c = &choices{question: j.question, common: common}
	}
	c.jobs, j.choices = append(c.jobs, j), c
	if common != "" && len(c.jobs) < e.options.Choices {
		e.gathering[common] = c
		return
	}
	delete(e.gathering, common)
	e.start(c)
}

// start begins the goroutine that waits for a place and answers the choices. It may be called several times.
func (e *Engine) start(c *choices) {
	c.started.Do(func() { e.running.Go(bug.Lone(func() { e.run(c) })) })
}

// seal ends the gathering, and returns the jobs, which no longer change. It may be called several times.
func (e *Engine) seal(c *choices) []*job {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.gathering[c.common] == c {
		delete(e.gathering, c.common)
	}
	return c.jobs
}

// run gets the replies of choices and finishes their jobs. Whatever happens, also a panic, each job is finished:
// somebody waits for it.
func (e *Engine) run(c *choices) {
	var replies []inference.Reply
	err := bug.Caught(func() (err error) {
		replies, err = e.answer(c)
		return err
	})
	for i, j := range e.seal(c) {
		var reply inference.Reply
		if err == nil {
			reply = replies[i]
		}
		e.finish(j, reply, err)
	}
}

// tokensOfEach counts the tokens of each of several choices, of which the server counts the sum: as many as it told
// log-probabilities, and one more for the token that ends a reply, which some programs leave out.
func tokensOfEach(s *server, all []drawn, sum int) error {
	listed, ended := 0, 0
	for i, d := range all {
		all[i].tokens = len(d.logProbs)
		listed += len(d.logProbs)
		if stops[d.finish] == inference.StopEnd {
			ended++
		}
	}
	switch sum {
	case listed:
		return nil
	case listed + ended:
		for i, d := range all {
			if stops[d.finish] == inference.StopEnd {
				all[i].tokens++
			}
		}
		return nil
	}
	return s.wrong("its %d choices have %d tokens and the log-probabilities of %d, so that the tokens of each are not "+
		"known: leave --choices out", len(all), sum, listed)
}
