package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/contrast"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
)

// TaskRun is an experiment on one task, composed for a model: the input of bench.Compare.
type TaskRun struct {
	spec.Run
	Conditions []trial.Condition
	named      []string // conditions that somebody asked for by name, besides the reference
}

// Questions reads the questions of all tasks. If nothing is wrong but that some files were not found, the error is a
// Missing, which names them all, and the tasks are those whose files are there.
func (e Experiment) Questions(d Data) (tasks []task.Task, err error) {
	err = e.eachTask(d, func(t Task, d Data) error {
		questions, err := t.load(d, e.seed())
		if !errors.As(err, new(missing)) {
			tasks = append(tasks, questions)
		}
		return err
	})
	return tasks, err
}

// TaskFiles returns the paths of the files that the tasks read, by the names of the tasks. If nothing is wrong but that
// some were not found, the error is a Missing.
func (e Experiment) TaskFiles(d Data) (map[string]string, error) {
	paths := make(map[string]string)
	err := e.eachTask(d, func(t Task, d Data) (err error) {
		if t.File != "" {
			paths[t.Name], err = t.find(d)
		}
		return err
	})
	return paths, err
}

// eachTask visits the tasks, with the data directories and that of the experiment. It joins their errors; those of
// files that were not found become one, a Missing.
func (e Experiment) eachTask(d Data, visit func(t Task, d Data) error) (err error) {
	if e.dir != "" {
		d.Directories = append([]string{e.dir}, d.Directories...)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		if !slices.ContainsFunc(e.Tasks, func(t Task) bool { return t.Name == name && t.File != "" }) {
			return fmt.Errorf("the experiment %s reads no task %s from a file, so %s cannot be used for it",
				e.Name, name, d.Files[name])
		}
	}
	lacking := Missing{below: d.Directories}
	for _, t := range e.Tasks {
		var m missing
		switch taskErr := visit(t, d); {
		case errors.As(taskErr, &m):
			lacking.Tasks, lacking.list = append(lacking.Tasks, t.Name), append(lacking.list, m)
		case taskErr != nil:
			err = errors.Join(err, taskErr)
		default:
			lacking.There = append(lacking.There, t.Name)
		}
	}
	if len(lacking.Tasks) > 0 {
		err = errors.Join(err, lacking)
	}
	return err
}

// Prepare composes the experiment on one of its tasks for a model.
func (e Experiment) Prepare(t task.Task, model inference.ModelInfo) (TaskRun, error) {
	points, err := e.Points()
	if err != nil {
		return TaskRun{}, err
	}
	a, err := e.asking(t, model)
	if err != nil {
		return TaskRun{}, err
	}
	s := TaskRun{Run: spec.Run{Repeats: max(1, e.Repeats), Tests: e.Tests}}
	reference := e.reference(points).Condition
	points, left := s.reasoning(points, a.Asking, model)
	if slices.Contains(left, reference) {
		return TaskRun{}, fmt.Errorf("the reference cannot be held. %s Name another one", strings.Join(s.Notes, " "))
	}
	for i := range points {
		p := &points[i]
		if p.Protocol, err = e.worded(p.Protocol, a); err != nil {
			return TaskRun{}, err
		}
		c, err := p.condition(a.prompts, a.Asking)
		if err != nil {
			return TaskRun{}, err
		}
		s.Conditions = append(s.Conditions, c)
	}
	s.Reference = reference
	of := e.reference(points).Protocol
	base, err := base(of, a)
	if err != nil {
		return TaskRun{}, err
	}
	s.On(t)
	s.Asking(base)
	if e.standard != nil {
		err = e.standard.addTo(&s, base)
	} else {
		s.Contrasts = e.contrastsOn(t.Name)
		if err = e.addControls(&s, of, a); err == nil {
			s.dropContrasts(left)
			err = s.drawAgain(e.Again)
		}
	}
	return s, err
}

// drawAgain adds a second draw of the reference, if it is wanted and no repeats tell what it would. What builds on
// another condition is not drawn again: that is held in the repeats of the run alone.
func (s *TaskRun) drawAgain(wanted bool) error {
	i := slices.IndexFunc(s.Conditions, func(c trial.Condition) bool { return c.Name == s.Reference })
	if !wanted || s.Repeats > 1 || s.Conditions[i].DependsOn != "" {
		return nil
	}
	again := trial.DrawnAgain(s.Conditions[i])
	if slices.Contains(trial.Names(s.Conditions), again.Name) {
		return fmt.Errorf("again: the reference drawn again is called %s, as a condition is", again.Name)
	}
	s.Conditions = slices.Insert(s.Conditions, i+1, again)
	return nil
}

