package analysis

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/peers"
	"github.com/parley-debate/parley/bench/record"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/stat"
	"github.com/parley-debate/parley/bench/stat/pairs"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/validity"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bug"
)

// Comparison is the result of a run, with one row for each condition.
type Comparison struct {
	spec.Run `json:"-"`          // what was run; its JSON has a part of it, see written
	Shard    string              `json:"shard,omitempty"` // i/n if these are the questions of one shard alone
	Guess    float64             `json:"constant_guess"`  // accuracy of the best constant answer, on the whole task
	Model    inference.ModelInfo `json:"model"`
	Rows     []Row               `json:"conditions"`
	// Contrasts are set before Tabulate, which tests them and keeps their order.
	Contrasts []Contrast      `json:"contrasts,omitempty"`
	Growth    []peers.Growth  `json:"growth,omitempty"`  // of sweeps over the number of agents
	Front     *Front          `json:"front,omitempty"`   // what is worth its tokens
	Choice    *Choice         `json:"choice,omitempty"`  // of the method, question by question
	Noise     *Noise          `json:"noise,omitempty"`   // nil where nothing was repeated
	Repeated  []Repeated      `json:"-"`                 // metrics of MADC; --details and reports have them
	Stopped   *Stopped        `json:"stopped,omitempty"` // of a run that might stop early
	Stats     inference.Stats `json:"scheduler"`
	Failed    []string        `json:"failed,omitempty"` // debates that failed, with the reason of each
	Faults    []string        `json:"faults,omitempty"` // what could not be computed, and why
	Time      Times           `json:"time"`
	Earlier   Work            `json:"-"` // of earlier sessions of the run and of its shards, as far as it is recorded
}

// Result is the Comparison without what the engine did: it depends on the experiment alone, whether or not the run was
// interrupted. The outer Stats and Time hide those of the Comparison, and as nil are left out of the JSON.
func (c Comparison) Result() any {
	c.Rows = slices.Clone(c.Rows)
	for i := range c.Rows {
		c.Rows[i].Milliseconds = 0
	}
	c.Stats, c.Time = inference.Stats{}, Times{}
	return struct {
		written
		Stats *inference.Stats `json:"scheduler,omitempty"`
		Time  *Times           `json:"time,omitempty"`
	}{written: c.forJSON()}
}

// written is a Comparison as result.json has it: of the run only what tells which it is.
type written struct {
	Task        string              `json:"task"`
	TaskHash    string              `json:"task_hash"`
	Measure     string              `json:"measure,omitempty"`
	Questions   int                 `json:"questions"`
	Shard       string              `json:"shard,omitempty"`
	Guess       float64             `json:"constant_guess"`
	Model       inference.ModelInfo `json:"model"`
	Reference   string              `json:"reference"`
	Equivalence float64             `json:"equivalence,omitempty"`
	Cluster     string              `json:"cluster,omitempty"`
	*rest
}

// rest is what JSON needs no other order or place for. Fields of written hide those of the same name.
type rest Comparison

// forJSON returns the comparison in the order in which JSON has it. It shares memory with c, which is thus read into
// too.
func (c *Comparison) forJSON() written {
	return written{c.Task, c.TaskHash, c.Measure, c.Questions, c.Shard, c.Guess, c.Model, c.Reference, c.Equivalence,
		c.Cluster, (*rest)(c)}
}

// MarshalJSON implements json.Marshaler.
func (c Comparison) MarshalJSON() ([]byte, error) { return record.Marshal(c.forJSON()) }

// UnmarshalJSON implements json.Unmarshaler.
func (c *Comparison) UnmarshalJSON(text []byte) error {
	w := c.forJSON()
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	c.Task, c.TaskHash, c.Measure, c.Questions, c.Shard = w.Task, w.TaskHash, w.Measure, w.Questions, w.Shard
	c.Guess, c.Model, c.Reference, c.Equivalence, c.Cluster = w.Guess, w.Model, w.Reference, w.Equivalence, w.Cluster
	return nil
}

// Times are how long the engine computed, in milliseconds.
type Times struct {
	Prefill float64 `json:"prefill_ms"`
	Decode  float64 `json:"decode_ms"`
}

