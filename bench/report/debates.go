package report

import (
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"parley/bench/analysis"
	"parley/bench/task"
	"parley/bench/trial"
	"parley/debate"
	"parley/debate/answer"
	"parley/escape"
)

// packed is the data of the page's script, report.js, which reads these JSON names. Each text is there once and is
// referred to by its index in Texts, because debates repeat the texts of others many times over; the messages of a
// generation are there once under its key.
type packed struct {
	Texts      []string         `json:"texts"`
	Sent       map[string][]int `json:"sent"` // by key: place in Speakers and in Texts, in turn
	Speakers   []string         `json:"speakers"`
	Tasks      []string         `json:"tasks"`
	Conditions []string         `json:"conditions"`
	Rows       []check          `json:"rows"` // none where debates are left out
	Debates    []packedDebate   `json:"debates"`
}

// check has the counts of one row of the table of conditions. The page compares its filters with them in its self-test.
type check struct {
	Task      int    `json:"task"`
	Condition string `json:"condition"`
	N         int    `json:"n"` // with those that failed
	Right     int    `json:"right"`
	Unparsed  int    `json:"unparsed"`
	Failed    int    `json:"failed"`
}

type packedDebate struct {
	Task      int        `json:"k,omitempty"`
	Question  string     `json:"q"`
	Repeat    int        `json:"n,omitempty"`
	Condition int        `json:"c"`
	Target    string     `json:"t"`
	Score     task.Score `json:"s"`
	// of the answer that was decided on, where the debate is scored another way
	Vote      task.Score     `json:"v,omitempty"`
	Changed   bool           `json:"changed,omitempty"` // an agent changed its answer
	Won       bool           `json:"won,omitempty"`     // to the right one
	Lost      bool           `json:"lost,omitempty"`    // from the right one
	Disagreed bool           `json:"apart,omitempty"`   // the agents' last answers are not all the same
	Pool      bool           `json:"pool,omitempty"`    // what is heard are solutions of a pool
	Agents    []string       `json:"agents"`
	Names     []string       `json:"names"`  // of rounds
	Rounds    [][]packedTurn `json:"rounds"` // each with its turns in order, whoever speaks
	Voting    [][]packedTurn `json:"voting,omitempty"`

	How        []string            `json:"how,omitempty"` // protocol, order and so on
	Notes      []string            `json:"notes,omitempty"`
	Records    []debate.Record     `json:"records,omitempty"`
	Challenges []debate.Challenged `json:"challenges,omitempty"`
	Decision   debate.Decision     `json:"decision"`
	Error      string              `json:"error,omitempty"` // why it could not be held
}

type packedTurn struct {
	Agent  int    `json:"a"`
	Sample int    `json:"n,omitempty"`
	Kind   string `json:"k,omitempty"`
	Key    string `json:"key,omitempty"`
	Text   int    `json:"x"`
	Answer string `json:"w,omitempty"`
	// right, wrong, unparsed; none where no answer to the whole question was asked for
	Score      string          `json:"s,omitempty"`
	Was        *string         `json:"was,omitempty"`
	From       []int           `json:"from,omitempty"`
	Heard      []int           `json:"h,omitempty"`
	Prompt     int             `json:"p"`
	Cached     int             `json:"cached,omitempty"`
	Tokens     int             `json:"g"`
	Stop       string          `json:"stop,omitempty"`
	Error      string          `json:"error,omitempty"`
	Grammar    *int            `json:"grammar,omitempty"`
	Filled     []string        `json:"filled,omitempty"`
	Confidence *float64        `json:"confidence,omitempty"`
	Beliefs    []debate.Belief `json:"beliefs,omitempty"`
	Before     []packedTurn    `json:"before,omitempty"`
	Probes     []packedTurn    `json:"probes,omitempty"`
}

// packer collects the data of the page. One packer is for one page.
type packer struct {
	packed
	places  map[string]int // in Texts
	bytes   int            // of Texts
	replies int            // that have them
	blind   bool           // the current debate's answers cannot be compared with its truth: no score is shown
}

// pack makes the data of the page, of at most about most bytes. If there is more, it leaves out the messages as sent,
// and if that is not enough, the debates on the last questions of each task; leftOut tells the reader. Tables and
// figures always count all debates.
func pack(studies []study, most int) (p packed, leftOut string) {
	k := newPacker(studies)
	for _, s := range studies {
		k.messages(s.Outcomes)
	}
	questions := -1 // of each task: all
	if size := k.bytes + k.replies*perTurn; size > most {
		leftOut = fmt.Sprintf("The debates of this report take %s, and a page holds at most %s, so the messages as "+
			"sent are left out. They are in the run directory; parley show --messages prints them.",
			humanize.Bytes(uint64(size)), humanize.Bytes(uint64(most)))
		k = newPacker(studies)
		k.Sent = nil
		if questions = fitting(studies, most); questions >= 0 {
			k.Rows = nil
			leftOut += fmt.Sprintf(" Only the debates on the first %s of each task are shown below; tables and "+
				"figures cover all of them. parley show prints any debate.", number(questions, "question"))
		}
	}
	for i, s := range studies {
		k.debates(i, s, questions)
	}
	return k.packed, leftOut
}

