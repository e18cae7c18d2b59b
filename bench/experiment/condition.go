package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
)

// Condition is a protocol under a name, or a sweep: one condition for every value of a setting.
type Condition struct {
	Name     string `yaml:"name,omitempty" json:"name,omitempty"` // "" is the name of the protocol
	Meaning  string `yaml:"meaning,omitempty" json:"meaning,omitempty"`
	Protocol string `yaml:"protocol" json:"protocol"` // the name of an embedded one, or a file
	// settings that replace the protocol's
	Set Pairs `yaml:"set,omitempty" json:"set,omitempty"`
	// settings with several values each: every combination becomes a condition
	Sweep Pairs `yaml:"sweep,omitempty" json:"sweep,omitempty"`
	// what it may generate, in lengths of one answer; 0: nobody counts
	Budget int `yaml:"budget,omitempty" json:"budget,omitempty"`
	// one of fills, which fills each budget of the experiment: every budget becomes a condition
	Fill string `yaml:"fill,omitempty" json:"fill,omitempty"`
	// the condition whose transcripts it builds on
	After string `yaml:"after,omitempty" json:"after,omitempty"`
	// held only where it is asked for by name
	Optional bool `yaml:"optional,omitempty" json:"optional,omitempty"`
	// held only once on each question, whatever the number of repeats
	Once bool `yaml:"once,omitempty" json:"once,omitempty"`
	// held only on questions on which two answers of After each have more than this share of the votes; 0 is all
	Candidates float64 `yaml:"candidates,omitempty" json:"candidates,omitempty"`
	// right if any agent of the last round is right: an upper bound, not a method
	Oracle bool `yaml:"oracle,omitempty" json:"oracle,omitempty"`

	Small *SmallCondition `yaml:"small,omitempty" json:"small,omitempty"`
}

// SmallCondition has the settings that replace those of a condition in the miniature.
type SmallCondition struct {
	Set   Pairs `yaml:"set,omitempty" json:"set,omitempty"`
	Sweep Pairs `yaml:"sweep,omitempty" json:"sweep,omitempty"`
}

// Point is one condition of a run: a Condition without a sweep, or one point of its sweep.
type Point struct {
	Condition string  // its name in the run: "society/agents=5", or Series if there is no sweep
	Budget    int     // in lengths of one answer; 0: nobody counts
	Lengths   int     // how many times as long its agents may reason, see Point.reason; 0: as all others
	Series    string  // its name without the swept values, which all points of a sweep share
	At        []Value // the swept values
	Protocol  protocol.Protocol
	From      Condition

	place int // the index of From in the file, by which errors show its line
}

// Value is the value of a swept setting.
type Value struct{ Setting, Value string }

// mostPoints bounds how many conditions a file can ask for. spread checks it before it makes the points: sweeps
// multiply, and a short file could ask for more than fit into memory.
const mostPoints = 2_000

// Points lists the conditions of a run in the order of the file, with all sweeps expanded.
func (e Experiment) Points() (points []Point, err error) {
	for i, c := range e.Conditions {
		if c.Optional || !e.affords(c) {
			continue
		}
		list, err := c.points(where{e.dir, e.Models}, e.Budgets)
		if err != nil {
			return nil, e.at(fmt.Sprintf("conditions[%d]%s", i, pathOf(err)), err)
		}
		for _, p := range list {
			p.place = i
			if slices.ContainsFunc(points, func(o Point) bool { return o.Condition == p.Condition }) {
				return nil, e.at(fmt.Sprintf("conditions[%d]", i),
					fmt.Errorf("two conditions have the name %s%s", p.Condition, differentNames(p)))
			}
			points = append(points, p)
		}
		if len(points) > mostPoints {
			return nil, e.at(fmt.Sprintf("conditions[%d]", i), fmt.Errorf("more than %d conditions", mostPoints))
		}
	}
	return points, e.checkDependencies(points)
}

// checkDependencies checks the conditions that build on others.
func (e Experiment) checkDependencies(points []Point) error {
	all := make([]trial.Condition, len(points))
	for i, p := range points {
		all[i] = trial.Condition{Name: p.Condition, DependsOn: p.From.After, Candidates: p.From.Candidates,
			Protocol: &points[i].Protocol}
	}
	for i, built := range all {
		if err := built.Validate(all); err != nil {
			return e.at(fmt.Sprintf("conditions[%d]", points[i].place), err)
		}
	}
	return nil
}

// differentNames says what to do where teams of a sweep seem to be one.
func differentNames(p Point) string {
	if slices.ContainsFunc(p.At, func(v Value) bool { return v.Setting == teamSetting }) {
		return "; give the members of its teams names"
	}
	return ""
}

// conditionNames returns the points' conditions in the order of the sweep.
func conditionNames(points []Point) (names []string) {
	for _, p := range points {
		names = append(names, p.Condition)
	}
	return names
}

// settingError is an error about one field of a condition, so that at can show its line.
type settingError struct {
	where string // YAML path below the condition, such as set.agents
	err   error
}

func (e settingError) Error() string { return e.err.Error() }
func (e settingError) Unwrap() error { return e.err }

// pathOf returns the rest of the YAML path of a settingError, "" for any other error.
func pathOf(err error) string {
	var s settingError
	if errors.As(err, &s) {
		return "." + s.where
	}
	return ""
}

// where says what names in a file mean: files are looked for beside the experiment, and models may be roles.
type where struct {
	dir    string            // the first place to look for files
	models map[string]string // by role
}

