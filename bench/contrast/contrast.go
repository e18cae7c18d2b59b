// Package contrast reads contrasts, the differences between conditions that a user or a paper asks about: "madc - mad"
// is one, and so is "(simple, ranked) - majority", where a group stands for the mean of its conditions.
//
// A star stands for the values of a swept setting: "madc/agents=* - mad/agents=*" is one contrast for each number of
// agents at which both conditions exist, and "(madc/agents=*) - (mad/agents=*)" is a single one of their means over
// these numbers. "madc - mad by tokens" compares another measure than accuracy, and "madc - mad within 0.05" also asks
// whether the two are equivalent.
package contrast

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/bench/relation"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/unknown"
)

// Contrast is the accuracy of a group of conditions, or another measure, minus that of another group.
type Contrast struct {
	// as it was written, without its margin and with the values of its stars, but for stars in groups, which stay
	Name   string   `json:"contrast"`
	First  []string `json:"first"` // conditions; several count as their mean
	Second []string `json:"second"`
	// one of relation.MeasureNames; "" is accuracy
	Measure string `json:"measure,omitempty"`
	// the difference up to which both sides are called equivalent; 0 leaves it to the run, which has one of accuracies
	Margin float64 `json:"margin,omitempty"`
}

// Between is the contrast of the accuracies of two conditions.
func Between(first, second string) Contrast {
	return Contrast{Name: first + " - " + second, First: []string{first}, Second: []string{second}}
}

// most bounds how many contrasts a run may have, and so how long their tests can take.
const most = 500

// Read reads contrasts of the named conditions. The error says which contrast is wrong and which conditions there are.
func Read(texts, conditions []string) (all []Contrast, err error) {
	for _, text := range texts {
		list, err := read(text, conditions)
		if err != nil {
			return nil, fmt.Errorf("contrast %q: %w", text, err)
		}
		for _, c := range list {
			if slices.ContainsFunc(all, func(o Contrast) bool { return o.Name == c.Name }) {
				return nil, fmt.Errorf("contrast %q: %s was asked for before", text, c.Name)
			}
			all = append(all, c)
		}
		if len(all) > most {
			return nil, fmt.Errorf("contrast %q: more than %d contrasts", text, most)
		}
	}
	return all, nil
}

// read reads one text, which is several contrasts if it has stars outside of groups.
func read(text string, conditions []string) (list []Contrast, err error) {
	c, err := parse(text)
	if err != nil {
		return nil, err
	}
	switch outside := starredGroup.ReplaceAllString(text, ""); {
	case !strings.Contains(text, "*"):
		return []Contrast{c}, c.among(conditions)
	case outside != text && strings.Contains(outside, "*"):
		return nil, errors.New("it has stars in a group, which stand for the mean over their values, and stars " +
			"outside of one, which stand for a contrast each: write either")
	case outside != text:
		return []Contrast{c}, c.fillGroups(conditions)
	}
	for _, values := range matchStars(text, conditions) {
		if c, err := parse(values.Replace(text)); err == nil && c.among(conditions) == nil {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, noValue(conditions)
	}
	return list, nil
}

// noValue says that stars stand for nothing.
func noValue(conditions []string) error {
	return fmt.Errorf("there is no value of its stars for which all of its conditions exist; there are %s",
		strings.Join(conditions, ", "))
}

// starredGroup matches a side that is a group with a star.
var starredGroup = regexp.MustCompile(`\([^()]*\*[^()]*\)`)

// fillGroups puts the conditions that they match in the place of those with stars. Conditions with stars for the same
// settings take only the values that all of them have: groups are compared where they can be paired.
func (c *Contrast) fillGroups(conditions []string) error {
	written := slices.Concat(c.First, c.Second)
	for _, side := range []*[]string{&c.First, &c.Second} {
		var filled []string
		for _, name := range *side {
			matches := []string{name}
			if strings.Contains(name, "*") {
				matches = matching(name, written, conditions)
			}
			if len(matches) == 0 {
				return noValue(conditions)
			}
			filled = append(filled, matches...)
		}
		*side = filled
	}
	return c.among(conditions)
}

// matching are the conditions that a name with stars stands for beside others.
func matching(name string, others, conditions []string) (matches []string) {
	for _, values := range matchStars(name, conditions) {
		lacking := slices.ContainsFunc(others, func(other string) bool {
			at := values.Replace(other)
			return at != other && !strings.Contains(at, "*") && !slices.Contains(conditions, at)
		})
		if !lacking {
			matches = append(matches, values.Replace(name))
		}
	}
	return matches
}

// star matches a swept setting whose value is a star.
var star = regexp.MustCompile(`/([^/=*]+)=\*`)

// matchStars are the values that the stars of a contrast can take: those of the conditions that its first name with a
// star matches.
func matchStars(text string, conditions []string) (values []*strings.Replacer) {
	name := firstStarred.FindString(text)
	settings := star.FindAllStringSubmatch(name, -1)
	if settings == nil {
		return nil
	}
	pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(name), `\*`, "(.+)") + "$")
	for _, condition := range conditions {
		at := pattern.FindStringSubmatch(condition)
		if len(at) != len(settings)+1 {
			continue
		}
		var pairs []string
		for i, s := range settings {
			pairs = append(pairs, "/"+s[1]+"=*", "/"+s[1]+"="+at[i+1])
		}
		values = append(values, strings.NewReplacer(pairs...))
	}
	return values
}

