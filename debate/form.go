package debate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/debate/answer"
	"parley/debate/prompts"
)

// Debate is what can be held: a protocol with all its settings.
type Debate interface {
	Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error)
}

// Form is a way in which debates go, the loop of one or more sources; settings compose a debate of it.
type Form struct {
	Name    string   `json:"name"`
	Meaning string   `json:"meaning"`
	Reads   []string `json:"reads"` // the settings that mean something to it

	prompts string // the set that it has unless another is named
	compose func(s Settings, ask Asking) (Debate, error)
}

// Forms lists them.
func Forms() []Form {
	return []Form{
		{"society", "all answer alone, then hear others and answer again; a rule over what was said, or an " +
			"election, decides",
			[]string{"agents", "rounds", "reading", "prompts", "team", "until", "decide", "ties", "abstain", "order",
				"decay", "topology", "graph", "show", "opening", "wording",
				"speak", "program", "layout", "confidence", "intensity", "memory", "probes", "ballots", "candidates"},
			"madc", composeSociety},
		{"lesson", "the same without a history: each call shows the own last answer and the others'; majority of " +
			"raw strings",
			[]string{"agents", "rounds", "prompts", "team", "abstain"}, "lesson", composeLesson},
		{"tit-for-tat", "sides argue in turns before a moderator who may end it; else a judge decides",
			[]string{"agents", "rounds", "reading", "prompts", "team", "until", "judge-sees", "level", "swapped",
				"replies"}, "topic", composeTitForTat},
		{"knights", "a puzzle of knights, knaves and spies is debated player by player",
			[]string{"agents", "reading", "prompts", "team", "memory", "order", "depth", "confidence", "replies"},
			"knights", composeKnights},
		{"discussion", "agents with personas speak in turns about one draft, until they agree or a vote decides",
			[]string{"agents", "rounds", "reading", "prompts", "team", "decide", "abstain", "paradigm", "sub-rounds",
				"generator", "personas", "neutral", "drafting", "direct", "full",
				"vote-from", "voters-see", "ballots", "challenge", "ablate"}, "discussion", composeDiscussion},
		{"sampling", "as many independent answers as another debate has cost calls or tokens; majority",
			[]string{"prompts", "abstain", "opening", "confidence", "budget"}, "madc", composeSampling},
		{"centre", "one agent with a given first answer hears solutions of others, in an order of right and wrong " +
			"ones, and answers again",
			[]string{"agents", "reading", "prompts", "order", "opening", "wording", "own", "most", "samples", "holder"},
			"reversal", composeCentre},
	}
}

// Reads reports whether a setting means something to the form of a debate.
func (s Settings) Reads(setting string) (bool, error) {
	form, err := formNamed(s.Form)
	return slices.Contains(form.Reads, setting), err
}

func formNamed(name string) (Form, error) {
	var names []string
	for _, f := range Forms() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Form{}, blame("form", fmt.Errorf("no form %q; there are %s", name, strings.Join(names, ", ")))
}

// Compose makes a debate. Settings that mean nothing to the form, or that contradict each other, are refused.
func (s Settings) Compose(ask Asking) (Debate, error) {
	form, err := formNamed(s.Form)
	if err != nil {
		return nil, err
	}
	for _, name := range s.given() {
		if name != "form" && !slices.Contains(form.Reads, name) {
			return nil, blame(name, fmt.Errorf("%s means nothing to form %s, which reads %s", name, form.Name,
				strings.Join(form.Reads, ", ")))
		}
	}
	if s.Prompts == "" {
		s.Prompts = form.prompts
	}
	if len(s.Team) > most {
		return nil, blame("team", fmt.Errorf("a team of %d: at most %d", len(s.Team), most))
	}
	if err := s.checkNumbers(); err != nil {
		return nil, err
	}
	if err := ask.validate(); err != nil {
		return nil, err
	}
	if err := cmp.Or(s.checkTeam(), s.checkIdle()); err != nil {
		return nil, err
	}
	ask.Team = s.team(ask.Sampling, cmp.Or(s.Agents, 3))
	d, err := form.compose(s, ask)
	if err != nil {
		return nil, err
	}
	if s.Abstain > 0 {
		return abstaining{d, s.Abstain}, nil
	}
	return d, nil
}

