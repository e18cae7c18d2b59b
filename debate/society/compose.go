package society

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings that the form reads, with the names and types of debate.Settings. The doc tags are shown to
// users; the list of what the form reads follows from the fields: see debate.Described.
type Settings struct {
	Agents      int             `doc:"number of agents, without those that preside"`
	Rounds      int             `doc:"number of rounds at most, including the first"`
	Reading     string          `doc:"paper or code, where a source's paper and its code differ"`
	Prompts     string          `doc:"a set of prompts, or a .yaml file"`
	Team        []debate.Member `doc:"what sets agents apart"`
	Until       string          `doc:"when the debate ends"`
	Decide      string          `doc:"how the debate is decided"`
	Ties        string          `doc:"how ties between answers are broken"`
	Abstain     float64         `doc:"the least share of the votes with which an answer is given"`
	Order       string          `doc:"the order in which the others are listed"`
	Decay       float64         `doc:"how likely the order still holds in each later round"`
	Topology    string          `doc:"who hears whom"`
	Graph       [][]int         `doc:"the agents that each agent hears, for topology graph"`
	Show        string          `doc:"how much of the others' texts is shown"`
	Opening     string          `doc:"how the question is put: one of the prompts' openings"`
	Wording     string          `doc:"wording of the exchange: one of the prompts' wordings"`
	Speak       string          `doc:"all at once, or one by one, hearing what was said in the same round"`
	Program     []string        `doc:"actions of source 0's code: optionally an opening, then one for each later round"`
	Layout      string          `doc:"layout of the messages in later rounds"`
	Labels      string          `doc:"whether the others' texts are shown under their speakers' names"`
	Roles       string          `doc:"whether agents keep their roles, the personas and methods of the team"`
	Removal     string          `doc:"which agent leaves before each later round, while more than two are left"`
	Summarizer  string          `doc:"who sums up, where summaries are shown"`
	Confederate string          `doc:"the wrong answer that the last agent argues for, by a script and without a vote"`
	Confidence  string          `doc:"where the agents' confidence comes from"`
	Intensity   *int            `doc:"how far to agree with others, from 0 to 10"`
	Memory      int             `doc:"how many of its own latest replies an agent still sees; 0 is all"`
	Probes      int             `doc:"number of other orders of the same texts that each agent answers too"`
	Ballots     string          `doc:"how an election asks for ballots"`
	Candidates  string          `doc:"what an election votes on"`
	Judge       string          `doc:"what is judged after the decision"`
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
	showing, err := ParseShowing(s.Show)
	if err != nil {
		return nil, debate.Blame("show", err)
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
		return nil, debate.Blame("program", err)
	}
	if s.Speak != "" && s.Speak != SpeakTogether && s.Speak != SpeakOneByOne {
		return nil, debate.Blame("speak", fmt.Errorf("speak %q; there are %s and %s", s.Speak, SpeakTogether,
			SpeakOneByOne))
	}
	set, err := prompts.Load(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	d := Society{
		Asking: ask.Stopping(set.Stop),
		Agents: cmp.Or(s.Agents, 3), Rounds: cmp.Or(s.Rounds, 2), Opening: s.Opening, Program: program,
		Exchange: Exchange{Order: order, Topology: topology, Showing: showing, Wording: s.Wording,
			Labels: s.Labels, InTurn: s.Speak == SpeakOneByOne},
		Until: s.Until, Decide: s.Decide, Ties: s.Ties, Layout: s.Layout, Confidence: s.Confidence,
		Intensity: s.Intensity, Probes: s.Probes, Confederate: s.Confederate,
		Ballots: s.Ballots, Candidates: s.Candidates, Roles: s.Roles, Removal: s.Removal, Summarizer: s.Summarizer,
		Judge: s.Judge, Prompts: set,
	}
	return debate.Composed(d, all, d.Check)
}

// PlainTexts reports whether settings in a record are those of a society in which everybody speaks for itself and texts
// are shown without names. Records without settings are of such societies.
func PlainTexts(s *debate.Settings) bool {
	return s == nil || s.Form == FormName && s.Labels == "" && s.Confederate == ""
}

// Simultaneous reports whether settings in a record have everybody speak at once, in the same way in every round.
func Simultaneous(s *debate.Settings) bool { return s == nil || s.Speak == "" && !programmed(*s) }

func programmed(s debate.Settings) bool { return len(s.Program) > 0 }

func isOpening(action string) bool { _, ok := openings[action]; return ok }

// actions returns the number of exchanges in a program: its actions without the opening.
func actions(s debate.Settings) int {
	if programmed(s) && isOpening(s.Program[0]) {
		return len(s.Program) - 1
	}
	return len(s.Program)
}

// inTurn reports whether the first round is one by one.
func inTurn(s debate.Settings) bool {
	return s.Speak == SpeakOneByOne || programmed(s) && openings[s.Program[0]].inTurn
}

// sumsUp reports whether some exchange shows summaries.
func sumsUp(s debate.Settings) bool {
	return s.Show == ShowSummary || slices.Contains(s.Program, "exchangeA")
}

func societyOf(s debate.Settings) Society { return Society{Decide: s.Decide} }

// FormName is the name of the form in files and records.
const FormName = "society"

// FirstRound returns the settings of a society that asks as s does in round 0, and then votes.
func FirstRound(s debate.Settings) debate.Settings {
	first := debate.Settings{
		Form: FormName, Agents: s.Agents, Rounds: 1, Prompts: s.Prompts, Opening: s.Opening,
		Team: s.Team[:min(len(s.Team), cmp.Or(s.Agents, 3))], Speak: s.Speak,
		Confidence: s.Confidence, Ties: s.Ties,
	}
	if len(s.Program) > 0 {
		action := openings[s.Program[0]] // the zero value if it is no opening
		first.Opening = cmp.Or(first.Opening, action.opening)
		if action.inTurn {
			first.Speak = SpeakOneByOne
		}
	}
	return first
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name: FormName,
		Meaning: "all agents answer alone, then hear others and answer again; a rule over what was said, or an " +
			"election, decides",
		Reads: debate.Reads[Settings](), Settings: debate.Described[Settings](),
		Idle: idle, Parts: parts(), Compose: compose,
		Asks: debate.Wording{Prompts: "madc", OfRun: true, Plain: true, InForm: prompts.Asking, For: promptsFor},
		Seating: debate.Seating{Seats: seats, Everybody: []string{"name", "persona"},
			Debaters: []string{"method", "memory"}},
		FirstRound: func(s debate.Settings, _ string) debate.Settings { return s },
		Shuffled:   shuffledOf,
	}
}

