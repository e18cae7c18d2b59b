package rundir

import (
	"slices"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
)

// texts are those of journals, in which the same reply stands in the record of its generation, in those of all debates
// that share it, and in what others were sent: each is in memory once. Nil texts share nothing.
type texts map[string]string

// share replaces texts by equal ones that were met before.
func (t texts) share(list ...*string) {
	if t == nil {
		return
	}
	for _, text := range list {
		known, met := t[*text]
		if !met {
			known = *text
			t[known] = known
		}
		*text = known
	}
}

func (t texts) shareReply(r *inference.Reply) {
	t.share(&r.Text, &r.Reasoning, &r.Raw, &r.Key, &r.Model)
}

func (t texts) shareMessages(messages []inference.Message) {
	for i := range messages {
		t.share(&messages[i].Content)
	}
}

// shareOutcome gives the lists of turns the lengths that they have besides: while they were read they grew by halves.
func (t texts) shareOutcome(o *trial.Outcome) {
	if t == nil {
		return
	}
	for _, stage := range [][][]debate.Turn{o.Transcript.Rounds, o.Transcript.Voting} {
		for i, turns := range stage {
			stage[i] = slices.Clone(turns)
		}
	}
	t.share(&o.Question, &o.Condition, &o.Transcript.Protocol, &o.Transcript.Case)
	for i := range o.Transcript.Notes {
		t.share(&o.Transcript.Notes[i])
	}
	eachTurn(o.Transcript, func(turn *debate.Turn) {
		t.shareReply(&turn.Reply)
		t.shareMessages(turn.Messages)
	})
}
