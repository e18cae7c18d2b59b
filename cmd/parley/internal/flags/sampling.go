package flags

import (
	"fmt"
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

// samplingNames are the flags, of which an experiment has all but the last.
var samplingNames = []string{"temperature", "top-k", "top-p", "min-p", "repeat-penalty"}

// Register adds the flags. otherwise says in the help what holds where none is given.
func (f *Sampling) Register(set *pflag.FlagSet, otherwise string) {
	f.set = set
	Number(set, &f.given.Temperature, "temperature", "", 0, inference.TemperatureRange,
		"sampling temperature, 0 for greedy"+otherwise)
	Number(set, &f.given.TopK, "top-k", "", 0, inference.TopKRange,
		"sample among the k most likely tokens; 0 for all")
	Number(set, &f.given.TopP, "top-p", "", 0, inference.TopPRange,
		"sample among the most likely tokens up to this total probability; 0 for all")
	Number(set, &f.given.MinP, "min-p", "", 0, inference.MinPRange,
		"sample among tokens with at least this share of the best one's probability; 0 for all")
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
	for _, name := range samplingNames {
		if flag := f.set.Lookup(name); flag != nil && flag.Changed {
			given = append(given, "--"+name)
			f.setParameter(&s, name)
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

// setParameter copies one parameter whose flag was given.
func (f *Sampling) setParameter(s *inference.Sampling, name string) {
	switch name {
	case "temperature":
		s.Temperature = f.given.Temperature
	case "top-k":
		s.TopK = f.given.TopK
	case "top-p":
		s.TopP = f.given.TopP
	case "min-p":
		s.MinP = f.given.MinP
	case "repeat-penalty":
		s.RepeatPenalty = f.given.RepeatPenalty
	}
}

// checkAdvice returns the sampling that the makers of a model advise, or an error if it lies outside our ranges.
func checkAdvice(a models.Advice) (inference.Sampling, error) {
	s := inference.Sampling{Temperature: float32(a.Temperature), TopK: a.TopK, TopP: float32(a.TopP),
		MinP: float32(a.MinP), RepeatPenalty: float32(a.RepeatPenalty), RepeatLastN: a.RepeatLastN}
	return s, s.Validate()
}

// OfExperiment returns what the flags change in an experiment's sampling.
func (f *Sampling) OfExperiment() inference.Chosen { return inference.ChosenOf(f.given, f.set.Changed) }