// promptsFor returns the prompts of a society that names none.
func promptsFor(embedded bool, rule string) string {
	if embedded {
		return "tiny"
	}
	return prompts.Fitting(rule)
}

// seats adds a summarizer and a judge of facts to the agents, if they are asked.
func seats(s debate.Settings, agents int) int {
	if s.Summarizer == SummarizerAgent {
		agents++
	}
	if s.Judge == JudgeFacts {
		agents++
	}
	return agents
}

// shuffledOf is the control in which the others' answers stand behind reasoning about another question.
func shuffledOf(s debate.Settings) (shuffled debate.Settings, whyNot string) {
	switch {
	case s.Rounds == 1:
		return s, "nobody hears another"
	case s.Show != "" && s.Show != ShowWhole:
		return s, fmt.Sprintf("it does not show the others' texts as they are (show %s)", s.Show)
	}
	s.Show = ShowShuffled
	return s, ""
}

var idle = []debate.IdleRule{
	{Settings: []string{"order", "decay", "topology", "graph", "show", "labels"}, When: programmed,
		Why: "beside a program, whose actions say who hears what"},
	{Settings: []string{"wording"}, When: func(s debate.Settings) bool { return programmed(s) && !inTurn(s) },
		Why: "beside a program, whose actions have their own wording"},
	{Settings: []string{"opening"},
		When: func(s debate.Settings) bool { return programmed(s) && isOpening(s.Program[0]) },
		Why:  "beside a program that begins with an opening"},
	{Settings: []string{"program"},
		When: func(s debate.Settings) bool { return s.Rounds > 0 && s.Rounds <= actions(s) },
		Why:  "in part: it has more actions than there are later rounds"},
	{Settings: []string{"order", "decay", "topology", "graph", "show", "labels", "confederate", "speak", "probes"},
		When: func(s debate.Settings) bool { return strings.HasPrefix(s.Wording, "verify") },
		Why:  "with a self-check as the wording, in which nobody is heard"},
	{Settings: []string{"order", "decay", "show", "labels", "confederate", "wording", "speak", "intensity"},
		When: func(s debate.Settings) bool { return s.Topology == TopologyIsolated },
		Why:  "with topology " + TopologyIsolated + ", in which nobody is heard"},
	{Settings: []string{"team"},
		When: func(s debate.Settings) bool { return s.Confederate != "" && len(s.Team) >= cmp.Or(s.Agents, 3) },
		Why:  "in part: its last member is the confederate, which follows a script"},
	{Settings: []string{"decay"}, When: func(s debate.Settings) bool { return s.Order == "random" },
		Why: "in a random order"},
	{Settings: []string{"summarizer"}, When: func(s debate.Settings) bool { return !sumsUp(s) },
		Why: "where no summaries are shown: set show to " + ShowSummary},
	{Settings: []string{"graph"}, When: func(s debate.Settings) bool { return s.Topology != TopologyGraph },
		Why: "without topology " + TopologyGraph},
	{Settings: []string{"ties"},
		When: func(s debate.Settings) bool {
			return societyOf(s).elects() || s.Decide == "first" || s.Decide == "last"
		},
		Why: "with decide %s, which does not count equal answers"},
	{Settings: []string{"ballots", "candidates"}, When: func(s debate.Settings) bool { return !societyOf(s).elects() },
		Why: "where nobody votes"},
	{Settings: []string{"ballots"}, When: func(s debate.Settings) bool { return s.Decide == "soft" },
		Why: "with decide %s, which asks for no ballots"},
}
