package society

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type Settings struct {
	Agents      int             `yaml:"agents"`
	Rounds      int             `yaml:"rounds"`
	Reading     string          `yaml:"reading"`
	Prompts     string          `yaml:"prompts"`
	Team        []debate.Member `yaml:"team"`
	Until       string          `yaml:"until"`
	Sure        float64         `yaml:"sure"`
	Decide      string          `yaml:"decide"`
	Verdict     string          `yaml:"verdict"`
	Ties        string          `yaml:"ties"`
	Abstain     float64         `yaml:"abstain"`
	Order       string          `yaml:"order"`
	Decay       float64         `yaml:"decay"`
	Topology    string          `yaml:"topology"`
	Graph       [][]int         `yaml:"graph"`
	Show        string          `yaml:"show"`
	Opening     string          `yaml:"opening"`
	Options     string          `yaml:"options"`
	Wording     string          `yaml:"wording"`
	Speak       string          `yaml:"speak"`
	Program     []string        `yaml:"program"`
	Layout      string          `yaml:"layout"`
	Labels      string          `yaml:"labels"`
	Roles       string          `yaml:"roles"`
	Removal     string          `yaml:"removal"`
	Summarizer  string          `yaml:"summarizer"`
	Confederate string          `yaml:"confederate"`
	Assigned    string          `yaml:"assigned"`
	Confidence  string          `yaml:"confidence"`
	Window      int             `yaml:"window"`
	Intensity   *int            `yaml:"intensity"`
	Memory      int             `yaml:"memory"`
	Probes      int             `yaml:"probes"`
	Ballots     string          `yaml:"ballots"`
	Candidates  string          `yaml:"candidates"`
	Judge       string          `yaml:"judge"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(s *Settings) []debate.Field {
	return []debate.Field{
		debate.Number(&s.Agents, 1, 1000, "number of agents, without those that preside"),
		debate.Number(&s.Rounds, 1, 1000, "number of rounds at most, including the first"),
		debate.Says(&s.Reading, debate.ReadingMeans),
		debate.Says(&s.Prompts, debate.PromptsMeans),
		debate.Says(&s.Team, debate.TeamMeans),
		debate.Says(&s.Until, "when the debate ends"),
		debate.Number(&s.Sure, 0, 1, "the confidence from which the first answer stands, for until sure; "+
			"by default 0.7"),
		debate.Says(&s.Decide, "how the debate is decided"),
		debate.Says(&s.Verdict, "what tells whether agents keep or revise their answers"),
		debate.Says(&s.Ties, "how ties between answers are broken"),
		debate.Number(&s.Abstain, 0, 1, "the least share of the votes with which an answer is given"),
		debate.Says(&s.Order, "the order in which the others are listed"),
		debate.Number(&s.Decay, 0, 1, "how likely the order still holds in each later round"),
		debate.Says(&s.Topology, "who hears whom"),
		debate.Says(&s.Graph, "the agents that each agent hears, for topology graph"),
		debate.Says(&s.Show, "how much of the others' texts is shown"),
		debate.Says(&s.Opening, "how the question is put: one of the prompts' openings"),
		debate.Says(&s.Options, "in which order agents see the question's options"),
		debate.Says(&s.Wording, "wording of the exchange: one of the prompts' wordings"),
		debate.Says(&s.Speak, "all at once, or one by one, hearing what was said in the same round"),
		debate.Says(&s.Program, "actions of MADC's code: optionally an opening, then one for each later round"),
		debate.Says(&s.Layout, "layout of the messages in later rounds"),
		debate.Says(&s.Labels, "whether the others' texts are shown under their speakers' names"),
		debate.Says(&s.Roles, "whether agents keep their roles, the personas and methods of the team"),
		debate.Says(&s.Removal, "which agent leaves before each later round, while more than two are left"),
		debate.Says(&s.Summarizer, "who sums up, where summaries are shown"),
		debate.Says(&s.Confederate, "the wrong answer that the last agent argues for, by a script and without a vote"),
		debate.Says(&s.Assigned, "the side that each agent is given to argue for before a judge"),
		debate.Says(&s.Confidence, "where the agents' confidence comes from"),
		debate.Number(&s.Window, 1, 1_000_000, "number of tokens of a group, for confidence tail, bottom-groups and "+
			"lowest-group; by default 2048"),
		debate.Number(&s.Intensity, 0, 10, "how far to agree with others: 0 is not at all"),
		debate.Number(&s.Memory, 0, 1000, "how many of its own latest replies an agent still sees; 0 is all"),
		debate.Number(&s.Probes, 0, 1000, "number of other orders of the same texts that each agent answers too"),
		debate.Says(&s.Ballots, "how an election asks for ballots"),
		debate.Says(&s.Candidates, "what an election votes on"),
		debate.Says(&s.Judge, "what is judged after the decision"),
	}
})

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	order, err := ParseOrder(s.Order, s.Reading)
	if err != nil {
		return nil, debate.Blame("order", err)
	}
	order.Decay = s.Decay
	topology, err := ParseTopology(s.Topology)
	if err != nil {
		return nil, debate.Blame("topology", err)
	}
	topology.Graph = s.Graph
	visible, err := parseVisibility(s.Show)
	if err != nil {
		return nil, debate.Blame("show", err)
	}
	if len(s.Program) > 0 {
		if first, ok := openings[s.Program[0]]; ok {
			s.Program, s.Opening = s.Program[1:], cmp.Or(s.Opening, first.opening)
			if first.inTurn {
				s.Speak = speakOneByOne
			}
		}
		s.Rounds = cmp.Or(s.Rounds, len(s.Program)+1)
	}
	program, err := parseProgram(s.Program, s.Reading)
	if err != nil {
		return nil, debate.Blame("program", err)
	}
	if s.Speak != "" && s.Speak != speakTogether && s.Speak != speakOneByOne {
		return nil, debate.Blame("speak", fmt.Errorf("speak %q; there are %s and %s", s.Speak, speakTogether,
			speakOneByOne))
	}
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	if s.Abstain > 0 && (Society{Until: s.Until}).stopsVoting() {
		return nil, debate.Blame("abstain", fmt.Errorf("abstain %g asks for a share of all votes, and until %s spares "+
			"those that cannot change which answer leads: leave out one of them", s.Abstain, s.Until))
	}
	d := Society{
		Asking: ask.Worded(set.Origin, set.File, set.Stop),
		Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Opening: s.Opening, Options: s.Options,
		Program: program,
		Exchange: Exchange{Order: order, Topology: topology, Visibility: visible, Wording: s.Wording,
			Labels: s.Labels, InTurn: s.Speak == speakOneByOne},
		Until: s.Until, Sure: cmp.Or(s.Sure, usualSure), Decide: s.Decide, Verdict: s.Verdict, Ties: s.Ties,
		Layout: s.Layout, Confidence: s.Confidence, Window: cmp.Or(s.Window, usualWindow),
		Intensity: s.Intensity, Probes: s.Probes, Confederate: s.Confederate,
		Assigned: s.Assigned,
		Ballots:  s.Ballots, Candidates: s.Candidates, Roles: s.Roles, Removal: s.Removal, Summarizer: s.Summarizer,
		Judge: s.Judge, Prompts: set,
	}
	if d.grouped() {
		d.Asking = scoring(d.Asking, deepConfTokens)
	}
	return debate.Composed(d, all, d.Check)
}

// PlainTexts reports whether settings in a record are those of a society in which everybody speaks for itself and texts
// are shown without names. Records without settings are of such societies.
func PlainTexts(s *debate.Settings) bool {
	if s == nil {
		return true
	}
	own := debate.Typed[Settings](*s)
	return s.Form == FormName && own.Labels == "" && own.Confederate == ""
}

// Simultaneous reports whether settings in a record have everybody speak at once, in the same way in every round.
func Simultaneous(s *debate.Settings) bool {
	if s == nil {
		return true
	}
	own := debate.Typed[Settings](*s)
	return own.Speak == "" && !hasProgram(own)
}

// StopsVoting reports whether settings in a record spare votes that cannot change which answer leads, so that the share
// of those that were cast says nothing of all.
func StopsVoting(s *debate.Settings) bool {
	return s != nil && s.Form == FormName && (Society{Until: debate.Typed[Settings](*s).Until}).stopsVoting()
}

// hasProgram reports whether the settings list actions, which then say how agents speak and what they see.
func hasProgram(s Settings) bool { return len(s.Program) > 0 }

// isOpening reports whether an action is a first round rather than an exchange.
func isOpening(action string) bool { _, ok := openings[action]; return ok }

// actions returns the number of exchanges in a program: its actions without the opening.
func actions(s Settings) int {
	if hasProgram(s) && isOpening(s.Program[0]) {
		return len(s.Program) - 1
	}
	return len(s.Program)
}

// inTurn reports whether the first round is one by one.
func inTurn(s Settings) bool {
	return s.Speak == speakOneByOne || hasProgram(s) && openings[s.Program[0]].inTurn
}

// sumsUp reports whether some exchange shows summaries.
func sumsUp(s Settings) bool {
	return s.Show == ShowSummary || slices.Contains(s.Program, "exchangeA")
}

func societyOf(s Settings) Society { return Society{Decide: s.Decide} }

// usualSure is iMAD's threshold, usualWindow DeepConf's group.
const (
	usualSure   = 0.7
	usualWindow = 2048
)

// FormName is the name of the form in files and records.
const FormName = "society"

// FirstRound returns the settings of a society that asks as another does in round 0, and then votes.
func FirstRound(all debate.Settings) debate.Settings {
	s := debate.Typed[Settings](all)
	first := Settings{
		Agents: s.Agents, Rounds: 1, Prompts: s.Prompts, Opening: s.Opening, Options: s.Options,
		Team: s.Team[:min(len(s.Team), cmp.Or(s.Agents, 3))], Speak: s.Speak,
		Confidence: s.Confidence, Window: s.Window, Ties: s.Ties,
	}
	if len(s.Program) > 0 {
		action := openings[s.Program[0]] // the zero value if it is no opening
		first.Opening = cmp.Or(first.Opening, action.opening)
		if action.inTurn {
			first.Speak = speakOneByOne
		}
	}
	return debate.Flat(FormName, first)
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name: FormName,
		Meaning: "all agents answer alone, then hear others and answer again; a rule over what was said, an " +
			"election, or one more agent decides",
		Typed: described,
		Idle:  debate.IdleBy(idle), Parts: parts(), Compose: compose,
		Asks: debate.Wording{Prompts: "madc", OfRun: true, Plain: true, InForm: prompts.Asking, For: promptsFor},
		Seating: debate.Seating{Seats: seats, Everybody: []string{"name", "persona", "tool"},
			Debaters: []string{"method", "memory"}},
		FirstRound: func(s debate.Settings, _ string) debate.Settings { return s },
		Shuffled:   shuffledOf,
		Needs: func(all debate.Settings) debate.Needs {
			s := debate.Typed[Settings](all)
			judged := s.Judge == JudgeFacts
			return debate.Needs{Facts: judged, Judged: judged,
				Relist: s.Options == optionsShuffled || s.Assigned != ""}
		},
	}
}

// promptsFor returns the prompts of a society that names none.
func promptsFor(embedded bool, rule string) string {
	if embedded {
		return "tiny"
	}
	return prompts.Fitting(rule)
}

// seats adds a summarizer or selector and a judge of facts to the agents, if they are asked.
func seats(all debate.Settings, agents int) int {
	s := debate.Typed[Settings](all)
	if s.Summarizer == summarizerAgent || s.Show == ShowRetained {
		agents++
	}
	if societyOf(s).writes() {
		agents++
	}
	if s.Judge == JudgeFacts {
		agents++
	}
	return agents
}

// shuffledOf is the control in which the others' answers stand behind reasoning about another question.
func shuffledOf(all debate.Settings) (shuffled debate.Settings, whyNot string) {
	switch s := debate.Typed[Settings](all); {
	case s.Rounds == 1:
		return all, "nobody hears another"
	case s.Show != "" && s.Show != ShowWhole:
		return all, fmt.Sprintf("it does not show the others' texts as they are (show %s)", s.Show)
	}
	return debate.Changed(all, func(s *Settings) { s.Show = ShowShuffled }), ""
}

var idle = []debate.IdleRule[Settings]{
	{Settings: []string{"order", "decay", "topology", "graph", "show", "labels"}, When: hasProgram,
		Why: "beside a program, whose actions say who hears what"},
	{Settings: []string{"wording"}, When: func(s Settings) bool { return hasProgram(s) && !inTurn(s) },
		Why: "beside a program, whose actions have their own wording"},
	{Settings: []string{"opening"},
		When: func(s Settings) bool { return hasProgram(s) && isOpening(s.Program[0]) },
		Why:  "beside a program that begins with an opening"},
	{Settings: []string{"program"},
		When: func(s Settings) bool { return s.Rounds > 0 && s.Rounds <= actions(s) },
		Why:  "in part: it has more actions than there are later rounds"},
	{Settings: []string{"order", "decay", "topology", "graph", "show", "labels", "confederate", "speak", "probes"},
		When: func(s Settings) bool { return strings.HasPrefix(s.Wording, "verify") },
		Why:  "with a self-check as the wording, in which nobody is heard"},
	{Settings: []string{"order", "decay", "show", "labels", "confederate", "wording", "speak", "intensity"},
		When: func(s Settings) bool { return s.Topology == TopologyIsolated },
		Why:  "with topology " + TopologyIsolated + ", in which nobody is heard"},
	{Settings: []string{"team"},
		When: func(s Settings) bool { return s.Confederate != "" && len(s.Team) >= cmp.Or(s.Agents, 3) },
		Why:  "in part: its last member is the confederate, which follows a script"},
	{Settings: []string{"decay"}, When: func(s Settings) bool { return s.Order == "random" },
		Why: "in a random order"},
	{Settings: []string{"summarizer"}, When: func(s Settings) bool { return !sumsUp(s) },
		Why: "where no summaries are shown: set show to " + ShowSummary},
	{Settings: []string{"sure"}, When: func(s Settings) bool { return s.Until != untilSure },
		Why: "without until " + untilSure},
	{Settings: []string{"window"},
		When: func(s Settings) bool { return !(Society{Confidence: s.Confidence}).grouped() },
		Why:  "without a confidence of groups of tokens"},
	{Settings: []string{"graph"}, When: func(s Settings) bool { return s.Topology != TopologyGraph },
		Why: "without topology " + TopologyGraph},
	{Settings: []string{"ties"},
		When: func(s Settings) bool {
			return societyOf(s).elects() || societyOf(s).writes() || s.Decide == "first" || s.Decide == "last"
		},
		Why: "with decide %s, which does not count equal answers"},
	{Settings: []string{"verdict"}, When: func(s Settings) bool { return s.Decide != "trajectory" },
		Why: "without decide trajectory, which alone asks who kept an answer"},
	{Settings: []string{"ballots", "candidates"}, When: func(s Settings) bool { return !societyOf(s).elects() },
		Why: "where nobody votes"},
	{Settings: []string{"ballots"}, When: func(s Settings) bool { return s.Decide == "soft" },
		Why: "with decide %s, which asks for no ballots"},
}
