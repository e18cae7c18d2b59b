package discussion

import (
	"cmp"
	"strings"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/listing"
	"github.com/parley-debate/parley/debate/prompts"
)

// Settings are the settings of the form. Files, flags, records and help follow from the fields: see debate.Form.Typed.
type Settings struct {
	Agents    int             `yaml:"agents"`
	Rounds    int             `yaml:"rounds"`
	Reading   string          `yaml:"reading"`
	Prompts   string          `yaml:"prompts"`
	Team      []debate.Member `yaml:"team"`
	Decide    string          `yaml:"decide"`
	Abstain   float64         `yaml:"abstain"`
	Order     string          `yaml:"order"`
	Ballots   string          `yaml:"ballots"`
	Paradigm  string          `yaml:"paradigm"`
	SubRounds int             `yaml:"sub-rounds"`
	Generator string          `yaml:"generator"`
	Personas  string          `yaml:"personas"`
	Neutral   bool            `yaml:"neutral"`
	Drafting  string          `yaml:"drafting"`
	Direct    bool            `yaml:"direct"`
	Full      bool            `yaml:"full"`
	VoteFrom  int             `yaml:"vote-from"`
	VotersSee string          `yaml:"voters-see"`
	Challenge string          `yaml:"challenge"`
	Ablate    int             `yaml:"ablate"`
}

// described says what the settings mean, and which numbers they can be.
var described = debate.Describe(func(s *Settings) []debate.Field {
	return []debate.Field{
		debate.Number(&s.Agents, 1, 1000, "number of panelists"),
		debate.Number(&s.Rounds, 1, 1000, "number of turns at most"),
		debate.Says(&s.Reading, debate.ReadingMeans),
		debate.Says(&s.Prompts, debate.PromptsMeans),
		debate.Says(&s.Team, debate.TeamMeans),
		debate.Says(&s.Decide, "how the discussion is decided"),
		debate.Number(&s.Abstain, 0, 1, "the least share of the votes with which an answer is given"),
		debate.Says(&s.Order, "the order in which paradigm collective lists the others' answers"),
		debate.Says(&s.Ballots, "how an election asks for ballots"),
		debate.Says(&s.Paradigm, "who speaks when, and who sees what"),
		debate.Number(&s.SubRounds, 1, 1000, "number of rounds within a turn of paradigm debate"),
		debate.Says(&s.Generator, "how agents are asked for messages"),
		debate.Says(&s.Personas, "kinds of personas, separated by commas, which agents get in turn"),
		debate.Says(&s.Neutral, "whether one more agent speaks first and only drafts"),
		debate.Says(&s.Drafting, "when all agents draft alone"),
		debate.Says(&s.Direct, "agents are not asked to think step by step"),
		debate.Says(&s.Full, "all turns are held, whenever the discussion could be decided"),
		debate.Number(&s.VoteFrom, 1, 1000, "the first turn after which agents vote"),
		debate.Says(&s.VotersSee, "what voters see besides the solutions"),
		debate.Says(&s.Challenge, "how the decision is challenged"),
		debate.Number(&s.Ablate, 0, 1000, "number of improvements by one agent that replace the discussion"),
	}
})

func compose(all debate.Settings, ask debate.Asking) (debate.Debate, error) {
	s := debate.Typed[Settings](all)
	set, err := prompts.LoadDiscussion(s.Prompts)
	if err != nil {
		return nil, debate.Blame("prompts", err)
	}
	reading := cmp.Or(s.Reading, debate.ReadingCode)
	order, err := listing.ParseCounted(s.Order, "", "discussion")
	if err != nil {
		return nil, debate.Blame("order", err)
	}
	order.Reading = reading
	d := discussion{
		Asking: ask.Worded(set.Origin, set.File, set.Stop),
		Agents: s.Agents, Neutral: s.Neutral, Turns: s.Rounds, Full: s.Full, Paradigm: s.Paradigm,
		Rounds: s.SubRounds, Generator: s.Generator,
		Drafting: s.Drafting, Direct: s.Direct, Decide: s.Decide, VoteFrom: s.VoteFrom, Shown: s.VotersSee,
		Ballots: s.Ballots, Personas: s.Personas,
		Challenge: s.Challenge, Ablate: s.Ablate, Order: order, Reading: reading, Prompts: set,
	}.complete()
	return debate.Composed(d, all, d.check)
}

