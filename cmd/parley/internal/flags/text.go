package flags

import (
	"github.com/spf13/pflag"
)

// named is the value of a flag whose help shows a word of ours in its place. It reads what the value in it reads.
type named struct {
	pflag.Value
	place string
}

// Type implements pflag.Value: what help shows in the place of the value.
func (n named) Type() string { return n.place }

// Unwrap returns the value as pflag has it.
func (n named) Unwrap() pflag.Value { return n.Value }

// Text adds a flag whose value is a text. place is what help shows for the value, such as FILE.
func Text(set *pflag.FlagSet, to *string, name, short, place, usual, usage string) {
	add(set, place, func(own *pflag.FlagSet) { own.StringVarP(to, name, short, usual, usage) })
}

// List adds a flag whose value is a list of texts that are separated by commas; it may also be repeated.
func List(set *pflag.FlagSet, to *[]string, name, place, usage string) {
	add(set, place, func(own *pflag.FlagSet) { own.StringSliceVar(to, name, nil, usage) })
}

// Each adds a flag that may be repeated, each time with another text.
func Each(set *pflag.FlagSet, to *[]string, name, short, place string, usual []string, usage string) {
	add(set, place, func(own *pflag.FlagSet) { own.StringArrayVarP(to, name, short, usual, usage) })
}

// Pairs adds a flag whose value are pairs of texts, such as NAME=FILE; it may be repeated.
func Pairs(set *pflag.FlagSet, to *map[string]string, name, place, usage string) {
	add(set, place, func(own *pflag.FlagSet) { own.StringToStringVar(to, name, nil, usage) })
}

// add adds the flag that pflag makes, with the place of its value.
func add(set *pflag.FlagSet, place string, with func(own *pflag.FlagSet)) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	with(own)
	own.VisitAll(func(f *pflag.Flag) {
		f.Value = named{f.Value, place}
		set.AddFlag(f)
	})
}
