package chat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/nikolalohinski/gonja/v2/exec"
)

// pythonMethods are methods of texts that gonja has otherwise than Python, or not at all.
var pythonMethods = map[string]func(self string, args []*exec.Value) (any, error){
	"split":  func(self string, args []*exec.Value) (any, error) { return split(self, args, false) },
	"rsplit": func(self string, args []*exec.Value) (any, error) { return split(self, args, true) },
	"strip": func(self string, args []*exec.Value) (any, error) {
		return stripped(self, args, strings.TrimFunc)
	},
	"lstrip": func(self string, args []*exec.Value) (any, error) {
		return stripped(self, args, strings.TrimLeftFunc)
	},
	"rstrip": func(self string, args []*exec.Value) (any, error) {
		return stripped(self, args, strings.TrimRightFunc)
	},
	"replace": replaced,
	"format":  formatted,
}

// positional are a method's arguments in Python's order, whether or not they are named; nil where one is left out.
func positional(params *exec.VarArgs, names []string) ([]*exec.Value, error) {
	args := slices.Clone(params.Args)
	for _, name := range names[min(len(args), len(names)):] {
		args = append(args, params.KwArgs[name])
	}
	if len(args) > len(names) {
		return nil, fmt.Errorf("at most %d arguments", len(names))
	}
	for name := range params.KwArgs {
		if i := slices.Index(names, name); i < len(params.Args) {
			return nil, fmt.Errorf("argument %q", name)
		}
	}
	return args, nil
}

// methodArguments are the names of the arguments of pythonMethods; format takes any number.
var methodArguments = map[string][]string{
	"split": {"sep", "maxsplit"}, "rsplit": {"sep", "maxsplit"}, "strip": {"chars"}, "lstrip": {"chars"},
	"rstrip": {"chars"}, "replace": {"old", "new", "count"},
}

func pythonMethod(name, self string, params *exec.VarArgs) (any, error) {
	args := params.Args
	if names, known := methodArguments[name]; known {
		var err error
		if args, err = positional(params, names); err != nil {
			return nil, err
		}
	} else if len(params.KwArgs) > 0 {
		return nil, errors.New("arguments with names")
	}
	return pythonMethods[name](self, args)
}

func given(v *exec.Value) bool { return v != nil && !v.IsNil() }

// split is Python's split, or its rsplit. Without a separator the parts are those between blanks.
func split(self string, args []*exec.Value, fromRight bool) ([]string, error) {
	most := -1
	if given(args[1]) {
		most = args[1].Integer()
	}
	sep := ""
	if given(args[0]) {
		if sep = args[0].String(); sep == "" {
			return nil, errors.New("an empty separator")
		}
	}
	if sep == "" && most < 0 {
		return append([]string{}, strings.FieldsFunc(self, isBlank)...), nil
	}
	trim := strings.TrimLeftFunc
	if fromRight {
		trim = strings.TrimRightFunc
	}
	parts := []string{}
	for rest, done := self, false; !done; {
		if sep == "" {
			if rest = trim(rest, isBlank); rest == "" {
				break
			}
		}
		begin, end := edge(rest, sep, fromRight)
		switch done = begin < 0 || most >= 0 && len(parts) == most; {
		case done:
			parts = append(parts, rest)
		case fromRight:
			parts, rest = append(parts, rest[end:]), rest[:begin]
		default:
			parts, rest = append(parts, rest[:begin]), rest[end:]
		}
	}
	if fromRight {
		slices.Reverse(parts)
	}
	return parts, nil
}

// edge is where the first separator, or the last one, begins and ends; -1 if there is none. An empty separator stands
// for blanks.
func edge(text, sep string, last bool) (begin, end int) {
	find := strings.Index
	if last {
		find = strings.LastIndex
	}
	if sep != "" {
		begin = find(text, sep)
		return begin, begin + len(sep)
	}
	if last {
		if end = strings.LastIndexFunc(text, isBlank); end < 0 {
			return -1, -1
		}
		return len(strings.TrimRightFunc(text[:end], isBlank)), len(text[:end]) + blank(text[end:])
	}
	if begin = strings.IndexFunc(text, isBlank); begin < 0 {
		return -1, -1
	}
	return begin, begin + blank(text[begin:])
}

// blank is how many bytes the rune has that a text begins with.
func blank(text string) int {
	for i := range text {
		if i > 0 {
			return i
		}
	}
	return len(text)
}

// isBlank reports whether Python's str.isspace holds of a rune: that of Go's white space and of four separators.
func isBlank(r rune) bool { return unicode.IsSpace(r) || '\x1c' <= r && r <= '\x1f' }

// stripped removes given characters, or blanks, from the ends that trim looks at.
func stripped(self string, args []*exec.Value, trim func(string, func(rune) bool) string) (string, error) {
	if !given(args[0]) {
		return trim(self, isBlank), nil
	}
	set := args[0].String()
	return trim(self, func(r rune) bool { return strings.ContainsRune(set, r) }), nil
}

func replaced(self string, args []*exec.Value) (any, error) {
	if args[0] == nil || args[1] == nil {
		return nil, errors.New("replace takes what to replace, by what, and perhaps how often")
	}
	count := -1
	if given(args[2]) {
		count = args[2].Integer()
	}
	return strings.Replace(self, args[0].String(), args[1].String(), count), nil
}

// formatted is Python's format for fields without a name or a format: "{}".
func formatted(self string, args []*exec.Value) (any, error) {
	parts := strings.Split(self, "{}")
	if len(parts)-1 > len(args) || strings.ContainsAny(strings.Join(parts, ""), "{}") {
		return nil, errors.New("format knows fields without a name, {}, one for each argument")
	}
	var text strings.Builder
	for i, part := range parts {
		if i > 0 {
			text.WriteString(args[i-1].String())
		}
		text.WriteString(part)
	}
	return text.String(), nil
}
