package flags

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/models"
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

// usualSampling draws the replies of a model of which nothing is known; docs/log.md has the measurement.
var usualSampling = inference.Sampling{Temperature: 0.7, TopP: 0.9}

// For returns how replies of a model are drawn, and who says so: the user's flags, then the model's file or card,
// then what real models bear. A temperature that is given takes the place of all that others say, since the rest of it
// belongs to theirs.
func (f *Sampling) For(model inference.ModelInfo) (s inference.Sampling, from string, err error) {
	switch a := model.Advice; {
	case f.set.Changed("temperature"):
	case model.Embedded:
		s, from = inference.Sampling{Temperature: 1}, "the embedded model's default"
	case a != nil:
		if s, err = checkAdvice(*a); err != nil {
			return s, "", fmt.Errorf("%s of %s: %w; give --temperature, which takes its place", a.From, model.Name, err)
		}
		if from = a.From; model.Remote != nil { // not all servers take the rest
			s, from = inference.Sampling{Temperature: s.Temperature, TopP: s.TopP}, "temperature and top-p of "+from
		}
	default:
		s, from = usualSampling, "the default"
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

// checkAdvice returns the sampling that the makers of a model advise, or an error if it lies outside our ranges. The
// fields of advice have the names of those of a Sampling.
func checkAdvice(a models.Advice) (s inference.Sampling, err error) {
	to := reflect.ValueOf(&s).Elem()
	for f, v := range reflect.ValueOf(a).Fields() {
		if own := to.FieldByName(f.Name); own.IsValid() {
			own.Set(v.Convert(own.Type()))
		}
	}
	return s, s.Validate()
}

// OfExperiment returns what the flags change in an experiment's sampling.
func (f *Sampling) OfExperiment() inference.Chosen { return inference.ChosenOf(f.given, f.set.Changed) }