func newPacker(studies []study) *packer {
	k := &packer{places: make(map[string]int), packed: packed{Sent: make(map[string][]int), Texts: []string{},
		Debates: []packedDebate{}}}
	for i, s := range studies {
		k.Tasks = append(k.Tasks, s.Header.Task)
		for _, r := range s.Comparison.Rows {
			k.condition(r.Condition)
			k.Rows = append(k.Rows, check{i, r.Condition, r.N + r.Failed, r.Right, r.Unparsed, r.Failed})
		}
	}
	return k
}

// debates adds the debates of a run on its first questions, -1 for all.
func (k *packer) debates(task int, s study, questions int) {
	places, exact := make(map[string]int), s.Exact()
	for _, o := range s.Outcomes {
		if indexIn(places, o.Question) < questions || questions < 0 {
			k.blind = !exact || o.Target == ""
			d := k.debate(o, s.Truth(o))
			d.Task = task
			k.Debates = append(k.Debates, d)
		}
	}
}

// perTurn is about what a turn takes in the data besides its text.
const perTurn = 150

// fitting is how many questions of each task can be held with their debates, -1 if all can.
func fitting(studies []study, most int) int {
	var sizes []int // by the place of a question in its task, over all tasks
	total, held := 0, make(map[string]bool)
	for _, s := range studies {
		places := make(map[string]int)
		for _, o := range s.Outcomes {
			at := indexIn(places, o.Question)
			if at == len(sizes) {
				sizes = append(sizes, 0)
			}
			for call := range o.Transcript.Calls() {
				if sizes[at] += perTurn; !held[call.Reply.Text] {
					sizes[at], held[call.Reply.Text] = sizes[at]+len(call.Reply.Text), true
				}
			}
		}
	}
	for n, size := range sizes {
		if total += size; total > most {
			return max(1, n)
		}
	}
	return -1
}

// indexIn numbers texts as they come.
func indexIn(places map[string]int, text string) int {
	if _, known := places[text]; !known {
		places[text] = len(places)
	}
	return places[text]
}

// text is the index of a text in Texts, which it enters.
func (k *packer) text(text string) int {
	i, known := k.places[text]
	if !known {
		i = len(k.Texts)
		k.places[text] = i
		k.Texts = append(k.Texts, escape.Text(text))
		k.bytes += len(k.Texts[i])
	}
	return i
}

// messages holds what was sent.
func (k *packer) messages(outcomes []trial.Outcome) {
	for _, o := range outcomes {
		for _, turns := range slices.Concat(o.Transcript.Rounds, o.Transcript.Voting) {
			k.sentIn(turns)
		}
	}
}

func (k *packer) sentIn(turns []debate.Turn) {
	for _, turn := range turns {
		k.sentIn(turn.Before)
		k.sentIn(turn.Probes)
		k.text(turn.Reply.Text)
		k.replies++
		if k.Sent[turn.Reply.Key] != nil || turn.Reply.Key == "" {
			continue
		}
		sent := []int{}
		for _, m := range turn.Messages {
			sent = append(sent, k.speaker(m.Role), k.text(m.Content))
		}
		k.Sent[turn.Reply.Key] = sent
	}
}

func (k *packer) speaker(role string) int {
	if i := slices.Index(k.Speakers, role); i >= 0 {
		return i
	}
	k.Speakers = append(k.Speakers, role)
	return len(k.Speakers) - 1
}

func (k *packer) condition(name string) int {
	if i := slices.Index(k.Conditions, name); i >= 0 {
		return i
	}
	k.Conditions = append(k.Conditions, name)
	return len(k.Conditions) - 1
}

