package step

import (
	"slices"

	"github.com/parley-debate/parley/internal/bounds"
)

// Parameter is a number in Sampling. Flags, files, schemas, records, keys, sentences, and what is sent to servers are
// made from what Parameters says of it.
type Parameter struct {
	Name    string // in flags, files and errors
	JSON    string // in records and in requests to servers: that of its field
	Title   string // for people
	Doc     string // what it does, for flags and files; "" if only programs set it
	Range   bounds.Range
	Default float64  // the number that 0 stands for, if it is another one
	Servers []string // the programs that know it, as inference/remote names them, or ServersAll; others refuse it
	Chosen  bool     // whether it is one of Chosen

	shapesDraw bool // whether it changes nothing at temperature 0
	old        bool // whether inference.KeyOf writes it even if it is 0, or in a way of its own
	field
}

// ServersAll stands for all programs in Parameter.Servers.
const ServersAll = "all"

// Parameters returns all parameters, in the order of Sampling. The first is the temperature.
func Parameters() []Parameter { return parameters }

// ParameterNamed returns the parameter of a name that flags and files know.
func ParameterNamed(name string) (p Parameter, ok bool) {
	i := slices.IndexFunc(parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return p, false
	}
	return parameters[i], true
}

// field is the field of Sampling that a parameter is.
type field struct {
	// In returns a pointer to the parameter in a sampling: *float32, *int or *Budget.
	In func(s *Sampling) any
	// Copy sets the parameter in a sampling to what it is in another.
	Copy func(to *Sampling, from Sampling)
	// Given reports whether the parameter is set: it is not 0, or a budget.
	Given func(s Sampling) bool
}

func at[T int | float32 | Budget](in func(s *Sampling) *T) field {
	return field{
		In:    func(s *Sampling) any { return in(s) },
		Copy:  func(to *Sampling, from Sampling) { *in(to) = *in(&from) },
		Given: func(s Sampling) bool { return *in(&s) != 0 },
	}
}

// Value returns the parameter in a sampling as people read it: a number, or the text of a budget.
func (p Parameter) Value(s Sampling) any {
	switch v := p.In(&s).(type) {
	case *float32:
		return *v
	case *Budget:
		return v.String()
	default:
		return *v.(*int)
	}
}

// Of returns the parameter in a sampling. A float32 converts to the same number.
func (p Parameter) Of(s Sampling) float64 {
	switch v := p.In(&s).(type) {
	case *float32:
		return float64(*v)
	case *Budget:
		n, _ := v.Tokens()
		return float64(n)
	default:
		return float64(*v.(*int))
	}
}

// Marked are the parameters that are set and that keys mark with their names, since keys were made before there were
// such parameters.
func (s Sampling) Marked() (list []Parameter) {
	for _, p := range parameters {
		if !p.old && p.Given(s) {
			list = append(list, p)
		}
	}
	return list
}
