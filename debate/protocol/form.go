package protocol

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/debate"
	"parley/debate/answer"
	"parley/debate/discussion"
	"parley/debate/knights"
	"parley/debate/lesson"
	"parley/debate/reversal"
	"parley/debate/sampling"
	"parley/debate/society"
	"parley/debate/titfortat"
)

// Forms lists them.
func Forms() []debate.Form {
	return []debate.Form{society.Form(), lesson.Form(), titfortat.Form(), knights.Form(), discussion.Form(),
		sampling.Form(),
		reversal.Form()}
}

// Reads reports whether a setting means something to the form of a debate.
func Reads(s debate.Settings, setting string) (bool, error) {
	form, err := formNamed(s.Form)
	return slices.Contains(form.Reads, setting), err
}

func formNamed(name string) (debate.Form, error) {
	var names []string
	for _, f := range Forms() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return debate.Form{}, debate.Blame("form", fmt.Errorf("no form %q; there are %s", name, strings.Join(names, ", ")))
}

// Compose makes a debate. Settings that mean nothing to the form, or that contradict each other, are refused.
func Compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	form, err := formNamed(s.Form)
	if err != nil {
		return nil, err
	}
	for _, name := range s.Given() {
		if name != "form" && !slices.Contains(form.Reads, name) {
			return nil, debate.Blame(name, fmt.Errorf("%s means nothing to form %s, which reads %s", name, form.Name,
				strings.Join(form.Reads, ", ")))
		}
	}
	if s.Prompts == "" {
		s.Prompts = form.Prompts
	}
	if len(s.Team) > debate.MaxSize {
		return nil, debate.Blame("team", fmt.Errorf("a team of %d: at most %d", len(s.Team), debate.MaxSize))
	}
	if err := s.CheckNumbers(); err != nil {
		return nil, err
	}
	if err := ask.Validate(); err != nil {
		return nil, err
	}
	if err := cmp.Or(checkTeam(s), checkIdle(s, form)); err != nil {
		return nil, err
	}
	ask.Team = s.TeamAgents(ask.Sampling, cmp.Or(s.Agents, 3))
	d, err := form.Compose(s, ask)
	if err != nil {
		return nil, err
	}
	if s.Abstain > 0 {
		return abstaining{d, s.Abstain}, nil
	}
	return d, nil
}

// abstaining is a debate that gives no answer unless enough votes are for it.
type abstaining struct {
	debate.Debate
	share float64
}

// Run implements Debate.
func (a abstaining) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t, err := a.Debate.Run(ctx, speaker, c)
	if err == nil && t.Decision.Share() < a.share {
		t.Decision.Withheld, t.Decision.Answer = t.Decision.Answer.Text, answer.Unparsed
		t.Decision.Rule += fmt.Sprintf("; withheld below a share of %g", a.share)
	}
	return t, err
}

func (a abstaining) RoleNames() []string { return rolesOf(a.Debate) }

// rolesOf are what a debate calls its agents, nil where it numbers them.
func rolesOf(d debate.Debate) []string {
	if r, ok := d.(interface{ RoleNames() []string }); ok {
		return r.RoleNames()
	}
	return nil
}