func (k *packer) debate(o trial.Outcome, truth answer.Answer) packedDebate {
	t := o.Transcript
	p := packedDebate{
		Question: o.Question, Repeat: o.Repeat, Condition: k.condition(o.Condition), Target: o.Target, Score: o.Score,
		Error: o.Error, Pool: t.HearsPool(),
		Agents: []string{}, Names: []string{}, Rounds: [][]packedTurn{},
		How: how(t), Notes: t.Notes, Records: t.Records, Challenges: t.Challenges, Decision: t.Decision,
	}
	for i := range t.Agents() {
		p.Agents = append(p.Agents, t.Role(i))
	}
	if vote := task.ScoreOf(t.Decision.Answer, truth); !k.blind && !o.Failed() && vote != o.Score {
		p.Vote = vote
	}
	last := make(map[int]debate.Turn)
	for r, turns := range t.Rounds {
		p.Names = append(p.Names, roundName(t, r))
		packedRound := k.turns(turns, truth)
		for i, change := range changes(t, r, last) {
			if packedRound[i].From = change.from; change.was != nil {
				packedRound[i].Was = &change.was.Text
			}
			if !t.WholeAnswers(r) {
				packedRound[i].Score = ""
			}
			p.Changed = p.Changed || change.was != nil
			p.Won, p.Lost = p.Won || !k.blind && change.won(truth), p.Lost || !k.blind && change.lost(truth)
		}
		p.Rounds = append(p.Rounds, packedRound)
	}
	for _, turns := range t.Voting {
		p.Voting = append(p.Voting, k.turns(turns, truth))
	}
	p.Disagreed = apart(last)
	return p
}

// change is what an agent's answer was before, nil if it is the same, and which of those that it heard had given the
// new one.
type change struct {
	was  *answer.Answer
	is   answer.Answer
	from []int
}

func (c change) won(truth answer.Answer) bool {
	return c.was != nil && !c.was.Equal(truth) && c.is.Equal(truth)
}
func (c change) lost(truth answer.Answer) bool {
	return c.was != nil && c.was.Equal(truth) && !c.is.Equal(truth)
}

// changes of a round, turn by turn; last has the latest answering turn of each agent, and is brought up to date. A
// centre's given answer counts as its own, and what it then hears is of nobody in the debate.
func changes(t debate.Transcript, r int, last map[int]debate.Turn) []change {
	found := make([]change, len(t.Rounds[r]))
	heard := make(map[int]answer.Answer) // as it stood before the round
	for agent, turn := range last {
		heard[agent] = turn.Answer
	}
	for i, turn := range t.Rounds[r] {
		if !t.AnswersQuestion(r, turn) && turn.Kind != debate.KindGiven {
			continue
		}
		before, answered := last[turn.Agent]
		last[turn.Agent] = turn
		if !answered || before.Answer == turn.Answer {
			continue
		}
		found[i].was, found[i].is = &before.Answer, turn.Answer
		for _, other := range turn.Heard {
			if !t.HearsPool() && heard[other].Equal(turn.Answer) && other != turn.Agent {
				found[i].from = append(found[i].from, other)
			}
		}
	}
	return found
}

// apart reports whether last answers differ; one that cannot be read differs from all.
func apart(last map[int]debate.Turn) bool {
	turns := analysis.InOrder(last)
	for _, turn := range turns[min(1, len(turns)):] {
		if !turn.Answer.Equal(turns[0].Answer) {
			return true
		}
	}
	return false
}

func roundName(t debate.Transcript, r int) string {
	if r < len(t.Phases) {
		return string(t.Phases[r])
	}
	number := r
	if len(t.Rounds[r]) > 0 {
		number = t.Rounds[r][0].Round
	}
	return fmt.Sprintf("round %d", number)
}

// how a debate was held.
func how(t debate.Transcript) (how []string) {
	for _, f := range []property{
		{"protocol", t.Protocol}, {"order", t.Order}, {"reading", t.Reading}, {"topology", t.Topology},
		{"showing", t.Showing}, {"layout", t.Layout},
	} {
		if f.Value != "" {
			how = append(how, f.Name+" "+f.Value)
		}
	}
	return how
}

func (k *packer) turns(turns []debate.Turn, truth answer.Answer) []packedTurn {
	packedTurns := []packedTurn{}
	for _, t := range turns {
		packedTurns = append(packedTurns, k.turn(t, truth))
	}
	return packedTurns
}

func (k *packer) turn(t debate.Turn, truth answer.Answer) packedTurn {
	p := packedTurn{
		Agent: t.Agent, Sample: t.Sample, Kind: string(t.Kind), Key: t.Reply.Key, Text: k.text(t.Reply.Text),
		Heard:  t.Heard,
		Prompt: t.Reply.PromptTokens, Cached: t.Reply.CachedTokens, Tokens: t.Reply.Tokens, Stop: string(t.Reply.Stop),
		Error:  t.Error,
		Filled: t.Filled, Confidence: t.Confidence, Beliefs: t.Beliefs,
	}
	if t.Grammar != "" {
		place := k.text(t.Grammar)
		p.Grammar = &place
	}
	if t.Error == "" && (t.Kind.AnswersQuestion() || t.Kind == debate.KindGiven) {
		p.Answer, p.Score = t.Answer.Text, string(task.ScoreOf(t.Answer, truth))
		if k.blind && t.Answer.Parsed {
			p.Score = ""
		}
	}
	if len(t.Before) > 0 {
		p.Before = k.turns(t.Before, truth)
	}
	if len(t.Probes) > 0 {
		p.Probes = k.turns(t.Probes, truth)
	}
	return p
}