// firstStarred matches the name of a condition with a star.
var firstStarred = regexp.MustCompile(`[^\s(),]*\*[^\s(),]*`)

// among refuses a contrast unless its conditions exist and differ from each other.
func (c Contrast) among(conditions []string) error {
	seen := make(map[string]bool)
	for _, name := range slices.Concat(c.First, c.Second) {
		if !slices.Contains(conditions, name) {
			return unknown.Name("condition", name, conditions)
		}
		if seen[name] {
			return fmt.Errorf("it names %s twice", name)
		}
		seen[name] = true
	}
	return nil
}

// by and within stand between a contrast and its measure, and before its margin.
const by, within = " by ", " within "

// parse reads a contrast without looking at its names.
func parse(text string) (c Contrast, err error) {
	first, second, two := strings.Cut(text, " - ")
	if !two || strings.Contains(second, " - ") {
		return c, errors.New(`a contrast is written A - B, with spaces around the minus; A and B are conditions, or ` +
			`groups such as (a, b)`)
	}
	if c.First, err = Group(first); err != nil {
		return c, err
	}
	second, margin, has := strings.Cut(second, within)
	second, c.Measure, _ = strings.Cut(second, by)
	if c.Second, err = Group(second); err != nil {
		return c, err
	}
	c.Name = sideText(c.First) + " - " + sideText(c.Second)
	if c.Measure = strings.TrimSpace(c.Measure); c.Measure != "" {
		if _, known := relation.MeasureOf(c.Measure); !known {
			return c, unknown.Name("measure of a debate", c.Measure, relation.MeasureNames())
		}
		c.Name += by + c.Measure
	}
	if has {
		c.Margin, err = c.readMargin(strings.TrimSpace(margin))
	}
	return c, err
}

// readMargin reads the margin of a contrast whose measure is known. That of shares is a difference of shares.
func (c Contrast) readMargin(text string) (float64, error) {
	margin, err := strconv.ParseFloat(text, 64)
	if err != nil || !(margin > 0) || math.IsInf(margin, 0) {
		return 0, fmt.Errorf("within %q: a margin is a number above 0, such as within 0.05", text)
	}
	if m, _ := relation.MeasureOf(c.Measure); m.Unit != relation.Count {
		err = bounds.Check("within", margin, spec.DifferenceRange)
	}
	return margin, err
}

// Group reads one side of a contrast: a condition, or several as (A, B).
func Group(text string) (names []string, err error) {
	text = strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(text, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if opened != closed || !opened && strings.Contains(text, ",") {
		return nil, fmt.Errorf("a group is written in parentheses, as in (a, b), not %q", text)
	}
	for name := range strings.SplitSeq(inner, ",") {
		name = strings.TrimSpace(name)
		if name == "" || strings.ContainsAny(name, "() \t\n") {
			return nil, fmt.Errorf("%q is not the name of a condition", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// sideText is one side as Read reads it. A condition with a star in a group stands for several.
func sideText(names []string) string {
	if len(names) == 1 && !strings.Contains(names[0], "*") {
		return names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// MarginIn returns the margin of a contrast in a run, whose own is one of accuracies; 0 if there is none.
func (c Contrast) MarginIn(ofRun float64) float64 {
	if c.Measure != "" {
		return c.Margin
	}
	return cmp.Or(c.Margin, ofRun)
}

// Sides returns how both sides are written in the name.
func (c Contrast) Sides() (first, second string) {
	first, second, _ = strings.Cut(c.Name, " - ")
	second, _, _ = strings.Cut(second, by)
	return first, second
}

// OnTasks splits a contrast of an experiment from the tasks that it is restricted to: "a - b on x, y" is a - b on two
// tasks. Without "on" it has no tasks, which stands for all.
func OnTasks(text string) (contrast string, tasks []string) {
	contrast, list, restricted := strings.Cut(text, " on ")
	if !restricted {
		return text, nil
	}
	for task := range strings.SplitSeq(list, ",") {
		tasks = append(tasks, strings.TrimSpace(task))
	}
	return contrast, tasks
}
