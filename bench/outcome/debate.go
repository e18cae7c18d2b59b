package outcome

import (
	"iter"
	"maps"
	"slices"

	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/agreement"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Debate is one debate with what its answers are worth. Scores and numbers are computed when they are first asked for
// and kept, so a Debate, and the Table that it belongs to, must not be used by several goroutines at once.
type Debate struct {
	*trial.Outcome
	numbers numbers               // shared by the debates of a table: equal answers have equal numbers
	scores  map[string]task.Score // the scores of the answers that were asked for so far, by their texts
	repeats *repeats              // of its question under its condition

	read   bool // whether the fields below are filled in
	rounds []Round
	agents []Agent
	ids    agreement.Debate
}

// repeats are the debates of a question under one condition that did not fail.
type repeats struct {
	list      []*Debate
	asked     stat.Asked
	contested *bool // nil until somebody asks
}

func (r *repeats) add(d *Debate) {
	r.list, r.asked = append(r.list, d), r.asked.With(d.Solved())
}

// Solved reports whether the debate is decided right.
func (d *Debate) Solved() bool { return d.Score == task.Right }

// Repeats counts the debates on its question under its condition that did not fail, and those decided right.
func (d *Debate) Repeats() stat.Asked { return d.repeats.asked }

// Contested reports whether two first answers differ in some repeat of the debate.
func (d *Debate) Contested() bool {
	if d.repeats.contested == nil {
		contested := slices.ContainsFunc(d.repeats.list, func(r *Debate) bool {
			agents := r.Agents()
			return slices.ContainsFunc(agents, func(a Agent) bool { return a.First.ID != agents[0].First.ID })
		})
		d.repeats.contested = &contested
	}
	return *d.repeats.contested
}

// FirstAlone are the answers of the first round that were given without hearing another.
func (d *Debate) FirstAlone() []Turn {
	rounds := d.Rounds()
	if len(rounds) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(rounds[0].Answers), func(t Turn) bool { return len(t.Heard) > 0 })
}

// FirstAsked counts these.
func (d *Debate) FirstAsked() (q stat.Asked) {
	for _, t := range d.FirstAlone() {
		q = q.With(t.IsRight())
	}
	return q
}

// Round is one round of a debate.
type Round struct {
	Turns   []Turn // all of them, in the order in which they were given
	Answers []Turn // to the question: the last of each agent, sorted by agent

	recorded []debate.Turn
}

// Turn is what one agent said, with what its answer is worth.
type Turn struct {
	*debate.Turn
	Answers bool       // it answers the question; the other fields belong to such turns alone
	ID      int        // the number of its answer, agreement.Unparsed if none could be read
	Score   task.Score // by the measure of the task
}

// IsRight reports whether the turn answers the question, and right.
func (t Turn) IsRight() bool { return t.Score == task.Right }

// Correctness says whether the answer is right, wrong or unparsed.
func (t Turn) Correctness() agreement.Correctness {
	switch {
	case t.ID == agreement.Unparsed:
		return agreement.Unread
	case t.IsRight():
		return agreement.Right
	}
	return agreement.Wrong
}

// Agent is what one agent answered in the course of a debate.
type Agent struct {
	Number      int
	Times       int  // in how many rounds it answered, at least one
	First, Last Turn // in the first and in the last of these rounds
}

// ScoreOf scores an answer to the question as the task does. Each text is scored once, because measures such as chrF
// take long; unparsed answers are not kept, since they have no text that tells them apart.
func (d *Debate) ScoreOf(a answer.Answer) task.Score {
	if !a.Parsed {
		return d.Outcome.ScoreOf(a)
	}
	score, known := d.scores[a.Text]
	if !known {
		if d.scores == nil {
			d.scores = make(map[string]task.Score)
		}
		score = d.Outcome.ScoreOf(a)
		d.scores[a.Text] = score
	}
	return score
}

// IsRight reports whether an answer to the question is right.
func (d *Debate) IsRight(a answer.Answer) bool { return d.ScoreOf(a) == task.Right }

// Rounds returns the rounds of the debate. Callers share the slices and must not change them.
func (d *Debate) Rounds() []Round {
	d.readTranscript()
	return d.rounds
}

// Agents returns the agents that answered, sorted by number.
func (d *Debate) Agents() []Agent {
	d.readTranscript()
	return d.agents
}

// IDs has the numbers of the answers by round and agent, and of those the right ones. A round is empty if nobody
// answers the question in it.
func (d *Debate) IDs() agreement.Debate {
	d.readTranscript()
	return d.ids
}

// Calls returns every call that was made for a round, see debate.Transcript.Calls.
func (r Round) Calls() iter.Seq[debate.Turn] {
	return debate.Transcript{Rounds: [][]debate.Turn{r.recorded}}.Calls()
}

// readTranscript scores and numbers the answers, once. Nothing else in bench walks through the rounds of a transcript
// to score answers: all tables take what is computed here, and so agree about who was right.
func (d *Debate) readTranscript() {
	if d.read {
		return
	}
	d.read = true
	agents := make(map[int]Agent)
	for r, recorded := range d.Transcript.Rounds {
		round := d.round(r, recorded)
		d.rounds, d.ids.Rounds = append(d.rounds, round), append(d.ids.Rounds, IDsOf(round.Answers))
		for _, turn := range round.Answers {
			if turn.IsRight() && !slices.Contains(d.ids.Key, turn.ID) {
				d.ids.Key = append(d.ids.Key, turn.ID)
			}
			a, answered := agents[turn.Agent]
			if !answered {
				a = Agent{Number: turn.Agent, First: turn}
			}
			a.Times, a.Last = a.Times+1, turn
			agents[turn.Agent] = a
		}
	}
	for _, number := range slices.Sorted(maps.Keys(agents)) {
		d.agents = append(d.agents, agents[number])
	}
}

// round scores and numbers the answers of a round. Turns point into recorded, which the transcript owns.
func (d *Debate) round(r int, recorded []debate.Turn) Round {
	round, last := Round{recorded: recorded}, make(map[int]Turn)
	for i := range recorded {
		turn := Turn{Turn: &recorded[i], ID: agreement.Unparsed}
		if turn.Answers = d.Transcript.AnswersQuestion(r, recorded[i]); turn.Answers {
			turn.ID, turn.Score = d.numbers.of(turn.Answer), d.ScoreOf(turn.Answer)
			last[turn.Agent] = turn
		}
		round.Turns = append(round.Turns, turn)
	}
	round.Answers = InOrder(last)
	return round
}

// InOrder lists turns sorted by agent.
func InOrder(last map[int]Turn) (turns []Turn) {
	for _, agent := range slices.Sorted(maps.Keys(last)) {
		turns = append(turns, last[agent])
	}
	return turns
}

// IDsOf has the numbers of the answers of some turns.
func IDsOf(turns []Turn) []int {
	ids := make([]int, len(turns))
	for i, turn := range turns {
		ids[i] = turn.ID
	}
	return ids
}

// numbers gives answers the numbers that package stat takes. Equal answers have equal numbers, in the order in which
// answers are first met: a number depends on which debates were read before, so no result may depend on its value.
type numbers map[string]int

// of returns the number of an answer, agreement.Unparsed if it could not be read.
func (n numbers) of(a answer.Answer) int {
	if !a.Parsed {
		return agreement.Unparsed
	}
	number, known := n[a.Text]
	if !known {
		number = len(n)
		n[a.Text] = number
	}
	return number
}
