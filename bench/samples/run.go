package samples

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// Run makes a run of the samples: each system is a condition, on the questions that all of them have. Tests are what is
// tested beside the table, and reference is the system that the others are compared with; "" is the first.
// rule is the answer rule that reads the replies again; "" keeps the answers and scores of the logs.
func (s Samples) Run(tests spec.Tests, reference, rule string) (rundir.Run, error) {
	systems, matched, notes, err := s.matched()
	if err != nil {
		return rundir.Run{}, err
	}
	by := s.Measure
	if rule != "" {
		again, says, err := readAgain(matched, rule)
		if err != nil {
			return rundir.Run{}, err
		}
		matched, notes, by = again, append(notes, says...), "reading replies again by the rule "+rule
	}
	reference = cmp.Or(reference, systems[0])
	if !slices.Contains(systems, reference) {
		return rundir.Run{}, fmt.Errorf("there is no system %s; there are %s", reference, strings.Join(systems, ", "))
	}
	h := rundir.Header{
		Run: spec.Run{Task: cmp.Or(s.Task, "samples"), Source: s.source(), AnswerRule: "raw", Measure: task.Logged,
			Guess: new(float64), Conditions: systems, Reference: reference, Repeats: 1, Tests: tests,
			Agents: 1, Rounds: 1, Notes: slices.Concat(s.Notes, notes), Debates: len(matched)},
		Imported: &rundir.Imported{Format: strings.Join(distinct(s.Formats), ", "), Files: s.Files},
	}
	h.TaskHash = h.Imported.Digest()
	h.Model = inference.ModelInfo{Name: strings.Join(systems, ", ")}
	for _, name := range systems {
		h.Protocols = append(h.Protocols, protocol.Protocol{Name: name, Source: h.Source,
			Meaning: "as its log has it, scored by " + by, Settings: alone})
	}
	answered := make(map[string]bool) // systems of whose answers something is known
	for _, one := range matched {
		answered[one.System] = answered[one.System] || one.Answer != ""
	}
	outcomes := make([]trial.Outcome, len(matched))
	last := ""
	for i, one := range matched {
		if one.Question != last {
			last = one.Question
			h.Questions++
		}
		if one.Cluster != "" {
			h.Cluster = cmp.Or(tests.Cluster, "cluster")
		}
		if one.Scored && one.Score > 0 && one.Score < 1 {
			h.Measure = task.LoggedPartly
		}
		h.Repeats = max(h.Repeats, one.Repeat+1)
		outcomes[i] = s.outcome(one, answered[one.System])
	}
	if h.Measure == task.LoggedPartly {
		for _, name := range systems {
			if name != reference {
				h.Contrasts = append(h.Contrasts, fmt.Sprintf("%s - %s by %s", name, reference, task.Degree(h.Measure)))
			}
		}
		for i, one := range matched {
			if one.Scored {
				outcomes[i].Partial = &one.Score
			}
		}
	}
	return rundir.NewRun(h, outcomes)
}

// alone are the settings of one agent that answers once.
var alone = debate.Settings{Form: society.FormName}.With("agents", 1).With("rounds", 1)

// outcome is a sample as a debate of one agent, whose score is that of the log. Where answers are known of its system,
// and none of this sample, which is wrong, none could be read.
func (s Samples) outcome(one Sample, answered bool) trial.Outcome {
	o := trial.Outcome{Question: one.Question, Repeat: one.Repeat, Cluster: one.Cluster, Condition: one.System,
		Target: one.Target, Truth: answer.Raw(one.Target), Key: task.BareKey(task.Logged), Score: task.Wrong}
	reply := importer.Said(one.Reply)
	reply.Tokens = max(0, one.Tokens)
	turn := debate.Turn{Reply: reply, Answer: answer.Raw(one.Answer)}
	unread := answered && one.Scored && one.Score == 0 && one.Answer == ""
	if strings.TrimSpace(one.Reply) == "" && !unread {
		turn.Kind = debate.KindScored
	}
	o.Transcript = debate.Transcript{Protocol: society.FormName, Case: o.Case(), Rounds: [][]debate.Turn{{turn}},
		Settings: &alone}
	o.Transcript.Decision = debate.Decision{Answer: turn.Answer, Rule: debate.Rule{Means: debate.MeansLogged,
		Name: s.Measure}}
	switch {
	case !one.Scored:
		o.Score, o.Error = task.Failed, one.Why
	case one.Score == 1:
		o.Score = task.Right
	case unread:
		o.Score = task.Unparsed
	}
	return o
}

// source names the files.
func (s Samples) source() string {
	if len(s.Files) == 1 {
		return s.Files[0].Path
	}
	return fmt.Sprintf("%s and %d more", s.Files[0].Path, len(s.Files)-1)
}
