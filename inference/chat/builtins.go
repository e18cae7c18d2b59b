package chat

import (
	"errors"
	"slices"
	"strings"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/exec"
)

// Of gonja's functions, filters and methods, templates get those that chat templates use. One that visits lists or
// makes a text longer spends from the budget before it computes anything. None reads a clock or draws at random: two
// runs of one experiment must ask the same.

// templateFunctions are those that transformers adds for chat templates, and those of Jinja.
var templateFunctions = func() *exec.Context {
	functions := map[string]any{
		"raise_exception": func(message string) (string, error) { return "", errors.New(message) },
		"strftime_now":    strftime,
		"range":           numbers,
	}
	for _, name := range []string{"dict", "namespace"} {
		functions[name], _ = builtins.GlobalFunctions.Get(name)
	}
	return exec.NewContext(functions)
}()

// numbers is Jinja's range.
func numbers(e *exec.Evaluator, params *exec.VarArgs) ([]int, error) {
	bounds := []int{0, 0, 1} // start, stop, step
	for i, v := range params.Args {
		if !v.IsInteger() || len(params.Args) > 3 {
			return nil, errors.New("range takes one to three whole numbers")
		}
		bounds[i] = v.Integer()
	}
	switch len(params.Args) {
	case 0:
		return nil, errors.New("range takes one to three whole numbers")
	case 1:
		bounds[0], bounds[1] = 0, bounds[0]
	}
	var list []int
	b := budgetOf(e)
	for i := bounds[0]; (bounds[2] > 0 && i < bounds[1]) || (bounds[2] < 0 && i > bounds[1]); i += bounds[2] {
		b.spend(1, 0)
		list = append(list, i)
	}
	if bounds[2] == 0 {
		return nil, errors.New("range with a step of 0")
	}
	return list, nil
}

// textFilters take a text as a whole; listFilters visit the elements of a list, or the characters of a text.
var (
	textFilters = []string{
		"abs", "attr", "capitalize", "count", "d", "default", "e", "escape", "first", "float", "indent", "int", "last",
		"length", "lower", "replace",
		"round", "safe", "string", "title", "tojson", "trim", "upper",
	}
	listFilters = []string{
		"dictsort", "items", "join", "list", "map", "max", "min", "reject", "rejectattr", "reverse", "select",
		"selectattr", "sort", "sum",
	}
)

var templateFilters = func() *exec.FilterSet {
	set := map[string]exec.FilterFunction{}
	for _, name := range slices.Concat(textFilters, listFilters) {
		filter, _ := builtins.Filters.Get(name)
		set[name] = func(e *exec.Evaluator, in *exec.Value, params *exec.VarArgs) *exec.Value {
			b := budgetOf(e)
			b.spend(1, 0)
			if slices.Contains(listFilters, name) {
				b.spend(in.Len(), 0)
			}
			if grown(name, in.String, in.Len, params) > b.bytes {
				refuse("filter %s with a result of over %d bytes", name, b.bytes)
			}
			if name == "trim" && len(params.Args)+len(params.KwArgs) == 0 {
				return exec.AsValue(strings.TrimFunc(in.String(), isBlank))
			}
			if name == "tojson" && structured(in.Interface()) {
				return toJSON(in, params)
			}
			return filter(e, in, params)
		}
	}
	return exec.NewFilterSet(set)
}()

// Bounds on what a method adds to a text: bytes, and the parts that it is split into.
const (
	longestText = 16 << 20
	mostParts   = 1 << 20
)

// templateMethods leave out the methods of texts that fill them up to a width.
var templateMethods = exec.Methods{
	Bool: builtins.Methods.Bool, Int: builtins.Methods.Int, Float: builtins.Methods.Float, Dict: builtins.Methods.Dict,
	List: builtins.Methods.List,
	Str:  exec.NewMethodSet(textMethods()),
}

func textMethods() map[string]exec.Method[string] {
	set := map[string]exec.Method[string]{}
	for _, name := range []string{
		"capitalize", "count", "endswith", "find", "format", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit",
		"islower",
		"isnumeric", "isspace",
		"istitle", "isupper", "join", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace",
		"rfind", "rpartition", "rsplit",
		"rstrip", "split", "splitlines", "startswith", "strip", "title", "upper",
	} {
		method, ok := builtins.Methods.Str.Get(name)
		if _, own := pythonMethods[name]; own {
			method = func(self string, _ *exec.Value, params *exec.VarArgs) (any, error) {
				return pythonMethod(name, self, params)
			}
		} else if !ok {
			continue
		}
		set[name] = func(self string, v *exec.Value, params *exec.VarArgs) (any, error) {
			text := func() string { return self }
			if n := grown(name, text, v.Len, params); n > longestText+len(self) {
				refuse("method %s with a result of over %d bytes", name, longestText)
			}
			return method(self, v, params)
		}
	}
	return set
}

// grown is an upper bound on the bytes that a filter or method adds to a text. What exceeds the budget is refused
// before gonja allocates it, since Go cannot recover from an allocation that fails.
func grown(name string, text func() string, length func() int, params *exec.VarArgs) (added int) {
	argument := func(i int, keyword string) *exec.Value {
		if i < len(params.Args) {
			return params.Args[i]
		}
		if v := params.KwArgs[keyword]; v != nil {
			return v
		}
		return exec.AsValue("")
	}
	// A larger number would be refused all the same; its product with the number of lines might overflow.
	width := func(v *exec.Value) int { return min(v.Integer(), longestText) }
	switch name {
	case "replace":
		from, to := argument(0, "old").String(), argument(1, "new").String()
		return strings.Count(text(), from) * max(0, len(to)-len(from))
	case "join":
		return length() * len(argument(0, "d").String())
	case "indent":
		indent := argument(0, "width")
		return (strings.Count(text(), "\n") + 1) * max(width(indent), len(indent.String()))
	case "tojson":
		return width(argument(0, "indent")) * mostParts
	case "format":
		for _, v := range params.Args {
			length := len(v.String())
			if length > longestText {
				return length
			}
			added = min(added+length, longestText+1)
		}
		return added
	case "split", "rsplit":
		if n := strings.Count(text(), argument(0, "sep").String()); n > mostParts {
			return n * longestText
		}
	case "splitlines":
		if n := strings.Count(text(), "\n") + strings.Count(text(), "\r"); n > mostParts {
			return n * longestText
		}
	}
	return 0
}
