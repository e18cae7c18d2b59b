package protocol

import (
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

// To add a form, list it here.
func init() {
	debate.Register(society.Form(), lesson.Form(), titfortat.Form(), knights.Form(), discussion.Form(),
		sampling.Form(), reversal.Form())
}

// Forms returns every form, those that a program has registered itself (debate.Register) last.
func Forms() []debate.Form { return debate.Forms() }

// Reads reports whether a setting means something to the form of a debate.
func Reads(s debate.Settings, setting string) (bool, error) {
	form, err := findForm(s.Form)
	return slices.Contains(form.Reads, setting), err
}

// findForm returns one of Forms.
func findForm(name string) (debate.Form, error) {
	if f, ok := debate.FormNamed(name); ok {
		return f, nil
	}
	var all []string
	for _, f := range Forms() {
		all = append(all, f.Name)
	}
	return debate.Form{}, debate.Blame("form", unknown.Name("form", name, all))
}

// Compose makes a debate. It refuses settings that mean nothing to the form, are out of range, would have no effect, or
// contradict each other. Its errors name the setting to blame: see debate.SettingOf.
func Compose(s debate.Settings, ask debate.Asking) (debate.Debate, error) {
	form, err := findForm(s.Form)
	if err != nil {
		return nil, err
	}
	for _, name := range s.Given() {
		if name != "form" && !slices.Contains(form.Reads, name) {
			return nil, debate.Blame(name, fmt.Errorf("%s means nothing to form %s, which reads %s", name, form.Name,
				strings.Join(form.Reads, ", ")))
		}
	}
	if s.Prompts() == "" {
		s = s.With("prompts", form.Asks.Prompts)
	}
	if team := s.Team(); len(team) > debate.MaxSize {
		return nil, debate.Blame("team", fmt.Errorf("a team of %d: at most %d", len(team), debate.MaxSize))
	}
	if err := s.CheckNumbers(); err != nil {
		return nil, err
	}
	if err := ask.Validate(); err != nil {
		return nil, err
	}
	if err := checkTeam(s, form); err != nil {
		return nil, err
	}
	if form.Idle != nil {
		if err := form.Idle(s); err != nil {
			return nil, err
		}
	}
	common := debate.Typed[debate.Common](s)
	if common.EndLoops != nil {
		ask.EndLoops = *common.EndLoops
	}
	ask.Tool = common.Tool
	if err := debate.CheckTool(common.Tool); err != nil {
		return nil, debate.Blame("tool", err)
	}
	ask.Team = s.TeamAgents(ask.Sampling, form.AgentsOf(s))
	d, err := form.Compose(s, ask)
	if err != nil {
		return nil, err
	}
	if share := debate.Value[float64](s, "abstain"); share > 0 {
		return abstaining{d, share}, nil
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

// How is how the debate asks: see debate.HowOf.
func (a abstaining) How() debate.Asking {
	how, _ := debate.HowOf(a.Debate)
	return how
}

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
