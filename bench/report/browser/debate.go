// Package browser makes the data of the part of a report's page in which its debates are read: all of them, with every
// turn and what it answers, and the messages that were sent. The page's scripts show and filter them.
//
// Lifecycle: Pack makes an index, which the page reads when it is opened, and parts of debates in a row, compressed,
// each of which it reads when one of its debates is shown.
package browser

import (
	"fmt"
	"slices"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
)

// Index is what the page needs to list and filter debates. Its scripts read these JSON names.
type Index struct {
	Tasks      []string   `json:"tasks"`
	Conditions []string   `json:"conditions"`
	Rows       []Count    `json:"rows"` // null if debates are left out
	Questions  []Question `json:"questions"`
	Debates    []Entry    `json:"debates"`
	Starts     []int      `json:"starts"` // of each part, the place of its first debate in Debates
	Messages   bool       `json:"messages"`
}

// Question is a question of a task, in the order in which debates are first held on them.
type Question struct {
	Task int    `json:"k"`
	Name string `json:"q"`
	Asks string `json:"asks"` // what it asks, without the words that it shares with its neighbours
}

// Part is some debates in a row. Each text is there once and is referred to by its index in Texts, because debates
// repeat the texts of others many times over.
type Part struct {
	Texts   []string `json:"texts"`
	Debates []Debate `json:"debates"`
}

// Messages are those that were sent in the debates of a part. Indices go on from the texts of the part to these Texts.
type Messages struct {
	Texts    []string         `json:"texts"`
	Speakers []string         `json:"speakers"`
	Sent     map[string][]int `json:"sent"` // by a generation's key: places of speaker and text, in turn
}

// Count has the counts of one row of the table of conditions. The page compares its filters with them in its self-test.
type Count struct {
	Task      int    `json:"task"`
	Condition string `json:"condition"`
	N         int    `json:"n"` // including debates that failed
	Right     int    `json:"right"`
	Unparsed  int    `json:"unparsed"`
	Failed    int    `json:"failed"`
}

// Entry is a debate in the index. Names of fields that are repeated in every debate or turn are short.
type Entry struct {
	Question  int        `json:"q"` // its place in Questions
	Repeat    int        `json:"n,omitempty"`
	Condition int        `json:"c"`
	Score     task.Score `json:"s"`
	// Vote says whether the decision is right, where Score is not about the decision, as with an oracle.
	Vote    task.Score `json:"v,omitempty"`
	Given   *string    `json:"g"`                 // the decision, null if it is unparsed
	Changed bool       `json:"changed,omitempty"` // an agent changed its answer
	Won     bool       `json:"won,omitempty"`     // to the right one
	Lost    bool       `json:"lost,omitempty"`    // from the right one
	// the agents' last answers are not all the same, and some were read
	Disagreed bool   `json:"apart,omitempty"`
	Error     string `json:"error,omitempty"` // why the debate failed
}

// Debate is one debate, without its entry when it is encoded.
type Debate struct {
	Entry  `json:"-"`
	Target string   `json:"t"`
	Pool   bool     `json:"pool,omitempty"` // agents hear solutions of a pool
	Agents []string `json:"agents"`
	Names  []string `json:"names"`  // of rounds
	Rounds [][]Turn `json:"rounds"` // each with its turns in order, whoever speaks
	Voting [][]Turn `json:"voting,omitempty"`
	Judged []Turn   `json:"judged,omitempty"`

	How        []string            `json:"how,omitempty"` // protocol, order and so on
	Notes      []string            `json:"notes,omitempty"`
	Records    []debate.Record     `json:"records,omitempty"`
	Challenges []debate.Challenged `json:"challenges,omitempty"`
	Decision   debate.Decision     `json:"decision"`
	Elected    *int                `json:"elected,omitempty"` // the text that was decided for
	By         int                 `json:"by,omitempty"`      // whose it is
}

