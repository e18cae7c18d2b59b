package importer

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/titfortat"
)

// Summary counts how imported debates went. Sides and Chosen are measures of tit for tat and empty for other forms.
type Summary struct {
	Debates  int                `json:"debates"`
	LeftOut  []Problem          `json:"left_out"` // debates that could not be read
	Scores   map[task.Score]int `json:"scores"`
	Unscored int                `json:"unscored"` // unparsed debates whose right answer is unknown
	// debates without an answer in which the last replies name no option
	NoOption int            `json:"no_option"`
	Endings  []Ending       `json:"endings"`         // who decided, after how many rounds
	Sides    map[string]int `json:"sides,omitempty"` // how often a moderator who decided supports each side
	// whose last answer the decision matches, see titfortat.Chosen
	Chosen map[string]int `json:"chosen,omitempty"`
	// by round, the mean over the debates in which it is known; -1 if it is known in none
	Disagreement []float64 `json:"disagreement,omitempty"`
}

// Ending says how many debates ended in one way.
type Ending struct {
	Rule    string `json:"rule"`
	Rounds  int    `json:"rounds"` // of argument
	Debates int    `json:"debates"`
}

// Summarize counts the debates of a run and the problems of its log.
func Summarize(run rundir.Run, problems []Problem) Summary {
	s := Summary{Debates: len(run.Outcomes), LeftOut: append([]Problem{}, problems...),
		Scores: make(map[task.Score]int), Sides: make(map[string]int), Chosen: make(map[string]int)}
	var shares []mean
	for i, d := range run.Table().Debates() {
		o := run.Outcomes[i]
		s.Scores[o.Score]++
		if !o.Truth.Parsed {
			s.Unscored++
		}
		t := o.Transcript
		if !t.Decision.Answer.Parsed && slices.ContainsFunc(t.Last(), func(turn debate.Turn) bool {
			return turn.Answer.How == answer.NoOption
		}) {
			s.NoOption++
		}
		s.addEnding(t)
		if titfortat.Held(t) {
			s.Chosen[titfortat.Chosen(t)]++
			if t.Decision.Side != "" {
				s.Sides[t.Decision.Side]++
			}
		}
		for r, share := range disagreement(d) {
			if r == len(shares) {
				shares = append(shares, mean{})
			}
			shares[r].add(share)
		}
	}
	for _, m := range shares {
		s.Disagreement = append(s.Disagreement, m.value())
	}
	slices.SortFunc(s.Endings, func(a, b Ending) int {
		return cmp.Or(strings.Compare(b.Rule, a.Rule), a.Rounds-b.Rounds) // moderator before judge
	})
	return s
}

func (s *Summary) addEnding(t debate.Transcript) {
	e := Ending{Rule: t.Decision.Rule.String(), Rounds: fullRounds(t)}
	at := slices.IndexFunc(s.Endings, func(other Ending) bool {
		return other.Rule == e.Rule && other.Rounds == e.Rounds
	})
	if at < 0 {
		at = len(s.Endings)
		s.Endings = append(s.Endings, e)
	}
	s.Endings[at].Debates++
}

// disagreement returns that of the rounds in which several agents argue.
func disagreement(d *outcome.Debate) (shares []float64) {
	rounds := d.Rounds()
	for r, share := range d.Transcript.Disagreement() {
		if len(rounds[r].Turns) > 1 {
			shares = append(shares, share)
		}
	}
	return shares
}

// mean averages the shares that are known; -1 stands for an unknown one, and for the mean of none.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(share float64) {
	if share >= 0 {
		m.sum, m.n = m.sum+share, m.n+1
	}
}

func (m mean) value() float64 {
	if m.n == 0 {
		return -1
	}
	return m.sum / float64(m.n)
}

// Write prints the summary.
func (s Summary) Write(w io.Writer) error {
	out := ""
	if len(s.LeftOut) > 0 {
		out = fmt.Sprintf("%d debates could not be read and are left out\n", len(s.LeftOut))
	}
	out += fmt.Sprintf("%d debates: %d right, %d wrong, %d unparsed", s.Debates, s.Scores[task.Right],
		s.Scores[task.Wrong], s.Scores[task.Unparsed])
	if s.Unscored > 0 {
		out += fmt.Sprintf(" (%d of them without a known right answer)", s.Unscored)
	}
	out += "\n"
	if s.NoOption > 0 {
		out += fmt.Sprintf("%d decisions are none, since what was read from the replies is no option of the question\n",
			s.NoOption)
	}
	if 2*s.NoOption > s.Debates {
		out += "most of them: the log's program asks for another form of answers, or the task is not that of the log\n"
	}
	for _, e := range s.Endings {
		out += fmt.Sprintf("%4d  after round %d by %s\n", e.Debates, e.Rounds, e.Rule)
	}
	if len(s.Chosen) > 0 {
		out += fmt.Sprintf("the decided answer is the last one of: affirmative %d, negative %d, both %d, neither %d\n",
			s.Chosen["affirmative"], s.Chosen["negative"], s.Chosen["tie"], s.Chosen["neither"])
	}
	var shares []string
	for _, share := range s.Disagreement {
		shares = append(shares, strings.Replace(fmt.Sprintf("%.2f", share), "-1.00", "-", 1))
	}
	if shares != nil {
		out += "disagreement by round: " + strings.Join(shares, " ") + "\n"
	}
	_, err := io.WriteString(w, out)
	return err
}