// Row is what one condition achieved and cost.
type Row struct {
	Condition string `json:"condition"`
	Meaning   string `json:"meaning"`
	Agents    int    `json:"agents"`
	Rounds    int    `json:"rounds"`
	// Models are the SHA-256 of the models that replied, in a run with several, in the order of Comparison.Model.All.
	Models    []string `json:"models,omitempty"`
	N         int      `json:"n"`                  // debates that did not fail: questions times repeats
	Questions int      `json:"questions"`          // questions of these debates
	Clusters  int      `json:"clusters,omitempty"` // of these questions, in runs that have clusters
	// Failed counts debates that could not be held. Of the other numbers, only those of replies and tokens include
	// them.
	Failed   int           `json:"failed"`
	Right    int           `json:"right"`
	Unparsed int           `json:"unparsed"` // debates in which no answer could be read
	Accuracy float64       `json:"accuracy"` // mean over questions of their shares of right answers
	Interval stat.Interval `json:"interval"` // 95 %, see stat.Accuracy

	Members []Member     `json:"members,omitempty"` // of a team whose agents differ, in their order
	Groups  []Grouped    `json:"groups,omitempty"`  // of the questions, where the task tells groups apart
	Partial *Partial     `json:"partial,omitempty"` // partial correctness, if the task's measure has degrees
	Repeats *stat.Spread `json:"repeats,omitempty"` // of the accuracies of repeats, if there are several
	// Paired compares the condition with the reference. It is nil in the reference's own row, in that of a bound, and
	// where Same says that there is nothing to compare.
	Paired *Paired `json:"paired,omitempty"`
	Same   *Same   `json:"same,omitempty"`
	// Untested says why there is no test although there are questions, "" if that is not so.
	Untested string `json:"untested,omitempty"`
	Above    *Above `json:"above,omitempty"` // what a bound has in the place of Paired
	// DuplicateOf is an earlier condition from which this one differs in nothing, as in Same: both are one treatment
	// with two names. They share one Paired, which is tested, and corrected for, once.
	DuplicateOf string   `json:"twin_of,omitempty"`
	Duplicates  []string `json:"-"` // the conditions of which this row is the DuplicateOf
	// Variances are those of questions and of sampling, nil without repeats; --details prints them.
	Variances *pairs.Variances `json:"-"`
	// Measures are those of the list of package relation.
	Measures relation.Values `json:"measures,omitempty"`
	Dynamics *Dynamics       `json:"dynamics,omitempty"` // how its debates went; nil if none was completed
	// Flips says what changes answers; nil unless the run also has an isolated team and a debate on answers only.
	Flips *peers.Flips `json:"flips,omitempty"`
	// Conflict says how far answers differ, round by round; nil unless some agent answers in two rounds.
	Conflict *peers.Conflict `json:"conflict,omitempty"`
	// Identity says whether agents follow answers because of whose they are; nil unless the run also has an anonymous
	// debate.
	Identity *peers.Identity `json:"identity,omitempty"`

	Bound bool `json:"-"` // no method: right if any agent is
	Again bool `json:"-"` // no method: a second draw of the reference

	Unbounded string `json:"-"` // its settings but for bounds on reasoning, "" without such bounds, see unboundedOf

	outcome.Cost     // of all debates, including those that failed
	validity.Reading // likewise
	// Arrived is what came of what agents were asked for beside answers.
	Arrived      []validity.Arrival `json:"-"`
	Milliseconds float64            `json:"ms,omitempty"` // of the engine: its mean time per token times the tokens
}

