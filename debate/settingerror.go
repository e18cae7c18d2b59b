package debate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// settingError is an error of one setting.
type settingError struct {
	name string
	err  error
}

func (e settingError) Error() string { return e.err.Error() }

func (e settingError) Unwrap() error { return e.err }

// blame makes an error one of a setting, unless it is one already.
func Blame(name string, err error) error {
	var known settingError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return settingError{name, err}
}

// SettingOf is the setting that an error is about, "" if it is about none; path is the place in it, such as
// team[1].model.
func SettingOf(err error) (name, path string) {
	var about settingError
	errors.As(err, &about)
	name, _, _ = strings.Cut(about.name, "[")
	return name, about.name
}

// located adds the line of the setting that an error is about, as the YAML errors have it.
func Located(text []byte, err error) error {
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
