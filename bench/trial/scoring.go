package trial

import (
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// ScoreOf scores a debate under the condition: by its decision, or for an oracle by the best answer. Where facts were
// judged, it is right if all agree that the judge decided upon.
func (c Condition) ScoreOf(t debate.Transcript, score func(answer.Answer) task.Score) task.Score {
	if facts, judged := t.Facts(); judged {
		switch share, known := facts.Share(); {
		case !known:
			return task.Unparsed
		case share == 1:
			return task.Right
		}
		return task.Wrong
	}
	if c.Oracle {
		return bestScore(t, score)
	}
	return score(t.Decision.Answer)
}

// bestScore is the score of the best answer of the last round.
func bestScore(t debate.Transcript, score func(answer.Answer) task.Score) task.Score {
	found := task.Unparsed
	for _, turn := range t.Last() {
		switch s := score(turn.Answer); {
		case s == task.Right:
			return s
		case s == task.Wrong:
			found = s
		}
	}
	return found
}

// PartialOf is how right a debate is, from 0 to 1, by the same rule as ScoreOf, or nil if the measure has no degrees.
// Where facts were judged, it is their share, 0 if the judge decided upon none.
func (c Condition) PartialOf(t debate.Transcript, partial func(answer.Answer) *float64) *float64 {
	if facts, judged := t.Facts(); judged {
		share, _ := facts.Share()
		return &share
	}
	found := partial(t.Decision.Answer)
	if !c.Oracle || found == nil {
		return found
	}
	*found = 0
	for _, turn := range t.Last() {
		*found = max(*found, *partial(turn.Answer))
	}
	return found
}
