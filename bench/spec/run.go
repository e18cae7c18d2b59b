// Package spec says what a run is, in one structure: Run. Flags and experiment files make it, the header of a run
// directory is it (rundir.Header), the result has it (analysis.Comparison), and bench.Options holds it beside what only
// the running process needs.
//
// Lifecycle: a command or an experiment sets what was asked for. On (the task), Under (the conditions) and Asking (the
// debates) enter what follows from that on a model. The Run is then written as part of the header and not changed any
// more.
//
// Invariants: Run.Properties lists by name what each field means for a run that is resumed; so an option that is added
// here and there is compared, merged and told by that name.
package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// Run says what a run is: its task, its conditions, how often and on what they are held, what is tested, and how agents
// are asked. What computes it stands beside it in a header.
type Run struct {
	Task     string `json:"task"`
	TaskHash string `json:"task_hash"`
	// Family is that of the task, see task.Families; "" for generated puzzles.
	Family string `json:"family,omitempty"`
	Source string `json:"source"`
	// Replaces names the file of the experiment's benchmark, or a pattern of it, in whose place the user gave another;
	// "" if none is replaced.
	Replaces  string `json:"replaces,omitempty"`
	Questions int    `json:"questions"`
	// Different is how many of the questions of the whole run ask something else, 0 if all do, see task.Task.Whole.
	Different  int    `json:"different_questions,omitempty"`
	AnswerRule string `json:"answer_rule"`
	// Measure tells when an answer is right, see task.Family.
	Measure string `json:"measure,omitempty"`
	// Guess is the accuracy of the best constant answer on the whole task file, see task.Task.Chance; nil in old
	// records.
	Guess *float64 `json:"constant_guess,omitempty"`
	// Columns says what was read from which columns of a file that belongs to no public benchmark; nil for others.
	Columns    *task.Columns `json:"columns,omitempty"`
	Conditions []string      `json:"conditions"`
	// Reference is the condition that the others are compared with; "" is mad.
	Reference string `json:"reference,omitempty"`
	// Protocols has the settings of those conditions that are protocols.
	Protocols Protocols `json:"protocols,omitempty"`
	// Budgets are what conditions may generate for a question, in lengths of one answer, by their names.
	Budgets map[string]int `json:"budgets,omitempty"`
	// Bounds are the conditions that are right if any agent is.
	Bounds []string `json:"bounds,omitempty"`
	// Again is the condition that is a second draw of the reference, "" if there is none.
	Again  string `json:"again,omitempty"`
	Agents int    `json:"agents"`
	Rounds int    `json:"rounds"`
	// Repeats is how often each condition is held on each question, with different seeds; 0 is once.
	Repeats int `json:"repeats,omitempty"`
	// Stop says when the run ends early; it is nil if it asks all questions.
	Stop *Stopping `json:"stop,omitempty"`
	Tests
	// Budget is what the command that began or widened the run might take; nil is no limit.
	Budget *Budget `json:"budget,omitempty"`
	// Debates is their number under all conditions; an upper bound if some conditions are held on candidate questions
	// only.
	Debates int `json:"debates,omitempty"`
	// Team are the agents of the standard conditions.
	Team    []debate.Member `json:"team,omitempty"`
	Reading string          `json:"reading"`
	// Prompts are those that the reference is sent; PromptsSent has those of all conditions.
	Prompts string `json:"prompts"`
	Origin  string `json:"prompts_origin"`
	// PromptFiles are the SHA-256 of the files that prompts of the conditions were read from.
	PromptFiles []string `json:"prompt_files,omitempty"`
	// Sampling is without a seed: that of each generation is derived from Seed.
	Sampling inference.Sampling `json:"sampling"`
	// SamplingFrom says who chose the sampling: the user, an experiment, the model's file or card; "" in older records.
	SamplingFrom string `json:"sampling_from,omitempty"`
	MaxTokens    int    `json:"max_tokens"`
	// Reasoning says who sees the reasoning in replies.
	Reasoning Reasoning `json:"reasoning,omitempty"`
	// StopTexts end a reply of the reference, see inference.Request.Stop.
	StopTexts []string `json:"stop_texts,omitempty"`
	// EndLoops ends replies that repeat themselves, see inference.Request.EndLoops.
	EndLoops bool `json:"end_loops,omitempty"`
	// Closing gives replies that state no answer closing turns, see debate.Asking.Closing.
	Closing bool `json:"closing,omitempty"`
	// Beliefs are measured around each message, see debate.Asking.Beliefs.
	Beliefs bool   `json:"beliefs,omitempty"`
	Seed    uint64 `json:"seed"`
	// Notes are what the report has to say: conditions that were left out, and agents that are bound to reply the same.
	Notes []string `json:"notes,omitempty"`
}

