package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// applyChanges returns the experiment with other settings of its debates and another length of replies. A note says so,
// since published numbers then belong to other settings.
func (e Experiment) applyChanges(c Changes) (Experiment, error) {
	err := bounds.Check("max-tokens", c.MaxTokens, inference.MaxTokensRange.OrZero())
	if err != nil {
		return e, err
	}
	var changes, unfit []string
	if c.MaxTokens > 0 {
		e.MaxTokens = c.MaxTokens
		changes = append(changes, fmt.Sprintf("max-tokens=%d", c.MaxTokens))
	}
	sampling, drawn := e.Sampling.With(c.Sampling), c.Sampling.Said()
	if err := samplingOf(sampling).Validate(); err != nil {
		return e, err
	}
	e.Sampling, e.resampled, changes = sampling, append(e.resampled, drawn...), append(changes, drawn...)
	if err := debate.CheckReasoning(c.Reasoning); err != nil {
		return e, err
	}
	if c.Reasoning != "" && c.Reasoning != cmp.Or(e.Reasoning, debate.HideReasoning) {
		e.Reasoning = c.Reasoning
		changes = append(changes, "reasoning="+c.Reasoning)
	}
	if c.Beliefs && !e.Beliefs {
		e.Beliefs = true
		changes = append(changes, "beliefs=true")
	}
	if c.Controls != nil && *c.Controls != e.hasControls() {
		e.Controls = c.Controls
		changes = append(changes, fmt.Sprintf("controls=%t", *c.Controls))
		if !*c.Controls {
			if e, err = e.withoutControls(); err != nil {
				return e, err
			}
		}
	}
	e.Conditions = slices.Clone(e.Conditions)
	for _, change := range c.Set {
		name, text, ok := strings.Cut(change, "=")
		if !ok {
			return e, fmt.Errorf("%s: must be NAME=VALUE", change)
		}
		if err := new(debate.Settings).Set(name, text); err != nil {
			return e, err
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			return e, fmt.Errorf("%s: %w", change, err)
		}
		left, err := e.override(Pair{name, value})
		if err != nil {
			return e, err
		}
		changes, unfit = append(changes, change), append(unfit, left...)
	}
	if len(changes) > 0 {
		e.text = nil // whose lines are not those of the changed experiment
		e.Notes = append(slices.Clone(e.Notes), "Changed on the command line: "+strings.Join(changes, ", ")+".")
	}
	for _, why := range unfit {
		e.Notes = append(e.Notes, "Left out, since it cannot have this team - "+why+".")
	}
	return e, nil
}

// withoutControls leaves out what only controls have: contrasts and published numbers that name one, which a note
// tells, and the tasks' prompts for them.
func (e Experiment) withoutControls() (Experiment, error) {
	points, err := e.Points()
	if err != nil {
		return e, err
	}
	before, numbers := e.Contrasts, len(e.Published)
	e.Contrasts, e.Notes = e.fittingContrasts(), slices.Clone(e.Notes)
	for _, text := range before {
		if e.checkContrast(text, points) != nil {
			e.Notes = append(e.Notes, fmt.Sprintf("The contrast %s is left out, since it names a control.", text))
		}
	}
	e.Published = e.fitting()
	if left := numbers - len(e.Published); left > 0 {
		e.Notes = append(e.Notes, wording.Count(left, "published number")+" of controls or their contrasts left out.")
	}
	e.Tasks = slices.Clone(e.Tasks)
	for i := range e.Tasks {
		e.Tasks[i].Prompts = maps.Clone(e.Tasks[i].Prompts)
		maps.DeleteFunc(e.Tasks[i].Prompts, func(form, _ string) bool {
			return !slices.ContainsFunc(points, func(p Point) bool {
				return p.Protocol.Form == form && p.Protocol.Prompts() == ""
			})
		})
	}
	return e, nil
}