// Turn is one turn of a debate.
type Turn struct {
	Agent  int    `json:"a"`
	Sample int    `json:"n,omitempty"`
	Kind   string `json:"k,omitempty"`
	Key    string `json:"key,omitempty"`
	Text   int    `json:"x"`
	Answer string `json:"w,omitempty"`
	How    string `json:"how,omitempty"` // how the answer was read, or why there is none
	// right, wrong or unparsed; it is "" if no answer to the whole question was asked for
	Score      string          `json:"s,omitempty"`
	Was        *string         `json:"was,omitempty"`
	From       []int           `json:"from,omitempty"`
	Heard      []int           `json:"h,omitempty"`
	Sees       string          `json:"sees,omitempty"` // the options in another order: see debate.Turn.Relisted
	Verdict    string          `json:"verdict,omitempty"`
	Prompt     int             `json:"p"`
	Cached     int             `json:"cached,omitempty"`
	Tokens     int             `json:"g"`
	Stop       string          `json:"stop,omitempty"`
	Error      string          `json:"error,omitempty"`
	Grammar    *int            `json:"grammar,omitempty"`
	Filled     []string        `json:"filled,omitempty"`
	Confidence *float64        `json:"confidence,omitempty"`
	Beliefs    []debate.Belief `json:"beliefs,omitempty"`
	Before     []Turn          `json:"before,omitempty"`
	After      []Turn          `json:"after,omitempty"`
	Probes     []Turn          `json:"probes,omitempty"`
}

// debate packs a debate. Vote is the score of what was decided where that is not the score of the debate, as under an
// oracle. It is left out, as all scores are, where it is not known which answers are right.
func (k *packer) debate(o *outcome.Debate) Debate {
	t := o.Transcript
	p := Debate{
		Entry:  Entry{Repeat: o.Repeat, Condition: k.condition(o.Condition), Score: o.Score, Error: o.Error},
		Target: o.Target, Pool: t.HearsPool(),
		Agents: []string{}, Names: []string{}, Rounds: [][]Turn{},
		How: how(t), Notes: t.Notes, Records: t.Records, Challenges: t.Challenges, Decision: t.Decision,
	}
	if t.Decision.Answer.Parsed {
		p.Given = &t.Decision.Answer.Text
	}
	for i := range t.Agents() {
		p.Agents = append(p.Agents, t.Role(i))
	}
	if vote := o.ScoreOf(t.Decision.Answer); !k.blind && !o.Failed() && vote != o.Score {
		p.Vote = vote
	}
	last := make(map[int]outcome.Turn)
	for r, round := range o.Rounds() {
		p.Names = append(p.Names, roundName(t, r, round))
		packedRound := []Turn{}
		for _, turn := range round.Turns {
			packedRound = append(packedRound, k.turn(*turn.Turn, o))
		}
		for i, change := range changes(t, round, last) {
			if packedRound[i].From = change.from; change.was != nil {
				packedRound[i].Was = &change.was.Text
			}
			if !t.WholeAnswers(r) {
				packedRound[i].Score = ""
			}
			p.Changed = p.Changed || change.was != nil
			p.Won, p.Lost = p.Won || !k.blind && change.won(o), p.Lost || !k.blind && change.lost(o)
		}
		p.Rounds = append(p.Rounds, packedRound)
	}
	for _, turns := range t.Voting {
		p.Voting = append(p.Voting, k.turns(turns, o))
	}
	if t.Judged != nil {
		p.Judged = k.turns(t.Judged, o)
	}
	if text, agent, ok := t.Elected(); ok {
		place := k.text(text)
		p.Elected, p.By = &place, agent
	}
	p.Disagreed = apart(last)
	return p
}

// change says how a turn changed its agent's answer.
type change struct {
	was  *answer.Answer // the answer before, nil if there was none or it is the same
	is   answer.Answer
	from []int // the agents that it heard and that had given the new answer before; both state it, as far as is known
}

// won reports whether the agent was wrong before and is right now, by the measure of the task. A first answer wins
// nothing.
func (c change) won(o *outcome.Debate) bool {
	return c.was != nil && !o.IsRight(*c.was) && o.IsRight(c.is)
}

// lost is the reverse of won.
func (c change) lost(o *outcome.Debate) bool {
	return c.was != nil && o.IsRight(*c.was) && !o.IsRight(c.is)
}