// reasoning completes the points that reason for longer than others. What cannot be is left out, which notes tell, and
// returned by name.
func (s *TaskRun) reasoning(points []Point, ask debate.Asking, model inference.ModelInfo) (kept []Point,
	left []string) {
	var reasons []string
	why := make(map[string][]string) // the conditions by reason
	for _, p := range points {
		whyNot := ""
		if p.Lengths > 0 {
			whyNot = p.reason(ask, model)
		}
		if whyNot == "" {
			kept = append(kept, p)
			continue
		}
		left = append(left, p.Condition)
		reasons, why[whyNot] = with(reasons, whyNot), append(why[whyNot], p.Condition)
	}
	s.Notes = append(s.Notes, leftOut(reasons, why)...)
	return kept, left
}

// leftOut tells which conditions are left out, by reason.
func leftOut(reasons []string, which map[string][]string) (notes []string) {
	for _, reason := range reasons {
		notes = append(notes, fmt.Sprintf("Left out: %s. %s.", wording.List(which[reason]), reason))
	}
	return notes
}

// dropContrasts leaves out the contrasts that name a condition which was left out, and says so.
func (s *TaskRun) dropContrasts(left []string) {
	kept := trial.Names(s.Conditions)
	var dropped []string
	s.Contrasts = slices.DeleteFunc(slices.Clone(s.Contrasts), func(text string) bool {
		_, whole := contrast.Read([]string{text}, slices.Concat(kept, left))
		_, lacking := contrast.Read([]string{text}, kept)
		if whole != nil || lacking == nil {
			return false
		}
		dropped = append(dropped, text)
		return true
	})
	if dropped != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("Left out, since a condition that it names is: %s.",
			strings.Join(dropped, "; ")))
	}
}

// asking is how agents are asked on a task under all conditions.
type asking struct {
	debate.Asking
	prompts string // of protocols that take those of the run
	own     Task   // as the file describes it; the zero value if no file does
	rule    string // by which answers are read
}

// asking returns how a model is asked on a task.
func (e Experiment) asking(t task.Task, model inference.ModelInfo) (a asking, err error) {
	a.rule = t.Rule
	if e.standard != nil {
		a.Asking, a.prompts, err = e.standard.Ask(model, t)
		return a, err
	}
	if i := slices.IndexFunc(e.Tasks, func(o Task) bool { return o.Name == t.Name }); i >= 0 {
		a.own = e.Tasks[i]
	}
	a.prompts = prompts.Asking(cmp.Or(a.own.Prompts[society.FormName], e.promptSet(model, t)), t.Kind())
	sampling, from, err := e.sampling(model)
	if err != nil {
		return a, err
	}
	if e.Sampling.ReasoningTokens == nil {
		sampling, from = model.BoundReasoning(sampling, from, e.maxTokens(model))
	}
	a.Asking = debate.Asking{Sampling: sampling, SamplingFrom: from, MaxTokens: e.maxTokens(model),
		UsualBound: e.Sampling.ReasoningTokens == nil, Reasoning: e.Reasoning, Closing: e.closes(model),
		Beliefs: e.Beliefs,
		Seeds:   debate.Seeds{Run: e.seed()}}
	if e.Stop != nil && !*e.Stop {
		a.Stop = []string{} // no text ends a reply, whatever the prompts say
	}
	return a, nil
}

// worded returns a protocol with prompts that ask for answers in the form of the task. Prompts of a file are those of
// its source and asked as they are; those of a protocol beside standard conditions have to ask for what the answer rule
// reads.
func (e Experiment) worded(p protocol.Protocol, a asking) (protocol.Protocol, error) {
	if e.standard == nil {
		if p = a.own.applyWording(p); p.Prompts() == "" {
			return p, nil
		}
		return p.Stating(a.rule), nil
	}
	p = p.WithPrompts(a.prompts)
	if err := p.Agree(a.rule); err != nil {
		return p, fmt.Errorf("protocol %s: %w", p.Name, err)
	}
	return p.Stating(a.rule), nil
}

// reference returns the condition that others are compared with.
func (e Experiment) reference(points []Point) Point {
	if e.standard != nil {
		return e.standard.plain()
	}
	return points[max(0, slices.IndexFunc(points, func(p Point) bool { return p.Condition == e.Reference }))]
}

// addControls adds the controls of the reference, unless the experiment has controls: false. Conditions of the
// experiment come before controls of the same name.
func (e Experiment) addControls(s *TaskRun, reference protocol.Protocol, a asking) error {
	var controls []trial.Condition
	if e.hasControls() {
		var err error
		if controls, err = trial.Controls(reference, a.Asking, a.prompts); err != nil {
			return fmt.Errorf("%w: set controls: false, or name another reference", err)
		}
	}
	controls, left, err := trial.WithoutCopies(controls, nil)
	if err != nil {
		return err
	}
	s.Notes = append(s.Notes, left...)
	for _, c := range controls {
		if !slices.Contains(trial.Names(s.Conditions), c.Name) {
			s.Conditions = append(s.Conditions, c)
		}
	}
	s.withoutDonors(s.Questions)
	return nil
}

