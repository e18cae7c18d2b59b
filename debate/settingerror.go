package debate

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/parley-debate/parley/internal/bounds"
)

// settingError is an error for which one setting is to blame.
type settingError struct {
	name string
	err  error
}

func (e settingError) Error() string { return e.err.Error() }

func (e settingError) Unwrap() error { return e.err }

// aboutError is an error that a change of any of several settings would mend.
type aboutError struct {
	settings []string
	err      error
}

func (e aboutError) Error() string { return e.err.Error() }

func (e aboutError) Unwrap() error { return e.err }

// About says which settings an error is about, beginning with the one that is likeliest to be wrong. Which of them is
// to blame depends on which were given: see Composed.
func About(err error, settings ...string) error {
	if err == nil {
		return nil
	}
	return aboutError{settings, err}
}

// settingsOf returns all settings that an error is about; those of joined errors are in the order of the errors.
func settingsOf(err error) (settings []string) {
	switch e := err.(type) {
	case settingError:
		return []string{e.name}
	case aboutError:
		return e.settings
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			settings = append(settings, settingsOf(one)...)
		}
	case interface{ Unwrap() error }:
		return settingsOf(e.Unwrap())
	}
	return settings
}

// Blame says that one setting is to blame for an error, unless the error says so of a setting already.
func Blame(name string, err error) error {
	var known settingError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return settingError{name, err}
}

// SettingOf returns the setting that is to blame for an error, or "" if there is none. path is the place within it,
// such as team[1].model.
func SettingOf(err error) (name, path string) {
	var about settingError
	errors.As(err, &about)
	name, _, _ = strings.Cut(about.name, "[")
	return name, about.name
}

// Locate adds to an error the line and column of the setting that is to blame for it, in the form that errors of the
// YAML parser have.
func Locate(text []byte, err error) error {
	var about settingError
	if !errors.As(err, &about) {
		return err
	}
	file, parseErr := parser.ParseBytes(text, 0)
	if parseErr != nil {
		return err
	}
	path, pathErr := yaml.PathString("$." + about.name)
	if pathErr != nil {
		return err
	}
	node, pathErr := path.FilterFile(file)
	if pathErr != nil || node == nil {
		return err
	}
	return fmt.Errorf("[%d:%d] %w", node.GetToken().Position.Line, node.GetToken().Position.Column, err)
}

// CheckNumbers refuses numeric settings that are out of the range that their forms declare; a form may allow less.
// Those named in written were written down by somebody and are checked even if they are 0.
func (s Settings) CheckNumbers(written ...string) error {
	v := s.flat().Elem()
	for i := range v.NumField() {
		name, field := SettingName(v.Type().Field(i)), reflect.Indirect(v.Field(i))
		r, number := RangeOf(name)
		if !number || !field.IsValid() || v.Field(i).IsZero() && !slices.Contains(written, name) {
			continue
		}
		value := 0.0
		if field.CanFloat() {
			value = field.Float()
		} else {
			value = float64(field.Int())
		}
		if err := bounds.Check(name, value, r); err != nil {
			return Blame(name, err)
		}
	}
	return s.checkSamplers()
}

// checkSamplers refuses members of the team whose memory or sampling parameters are out of range.
func (s Settings) checkSamplers() error {
	for i, a := range s.TeamAgents(Asking{}.Sampling, len(s.Team())) {
		err := bounds.Check("memory", a.Memory, bounds.From(0, MaxSize))
		if a.Sampling != nil && err == nil {
			err = a.Sampling.Validate()
		}
		err = cmp.Or(err, CheckTool(a.Tool))
		if err != nil {
			return Blame("team", fmt.Errorf("team, member %d: %w", i, err))
		}
	}
	return nil
}

// WrittenIn returns the top-level keys of a YAML file.
func WrittenIn(text []byte) (names []string) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil
	}
	for _, doc := range file.Docs {
		if top, ok := doc.Body.(ast.MapNode); ok {
			for items := top.MapRange(); items.Next(); {
				names = append(names, items.Key().String())
			}
		}
	}
	return names
}