// changes are those of a round, turn by turn. last has the latest turn of each agent that answers the question, and is
// brought up to date. The given answer of a centre counts as its own, and what a centre hears comes from a pool and
// from no agent of the debate.
func changes(t debate.Transcript, round outcome.Round, last map[int]outcome.Turn) []change {
	found := make([]change, len(round.Turns))
	heard := make(map[int]answer.Answer) // the answers before the round
	for agent, turn := range last {
		heard[agent] = turn.Answer
	}
	for i, turn := range round.Turns {
		if turn.Kind == debate.KindConfederate {
			last[turn.Agent] = turn // it is heard, and changes nothing of its own
		}
		if !turn.Answers && turn.Kind != debate.KindGiven {
			continue
		}
		before, answered := last[turn.Agent]
		last[turn.Agent] = turn
		if !answered || before.Answer.Same(turn.Answer) {
			continue
		}
		found[i].was, found[i].is = &before.Answer, turn.Answer
		for _, other := range turn.Heard {
			if !t.HearsPool() && turn.Answer.Stated() && heard[other].Stated() && heard[other].Equal(turn.Answer) &&
				other != turn.Agent {
				found[i].from = append(found[i].from, other)
			}
		}
	}
	return found
}

// apart reports whether the latest answers differ; an unparsed answer differs from all. Where nothing was read, nobody
// is known to disagree.
func apart(last map[int]outcome.Turn) bool {
	turns := outcome.InOrder(last)
	if !slices.ContainsFunc(turns, func(t outcome.Turn) bool { return t.Answer.Parsed }) {
		return false
	}
	for _, turn := range turns[min(1, len(turns)):] {
		if !turn.Answer.Equal(turns[0].Answer) {
			return true
		}
	}
	return false
}

// roundName is the phase of a round or, if the form has no phases, its number.
func roundName(t debate.Transcript, r int, round outcome.Round) string {
	if r < len(t.Phases) {
		return string(t.Phases[r])
	}
	number := r
	if len(round.Turns) > 0 {
		number = round.Turns[0].Round
	}
	return fmt.Sprintf("round %d", number)
}

// how lists the protocol and the settings that the transcript records.
func how(t debate.Transcript) (how []string) {
	for _, f := range []struct{ name, value string }{
		{"protocol", t.Protocol}, {"order", t.Order}, {"reading", t.Reading}, {"topology", t.Topology},
		{"showing", t.Visibility}, {"layout", t.Layout},
	} {
		if f.value != "" {
			how = append(how, f.name+" "+f.value)
		}
	}
	return how
}

// turns packs turns in their order. The list is empty and never nil: the page goes through it.
func (k *packer) turns(turns []debate.Turn, o *outcome.Debate) []Turn {
	made := []Turn{}
	for _, t := range turns {
		made = append(made, k.turn(t, o))
	}
	return made
}

// turn packs a turn with what belongs to it: what was asked before and after it, and other orders of what it heard.
// Only a turn that answers the question has an answer and a score, a scripted one included.
func (k *packer) turn(t debate.Turn, o *outcome.Debate) Turn {
	k.bytes += perTurn
	p := Turn{
		Agent: t.Agent, Sample: t.Sample, Kind: string(t.Kind), Key: t.Reply.Key, Text: k.text(t.Reply.Text),
		Heard: t.Heard, Sees: t.Relisted(), Verdict: string(t.Verdict),
		Prompt: t.Reply.PromptTokens, Cached: t.Reply.CachedTokens, Tokens: t.Reply.Tokens, Stop: string(t.Reply.Stop),
		Error:  t.Error,
		Filled: t.Filled, Confidence: t.Confidence, Beliefs: t.Beliefs,
	}
	if t.Grammar != "" {
		place := k.text(t.Grammar)
		p.Grammar = &place
	}
	scripted := t.Kind == debate.KindGiven || t.Kind == debate.KindConfederate
	if t.Error == "" && (t.Kind.AnswersQuestion() || scripted) {
		p.Answer, p.Score = t.Answer.Text, string(o.ScoreOf(t.Answer))
		p.How = string(t.Answer.How)
		if k.blind && t.Answer.Parsed {
			p.Score = ""
		}
	}
	if len(t.Before) > 0 {
		p.Before = k.turns(t.Before, o)
	}
	if len(t.After) > 0 {
		p.After = k.turns(t.After, o)
	}
	if len(t.Probes) > 0 {
		p.Probes = k.turns(t.Probes, o)
	}
	return p
}