// withoutDonors leaves out what cannot be held on a single question, with the contrasts that name it.
func (s *TaskRun) withoutDonors(questions int) {
	s.keep(trial.WithoutDonors(s.Conditions, []string{s.Reference}, questions))
}

// WithoutUnable leaves out the conditions that the models at hand cannot hold, with the contrasts that name them; why
// has the reason of each. The reference, and what was asked for by name, is refused.
func (s *TaskRun) WithoutUnable(why map[string]error) error {
	var kept []trial.Condition
	var left []string
	which := make(map[string][]string) // conditions, by what there is to say
	for _, c := range s.Conditions {
		switch err := why[c.Name]; {
		case err == nil:
			kept = append(kept, c)
		case c.Name == s.Reference || slices.Contains(s.named, c.Name):
			return fmt.Errorf("condition %s: %w", c.Name, err)
		default:
			left, which[err.Error()] = with(left, err.Error()), append(which[err.Error()], c.Name)
		}
	}
	s.keep(kept, leftOut(left, which))
	return nil
}

// keep leaves out the other conditions, for the reasons in left, and the contrasts that name them.
func (s *TaskRun) keep(kept []trial.Condition, left []string) {
	gone := slices.DeleteFunc(trial.Names(s.Conditions), func(name string) bool {
		return slices.Contains(trial.Names(kept), name)
	})
	s.Conditions, s.Notes = kept, append(slices.Clip(s.Notes), left...)
	s.dropContrasts(gone)
}

// promptSet returns the prompts of societies in an experiment that names none: those of MADC if it reproduces a source,
// and otherwise those that a comparison takes, which fit any question.
func (e Experiment) promptSet(model inference.ModelInfo, t task.Task) string {
	if e.Source == "" && !model.Embedded {
		return cmp.Or(t.Asking().Prompts, protocol.PromptSet(model, t.Rule))
	}
	return promptSet(model, t.Rule)
}

// promptSet returns the prompts of societies in an experiment of a source that names none.
func promptSet(model inference.ModelInfo, rule string) string {
	switch {
	case model.Embedded:
		return "tiny"
	case rule == "math":
		return "madc-math"
	}
	return "madc"
}

// base describes the reference as a society, for the header of the run, which has room for one debate only.
func base(p protocol.Protocol, a asking) (society.Society, error) {
	wording, err := prompts.Load(a.prompts)
	if err != nil {
		return society.Society{}, fmt.Errorf("prompts: %w", err)
	}
	reading := cmp.Or(debate.Typed[society.Settings](p.Settings).Reading, debate.ReadingCode)
	order := society.Order{Name: "fixed", Reading: reading}
	return society.Society{Asking: a.Worded(wording.Origin, wording.File, wording.Stop), Agents: p.Agents(),
		Rounds: p.Rounds(), Exchange: society.Exchange{Order: order}, Prompts: wording}, nil
}

// sampling returns how replies are drawn, and who says so. Without a source, a temperature that the file does not give
// is the model's own, as in a comparison, with all that belongs to it.
func (e Experiment) sampling(model inference.ModelInfo) (s inference.Sampling, from string, err error) {
	if e.Source != "" || e.Sampling.Temperature != nil || model.Embedded {
		return samplingOf(e.Sampling), e.samplingFrom(), nil
	}
	usual, from, err := model.UsualSampling()
	if err != nil {
		return s, "", fmt.Errorf("%w; give the experiment a temperature, which takes its place", err)
	}
	if e.Sampling != (inference.Chosen{}) {
		from = e.samplingFrom() + ", and " + from
	}
	return e.Sampling.In(usual), from, nil
}

// samplingFrom says who chose the sampling: the experiment, except for what was changed on the command line.
func (e Experiment) samplingFrom() string {
	if len(e.resampled) > 0 {
		return strings.Join(e.resampled, ", ") + " on the command line, else the experiment"
	}
	return "the experiment"
}

// closes reports whether agents are asked for the answer alone where a reply states none. The embedded model, which
// was trained on its prompts alone, is asked only where the file says so.
func (e Experiment) closes(model inference.ModelInfo) bool {
	if e.Closing != nil {
		return *e.Closing
	}
	return e.Source == "" && !model.Embedded
}

// seed returns the experiment's seed, and 1 where its file gives none.
func (e Experiment) seed() uint64 { return cmp.Or(e.Seed, 1) }

// maxTokens returns the limit of a reply in tokens as the file has it. Where it has none, the embedded model gets a
// low one, and others theirs elsewhere (0).
func (e Experiment) maxTokens(model inference.ModelInfo) int {
	if e.MaxTokens == 0 && model.Embedded {
		return 256
	}
	return e.MaxTokens
}