// UnmarshalJSON also reads rows of earlier versions, which call the dynamics "course".
func (r *Row) UnmarshalJSON(data []byte) error {
	type fields Row
	read := struct {
		*fields
		Course *Dynamics `json:"course"`
	}{fields: (*fields)(r)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if r.Dynamics == nil {
		r.Dynamics = read.Course
	}
	return nil
}

// Tabulate sums up each condition and compares it with the reference on the questions that both were asked. The result
// is a function of the outcomes. A step that panics costs what it computes, see Faults. Before, Questions is the number
// of planned questions; if a run stopped early, it becomes the number of those that were asked.
func (c *Comparison) Tabulate(conditions []trial.Condition, t *outcome.Table, stop *spec.Stopping) {
	c.compute(steps, conditions, t, stop)
}

// compute takes some steps.
func (c *Comparison) compute(steps []step, conditions []trial.Condition, t *outcome.Table, stop *spec.Stopping) {
	c.Faults = nil
	plan := planned{conditions, stop, make(map[string][]relation.Debate)}
	for _, compute := range steps {
		if why := bug.Text(func() { compute(c, plan, t) }); why != "" {
			c.Faults = append(c.Faults, why)
		}
	}
}

// planned is what was to be run, as far as the outcomes do not tell it.
type planned struct {
	conditions []trial.Condition
	stop       *spec.Stopping // it is nil where all questions were to be asked

	rows map[string][]relation.Debate // those of held, made when they are first asked for
}

// held are the debates of a condition that could be held, as rows.
func (p planned) held(condition string, t *outcome.Table) []relation.Debate {
	rows, made := p.rows[condition]
	if !made {
		rows = relation.Rows(t.Under(condition).Held().All)
		p.rows[condition] = rows
	}
	return rows
}

// step enters a statistic of the outcomes.
type step func(*Comparison, planned, *outcome.Table)

// deciding are the steps that tell whether it is decided what is worth its tokens.
var deciding = []step{(*Comparison).sumUp, (*Comparison).pairRows, (*Comparison).enterStop, (*Comparison).front}

// steps compute a comparison from the table of its outcomes, in this order. Another statistic is another step.
var steps = []step{
	(*Comparison).sumUp,
	(*Comparison).pairRows,
	(*Comparison).pairAgents,
	(*Comparison).enterStop, // before p-values are adjusted, since it replaces them
	(*Comparison).adjustRows,
	(*Comparison).contrast,
	(*Comparison).unmeasured,
	(*Comparison).noise,
	(*Comparison).front,
	(*Comparison).choice,
	(*Comparison).repeats,
}

// sumUp makes a row for each condition.
func (c *Comparison) sumUp(plan planned, t *outcome.Table) {
	c.Rows, c.Failed = nil, Failures(t.Debates())
	for _, condition := range plan.conditions {
		debates := t.Under(condition.Name)
		row := rowOf(condition, debates)
		held := plan.held(condition.Name, t)
		if row.Measures = relation.ValuesOf(held, c.Measure, Level); row.N > 0 {
			row.Dynamics = DynamicsOf(condition, debates, held, row.Measures)
		}
		if c.Cluster != "" {
			row.cluster(debates)
		}
		row.Partial, row.Groups = partialIn(c.degree(), debates.All), c.groupsIn(debates)
		if row.Models = modelsIn(debates.All, c.Model); !condition.Oracle {
			row.Members = c.membersIn(debates)
		}
		c.Rows = append(c.Rows, row)
	}
}

// pairRows compares each condition with its reference.
func (c *Comparison) pairRows(plan planned, t *outcome.Table) {
	for i := range c.Rows {
		row := &c.Rows[i]
		against := trial.ReferenceOf(row.Condition, c.Reference, trial.Names(plan.conditions))
		if against != row.Condition && !row.Again {
			row.compare(c, c.Rows[:i], against, t)
		}
	}
}

// adjustRows corrects the p-values of the rows for their number. That of duplicates is one.
func (c *Comparison) adjustRows(planned, *outcome.Table) {
	var compared []*Paired
	for _, row := range c.Rows {
		if row.DuplicateOf == "" {
			compared = append(compared, row.Paired)
		}
	}
	adjust(compared)
}

// compare enters how a condition differs from another one, or that it never did, from that or from one of the rows
// before. A bound has no treatment of its own, and no test: it is right wherever what it bounds is. The order matters:
// what equals the reference is never a duplicate of a third condition, and a duplicate is never tested again, because a
// second test of the same debates would be corrected for as if it were evidence of its own.
func (r *Row) compare(c *Comparison, before []Row, against string, t *outcome.Table) {
	part, other := t.Under(r.Condition), t.Under(against)
	sides := []*outcome.Debates{part, other}
	test := func() (*Paired, string) { return c.pairedTest(part, other, c.Equivalence) }
	if r.Bound {
		var p *Paired
		if p, r.Untested = attempt(sides, "", test); p != nil {
			r.Above = &Above{Against: against, Questions: p.Questions, Difference: p.Difference, Interval: p.Interval}
		}
		return
	}
	if same := sameIn(part, other); same > 0 {
		r.Same = &Same{Against: against, Debates: same}
		return
	}
	for i := range before {
		first := &before[i]
		if first.Paired != nil && first.Paired.Against == against && first.DuplicateOf == "" && first.N == r.N &&
			beginAlike(part, t.Under(first.Condition)) && sameIn(part, t.Under(first.Condition)) == r.N {
			r.DuplicateOf, r.Paired = first.Condition, first.Paired
			first.Duplicates = append(first.Duplicates, r.Condition)
			return
		}
	}
	r.Paired, r.Untested = attempt(sides, "", test)
	if r.Paired != nil {
		r.Paired.Against = against
	}
}

// beginAlike reports whether the first debate that was held is the same in both. Most conditions differ there already,
// so it spares compare reading all debates of every pair of conditions.
func beginAlike(one, other *outcome.Debates) bool {
	for i, d := range one.All {
		if j := slices.Index(other.Cases, one.Cases[i]); j >= 0 && !d.Failed() && !other.All[j].Failed() {
			same, _ := validity.Same([]*outcome.Debate{d}, []*outcome.Debate{other.All[j]})
			return same == 1
		}
	}
	return false
}

// Distinct returns the rows of conditions that differ, each with the names of all conditions that do not.
func (c Comparison) Distinct() []Row {
	return slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool { return r.DuplicateOf != "" })
}

