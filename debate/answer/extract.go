package answer

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// extractors by the name that records carry.
var extractors = map[string]Extractor{"choice": Choice, "math": Math, "number": LastNumber, "raw": Raw}

// Named returns the extractor of a name that a record carries.
func Named(name string) (Extractor, error) {
	if e, ok := extractors[name]; ok {
		return e, nil
	}
	return nil, fmt.Errorf("no answer rule %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(extractors)), ", "))
}

var (
	letter  = regexp.MustCompile(`\(([A-Z])\)`)
	integer = regexp.MustCompile(`\((-?[0-9]+)\)`)
)

// Choice is source 0's rule for multiple choice: the last single upper-case letter in parentheses, kept with them ("(B)");
// if there is none, the last integer in parentheses, without them. Paper and code agree.
func Choice(reply string) Answer {
	if m := last(letter, reply); m != nil {
		return Of(m[0])
	}
	if m := last(integer, reply); m != nil {
		return Of(m[1])
	}
	return Unparsed
}

// Raw is source 1's rule: the reply itself, so that "42" and "42." differ. An empty reply says nothing.
func Raw(reply string) Answer {
	if reply == "" {
		return Unparsed
	}
	return Of(reply)
}

var (
	braced = regexp.MustCompile(`\{([0-9.,$]+)\}`)
	number = regexp.MustCompile(`-?[0-9][0-9,]*(?:\.[0-9]+)?`)
)

// LastNumber is the rule of Du et al. for GSM8K: the last braces that hold only digits, dots, commas and dollar signs; if
// there are none, the last number in the text. Commas and dollar signs are dropped.
func LastNumber(reply string) Answer {
	text := ""
	if m := last(braced, reply); m != nil {
		text = m[1]
	} else if m := last(number, reply); m != nil {
		text = m[0]
	}
	if text = strings.Trim(strings.NewReplacer(",", "", "$", "").Replace(text), "."); text == "" {
		return Unparsed
	}
	return Of(text)
}

func last(re *regexp.Regexp, text string) []string {
	if all := re.FindAllStringSubmatch(text, -1); len(all) > 0 {
		return all[len(all)-1]
	}
	return nil
}