// ByConsensus reports whether a consensus decides a discussion, which is the default.
func ByConsensus(s Settings) bool {
	_, ok := findConsensus(s.Decide)
	return ok || s.Decide == ""
}

// Form describes the form to package protocol, which composes debates of it by name.
func Form() debate.Form {
	return debate.Form{
		Name:    FormName,
		Meaning: "agents with personas speak in turn about one draft, until they agree or a vote decides",
		Typed:   described,
		Idle:    debate.IdleBy(idle), Parts: parts(), Compose: compose,
		Asks: debate.Wording{Prompts: "discussion", InForm: prompts.AskingInDiscussion},
		Seating: debate.Seating{Everybody: []string{"tool"}, Seats: seats, First: func(s debate.Settings) int {
			if debate.Typed[Settings](s).Neutral {
				return 1 // after the neutral agent, which is no member
			}
			return 0
		}, Debaters: []string{"name", "persona"}},
		Needs: func(all debate.Settings) debate.Needs {
			s := debate.Typed[Settings](all)
			return debate.Needs{Facts: s.Challenge == ChallengeFacts || s.VotersSee == shownFacts,
				Wrong: s.Challenge == challengeWrong}
		},
	}
}

// FormName is the name of the form in files and records.
const FormName = "discussion"

// seats adds one who is asked for a wrong answer, with which the decision is challenged.
func seats(all debate.Settings, agents int) int {
	switch s := debate.Typed[Settings](all); {
	case s.Ablate > 0:
		return 1
	case s.Challenge == challengeWrong:
		return agents + 1
	}
	return agents
}

var idle = []debate.IdleRule[Settings]{
	{Settings: []string{"agents", "rounds", "reading", "decide", "paradigm", "order", "sub-rounds", "personas",
		"neutral", "generator", "drafting", "full", "vote-from", "voters-see", "ballots", "challenge"},
		When: func(s Settings) bool { return s.Ablate > 0 },
		Why:  "beside ablate, in which a single agent improves its own solution"},
	{Settings: []string{"order"}, When: func(s Settings) bool { return s.Paradigm != paradigmCollective },
		Why: "without paradigm " + paradigmCollective + ": elsewhere messages stand as they were said"},
	{Settings: []string{"order"}, When: func(s Settings) bool { return s.Drafting == draftEvery },
		Why: "with drafting " + draftEvery + ", where nobody sees another agent"},
	{Settings: []string{"sub-rounds"}, When: func(s Settings) bool { return s.Paradigm != paradigmDebate },
		Why: "without paradigm " + paradigmDebate},
	{Settings: []string{"generator"}, When: func(s Settings) bool { return s.Paradigm == paradigmCollective },
		Why: "in paradigm " + paradigmCollective + ", which has its own"},
	{Settings: []string{"drafting"},
		When: func(s Settings) bool {
			return s.Paradigm == paradigmCollective && s.Drafting == draftFirst
		},
		Why: "in paradigm " + paradigmCollective + ", where nobody sees another agent in the first turn anyway"},
	{Settings: []string{"full"},
		When: func(s Settings) bool {
			return s.Paradigm == paradigmDebate && cmp.Or(s.Reading, debate.ReadingCode) == debate.ReadingCode
		},
		Why: "in paradigm " + paradigmDebate + " of the code's reading: the released program ends there once it has " +
			"decided"},
	{Settings: []string{"vote-from"},
		When: func(s Settings) bool { return s.Full || s.Decide == consensusVoting || ByConsensus(s) },
		Why:  "where agents do not vote from some turn on, but never, after every turn, or after the last turn alone"},
	{Settings: []string{"voters-see", "ballots"},
		When: func(s Settings) bool { return ByConsensus(s) || s.Decide == countingDecision },
		Why:  "with decide %s, where nobody votes"},
	{Settings: []string{"voters-see"},
		When: func(s Settings) bool {
			return s.Decide == consensusVoting && s.VotersSee == shownLikely
		},
		Why: "with decide %s, which votes on solutions as they are, and not on final answers that have a probability"},
	{Settings: []string{"ballots"},
		When: func(s Settings) bool { return s.Decide == judgeDecision || s.Decide == "soft" },
		Why:  "with decide %s, which asks for no ballots"},
	{Settings: []string{"personas"},
		When: func(s Settings) bool { return strings.Count(s.Personas, ",") >= cmp.Or(s.Agents, 3) },
		Why:  "in part: there are more kinds than agents"},
}
