package protocol

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/discussion"
	"github.com/parley-debate/parley/debate/knights"
	"github.com/parley-debate/parley/debate/lesson"
	"github.com/parley-debate/parley/debate/reversal"
	"github.com/parley-debate/parley/debate/sampling"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/debate/titfortat"
	"github.com/parley-debate/parley/internal/unknown"
)

// forms lists every form. To add one, list it here.
var forms = withCommon(society.Form(), lesson.Form(), titfortat.Form(), knights.Form(), discussion.Form(),
	sampling.Form(), reversal.Form())

// common are settings of how agents are asked, which mean the same to every form: Compose obeys them.
type common struct {
	EndLoops *bool `doc:"whether a reply that repeats itself ends there"`
}

// withCommon has forms read the common settings too.
func withCommon(forms ...debate.Form) []debate.Form {
	for i := range forms {
		forms[i].Reads = slices.Concat(forms[i].Reads, debate.Reads[common]())
		forms[i].Settings = slices.Concat(forms[i].Settings, debate.Described[common]())
	}
	return forms
}

// Register adds a form of a program's own, as the forms here are listed. It is for init functions and the beginning of
// main, and panics if the name is taken or the form lacks a part.
func Register(form debate.Form) {
	if _, err := formNamed(form.Name); err == nil || form.Name == "" || form.Compose == nil {
		panic(fmt.Sprintf("form %q: has no name, cannot be composed, or is there already", form.Name))
	}
	forms = append(forms, withCommon(form)...)
}

// Forms returns every form.
func Forms() []debate.Form { return slices.Clone(forms) }

// Reads reports whether a setting means something to the form of a debate.
func Reads(s debate.Settings, setting string) (bool, error) {
	form, err := formNamed(s.Form)
	return slices.Contains(form.Reads, setting), err
}

// formNamed returns one of forms.
func formNamed(name string) (debate.Form, error) {
	var all []string
	for _, f := range forms {
		if f.Name == name {
			return f, nil
		}
		all = append(all, f.Name)
	}
	return debate.Form{}, debate.Blame("form", unknown.Name("form", name, all))
}

// Compose makes a debate. It refuses settings that mean nothing to the form, are out of range, would have no effect, or
// contradict each other. Its errors name the setting to blame: see debate.SettingOf.
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
		s.Prompts = form.Asks.Prompts
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
	if err := cmp.Or(checkTeam(s, form), checkIdle(s, form)); err != nil {
		return nil, err
	}
	if s.EndLoops != nil {
		ask.EndLoops = *s.EndLoops
	}
	ask.Team = s.TeamAgents(ask.Sampling, form.AgentsOf(s))
	d, err := form.Compose(s, ask)
	if err != nil {
		return nil, err
	}
	if s.Abstain > 0 {
		return abstaining{d, s.Abstain}, nil
	}
	return d, nil
}

// abstaining is a debate that withholds its answer if too few of the votes are for it.
type abstaining struct {
	debate.Debate
	share float64
}

// Run implements Debate.
func (a abstaining) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t, err := a.Debate.Run(ctx, speaker, c)
	if err == nil && t.Decision.Share() < a.share {
		t.Decision.Withheld, t.Decision.Answer = t.Decision.Answer.Text, answer.Unparsed
		t.Decision.Rule.Withheld = a.share
	}
	return t, err
}

// RoleNames implements debate.Named.
func (a abstaining) RoleNames() []string { return rolesOf(a.Debate) }

// Echo implements debate.Echoing.
func (a abstaining) Echo() string { return debate.EchoOf(a.Debate) }

// Copies implements debate.Copying.
func (a abstaining) Copies() bool { return debate.CopiesOf(a.Debate) }

// Borrows implements debate.Borrowing.
func (a abstaining) Borrows() bool { return debate.BorrowsOf(a.Debate) }

// rolesOf returns what a debate calls its agents, or nil if it numbers them.
func rolesOf(d debate.Debate) []string {
	if r, ok := d.(debate.Named); ok {
		return r.RoleNames()
	}
	return nil
}
