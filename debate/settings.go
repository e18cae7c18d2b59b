package debate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/inference"
	"parley/strictyaml"
)

// Settings are the parts that a debate is composed of, as a file names them. Each form of debate reads some of them;
// what is not given is as the form has it.
type Settings struct {
	Form string `yaml:"form,omitempty" json:"form,omitempty"` // the loop: one of Forms
	// who take part, a moderator and the like not counted
	Agents int `yaml:"agents,omitempty" json:"agents,omitempty"`
	Rounds int `yaml:"rounds,omitempty" json:"rounds,omitempty"` // most of them, the first included
	// paper or code, where a source's paper and its code differ
	Reading string   `yaml:"reading,omitempty" json:"reading,omitempty"`
	Prompts string   `yaml:"prompts,omitempty" json:"prompts,omitempty"` // a set of wording, or a .yaml file
	Team    []Member `yaml:"team,omitempty" json:"team,omitempty"`       // what sets agents apart
	Until   string   `yaml:"until,omitempty" json:"until,omitempty"`     // what ends it
	Decide  string   `yaml:"decide,omitempty" json:"decide,omitempty"`   // how it is decided
	// how ties between answers end: first, random or open
	Ties string `yaml:"ties,omitempty" json:"ties,omitempty"`
	// no answer that has less than this share of the votes
	Abstain float64 `yaml:"abstain,omitempty" json:"abstain,omitempty"`

	// how the others are listed; of knights: in which players are debated
	Order string `yaml:"order,omitempty" json:"order,omitempty"`
	// how the order loses its hold from round to round
	Decay float64 `yaml:"decay,omitempty" json:"decay,omitempty"`
	// who hears whom: full, ring, neighbours, star, random:K or graph
	Topology string  `yaml:"topology,omitempty" json:"topology,omitempty"`
	Graph    [][]int `yaml:"graph,omitempty" json:"graph,omitempty"` // whom each agent hears, for topology graph
	Show     string  `yaml:"show,omitempty" json:"show,omitempty"`   // what is seen of the others' texts
	// how the question is put, one of the prompts' openings
	Opening string `yaml:"opening,omitempty" json:"opening,omitempty"`
	Wording string `yaml:"wording,omitempty" json:"wording,omitempty"` // of exchanges, one of the prompts'
	// together, or one-by-one, hearing what was said in the same round
	Speak string `yaml:"speak,omitempty" json:"speak,omitempty"`
	// actions of source 0's code: an opening, if it is another, then one a later round
	Program []string `yaml:"program,omitempty" json:"program,omitempty"`
	// of messages in later rounds: history or shared
	Layout string `yaml:"layout,omitempty" json:"layout,omitempty"`

	// of a society: asked or tokens; of knights: shown or hidden
	Confidence string `yaml:"confidence,omitempty" json:"confidence,omitempty"`
	Intensity  *int   `yaml:"intensity,omitempty" json:"intensity,omitempty"` // how far to agree with others, 0 to 10
	// how many of its own last replies an agent still sees; 0 is all
	Memory int `yaml:"memory,omitempty" json:"memory,omitempty"`
	// other listings of the same texts that each agent answers too
	Probes int `yaml:"probes,omitempty" json:"probes,omitempty"`

	Ballots string `yaml:"ballots,omitempty" json:"ballots,omitempty"` // of an election: free, grammar or soft
	// of a society's election: texts, or answers with equal ones merged
	Candidates string `yaml:"candidates,omitempty" json:"candidates,omitempty"`

	// of a discussion: who speaks, and who sees what
	Paradigm  string `yaml:"paradigm,omitempty" json:"paradigm,omitempty"`
	SubRounds int    `yaml:"sub-rounds,omitempty" json:"sub_rounds,omitempty"` // within a turn of paradigm debate
	Generator string `yaml:"generator,omitempty" json:"generator,omitempty"`   // how messages are asked for
	// kinds of them, with commas: none, expert, ipip
	Personas string `yaml:"personas,omitempty" json:"personas,omitempty"`
	Neutral  bool   `yaml:"neutral,omitempty" json:"neutral,omitempty"` // one more agent drafts
	// when all agents draft alone: none, first or every turn
	Drafting string `yaml:"drafting,omitempty" json:"drafting,omitempty"`
	Direct   bool   `yaml:"direct,omitempty" json:"direct,omitempty"`       // nobody is asked to think step by step
	Full     bool   `yaml:"full,omitempty" json:"full,omitempty"`           // all turns are held before the decision
	VoteFrom int    `yaml:"vote-from,omitempty" json:"vote_from,omitempty"` // the first turn that is voted after
	// besides the solutions: names, facts, history, confidence
	VotersSee string `yaml:"voters-see,omitempty" json:"voters_see,omitempty"`
	Challenge string `yaml:"challenge,omitempty" json:"challenge,omitempty"` // after the decision
	// improvements by one agent instead of a discussion
	Ablate int `yaml:"ablate,omitempty" json:"ablate,omitempty"`

	// of sampling: what it may spend as much of as the debate before, calls or tokens
	Budget string `yaml:"budget,omitempty" json:"budget,omitempty"`
	// of a centre: what its own first answer is, right, wrong or other
	Initial string `yaml:"own,omitempty" json:"own,omitempty"`
	// of a centre: how many solutions are heard at the end of the sweep
	MostSolutions int `yaml:"most,omitempty" json:"most,omitempty"`
	// of a centre: how many solutions it samples, where no debate before gives them
	Samples int `yaml:"samples,omitempty" json:"samples,omitempty"`
	// of a centre: which of those heard has the right solution, from 0
	Holder int `yaml:"holder,omitempty" json:"holder,omitempty"`

	// of knights: passes over all players; in the reading of the code, stances on each
	Depth int `yaml:"depth,omitempty" json:"depth,omitempty"`
	// of tit for tat: how far the sides may agree, 0 to 3
	Level *int `yaml:"level,omitempty" json:"level,omitempty"`
	// of tit for tat: the arguments of the first round, or all
	JudgeSees string `yaml:"judge-sees,omitempty" json:"judge_sees,omitempty"`
	// moderator and judge see each side under the other's name
	Swapped bool `yaml:"swapped,omitempty" json:"swapped,omitempty"`
	// with several fields: free, or json by a grammar
	Replies string `yaml:"replies,omitempty" json:"replies,omitempty"`
}

