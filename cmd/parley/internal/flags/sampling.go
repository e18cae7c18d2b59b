package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/inference"
)

// Sampling say how replies are drawn, as far as the user says it.
type Sampling struct {
	given inference.Sampling
	set   *pflag.FlagSet // tells which of them are given
}

// Register adds the flags of all parameters that a user can set. otherwise says in the help what holds where none is
// given.
func (f *Sampling) Register(set *pflag.FlagSet, otherwise string) {
	f.register(set, documented(), otherwise)
}

// RegisterChosen adds the flags of the parameters that an experiment has.
func (f *Sampling) RegisterChosen(set *pflag.FlagSet) {
	list := slices.DeleteFunc(documented(), func(p inference.Parameter) bool { return !p.Chosen })
	f.register(set, list, ", instead of the experiment's, as the next "+inWords[len(list)-1])
}

// budget is the value of a flag that is a budget.
type budget struct {
	number[int]
	to *inference.Budget
}

// String implements pflag.Value.
func (b budget) String() string {
	if b.to == nil || *b.to == 0 {
		return ""
	}
	return b.to.String()
}

// Set implements pflag.Value. "none" is what no budget is called.
func (b budget) Set(text string) error {
	if text == inference.Budget(0).String() {
		*b.to = 0
		return nil
	}
	err := b.number.Set(text)
	if err == nil {
		*b.to = inference.BudgetOf(*b.number.to)
	}
	return err
}

// inWords has numbers as sentences write them.
var inWords = []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// register adds flags of parameters, the temperature first.
func (f *Sampling) register(set *pflag.FlagSet, list []inference.Parameter, otherwise string) {
	f.set = set
	for _, p := range list {
		switch to := p.In(&f.given).(type) {
		case *float32:
			Number(set, to, p.Name, "", 0, p.Range, p.Doc+otherwise)
		case *int:
			Number(set, to, p.Name, "", 0, p.Range, p.Doc+otherwise)
		case *inference.Budget:
			set.Var(budget{number[int]{new(int), p.Range}, to}, p.Name, p.Doc+otherwise+" ("+p.Range.String()+
				", or none: --max-tokens bounds both together; default what such models usually take)")
		}
		otherwise = "" // of all of them, and said once
	}
}

// documented are the parameters that a user can set.
func documented() []inference.Parameter {
	return slices.DeleteFunc(slices.Clone(inference.Parameters()), func(p inference.Parameter) bool {
		return p.Doc == ""
	})
}

// SamplingNames are the names of the flags, or only of those that an experiment has.
func SamplingNames(experiment bool) (names []string) {
	for _, p := range documented() {
		if p.Chosen || !experiment {
			names = append(names, p.Name)
		}
	}
	return names
}

// For returns how replies of a model are drawn, and who says so: the user's flags, then the model's file or card,
// then what real models bear. A temperature that is given takes the place of all that others say, since the rest of it
// belongs to theirs.
func (f *Sampling) For(model inference.ModelInfo) (s inference.Sampling, from string, err error) {
	if !f.set.Changed("temperature") {
		if s, from, err = model.UsualSampling(); err != nil {
			return s, "", fmt.Errorf("%w; give --temperature, which takes its place", err)
		}
	}
	var given []string
	for _, p := range documented() {
		if f.set.Changed(p.Name) {
			given = append(given, "--"+p.Name)
			p.Copy(&s, f.given)
		}
	}
	if len(given) == 0 {
		return s, from, nil
	}
	if from != "" {
		from = ", and " + from
	}
	return s, strings.Join(given, ", ") + from, nil
}

// OfExperiment returns what the flags change in an experiment's sampling.
func (f *Sampling) OfExperiment() inference.Chosen { return inference.ChosenOf(f.given, f.set.Changed) }
