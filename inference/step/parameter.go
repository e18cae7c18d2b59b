package step

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/parley-debate/parley/internal/bounds"
)

// Parameter is a number in Sampling, as the tags of its field describe it.
type Parameter struct {
	Name    string // in flags, files and errors
	JSON    string // in records and in requests to servers
	Title   string // for people
	Doc     string // what it does; "" if only programs set it
	Range   bounds.Range
	Default float64  // the number that 0 stands for
	Servers []string // the programs that know it, ServersAll for all
	Chosen  bool     // whether it is one of Chosen

	shapesDraw bool
	old        bool
	index      []int
}

// ServersAll stands for all programs in Parameter.Servers.
const ServersAll = "all"

// Parameters returns all parameters, in the order of Sampling. The first is the temperature.
var Parameters = sync.OnceValue(func() (all []Parameter) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Sampling]()) {
		limits, number := f.Tag.Lookup("range")
		if !number {
			continue
		}
		p := Parameter{Name: f.Tag.Get("name"), Doc: f.Tag.Get("doc"), Range: bounds.MustParse(limits), index: f.Index,
			Servers: strings.Split(f.Tag.Get("servers"), ", "), shapesDraw: f.Tag.Get("shapes") == "draw",
			old: f.Tag.Get("key") == "old"}
		p.JSON, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		if p.Name == "" {
			p.Name = strings.ReplaceAll(p.JSON, "_", "-")
		}
		_, p.Title, _ = strings.Cut(f.Tag.Get("run"), ",")
		_, p.Chosen = reflect.TypeFor[Chosen]().FieldByName(f.Name)
		if text, ok := f.Tag.Lookup("default"); ok {
			var err error
			if p.Default, err = strconv.ParseFloat(text, 64); err != nil {
				panic(fmt.Sprintf("Sampling.%s: default %q is no number", f.Name, text))
			}
		}
		all = append(all, p)
	}
	return all
})

// ParameterNamed returns the parameter of a name that flags and files know.
func ParameterNamed(name string) (p Parameter, ok bool) {
	i := slices.IndexFunc(Parameters(), func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return p, false
	}
	return Parameters()[i], true
}

// In returns a pointer to the parameter in a sampling: *float32, *int or *Budget.
func (p Parameter) In(s *Sampling) any { return p.value(s).Addr().Interface() }

func (p Parameter) value(s *Sampling) reflect.Value {
	return reflect.ValueOf(s).Elem().FieldByIndex(p.index)
}

// Given reports whether the parameter is set: it is not 0, or a budget.
func (p Parameter) Given(s Sampling) bool { return !p.value(&s).IsZero() }

// Of returns the parameter in a sampling. A float32 converts to the same number.
func (p Parameter) Of(s Sampling) float64 {
	v := p.value(&s)
	if b, is := v.Interface().(Budget); is {
		n, _ := b.Tokens()
		return float64(n)
	}
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

// Copy sets the parameter in a sampling to what it is in another.
func (p Parameter) Copy(to *Sampling, from Sampling) { p.value(to).Set(p.value(&from)) }

// Marked are the parameters that are set and that keys mark with their names, since keys were made before there were
// such parameters.
func (s Sampling) Marked() (list []Parameter) {
	for _, p := range Parameters() {
		if !p.old && p.Given(s) {
			list = append(list, p)
		}
	}
	return list
}
