package debate

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/strictyaml"
	"github.com/parley-debate/parley/internal/unknown"
)

// Settings are the choices that a debate is composed of, as files and records name them. Each form reads some of them,
// and says what they mean to it in the doc tags of its own typed settings; a setting that is not given has the form's
// default. The zero value of a field means that it is not given. The comments here are for all forms.
type Settings struct {
	Form    string `yaml:"form,omitempty" json:"form,omitempty"`       // the loop: the name of one of protocol.Forms
	Agents  int    `yaml:"agents,omitempty" json:"agents,omitempty"`   // without those that preside
	Rounds  int    `yaml:"rounds,omitempty" json:"rounds,omitempty"`   // at most, including the first
	Reading string `yaml:"reading,omitempty" json:"reading,omitempty"` // ReadingPaper or ReadingCode
	Prompts string `yaml:"prompts,omitempty" json:"prompts,omitempty"` // the name of a set of prompts, or a .yaml file
	// Team has the members that differ from the others, beginning with the first agent.
	Team    []Member `yaml:"team,omitempty" json:"team,omitempty"`
	Until   string   `yaml:"until,omitempty" json:"until,omitempty"`     // when the debate ends
	Decide  string   `yaml:"decide,omitempty" json:"decide,omitempty"`   // how it is decided
	Ties    string   `yaml:"ties,omitempty" json:"ties,omitempty"`       // how ties between answers are broken
	Abstain float64  `yaml:"abstain,omitempty" json:"abstain,omitempty"` // the least share of the votes for an answer

	// Exchanges of a society. Knights and reversals have an order too.
	Order    string  `yaml:"order,omitempty" json:"order,omitempty"`       // of replies, players or solutions
	Decay    float64 `yaml:"decay,omitempty" json:"decay,omitempty"`       // how the order fades from round to round
	Topology string  `yaml:"topology,omitempty" json:"topology,omitempty"` // who hears whom
	Graph    [][]int `yaml:"graph,omitempty" json:"graph,omitempty"`       // whom each agent hears, for topology graph
	Show     string  `yaml:"show,omitempty" json:"show,omitempty"`         // how much of the others' texts is shown
	Opening  string  `yaml:"opening,omitempty" json:"opening,omitempty"`   // how the question is put
	Wording  string  `yaml:"wording,omitempty" json:"wording,omitempty"`   // of the message with the others' solutions
	Speak    string  `yaml:"speak,omitempty" json:"speak,omitempty"`       // all at once, or one by one
	// Program has actions of source 0's code: optionally an opening, then one action for each later round.
	Program []string `yaml:"program,omitempty" json:"program,omitempty"`
	Layout  string   `yaml:"layout,omitempty" json:"layout,omitempty"` // of messages in later rounds
	Labels  string   `yaml:"labels,omitempty" json:"labels,omitempty"` // whether texts are shown under names

	Roles      string `yaml:"roles,omitempty" json:"roles,omitempty"`           // whether agents keep their roles
	Removal    string `yaml:"removal,omitempty" json:"removal,omitempty"`       // who leaves before later rounds
	Summarizer string `yaml:"summarizer,omitempty" json:"summarizer,omitempty"` // who sums up, if somebody does

	Confederate string `yaml:"confederate,omitempty" json:"confederate,omitempty"` // what a scripted agent argues for

	Confidence string `yaml:"confidence,omitempty" json:"confidence,omitempty"` // whether agents say how sure they are
	Intensity  *int   `yaml:"intensity,omitempty" json:"intensity,omitempty"`   // how far to agree with others, 0 to 10
	Memory     int    `yaml:"memory,omitempty" json:"memory,omitempty"`         // own latest replies that it sees
	Probes     int    `yaml:"probes,omitempty" json:"probes,omitempty"`         // other orders that each agent answers

	Ballots    string `yaml:"ballots,omitempty" json:"ballots,omitempty"`       // how agents are asked for ballots
	Candidates string `yaml:"candidates,omitempty" json:"candidates,omitempty"` // of an election: texts, or answers

	// Of a discussion.
	Paradigm  string `yaml:"paradigm,omitempty" json:"paradigm,omitempty"`     // who speaks when, and who sees what
	SubRounds int    `yaml:"sub-rounds,omitempty" json:"sub_rounds,omitempty"` // within a turn of paradigm debate
	Generator string `yaml:"generator,omitempty" json:"generator,omitempty"`   // how agents are asked for messages
	Personas  string `yaml:"personas,omitempty" json:"personas,omitempty"`     // kinds of personas, separated by commas
	Neutral   bool   `yaml:"neutral,omitempty" json:"neutral,omitempty"`       // whether one more agent only drafts
	Drafting  string `yaml:"drafting,omitempty" json:"drafting,omitempty"`     // when all agents draft alone
	Direct    bool   `yaml:"direct,omitempty" json:"direct,omitempty"`         // no request to think step by step
	Full      bool   `yaml:"full,omitempty" json:"full,omitempty"`             // whether all turns are held
	VoteFrom  int    `yaml:"vote-from,omitempty" json:"vote_from,omitempty"`   // the first turn after which agents vote
	VotersSee string `yaml:"voters-see,omitempty" json:"voters_see,omitempty"` // what voters see besides solutions
	Challenge string `yaml:"challenge,omitempty" json:"challenge,omitempty"`   // what follows the decision
	// Ablate replaces the discussion by so many improvements by one agent.
	Ablate int `yaml:"ablate,omitempty" json:"ablate,omitempty"`

	Budget string `yaml:"budget,omitempty" json:"budget,omitempty"` // of sampling: calls or tokens

	// Of a reversal. Two fields have clearer names here than in files, whose names must not change.
	Initial       string `yaml:"own,omitempty" json:"own,omitempty"`         // the agent's initial answer
	MostSolutions int    `yaml:"most,omitempty" json:"most,omitempty"`       // heard at the last step of the sweep
	Samples       int    `yaml:"samples,omitempty" json:"samples,omitempty"` // in the pool, if no earlier debate is one
	Holder        int    `yaml:"holder,omitempty" json:"holder,omitempty"`   // who has the right solution, from 0

	Depth int `yaml:"depth,omitempty" json:"depth,omitempty"` // of knights: passes over the players, or stances on each

	Judge string `yaml:"judge,omitempty" json:"judge,omitempty"` // of knights and societies: what is judged at the end

	// Of a tit for tat.
	Level     *int   `yaml:"level,omitempty" json:"level,omitempty"`           // how far the sides may agree, 0 to 3
	JudgeSees string `yaml:"judge-sees,omitempty" json:"judge_sees,omitempty"` // arguments of the first round, or all
	Swapped   bool   `yaml:"swapped,omitempty" json:"swapped,omitempty"`       // each side under the other's name

	Replies string `yaml:"replies,omitempty" json:"replies,omitempty"` // RepliesFree or RepliesJSON

	// Of every form: whether a reply that repeats itself ends there; nil leaves it to Asking.
	EndLoops *bool `yaml:"end-loops,omitempty" json:"end_loops,omitempty"`
}

