package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/bounds"
)

// applyChanges returns the experiment with other settings of its debates and another length of replies. A note says so,
// since published numbers then belong to other settings.
func (e Experiment) applyChanges(c Changes) (Experiment, error) {
	if err := bounds.Check("max-tokens", c.MaxTokens, inference.MaxTokensRange.OrZero()); err != nil {
		return e, err
	}
	var changes []string
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
	if c.Controls != nil && *c.Controls != e.hasControls() {
		e.Controls = c.Controls
		changes = append(changes, fmt.Sprintf("controls=%t", *c.Controls))
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
		if err := e.override(Pair{name, value}); err != nil {
			return e, err
		}
		changes = append(changes, change)
	}
	if len(changes) > 0 {
		e.text = nil // whose lines are not those of the changed experiment
		e.Notes = append(slices.Clone(e.Notes), "Changed on the command line: "+strings.Join(changes, ", ")+".")
	}
	return e, nil
}

// override changes a setting of all conditions that read it.
func (e Experiment) override(setting Pair) error {
	if setting.Name == "form" {
		return fmt.Errorf("form: each condition has its own, which its protocol gives")
	}
	var changed int
	for i, c := range e.Conditions {
		reads, err := c.reads(e, setting.Name)
		if err != nil {
			return err
		}
		if !reads {
			continue
		}
		if slices.ContainsFunc(c.Sweep, func(p Pair) bool { return p.Name == setting.Name }) {
			return fmt.Errorf("%s: condition %s of the experiment %s sweeps over it; change the sweep in a file of "+
				"your own: parley experiments %[3]s > mine.yaml", setting.Name, c.label(), e.Name)
		}
		e.Conditions[i].Set = c.Set.with(Pairs{setting})
		changed++
	}
	if changed == 0 {
		return fmt.Errorf("%s: no condition of the experiment %s reads it; parley protocols --parts lists what each "+
			"form reads", setting.Name, e.Name)
	}
	return nil
}

// reads reports whether a setting means something to the condition. The number of agents is left to those that have
// one agent, which is what they are about.
func (c Condition) reads(e Experiment, setting string) (bool, error) {
	base, err := protocol.LoadProtocol(resolve(e.dir, c.Protocol))
	if err != nil {
		return false, err
	}
	for _, item := range c.Set {
		if err := set(&base, where{e.dir, e.Models}, item.Name, item.Value); err != nil {
			return false, err
		}
	}
	if setting == "agents" && base.Agents() == 1 {
		return false, nil
	}
	return protocol.Reads(base.Settings, setting)
}

// label is the name of the condition in the file.
func (c Condition) label() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Protocol
}
