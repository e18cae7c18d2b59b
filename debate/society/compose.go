package society

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type Settings struct {
	Agents      int             `yaml:"agents" range:"1..1000" doc:"number of agents, without those that preside"`
	Rounds      int             `yaml:"rounds" range:"1..1000" doc:"number of rounds at most, including the first"`
	Reading     string          `yaml:"reading" doc:"what is followed where a source's paper and its code differ"`
	Prompts     string          `yaml:"prompts" doc:"a set of prompts, or a .yaml file"`
	Team        []debate.Member `yaml:"team" doc:"what sets agents apart"`
	Until       string          `yaml:"until" doc:"when the debate ends"`
	Decide      string          `yaml:"decide" doc:"how the debate is decided"`
	Verdict     string          `yaml:"verdict" doc:"what tells whether agents keep or revise their answers"`
	Ties        string          `yaml:"ties" doc:"how ties between answers are broken"`
	Abstain     float64         `yaml:"abstain" range:"0..1" doc:"the least share of the votes with which an answer is given"`
	Order       string          `yaml:"order" doc:"the order in which the others are listed"`
	Decay       float64         `yaml:"decay" range:"0..1" doc:"how likely the order still holds in each later round"`
	Topology    string          `yaml:"topology" doc:"who hears whom"`
	Graph       [][]int         `yaml:"graph" doc:"the agents that each agent hears, for topology graph"`
	Show        string          `yaml:"show" doc:"how much of the others' texts is shown"`
	Opening     string          `yaml:"opening" doc:"how the question is put: one of the prompts' openings"`
	Options     string          `yaml:"options" doc:"in which order agents see the question's options"`
	Wording     string          `yaml:"wording" doc:"wording of the exchange: one of the prompts' wordings"`
	Speak       string          `yaml:"speak" doc:"all at once, or one by one, hearing what was said in the same round"`
	Program     []string        `yaml:"program" doc:"actions of MADC's code: optionally an opening, then one for each later round"`
	Layout      string          `yaml:"layout" doc:"layout of the messages in later rounds"`
	Labels      string          `yaml:"labels" doc:"whether the others' texts are shown under their speakers' names"`
	Roles       string          `yaml:"roles" doc:"whether agents keep their roles, the personas and methods of the team"`
	Removal     string          `yaml:"removal" doc:"which agent leaves before each later round, while more than two are left"`
	Summarizer  string          `yaml:"summarizer" doc:"who sums up, where summaries are shown"`
	Confederate string          `yaml:"confederate" doc:"the wrong answer that the last agent argues for, by a script and without a vote"`
	Confidence  string          `yaml:"confidence" doc:"where the agents' confidence comes from"`
	Intensity   *int            `yaml:"intensity" range:"0..10" doc:"how far to agree with others: 0 is not at all"`
	Memory      int             `yaml:"memory" range:"0..1000" doc:"how many of its own latest replies an agent still sees; 0 is all"`
	Probes      int             `yaml:"probes" range:"0..1000" doc:"number of other orders of the same texts that each agent answers too"`
	Ballots     string          `yaml:"ballots" doc:"how an election asks for ballots"`
	Candidates  string          `yaml:"candidates" doc:"what an election votes on"`
	Judge       string          `yaml:"judge" doc:"what is judged after the decision"`
}

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
	d := Society{
		Asking: ask.Worded(set.Origin, set.File, set.Stop),
		Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Opening: s.Opening, Options: s.Options,
		Program: program,
		Exchange: Exchange{Order: order, Topology: topology, Visibility: visible, Wording: s.Wording,
			Labels: s.Labels, InTurn: s.Speak == speakOneByOne},
		Until: s.Until, Decide: s.Decide, Verdict: s.Verdict, Ties: s.Ties, Layout: s.Layout, Confidence: s.Confidence,
		Intensity: s.Intensity, Probes: s.Probes, Confederate: s.Confederate,
		Ballots: s.Ballots, Candidates: s.Candidates, Roles: s.Roles, Removal: s.Removal, Summarizer: s.Summarizer,
		Judge: s.Judge, Prompts: set,
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

// FormName is the name of the form in files and records.
const FormName = "society"

// FirstRound returns the settings of a society that asks as another does in round 0, and then votes.
func FirstRound(all debate.Settings) debate.Settings {
	s := debate.Typed[Settings](all)
	first := Settings{
		Agents: s.Agents, Rounds: 1, Prompts: s.Prompts, Opening: s.Opening, Options: s.Options,
		Team: s.Team[:min(len(s.Team), cmp.Or(s.Agents, 3))], Speak: s.Speak,
		Confidence: s.Confidence, Ties: s.Ties,
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
		Meaning: "all agents answer alone, then hear others and answer again; a rule over what was said, or an " +
			"election, decides",
		Typed: reflect.TypeFor[Settings](),
		Idle:  debate.IdleBy(idle), Parts: parts(), Compose: compose,
		Asks: debate.Wording{Prompts: "madc", OfRun: true, Plain: true, InForm: prompts.Asking, For: promptsFor},
		Seating: debate.Seating{Seats: seats, Everybody: []string{"name", "persona"},
			Debaters: []string{"method", "memory"}},
		FirstRound: func(s debate.Settings, _ string) debate.Settings { return s },
		Shuffled:   shuffledOf,
		Needs: func(all debate.Settings) debate.Needs {
			s := debate.Typed[Settings](all)
			judged := s.Judge == JudgeFacts
			return debate.Needs{Facts: judged, Judged: judged, Relist: s.Options == optionsShuffled}
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
	{Settings: []string{"graph"}, When: func(s Settings) bool { return s.Topology != TopologyGraph },
		Why: "without topology " + TopologyGraph},
	{Settings: []string{"ties"},
		When: func(s Settings) bool {
			return societyOf(s).elects() || s.Decide == "first" || s.Decide == "last"
		},
		Why: "with decide %s, which does not count equal answers"},
	{Settings: []string{"verdict"}, When: func(s Settings) bool { return s.Decide != "trajectory" },
		Why: "without decide trajectory, which alone asks who kept an answer"},
	{Settings: []string{"ballots", "candidates"}, When: func(s Settings) bool { return !societyOf(s).elects() },
		Why: "where nobody votes"},
	{Settings: []string{"ballots"}, When: func(s Settings) bool { return s.Decide == "soft" },
		Why: "with decide %s, which asks for no ballots"},
}
