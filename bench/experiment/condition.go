package experiment

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/bench/trial"
	"parley/debate"
	"parley/debate/protocol"
)

// Condition is a protocol under a name, or a sweep of it: one condition for every value of a setting.
type Condition struct {
	Name     string `yaml:"name,omitempty" json:"name,omitempty"` // the protocol's, if it is not given
	Meaning  string `yaml:"meaning,omitempty" json:"meaning,omitempty"`
	Protocol string `yaml:"protocol" json:"protocol"`           // one of the program's, or a file
	Set      Pairs  `yaml:"set,omitempty" json:"set,omitempty"` // settings in the place of the protocol's
	// settings with a list of values each: all combinations are held
	Sweep Pairs  `yaml:"sweep,omitempty" json:"sweep,omitempty"`
	After string `yaml:"after,omitempty" json:"after,omitempty"` // the condition on whose transcripts it builds
	// held once on a question, however many repeats there are
	Once       bool    `yaml:"once,omitempty" json:"once,omitempty"`
	Candidates float64 `yaml:"candidates,omitempty" json:"candidates,omitempty"`
	// right if any agent of the last round is: a bound, no method
	Oracle bool `yaml:"oracle,omitempty" json:"oracle,omitempty"`

	Small *SmallCondition `yaml:"small,omitempty" json:"small,omitempty"`
}

// SmallCondition is what a condition has in a miniature instead.
type SmallCondition struct {
	Set   Pairs `yaml:"set,omitempty" json:"set,omitempty"`
	Sweep Pairs `yaml:"sweep,omitempty" json:"sweep,omitempty"`
}

// Point is one condition that is held, and the place of it in a sweep.
type Point struct {
	Condition string  // "society/agents=5", or the name alone
	Series    string  // the name without values
	At        []Value // of a sweep
	Protocol  protocol.Protocol
	From      Condition

	place int // of the condition in the file
}

// Value is that of one swept setting.
type Value struct{ Setting, Value string }

// mostPoints bounds what a file can ask for.
const mostPoints = 2_000

// Points lists what is held, sweeps spread out, in the order of the file.
func (e Experiment) Points() (points []Point, err error) {
	for i, c := range e.Conditions {
		list, err := c.points(e.dir)
		if err != nil {
			return nil, e.at(fmt.Sprintf("conditions[%d]%s", i, pathOf(err)), err)
		}
		for _, p := range list {
			p.place = i
			if slices.ContainsFunc(points, func(o Point) bool { return o.Condition == p.Condition }) {
				return nil, e.at(fmt.Sprintf("conditions[%d]", i),
					fmt.Errorf("two conditions have the name %s", p.Condition))
			}
			points = append(points, p)
		}
		if len(points) > mostPoints {
			return nil, e.at(fmt.Sprintf("conditions[%d]", i), fmt.Errorf("more than %d conditions", mostPoints))
		}
	}
	return points, e.checkAfter(points)
}

// checkAfter checks what conditions build on.
func (e Experiment) checkAfter(points []Point) error {
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

func conditionNames(points []Point) (names []string) {
	for _, p := range points {
		names = append(names, p.Condition)
	}
	return names
}

// settingError is an error of one entry of set or sweep.
type settingError struct {
	where string
	err   error
}

func (e settingError) Error() string { return e.err.Error() }
func (e settingError) Unwrap() error { return e.err }

func pathOf(err error) string {
	var s settingError
	if errors.As(err, &s) {
		return "." + s.where
	}
	return ""
}

func (c Condition) points(dir string) ([]Point, error) {
	base, err := protocol.LoadProtocol(beside(dir, c.Protocol))
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
		if err := set(&base, item.Name, item.Value); err != nil {
			return nil, settingError{"set." + item.Name, err}
		}
	}
	points := []Point{{Condition: base.Name, Series: base.Name, Protocol: base, From: c}}
	for _, item := range c.Sweep {
		if points, err = spread(points, item); err != nil {
			return nil, settingError{"sweep." + item.Name, err}
		}
	}
	for _, p := range points {
		_, err := p.Protocol.Compose(debate.Asking{})
		if err = cmp.Or(err, p.Protocol.OneModel()); err != nil {
			return nil, c.blame(fmt.Errorf("%s: %w", p.Condition, err))
		}
	}
	return points, nil
}

// blame makes an error one of the entry that gives the setting which it is about, if there is one.
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
	}
	return err
}

// spread makes of each point one for every value.
func spread(points []Point, item Pair) (all []Point, err error) {
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
			if err := set(&one.Protocol, item.Name, value); err != nil {
				return nil, fmt.Errorf("value %d: %w", i+1, err)
			}
			at := Value{item.Name, fmt.Sprint(value)}
			one.At = append(slices.Clone(p.At), at)
			one.Condition = fmt.Sprintf("%s/%s=%s", p.Condition, at.Setting, at.Value)
			one.Protocol.Name = one.Condition
			all = append(all, one)
		}
	}
	return all, nil
}

// sweptOver are the values of a sweep: a list, or all whole numbers from one to another, such as 1..80.
func sweptOver(value any) (values []any, err error) {
	if list, ok := value.([]any); ok && len(list) > 0 {
		return list, nil
	}
	var from, to int
	text := fmt.Sprint(value)
	if n, err := fmt.Sscanf(text, "%d..%d", &from, &to); err != nil || n != 2 ||
		text != fmt.Sprintf("%d..%d", from, to) || to < from || to-from >= mostPoints {
		return nil, errors.New("a sweep is a list of values, such as [3, 5, 9], or a range of whole numbers, such " +
			"as 1..80")
	}
	for i := from; i <= to; i++ {
		values = append(values, i)
	}
	return values, nil
}

// set changes one setting of a protocol.
func set(p *protocol.Protocol, name string, value any) error {
	text, err := yaml.MarshalWithOptions(value, yaml.Flow(true))
	if err != nil {
		return err
	}
	return p.Settings.Set(name, strings.TrimSpace(string(text)))
}

// condition makes a point ready to be held.
func (p Point) condition(prompts string, ask debate.Asking) (trial.Condition, error) {
	c, err := trial.Held(p.Protocol, prompts, ask)
	c.DependsOn, c.Once, c.Candidates, c.Oracle = p.From.After, p.From.Once, p.From.Candidates, p.From.Oracle
	return c, err
}