// Properties lists what a run says of itself. A field of Run that is not in the list differs freely, and nobody is
// told.
func (r Run) Properties() []Property {
	return slices.Concat([]Property{
		{"task", Identity, r.Task + " " + r.TaskHash},
		{"source", Extent, r.Source},
		{"questions", Extent, r.Questions},
		{"answer rule", Identity, r.AnswerRule},
		{"measure", Identity, r.Measure},
	}, columnsRead(r.Columns), []Property{
		{"conditions", Extent, listed(r.Conditions)},
		{"what a condition means", Extent, Unlisted(r.Protocols.compared() + " " + listed(r.Bounds) + " " + r.Again)},
		{"reference", Extent, cmp.Or(r.Reference, trial.Reference)},
		{"budgets", Extent, Unlisted(fmt.Sprint(r.Budgets))}, // in the order of names
		{"agents", Identity, r.Agents},
		{"rounds", Identity, r.Rounds},
		{"repeats", Extent, cmp.Or(r.Repeats, 1)},
		{"stop", Extent, r.Stop.String()},
		{"equivalence", Extent, r.Equivalence},
		{"cluster", Extent, r.Cluster},
		{"group", Extent, r.Group},
		{"contrasts", Extent, strings.Join(r.Contrasts, "; ")},
		{"team", Identity, recorded(r.Team)},
		{"reading", Identity, r.Reading},
		{"prompts of the reference", Identity, r.Prompts},
		{"origin of the prompts", Neither, r.Origin},
		{"SHA-256 of the prompts", Extent, cmp.Or(listed(r.PromptFiles), "none")},
	}, sampled(r.Sampling), []Property{
		{"max tokens", Identity, r.MaxTokens},
		{"reasoning", Identity, r.Reasoning.compared()},
		{"stop texts", Identity, quoted(r.StopTexts)},
		{"end of loops", Identity, r.EndLoops},
		{"closing turns", Identity, r.Closing},
		{"beliefs", Identity, r.Beliefs},
		{"seed", Identity, r.Seed},
	})
}

// Tests are what is tested beside the rows, and how: they change no debate. An experiment file has the same fields,
// where their tag yaml gives them a name.
type Tests struct {
	// the difference up to which conditions are called equivalent to the one they are compared with; 0: not tested
	Equivalence float64 `yaml:"equivalence,omitempty" json:"equivalence,omitempty"`
	// the field of the task's file whose values are clusters of questions; "": each question is one
	Cluster string `yaml:"-" json:"cluster,omitempty"`
	// the field whose values are groups, of which the results are told apart; "": the groups of the task's family
	Group string `yaml:"-" json:"group,omitempty"`
	// differences between conditions, as they were asked for, see package contrast; in an experiment, "on x, y"
	// restricts one to tasks
	Contrasts []string `yaml:"contrasts,omitempty" json:"contrasts,omitempty"`
}

// Reasoning says who sees the reasoning in replies: debate.ShowReasoning, debate.ShareReasoning, or "" for
// debate.HideReasoning.
type Reasoning string

// compared says whether agents hear the reasoning of others: their prompts have it or not.
func (r Reasoning) compared() string {
	if r == debate.ShareReasoning {
		return "shared with others"
	}
	return "kept from others"
}

// Protocols are the protocols of a run.
type Protocols []protocol.Protocol

// compared is what their debates depend on, which is not how they are described.
func (p Protocols) compared() string {
	list := make([]protocol.Protocol, len(p))
	for i, one := range p {
		list[i] = protocol.Protocol{Name: one.Name, Answer: one.Answer, Settings: one.Settings}
	}
	text, _ := json.Marshal(list) // as a header has it
	return string(text)
}

// On enters the task: what it is, and which of its fields are clusters and groups.
func (r *Run) On(t task.Task) {
	r.Task, r.TaskHash, r.Family, r.Source, r.Replaces = t.Name, t.Hash, t.Family, t.Source, t.Replaces
	r.Questions, r.AnswerRule, r.Measure = len(t.Questions), t.Rule, cmp.Or(t.Measure, "equal")
	r.Guess, r.Columns, r.Cluster, r.Group = &t.Guess, t.Columns, t.Cluster, t.Group
}

// Under enters the conditions, how many debates they are on the questions that On has entered, and the prompts that
// the debates send.
func (r *Run) Under(conditions []trial.Condition) {
	r.Conditions, r.Protocols, r.Bounds, r.PromptFiles, r.Debates = nil, nil, nil, nil, 0
	r.Budgets, r.Again = nil, ""
	for _, c := range conditions {
		r.Debates += r.Questions * c.Times(r.Repeats)
		r.Conditions = append(r.Conditions, c.Name)
		if c.Protocol != nil {
			r.Protocols = append(r.Protocols, *c.Protocol)
		}
		if c.Budget > 0 {
			if r.Budgets == nil {
				r.Budgets = make(map[string]int)
			}
			r.Budgets[c.Name] = c.Budget
		}
		if c.Oracle {
			r.Bounds = append(r.Bounds, c.Name)
		}
		if c.Again {
			r.Again = c.Name
		}
		how, _ := debate.HowOf(c.Debate)
		if file := how.PromptsFile; file != "" && !slices.Contains(r.PromptFiles, file) {
			r.PromptFiles = append(r.PromptFiles, file)
		}
	}
	if p, ok := r.referenceProtocol(); ok && p.PromptsName() != "" {
		i := slices.IndexFunc(conditions, func(c trial.Condition) bool { return c.Name == p.Name })
		how, _ := debate.HowOf(conditions[i].Debate)
		r.Prompts, r.Origin, r.StopTexts = p.PromptsName(), how.Origin, how.Stop
	}
}