// Member is an agent of a team, as a file names it.
type Member struct {
	Name    string `yaml:"name,omitempty" json:"name,omitempty"`
	Persona string `yaml:"persona,omitempty" json:"persona,omitempty"` // its system message
	// chain-of-thought, step-back, program, or words of your own
	Method      string   `yaml:"method,omitempty" json:"method,omitempty"`
	Memory      int      `yaml:"memory,omitempty" json:"memory,omitempty"`
	Temperature *float32 `yaml:"temperature,omitempty" json:"temperature,omitempty"`
	TopK        *int     `yaml:"top-k,omitempty" json:"top_k,omitempty"`
	TopP        *float32 `yaml:"top-p,omitempty" json:"top_p,omitempty"`
	MinP        *float32 `yaml:"min-p,omitempty" json:"min_p,omitempty"`
	Model       string   `yaml:"model,omitempty" json:"model,omitempty"` // a GGUF file, instead of that of all
	Human       bool     `yaml:"human,omitempty" json:"human,omitempty"` // somebody at the terminal
}

// given lists the settings that are, by their names.
func (s Settings) Given() (names []string) {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names = append(names, SettingName(v.Type().Field(i)))
		}
	}
	return names
}

func SettingName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// SettingNames lists all settings.
func SettingNames() (names []string) {
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		names = append(names, SettingName(t.Field(i)))
	}
	return names
}

// Set changes one setting: "rounds", "3". Lists are written as YAML has them: "[exchange, verify]".
func (s *Settings) Set(name, value string) error {
	if !slices.Contains(SettingNames(), name) {
		return fmt.Errorf("no setting %q; there are %s", name, strings.Join(SettingNames(), ", "))
	}
	if err := strictyaml.Unmarshal([]byte(name+": "+value), s); err != nil {
		if r, number := RangeOf(name); number {
			return fmt.Errorf("%s %q: must be a number %s", name, value, r)
		}
		return fmt.Errorf("%s: %q: %s", name, value, firstLine(err))
	}
	return s.CheckNumbers(name)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// team is what sets agents apart; memory is everybody's who has none of their own.
func (s Settings) TeamAgents(base inference.Sampling, agents int) []Agent {
	members := s.Team
	if s.Memory > 0 {
		members = append(slices.Clone(members), make([]Member, max(0, agents-len(members)))...)
	}
	var team []Agent
	for _, m := range members {
		a := Agent{Name: m.Name, Persona: m.Persona, Method: m.Method, Memory: m.Memory}
		if a.Memory == 0 {
			a.Memory = s.Memory
		}
		if m.Temperature != nil || m.TopK != nil || m.TopP != nil || m.MinP != nil {
			own := base
			instead(&own.Temperature, m.Temperature)
			instead(&own.TopK, m.TopK)
			instead(&own.TopP, m.TopP)
			instead(&own.MinP, m.MinP)
			a.Sampling = &own
		}
		team = append(team, a)
	}
	return team
}

func instead[T any](value *T, own *T) {
	if own != nil {
		*value = *own
	}
}

// most agents and rounds of a debate that a file composes.
const MaxSize = 1000