// override changes a setting of all conditions that read it. Of those in which a team takes turns, it leaves out what
// cannot have it, and says why.
func (e Experiment) override(setting Pair) (unfit []string, err error) {
	if setting.Name == "form" {
		return nil, fmt.Errorf("form: each condition has its own, which its protocol gives")
	}
	var changed int
	for i, c := range e.Conditions {
		base, reads, err := c.reads(e, setting.Name)
		if err != nil {
			return nil, err
		}
		if !reads {
			continue
		}
		own := setting
		team, turns := setting.Value.([]any)
		if turns = turns && e.takesTurns(setting.Name); turns && c.Fill != fillAgents { // else its points give them out
			own.Value = inTurn(team, base.FormOf().AgentsOf(base.Settings))
		}
		if slices.ContainsFunc(c.Sweep, func(p Pair) bool { return p.Name == setting.Name }) {
			return nil, fmt.Errorf("%s: condition %s of the experiment %s sweeps over it; change the sweep in a file "+
				"of your own: parley experiments %[3]s > mine.yaml", setting.Name, c.label(), e.Name)
		}
		if c.Fill == setting.Name {
			return nil, fmt.Errorf("%s: condition %s of the experiment %s fills its budgets with it; change these "+
				"with --budgets", setting.Name, c.label(), e.Name)
		}
		e.Conditions[i].Set = c.Set.with(Pairs{own})
		changed++
		if !turns {
			continue
		}
		if _, err := e.Conditions[i].points(where{e.dir, e.Models}, e.Budgets); err != nil {
			e.Conditions[i].Optional = true
			unfit = append(unfit, err.Error())
		}
	}
	if changed == 0 {
		return nil, fmt.Errorf("%s: no condition of the experiment %s reads it; parley protocols --parts lists what "+
			"each form reads", setting.Name, e.Name)
	}
	return unfit, nil
}

// takesTurns reports whether a setting is a team whose members take turns in conditions of all sizes.
func (e Experiment) takesTurns(setting string) bool {
	return setting == teamSetting && len(e.Budgets) > 0
}

// reads reports whether a setting means something to the condition, which it returns composed. Agents are left to
// conditions of one agent, which is what they are about; so is a team that takes turns, see inTurn.
func (c Condition) reads(e Experiment, setting string) (base protocol.Protocol, reads bool, err error) {
	if base, err = protocol.LoadProtocol(resolve(e.dir, c.Protocol)); err != nil {
		return base, false, err
	}
	for _, item := range c.Set {
		if err := set(&base, where{e.dir, e.Models}, item.Name, item.Value); err != nil {
			return base, false, err
		}
	}
	one := base.Agents() == 1 && c.Fill != fillAgents
	if one && (setting == "agents" || e.takesTurns(setting)) {
		return base, false, nil
	}
	reads, err = protocol.Reads(base.Settings, setting)
	return base, reads, err
}

// label is the name of the condition in the file.
func (c Condition) label() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Protocol
}

// On returns the experiment on questions of one's own in the place of its tasks, a task for each file: with its
// conditions and contrasts, without its published numbers and its controls, and under a name of its own. Conditions
// that list options in other orders are left out where questions list none. m says how the files were read. Fitting
// then has to say whether the conditions can be held on these questions.
func (e Experiment) On(m task.Mapping, files ...task.Task) (Experiment, error) {
	var own []Task
	var names, read []string
	for _, t := range files {
		o := ownTask(t, m)
		if at := slices.Index(names, o.Name); at >= 0 {
			return e, fmt.Errorf("%s and %s would both be the task %s: give one of the files another name",
				files[at].Source, t.Source, o.Name)
		}
		own, names, read = append(own, o), append(names, o.Name), with(read, o.File)
	}
	e.Notes = []string{fmt.Sprintf("The questions are those of %s; the conditions are those of %s, whose notes "+
		"parley experiments %[2]s prints.", wording.List(read), e.Name)}
	e.Name, e.Source = e.Name+"-on-"+strings.Join(names, "+"), ""
	e.Tasks, e.Published, e.Small, e.Controls, e.text = own, nil, nil, new(bool), nil
	e.Conditions = slices.Clone(e.Conditions)
	for i := range e.Conditions {
		e.Conditions[i].Small = nil
	}
	points, err := e.Points()
	if err != nil {
		return e, err
	}
	left := unlisted(points, files...)
	e.Conditions = slices.DeleteFunc(e.Conditions, func(c Condition) bool { return slices.Contains(left, c.label()) })
	for _, name := range left {
		e.Notes = append(e.Notes, fmt.Sprintf("The condition %s is left out, since it lists options in other orders "+
			"and these questions do not list any as (A), (B) and so on.", name))
	}
	if points, err = e.Points(); err != nil {
		return e, err
	}
	return e.withOwnContrasts(points, left, files)
}