// most agents and rounds of a debate that a file composes.
const most = 1000

// anyCase is a question with an answer, to see whether a debate could be held on one.
var anyCase = Case{ID: "any", Question: "?", Extract: answer.Raw, Truth: answer.Of("?"), Facts: "?", Wrong: "?",
	Donor: &Case{ID: "another", Question: "?", Extract: answer.Raw}}

// composed checks a debate before it is ever held. An error blames the first setting that it names.
func composed[D Debate](d D, s Settings, check func(Case) error) (Debate, error) {
	err := check(anyCase)
	if err == nil {
		return d, nil
	}
	for _, word := range strings.FieldsFunc(err.Error(),
		func(r rune) bool { return !(r == '-' || 'a' <= r && r <= 'z') }) {
		if slices.Contains(s.given(), word) {
			return nil, blame(word, err)
		}
	}
	return nil, blame("form", err)
}

func composeSociety(s Settings, ask Asking) (Debate, error) {
	order, err := ParseOrder(s.Order, s.Reading)
	if err != nil {
		return nil, blame("order", err)
	}
	order.Decay = s.Decay
	topology, err := ParseTopology(s.Topology)
	if err != nil {
		return nil, blame("topology", err)
	}
	topology.Graph = s.Graph
	showing, err := ParseShowing(s.Show)
	if err != nil {
		return nil, blame("show", err)
	}
	if len(s.Program) > 0 {
		if first, ok := openings[s.Program[0]]; ok {
			s.Program, s.Opening = s.Program[1:], cmp.Or(s.Opening, first.opening)
			if first.inTurn {
				s.Speak = SpeakOneByOne
			}
		}
		s.Rounds = cmp.Or(s.Rounds, len(s.Program)+1)
	}
	program, err := ParseProgram(s.Program, s.Reading)
	if err != nil {
		return nil, blame("program", err)
	}
	if s.Speak != "" && s.Speak != SpeakTogether && s.Speak != SpeakOneByOne {
		return nil, blame("speak", fmt.Errorf("speak %q; there are %s and %s", s.Speak, SpeakTogether, SpeakOneByOne))
	}
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, blame("prompts", err)
	}
	d := Society{
		Asking: ask, Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Opening: s.Opening, Program: program,
		Exchange: Exchange{Order: order, Topology: topology, Showing: showing, Wording: s.Wording,
			InTurn: s.Speak == SpeakOneByOne},
		Until: s.Until, Decide: s.Decide, Ties: s.Ties, Layout: s.Layout, Confidence: s.Confidence,
		Intensity: s.Intensity, Probes: s.Probes,
		Ballots: s.Ballots, Candidates: s.Candidates, Prompts: set,
	}
	return composed(d, s, d.check)
}

// Who speaks when in a society.
const (
	SpeakTogether = "together"
	SpeakOneByOne = "one-by-one"
)

func composeLesson(s Settings, ask Asking) (Debate, error) {
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, blame("prompts", err)
	}
	d := lessonDebate{Lesson{Asking: ask, Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Prompts: set}}
	return composed(d, s, func(Case) error { return d.check() })
}

// lessonDebate is a lesson whose result is its transcript.
type lessonDebate struct{ Lesson }

func (l lessonDebate) Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error) {
	result, err := l.Lesson.Run(ctx, speaker, c)
	return result.Transcript, err
}

func (l lessonDebate) roles() []string { return l.names(l.Agents) }

func composeTitForTat(s Settings, ask Asking) (Debate, error) {
	sides, err := prompts.LoadSides(s.Prompts)
	if err != nil {
		return nil, blame("prompts", err)
	}
	level := 2
	if s.Level != nil {
		level = *s.Level
	}
	d := TitForTat{
		Asking: ask, Debaters: cmp.Or(s.Agents, 2), Rounds: cmp.Or(s.Rounds, 3), Until: s.Until, JudgeSees: s.JudgeSees,
		Level:   level,
		Reading: cmp.Or(s.Reading, ReadingCode), Swapped: s.Swapped, Replies: s.Replies, Prompts: sides,
	}.complete()
	return composed(d, s, d.check)
}