// referenceProtocol returns the protocol that the reference is, if it is one.
func (r Run) referenceProtocol() (protocol.Protocol, bool) {
	i := slices.IndexFunc(r.Protocols, func(p protocol.Protocol) bool {
		return p.Name == cmp.Or(r.Reference, trial.Reference)
	})
	if i < 0 {
		return protocol.Protocol{}, false
	}
	return r.Protocols[i], true
}

// Mend puts right what older programs entered: the prompts of the run, whatever its reference is sent. Where those came
// from is then unknown.
func (r *Run) Mend() {
	p, ok := r.referenceProtocol()
	sent := p.PromptsName()
	if !ok || sent == "" || sent == r.Prompts {
		return
	}
	if r.Prompts, r.Origin = sent, ""; len(r.StopTexts) > 0 && path.Ext(sent) == "" { // a file may be another one now
		set, _ := prompts.Load(sent) // those of other forms have no such texts
		r.StopTexts = set.Stop
	}
}

// PromptsSent lists the sets of prompts of all conditions, that of the reference first.
func (r Run) PromptsSent() string {
	var sets []string
	if r.Prompts != "" {
		sets = append(sets, r.Prompts)
	}
	for _, p := range r.Protocols {
		if set := p.PromptsName(); set != "" && !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
	}
	return strings.Join(sets, ", ")
}

// Asking enters how agents are asked on the task that On has entered, and the size and wording of the debates. s is one
// of them.
func (r *Run) Asking(s society.Society) {
	r.Agents, r.Rounds, r.Reading = s.Agents, s.Rounds, s.Order.Reading
	r.Prompts, r.Origin = s.Prompts.Name, s.Prompts.Origin
	r.AskedAs(s.Asking)
}

// AskedAs enters how agents are asked, where the size and the wording of the debates are a form's own matter.
func (r *Run) AskedAs(a debate.Asking) {
	r.Sampling, r.SamplingFrom, r.Seed = a.Sampling, a.SamplingFrom, a.Seeds.Run
	r.MaxTokens = cmp.Or(a.MaxTokens, inference.DefaultMaxTokens)
	r.StopTexts, r.EndLoops = a.Stop, a.EndLoops
	r.Closing, r.Beliefs = a.Closing && answer.IsReader(r.AnswerRule), a.Beliefs
	if r.Reasoning = Reasoning(a.Reasoning); a.Reasoning == debate.HideReasoning {
		r.Reasoning = ""
	}
}

// TaskName is what people call the task: with its family, since files of several benchmarks are called test.
func (r Run) TaskName() string {
	if r.Family == "" || r.Family == task.FamilyOwn || strings.Contains(strings.ToLower(r.Task), r.Family) {
		return r.Task
	}
	return r.Family + " " + r.Task
}

// Asked says in a line how agents are asked, and how their replies are read.
func (r Run) Asked() string {
	text := "asked    "
	if sets := r.PromptsSent(); sets != "" {
		text += "prompts " + sets + ", "
	}
	text += fmt.Sprintf("answers by %s, %s", r.AnswerRule, r.Sampling.Named())
	if r.SamplingFrom != "" {
		text += " (" + r.SamplingFrom + ")"
	}
	text += fmt.Sprintf(", replies of up to %s", wording.Count(cmp.Or(r.MaxTokens, inference.DefaultMaxTokens),
		"token"))
	if len(r.StopTexts) > 0 {
		text += fmt.Sprintf(" that end at %q", r.StopTexts)
	}
	return text + "\n"
}

// Size says how large the debates are, from the smallest condition to the largest, as far as the run knows: the
// protocol of a run without a society may leave the number of agents or rounds to its form.
func (r Run) Size() string {
	var parts []string
	agents, rounds := r.Sizes()
	for _, n := range [][2]string{{agents, " agent"}, {rounds, " round"}} {
		switch n[0] {
		case "":
		case "1":
			parts = append(parts, n[0]+n[1])
		default:
			parts = append(parts, n[0]+n[1]+"s")
		}
	}
	return strings.Join(parts, ", ")
}

// Sizes are the numbers of agents and of rounds of the debates, such as 3 or 1 to 5; "" where they are not known.
func (r Run) Sizes() (agents, rounds string) {
	return r.span(r.Agents, protocol.Protocol.Agents), r.span(r.Rounds, protocol.Protocol.Rounds)
}

// span is from the least to the most of the reference's number and those of the protocols.
func (r Run) span(most int, of func(protocol.Protocol) int) string {
	if most == 0 {
		return ""
	}
	least := most
	for _, p := range r.Protocols {
		if count := of(p); count > 0 {
			least, most = min(least, count), max(most, count)
		}
	}
	if least < most {
		return fmt.Sprintf("%d to %s", least, wording.Comma(most))
	}
	return wording.Comma(most)
}