// ownTask describes a file of one's own as a task.
func ownTask(t task.Task, m task.Mapping) Task {
	name := strings.Trim(unnameable.ReplaceAllString(t.Name, "-"), "-._+")
	if t.Columns != nil && t.Columns.Only != "" { // of a file that mixes kinds
		m.Kind, m.Only = t.Columns.Kind, t.Columns.Only
	}
	own := Task{Name: cmp.Or(name, task.FamilyOwn), Family: t.Family, File: filepath.Base(t.Source), Rule: m.Rule,
		Instruction: t.Asking().Instruction}
	if m.Columns.String() != "" {
		own.Columns = &m.Columns
	}
	return own
}

// withOwnContrasts keeps the contrasts between conditions that are there, by measures that the answers have in all
// files, and tells which are left out.
func (e Experiment) withOwnContrasts(points []Point, left []string, files []task.Task) (Experiment, error) {
	contrasts := e.Contrasts
	e.Contrasts = nil
	for _, text := range contrasts {
		text, _ = contrast.OnTasks(text)
		read, err := contrast.Read([]string{text}, e.contrasted(points))
		switch {
		case err != nil && len(left) > 0:
			e.Notes = append(e.Notes, fmt.Sprintf("The contrast %s is left out, since a condition or control that it "+
				"names is.", text))
		case err != nil:
			e.Notes = append(e.Notes, fmt.Sprintf("The contrast %s is left out, since it names a control: ask for "+
				"both with --controls and --contrast.", text))
		case slices.ContainsFunc(files, func(t task.Task) bool {
			return !relation.HasMeasure(t.Measure, read[0].Measure)
		}):
			e.Notes = append(e.Notes, fmt.Sprintf("The contrast %s is left out, since answers to these questions "+
				"have no %s.", text, read[0].Measure))
		default:
			e.Contrasts = with(e.Contrasts, text)
		}
	}
	return e, e.check()
}

// unlisted names the conditions that list options in other orders if there are questions without.
func unlisted(points []Point, files ...task.Task) (names []string) {
	if !slices.ContainsFunc(files, func(t task.Task) bool {
		return slices.ContainsFunc(t.Questions, func(q task.Question) bool { return t.Relist(q) == nil })
	}) {
		return nil
	}
	for _, p := range points {
		if p.Protocol.FormOf().NeedsOf(p.Protocol.Settings).Relist {
			names = with(names, p.From.label())
		}
	}
	return names
}

// unnameable matches what names of tasks cannot have.
var unnameable = regexp.MustCompile(`[^a-zA-Z0-9_.+-]+`)

// Fitting returns an experiment on questions of one's own with prompts that ask for what the answer rule of the
// questions reads, where conditions leave them open; the embedded model keeps the only ones that it knows. It refuses
// conditions that cannot be held on such questions, or whose own prompts ask for something else. The files are those
// of On.
func (e Experiment) Fitting(embedded bool, files ...task.Task) (Experiment, error) {
	points, err := e.Points()
	if err != nil {
		return e, err
	}
	e.Tasks = slices.Clone(e.Tasks)
	for i, t := range files {
		e.Tasks[i].Prompts = make(map[string]string)
		for _, p := range points {
			if err := e.Tasks[i].fit(p.Protocol, t, embedded); err != nil {
				return e, fmt.Errorf("condition %s on %s: %w", p.Condition, t.Source, err)
			}
		}
	}
	return e, e.check()
}

// fit has the task ask the conditions of a protocol in the form of its answers, or says why that cannot be.
func (t Task) fit(p protocol.Protocol, questions task.Task, embedded bool) error {
	if puzzle := p.FormOf().Answers.Truth; puzzle != nil {
		for _, q := range questions.Questions {
			if _, _, ok := puzzle(q.Text); !ok {
				return fmt.Errorf("form %s holds debates on puzzles of its own, and question %s is none", p.Form, q.ID)
			}
		}
	}
	if p.Prompts() == "" && p.FormOf().Asks.OfRun {
		if !embedded && prompts.Agree(promptSet(inference.ModelInfo{}, questions.Rule), questions.Rule) != nil {
			t.Prompts[p.Form] = prompts.Fitting(questions.Rule)
		}
		return nil
	}
	if stated := p.Stating(questions.Rule); p.Prompts() == "" && stated.Prompts() != "" {
		t.Prompts[p.Form] = stated.Prompts()
	}
	return p.Agree(questions.Rule)
}
