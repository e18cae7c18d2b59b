package protocol

import (
	"fmt"
	"parley/debate"
	"slices"
	"strings"
)

// checkIdle refuses a setting that is given and idle.
func checkIdle(s debate.Settings, form debate.Form) error {
	given := s.Given()
	for _, i := range form.Idle {
		if !i.When(s) {
			continue
		}
		for _, name := range i.Settings {
			if slices.Contains(given, name) {
				return debate.Blame(name, fmt.Errorf("%s means nothing %s", name,
					strings.ReplaceAll(i.Why, "%s", s.Decide)))
			}
		}
	}
	return nil
}
