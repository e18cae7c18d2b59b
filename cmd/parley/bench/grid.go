package bench

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/bench/throughput"
	"github.com/parley-debate/parley/internal/bounds"
)

// varying are the flags that may have several values.
var varying = []string{"model", "kernels", "mode", "kv", "threads", "parallel", "context", "gpu-layers", "speculate"}

// list is the value of a flag that may be a list, such as 1,8,64. Outside of a grid it has the first of them.
type list struct {
	pflag.Value
	values []string
}

// rangedList is such a flag of numbers.
type rangedList struct {
	*list
	in bounds.Range
}

// Range is the range of each number.
func (l rangedList) Range() bounds.Range { return l.in }

// all is the list itself, of rangedList as well.
func (l *list) all() *list { return l }

// String implements pflag.Value.
func (l *list) String() string {
	if len(l.values) > 0 {
		return strings.Join(l.values, ",")
	}
	return l.Value.String()
}

// Set implements pflag.Value. A file whose name has commas is one value.
func (l *list) Set(text string) error {
	values := strings.Split(text, ",")
	if _, err := os.Stat(text); err == nil {
		values = []string{text}
	}
	for _, v := range slices.Backward(values) {
		if err := l.Value.Set(v); err != nil {
			return err
		}
	}
	l.values = values
	return nil
}

// vary makes lists of the flags that may have several values.
func vary(set *pflag.FlagSet) {
	for _, name := range varying {
		f := set.Lookup(name)
		l := &list{Value: f.Value}
		f.Value = l
		if number, ok := l.Value.(interface{ Range() bounds.Range }); ok {
			f.Value = rangedList{l, number.Range()}
		}
	}
}

// grid calls do with each combination of the values that were given, which the flags then have, and with the settings
// in which the combinations differ.
func grid(set *pflag.FlagSet, do func([]throughput.Setting) error) error {
	var settings []throughput.Setting
	var from func(i int) error
	from = func(i int) error {
		if i == len(varying) {
			return do(slices.Clone(settings))
		}
		l := set.Lookup(varying[i]).Value.(interface{ all() *list }).all()
		if len(l.values) < 2 {
			return from(i + 1)
		}
		for _, value := range l.values {
			if err := l.Value.Set(value); err != nil {
				return err
			}
			settings = append(settings, throughput.Setting{Name: varying[i], Value: value})
			if err := from(i + 1); err != nil {
				return err
			}
			settings = settings[:len(settings)-1]
		}
		return nil
	}
	return from(0)
}