// points composes the condition, or all points of its sweep, to find out whether they can be.
func (c Condition) points(w where, budgets []int) ([]Point, error) {
	base, err := protocol.LoadProtocol(resolve(w.dir, c.Protocol))
	if err != nil {
		return nil, settingError{"protocol", err}
	}
	if c.Name != "" {
		base.Name = c.Name
	}
	if c.Meaning != "" {
		base.Meaning = c.Meaning
	}
	if !wellNamed.MatchString(base.Name) {
		return nil, settingError{"name", fmt.Errorf("name %q: a name consists of letters, digits and _.+-", base.Name)}
	}
	for _, item := range c.Set {
		if err := set(&base, w, item.Name, item.Value); err != nil {
			return nil, settingError{"set." + item.Name, err}
		}
	}
	points := []Point{{Condition: base.Name, Series: base.Name, Budget: c.Budget, Protocol: base, From: c}}
	if c.Fill != "" {
		if points, err = c.filled(points[0], w, budgets); err != nil {
			return nil, settingError{"fill", err}
		}
	}
	for _, item := range c.Sweep {
		if points, err = spread(points, w, item); err != nil {
			return nil, settingError{"sweep." + item.Name, err}
		}
	}
	for i, p := range points {
		if team := p.Protocol.Team(); c.Fill == fillAgents && len(team) > 0 {
			p.Protocol.Settings = p.Protocol.With(teamSetting, inTurn(team, p.Protocol.Agents()))
			points[i] = p
		}
		_, err := p.Protocol.Compose(debate.Asking{})
		if err = cmp.Or(err, p.Protocol.NoPeople()); err != nil {
			return nil, c.blame(fmt.Errorf("%s: %w", p.Condition, err))
		}
	}
	return points, nil
}

// blame turns an error about a setting into a settingError of the entry under sweep or set that gives the setting.
func (c Condition) blame(err error) error {
	setting, path := debate.SettingOf(err)
	has := func(p Pairs) bool {
		return slices.ContainsFunc(p, func(pair Pair) bool { return pair.Name == setting })
	}
	switch {
	case has(c.Sweep):
		return settingError{"sweep." + setting, err}
	case has(c.Set):
		return settingError{"set." + path, err}
	case setting == c.Fill && setting != "":
		return settingError{"fill", err}
	}
	return err
}

// spread replaces each point by one point for every value of a swept setting.
func spread(points []Point, w where, item Pair) (all []Point, err error) {
	values, err := sweptOver(item.Value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", item.Name, err)
	}
	if len(points)*len(values) > mostPoints {
		return nil, fmt.Errorf("more than %d conditions", mostPoints)
	}
	for _, p := range points {
		for i, value := range values {
			one := p
			if err := set(&one.Protocol, w, item.Name, value); err != nil {
				return nil, fmt.Errorf("value %d: %w", i+1, err)
			}
			at := Value{item.Name, fmt.Sprint(value)}
			if item.Name == teamSetting {
				at.Value = debate.TeamName(one.Protocol.Team())
			}
			one.At = append(slices.Clone(p.At), at)
			one.Condition = fmt.Sprintf("%s/%s=%s", p.Condition, at.Setting, at.Value)
			one.Protocol.Name = one.Condition
			all = append(all, one)
		}
	}
	return all, nil
}

// sweptOver returns the values of a sweep, which is a list or a range of whole numbers such as 1..80.
func sweptOver(value any) (values []any, err error) {
	if list, ok := value.([]any); ok && len(list) > 0 {
		return list, nil
	}
	from, to, err := wholeRange(fmt.Sprint(value))
	if err != nil {
		return nil, errors.New("a sweep is a list of values, such as [3, 5, 9], or a range of whole numbers, such " +
			"as 1..80")
	}
	for i := from; i <= to; i++ {
		values = append(values, i)
	}
	return values, nil
}

// wholeRange reads a range of whole numbers such as 1..80, both ends included.
func wholeRange(text string) (from, to int, err error) {
	n, err := fmt.Sscanf(text, "%d..%d", &from, &to)
	if err != nil || n != 2 || text != fmt.Sprintf("%d..%d", from, to) || to < from || to-from >= mostPoints {
		return 0, 0, errors.New("no range of whole numbers")
	}
	return from, to, nil
}

// teamSetting is the setting that names files: models.
const teamSetting = "team"

// set changes a setting of a protocol. Models are those of roles, or are looked for beside the experiment first.
func set(p *protocol.Protocol, w where, name string, value any) error {
	text, err := yaml.MarshalWithOptions(value, yaml.Flow(true))
	if err != nil {
		return err
	}
	if err := p.Settings.Set(name, strings.TrimSpace(string(text))); err != nil {
		return err
	}
	if name == teamSetting {
		p.Settings = p.With(teamSetting, w.cast(p.Team()))
	}
	return nil
}

// EachModel visits the models of all teams, as conditions name them. An error is one of the condition, with its line.
func (e Experiment) EachModel(visit func(name string) error) error {
	points, err := e.Points()
	if err != nil {
		return err
	}
	if e.standard != nil {
		points = append([]Point{e.standard.plain()}, points...)
	}
	for _, p := range points {
		if err := p.Protocol.EachModel(visit); err != nil {
			return e.at(fmt.Sprintf("conditions[%d]%s", p.place, pathOf(p.From.blame(err))),
				fmt.Errorf("condition %s: %w", p.Condition, err))
		}
	}
	return nil
}

// condition composes a point with the wording and the way in which agents are asked.
func (p Point) condition(prompts string, ask debate.Asking) (trial.Condition, error) {
	c, err := trial.Held(p.Protocol, prompts, ask)
	c.DependsOn, c.Once, c.Candidates, c.Oracle = p.From.After, p.From.Once, p.From.Candidates, p.From.Oracle
	c.Budget = p.Budget
	return c, err
}