// Names are those of the conditions that the row is about: its own and those of its duplicates.
func (r Row) Names() string {
	return strings.Join(append([]string{r.Condition}, r.Duplicates...), " = ")
}

// Validity says whether the run measured anything.
func (c Comparison) Validity() validity.Finding {
	var list []validity.Condition
	for _, r := range c.Rows {
		of := validity.Condition{Name: r.Condition, Reading: r.Reading, N: r.N, Right: r.Right,
			Unparsed: r.Unparsed, Accuracy: r.Accuracy, Bound: r.Bound, Texts: task.OfTexts(c.Measure),
			Arrived: r.Arrived}
		if r.Partial != nil {
			of.Degree, of.Partial = r.Partial.Degree, r.Partial.Mean
		}
		list = append(list, of)
	}
	return validity.Of(list, c.Guess)
}

// pairAgents adds what takes several conditions, such as what changes answers and how teams grow.
func (c *Comparison) pairAgents(plan planned, t *outcome.Table) {
	var held []peers.Held
	var teams []peers.Team
	for _, r := range c.Rows {
		held = append(held, peers.Held{Condition: r.Condition, Debates: plan.held(r.Condition, t)})
		if r.Dynamics != nil {
			teams = append(teams, peers.Team{Condition: r.Condition, Worth: r.Dynamics.Team})
		}
	}
	for i := range c.Rows {
		c.Rows[i].Flips, c.Rows[i].Conflict = peers.FlipsOf(held[i], held), peers.ConflictOf(held[i], held)
		c.Rows[i].Identity = peers.IdentityOf(held[i], held)
	}
	c.Growth = peers.GrowthOf(teams)
}

// modelsIn returns the models that replied in debates, where replies say so, in the order of the run's models.
func modelsIn(debates []*outcome.Debate, all inference.ModelInfo) (hashes []string) {
	replied := make(map[string]bool)
	for _, o := range debates {
		trial.EachTurn(o.Transcript, func(t debate.Turn, _ string) { replied[t.Reply.Model] = true })
	}
	for _, m := range all.All() {
		if replied[m.Hash] {
			hashes = append(hashes, m.Hash)
		}
	}
	return hashes
}

// ModelNames are the models of a row, each by its name and the beginning of its hash, or "" if one model replies to
// all.
func (c Comparison) ModelNames(r Row) string { return c.cast(r, nil) }