// Readings of a source. Where its paper and its program differ, the reading says which of them a debate follows; each
// form documents the differences that it knows.
const (
	ReadingCode  = "code"
	ReadingPaper = "paper"
)

// Member is a member of a team as a file describes it. What it does not say is as for all agents.
type Member struct {
	Name        string   `yaml:"name,omitempty" json:"name,omitempty" doc:"as the others and records see it"`
	Persona     string   `yaml:"persona,omitempty" json:"persona,omitempty" doc:"replaces the system message"`
	Method      string   `yaml:"method,omitempty" json:"method,omitempty" doc:"how it is to reason: one of the prompts' methods, or an instruction"`
	Memory      int      `yaml:"memory,omitempty" json:"memory,omitempty" doc:"how many of its own latest replies it still sees; 0 is all"`
	Temperature *float32 `yaml:"temperature,omitempty" json:"temperature,omitempty" schema:"range=temperature" doc:"its own sampling temperature"`
	TopK        *int     `yaml:"top-k,omitempty" json:"top_k,omitempty" schema:"range=top-k" doc:"its own number of most likely tokens"`
	TopP        *float32 `yaml:"top-p,omitempty" json:"top_p,omitempty" schema:"range=top-p" doc:"its own probability of most likely tokens"`
	MinP        *float32 `yaml:"min-p,omitempty" json:"min_p,omitempty" schema:"range=min-p" doc:"its own share of the best token"`
	Model       string   `yaml:"model,omitempty" json:"model,omitempty" doc:"a GGUF file, looked for next to the experiment first, a name of parley models, or a role of models"`
	// whether a person at the terminal replies; files have no such member
	Human bool `yaml:"human,omitempty" json:"human,omitempty" schema:"-"`
}

// Given returns the names of the settings that are given.
func (s Settings) Given() (names []string) {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names = append(names, SettingName(v.Type().Field(i)))
		}
	}
	return names
}

// SettingName returns what files and flags call a field of Settings or Member.
func SettingName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// SettingNames returns the names of all settings.
func SettingNames() (names []string) {
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		names = append(names, SettingName(t.Field(i)))
	}
	return names
}

// Set changes one setting, as in Set("rounds", "3"). Lists are written as in YAML: "[exchange, verify]".
func (s *Settings) Set(name, value string) error {
	if !slices.Contains(SettingNames(), name) {
		return unknown.Listed("setting", name, SettingNames(), "parley protocols --parts")
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

// TeamAgents returns what sets agents apart. The setting memory applies to agents that have no memory of their own;
// base is the sampling of those that set only some of its parameters.
func (s Settings) TeamAgents(base inference.Sampling, agents int) []Agent {
	members := s.Team
	if s.Memory > 0 {
		members = append(slices.Clone(members), make([]Member, max(0, agents-len(members)))...)
	}
	var team []Agent
	for _, m := range members {
		a := Agent{Name: m.Name, Persona: m.Persona, Method: m.Method, Memory: m.Memory, Model: m.Model}
		if a.Memory == 0 {
			a.Memory = s.Memory
		}
		if m.Temperature != nil || m.TopK != nil || m.TopP != nil || m.MinP != nil {
			own := base
			override(&own.Temperature, m.Temperature)
			override(&own.TopK, m.TopK)
			override(&own.TopP, m.TopP)
			override(&own.MinP, m.MinP)
			a.Sampling = &own
		}
		team = append(team, a)
	}
	return team
}

// TeamName returns a word for a team: the names of its members, or else their models.
func TeamName(team []Member) string {
	labels := make([]string, len(team))
	for i, m := range team {
		label := strings.TrimSuffix(filepath.Base(m.Model), ".gguf")
		if m.Model == "" {
			label = "plain"
		}
		labels[i] = cmp.Or(m.Name, label)
	}
	return unnameable.ReplaceAllString(strings.Join(labels, "+"), "-")
}

// unnameable matches what names of conditions cannot have.
var unnameable = regexp.MustCompile(`[^a-zA-Z0-9_.+-]+`)

// override replaces a value if there is another one.
func override[T any](value *T, own *T) {
	if own != nil {
		*value = *own
	}
}

// MaxSize bounds the agents, rounds and samples of a debate that a file composes.
const MaxSize = 1000
