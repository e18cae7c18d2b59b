package protocol

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
)

// checkIdle refuses settings that are given but have no effect: see debate.IdleRule.
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