// cast is ModelNames, with the roles of each model behind it.
func (c Comparison) cast(r Row, roles map[string][]string) string {
	var names []string
	for _, m := range c.Model.All() {
		if !slices.Contains(r.Models, m.Hash) {
			continue
		}
		name := fmt.Sprintf("%s %.8s", m.Name, m.Hash)
		if list := roles[m.Hash]; len(list) > 0 {
			name += " (" + strings.Join(list, ", ") + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// rolesByModel are the roles in which models reply, of those that all debates have: who has no name there is an agent.
// There are none where nobody has another role, and none that differ from debate to debate, as players of puzzles do.
func rolesByModel(debates []*outcome.Debate) map[string][]string {
	const unnamed = "agent"
	var common []string
	for i, d := range debates {
		if i == 0 {
			common = slices.Clone(d.Transcript.Roles)
		}
		common = slices.DeleteFunc(common, func(r string) bool { return !slices.Contains(d.Transcript.Roles, r) })
	}
	by, named := make(map[string][]string), false
	for _, d := range debates {
		trial.EachTurn(d.Transcript, func(t debate.Turn, _ string) {
			role := d.Transcript.Named(t.Agent)
			if !slices.Contains(common, role) || role == (debate.Transcript{}).Role(t.Agent) {
				role = unnamed
			}
			if model := t.Reply.Model; model != "" && !slices.Contains(by[model], role) {
				by[model], named = append(by[model], role), named || role != unnamed
			}
		})
	}
	if !named {
		return nil
	}
	return by
}

// Failures names each debate that failed, with the reason.
func Failures(debates []*outcome.Debate) (list []string) {
	for _, o := range debates {
		if o.Failed() {
			list = append(list, fmt.Sprintf("question %s, condition %s: %s", o.Case(), o.Condition, cmp.Or(o.Error,
				"the record does not say why")))
		}
	}
	return list
}

// rowOf sums up a condition. N counts debates that did not fail: a condition of which all did has no dynamics.
func rowOf(condition trial.Condition, p *outcome.Debates) Row {
	row := Row{Condition: condition.Name, Meaning: condition.Meaning, Agents: condition.Agents,
		Rounds: condition.Rounds, Bound: condition.Oracle, Again: condition.Again, Unbounded: unboundedOf(condition)}
	for _, d := range p.All {
		row.add(d)
	}
	row.Arrived = validity.Arrivals(p.All)
	row.Questions, row.Repeats = len(p.Correct.Questions), overRepeats(p.Correct)
	row.Accuracy, row.Interval = accuracyOf(p.Correct)
	row.Variances = variancesOf(p.Correct)
	return row
}

// overRepeats says how the accuracy varies between repeats, nil if there is only one repeat.
func overRepeats(c outcome.Correctness) *stat.Spread {
	accuracies := repeatsOf(c)
	if len(accuracies) < 2 {
		return nil
	}
	spread := stat.Seeds(accuracies, Level)
	return &spread
}

// repeatsOf are the accuracies of the repeats, in their order.
func repeatsOf(c outcome.Correctness) (accuracies []float64) {
	repeats := make(map[int][]float64)
	for _, q := range c.Questions {
		for _, once := range c.Of[q] {
			repeats[once.Repeat] = append(repeats[once.Repeat], once.Value())
		}
	}
	for _, repeat := range slices.Sorted(maps.Keys(repeats)) {
		accuracies = append(accuracies, stat.Mean(repeats[repeat]))
	}
	return accuracies
}

// add counts one debate and its calls. The calls of debates that failed count too: they were paid for.
func (r *Row) add(o *outcome.Debate) {
	switch {
	case o.Failed():
		r.Failed++
	case o.Score == task.Right:
		r.Right++
	case o.Score == task.Unparsed:
		r.Unparsed++
	}
	if !o.Failed() {
		r.N++
	}
	for call := range o.Transcript.Calls() {
		r.Cost.Add(call)
	}
	r.Reading.Add(o)
}

// Work is that of all sessions whose time is recorded: a run that is resumed, merged or printed again may have no reply
// that this session computed.
func (c Comparison) Work() Work { return WorkOf(c.Stats).Plus(c.Earlier) }

// EnterTimes enters the engine's time into the rows.
func (c *Comparison) EnterTimes() {
	c.Time = Times{Prefill: wording.Milliseconds(c.Stats.PrefillDuration),
		Decode: wording.Milliseconds(c.Stats.DecodeDuration)}
	for i := range c.Rows {
		c.Rows[i].Milliseconds = wording.Milliseconds(c.Work().Time(c.Rows[i].Cost))
	}
}

// ConstantGuess is the accuracy of always giving the most frequent right answer, for records that do not have that of
// the best constant answer on the task. Questions without a target, as in some logs, are left out.
func ConstantGuess(debates []*outcome.Debate) float64 {
	right := make(map[string][]string) // by question
	for _, o := range debates {
		if o.Target != "" {
			right[o.Question] = o.Key.Texts(o.Truth)
		}
	}
	counts, most := make(map[string]int), 0
	for _, texts := range right {
		for _, text := range slices.Compact(slices.Sorted(slices.Values(texts))) {
			counts[text]++
			most = max(most, counts[text])
		}
	}
	return stat.Share(most, len(right))
}