func composeKnights(s Settings, ask Asking) (Debate, error) {
	set, err := prompts.LoadKnights(s.Prompts)
	if err != nil {
		return nil, blame("prompts", err)
	}
	d := Knights{
		Asking: ask, Agents: s.Agents, Depth: s.Depth, Order: s.Order, Confidence: s.Confidence,
		Reading: cmp.Or(s.Reading, ReadingCode), Replies: s.Replies, Prompts: set,
	}
	d.ensureDefaults()
	return composed(d, s, func(Case) error { return d.check() })
}

func composeDiscussion(s Settings, ask Asking) (Debate, error) {
	set, err := prompts.LoadDiscussion(s.Prompts)
	if err != nil {
		return nil, blame("prompts", err)
	}
	d := Discussion{
		Asking: ask, Agents: s.Agents, Neutral: s.Neutral, Turns: s.Rounds, Full: s.Full, Paradigm: s.Paradigm,
		Rounds: s.SubRounds, Generator: s.Generator,
		Drafting: s.Drafting, Direct: s.Direct, Decide: s.Decide, VoteFrom: s.VoteFrom, Shown: s.VotersSee,
		Ballots: s.Ballots, Personas: s.Personas,
		Challenge: s.Challenge, Ablate: s.Ablate, Reading: cmp.Or(s.Reading, ReadingCode), Prompts: set,
	}.complete()
	return composed(d, s, d.check)
}

func composeSampling(s Settings, ask Asking) (Debate, error) {
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, blame("prompts", err)
	}
	d := Sampling{Asking: ask, Budget: s.Budget, Opening: s.Opening, Confidence: s.Confidence, Prompts: set}
	return composed(d, s, d.check)
}

func composeCentre(s Settings, ask Asking) (Debate, error) {
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, blame("prompts", err)
	}
	d := Centre{
		Asking: ask, Hears: s.Agents, Order: s.Order, Reading: s.Reading, Own: s.Own, Most: s.Most, Samples: s.Samples,
		Holder:  s.Holder,
		Opening: s.Opening, Wording: s.Wording, Prompts: set,
	}.complete()
	return composed(d, s, d.check)
}

// abstaining is a debate that gives no answer unless enough votes are for it.
type abstaining struct {
	Debate
	share float64
}

// Run implements Debate.
func (a abstaining) Run(ctx context.Context, speaker Speaker, c Case) (Transcript, error) {
	t, err := a.Debate.Run(ctx, speaker, c)
	if err == nil && t.Decision.Share() < a.share {
		t.Decision.Withheld, t.Decision.Answer = t.Decision.Answer.Text, answer.Unparsed
		t.Decision.Rule += fmt.Sprintf("; withheld below a share of %g", a.share)
	}
	return t, err
}

func (a abstaining) roles() []string { return rolesOf(a.Debate) }

// rolesOf are what a debate calls its agents, nil where it numbers them.
func rolesOf(d Debate) []string {
	if r, ok := d.(interface{ roles() []string }); ok {
		return r.roles()
	}
	return nil
}

// Share is the share of the votes, or of the weight, that the decided answer has; agents without a readable answer
// count among the votes of a majority only in that they are missing from it. It is 0 without an answer.
func (d Decision) Share() float64 {
	all, own := 0.0, 0.0
	weighted := slices.ContainsFunc(d.Votes, func(c Count) bool { return c.Weight != 0 })
	for _, v := range d.Votes {
		w := float64(len(v.Agents))
		if weighted {
			w = max(0, v.Weight)
		}
		if all += w; d.Answer.Parsed && v.Answer == d.Answer.Text {
			own = w
		}
	}
	if d.Tally != nil && d.Tally.Winner >= 0 {
		all, own = 0, d.Tally.Scores[d.Tally.Winner]
		for _, score := range d.Tally.Scores {
			all += score
		}
	}
	if all == 0 {
		return 0
	}
	return own / all
}
