package prompts

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/strictyaml"
)

//go:embed discussion/*.yaml
var discussionFiles embed.FS

// Discussion is the wording of a discussion among agents with personas (MALLM).
type Discussion struct {
	Name    string           `yaml:"name"`
	Origin  string           `yaml:"origin"`
	Styles  map[string]Style `yaml:"styles"`  // of messages, by the name of the generator
	History string           `yaml:"history"` // ends the system message once something has been said
	Line    string           `yaml:"line"`    // another's message, with {speaker} and {message}
	Steps   string           `yaml:"steps"`   // asks for reasoning step by step, after everything else

	Extract    Call       `yaml:"extract"` // the solution in a message, with {message}
	Collective Collective `yaml:"collective"`
	Final      Call       `yaml:"final"` // an agent's final answer, with {role}, {question} and {solution}
	// a single agent's first solution, with {question}; absent: as in a discussion
	Alone   Call `yaml:"alone"`
	Improve Call `yaml:"improve"` // a single agent's next solution, with {question} and {solution}

	Vote       Ballot    `yaml:"vote"`
	Confidence Call      `yaml:"confidence"` // in an agent's final answer, with {role}, {question} and {solution}
	Challenge  Challenge `yaml:"challenge"`
	Personas   Personas  `yaml:"personas"`
	// Forms say how an answer is to be stated: {form} in all texts.
	Forms Forms `yaml:"forms"`

	Replies `yaml:",inline"`
}

func (d Discussion) forms() Forms { return d.Forms }

// Call is a conversation of its own: a system and a user message.
type Call struct {
	System string `yaml:"system"`
	User   string `yaml:"user"`
}

// Style is how a generator asks for a message.
type Style struct {
	System  string `yaml:"system"`  // with {question} and {role}
	Draft   string `yaml:"draft"`   // follows System if there is a draft, with {draft}; empty: drafts are not shown
	Propose string `yaml:"propose"` // the request if there is no draft
	Improve string `yaml:"improve"` // the request if there is a draft
	Revise  string `yaml:"revise"`  // the request to an agent who drafts, if there is a draft
	// Stance asks first, in a call of its own, whether the agent agrees; Agreed or Disagreed then begins the request.
	// Empty: the message itself says whether the agent agrees.
	Stance    string `yaml:"stance"`
	Agreed    string `yaml:"agreed"`
	Disagreed string `yaml:"disagreed"`
}

// Collective is the wording of collective refinement. The user message is User, then Heard once there are answers, then
// After.
type Collective struct {
	System string `yaml:"system"` // with {role}
	User   string `yaml:"user"`   // with {question}
	Heard  string `yaml:"heard"`  // with {own} and {others}
	Other  string `yaml:"other"`  // with {speaker} and {message}
	After  string `yaml:"after"`
}

// Ballot asks for a vote. The user message is Question, Facts, History, all solutions joined by Between, and the
// request of the rule.
type Ballot struct {
	System    string            `yaml:"system"`    // with {role}
	Question  string            `yaml:"question"`  // with {question}
	Facts     string            `yaml:"facts"`     // with {facts}
	History   string            `yaml:"history"`   // with {history}
	Solution  string            `yaml:"solution"`  // with {number}, from 0, and {solution}
	Named     string            `yaml:"named"`     // replaces Solution if speakers are shown, with {speaker}
	Confident string            `yaml:"confident"` // follows if confidences are shown, with {confidence}
	Between   string            `yaml:"between"`
	Rules     map[string]string `yaml:"rules"` // requests by the decision rule; {points} is how many to distribute
}

// Candidate is a solution that is voted on. An empty Speaker or Confidence is not shown.
type Candidate struct {
	Solution   string
	Speaker    string
	Confidence string // in percent
}

// Challenge asks whether a panelist stands by the final answer, and after a disagreement for its own.
type Challenge struct {
	System     string `yaml:"system"`   // with {role}
	Question   string `yaml:"question"` // with {question}
	Facts      string `yaml:"facts"`    // with {facts}
	History    string `yaml:"history"`  // with {history}
	Answer     string `yaml:"answer"`   // with {answer}: AGREE or DISAGREE?
	Again      string `yaml:"again"`    // asks for the panelist's own answer
	Irrelevant string `yaml:"irrelevant"`
	Wrong      Call   `yaml:"wrong"` // asks for a wrong answer, with {question}; may be absent
}

// Personas is the wording of personas: experts that a model describes, and personalities that are drawn.
type Personas struct {
	Plain     string   `yaml:"plain"`   // the name of an agent without a persona, with {number} from 1
	Neutral   string   `yaml:"neutral"` // the name of a neutral agent who drafts
	Duty      string   `yaml:"duty"`    // the description of the neutral agent
	Expert    Call     `yaml:"expert"`  // asks for an expert, with {question} and {known}
	Known     string   `yaml:"known"`   // one line of {known}, with {role} and {description}
	Nobody    string   `yaml:"nobody"`  // {known} before there is anybody
	Traits    []Trait  `yaml:"traits"`
	Work      []string `yaml:"work"`
	Genders   []string `yaml:"genders"`
	Described string   `yaml:"described"` // with {gender}, {work} and {traits}
}

// Trait is one of the Big Five and its two ends.
type Trait struct {
	Name string `yaml:"name"`
	Low  string `yaml:"low"`
	High string `yaml:"high"`
}

// LoadDiscussion returns the set in the program, "discussion", or reads one from a path that ends in .yaml or .yml.
func LoadDiscussion(name string) (Discussion, error) {
	return load(discussionFiles, "discussion", name, "a discussion", parseDiscussion)
}

func parseDiscussion(text []byte, kind answer.Kind) (Discussion, error) {
	d, err := checkedDiscussion(text)
	if err != nil {
		return Discussion{}, err
	}
	form, err := d.Forms.of(kind, written().Form)
	if err != nil {
		return Discussion{}, err
	}
	if kind != "" {
		d.Name += ":" + string(kind)
	}
	restate(reflect.ValueOf(&d).Elem(), form)
	return d, nil
}

// checkedDiscussion reads a set as it is written.
func checkedDiscussion(text []byte) (Discussion, error) {
	var d Discussion
	if err := strictyaml.Unmarshal(text, &d); err != nil {
		return Discussion{}, err
	}
	required := []slot{
		{"line", d.Line, "{message}"}, {"extract.user", d.Extract.User, "{message}"},
		{"collective.user", d.Collective.User, "{question}"},
		{"collective.heard", d.Collective.Heard, "{own}"}, {"collective.heard", d.Collective.Heard, "{others}"},
		{"collective.other", d.Collective.Other, "{message}"},
		{"final.user", d.Final.User, "{solution}"}, {"improve.user", d.Improve.User, "{solution}"},
		{"confidence.user", d.Confidence.User, "{solution}"},
		{"vote.question", d.Vote.Question, "{question}"}, {"vote.facts", d.Vote.Facts, "{facts}"},
		{"vote.history", d.Vote.History, "{history}"},
		{"vote.solution", d.Vote.Solution, "{solution}"}, {"vote.named", d.Vote.Named, "{speaker}"},
		{"vote.confident", d.Vote.Confident, "{confidence}"},
		{"challenge.question", d.Challenge.Question, "{question}"}, {"challenge.facts", d.Challenge.Facts, "{facts}"},
		{"challenge.history", d.Challenge.History, "{history}"}, {"challenge.answer", d.Challenge.Answer, "{answer}"},
		{"personas.plain", d.Personas.Plain, "{number}"},
		{"personas.expert.user", d.Personas.Expert.User, "{question}"},
		{"personas.expert.user", d.Personas.Expert.User, "{known}"},
		{"personas.described", d.Personas.Described, "{traits}"},
	}
	if d.Alone != (Call{}) {
		required = append(required, slot{"alone.user", d.Alone.User, "{question}"})
	}
	if d.Challenge.Wrong != (Call{}) {
		required = append(required, slot{"challenge.wrong.user", d.Challenge.Wrong.User, "{question}"})
	}
	for name, style := range d.Styles {
		required = append(required, slot{"styles." + name + ".system", style.System, "{question}"})
		if style.Propose == "" || style.Improve == "" || style.Revise == "" {
			return Discussion{}, fmt.Errorf("styles.%s: propose, improve and revise must be given", name)
		}
	}
	for _, r := range required {
		if err := r.check(); err != nil {
			return Discussion{}, err
		}
	}
	switch {
	case d.Name == "" || d.Origin == "":
		return Discussion{}, errors.New("name and origin must be given: records show them")
	case len(d.Styles) == 0 || d.Challenge.Again == "":
		return Discussion{}, errors.New("styles and challenge.again must be given")
	case len(d.Personas.Traits) == 0 || len(d.Personas.Work) == 0 || len(d.Personas.Genders) == 0:
		return Discussion{}, errors.New("personas.traits, work and genders must be given")
	}
	return d, cmp.Or(d.Forms.check(), d.Replies.check())
}

// SystemFor returns the system message of an agent who speaks. draft may be empty; history tells whether anything has
// been said.
func (d Discussion) SystemFor(style, question, role, draft string, history bool) string {
	s := d.Styles[style]
	text := fill(s.System, "{question}", question, "{role}", role)
	if draft != "" {
		text += fill(s.Draft, "{draft}", draft)
	}
	if history {
		text += d.History
	}
	return text
}

// LineOf returns a message as others see it.
func (d Discussion) LineOf(speaker, message string) string {
	return fill(d.Line, "{speaker}", speaker, "{message}", message)
}

// CollectiveFor returns the request for an answer in collective refinement; own is empty in the first turn.
func (d Discussion) CollectiveFor(question, own string, speakers, messages []string) string {
	text := fill(d.Collective.User, "{question}", question)
	if own != "" {
		others := make([]string, len(messages))
		for i, m := range messages {
			others[i] = fill(d.Collective.Other, "{speaker}", speakers[i], "{message}", m)
		}
		text += fill(d.Collective.Heard, "{own}", own, "{others}", strings.Join(others, "\n\n"))
	}
	return text + d.Collective.After
}

// CollectiveSystem returns the system message of collective refinement.
func (d Discussion) CollectiveSystem(role string) string {
	return fill(d.Collective.System, "{role}", role)
}

// VoterFor returns the system message of a voter.
func (d Discussion) VoterFor(role string) string { return fill(d.Vote.System, "{role}", role) }

// ChallengedFor returns the system message of a panelist who is challenged.
func (d Discussion) ChallengedFor(role string) string {
	return fill(d.Challenge.System, "{role}", role)
}

// With fills both messages of a call.
func (c Call) With(placeholdersAndValues ...string) (system, user string) {
	return fill(c.System, placeholdersAndValues...), fill(c.User, placeholdersAndValues...)
}

// BallotOn returns the request for a vote on candidates; facts and history may be empty.
func (d Discussion) BallotOn(question, facts, history string, candidates []Candidate, rule string, points int) string {
	v := d.Vote
	parts := make([]string, len(candidates))
	for i, c := range candidates {
		template := v.Solution
		if c.Speaker != "" {
			template = v.Named
		}
		if c.Confidence != "" {
			template += v.Confident
		}
		parts[i] = fill(template, "{number}", strconv.Itoa(i), "{solution}", c.Solution, "{speaker}", c.Speaker,
			"{confidence}", c.Confidence)
	}
	return background(v.Question, v.Facts, v.History, question, facts, history) +
		strings.Join(parts, v.Between) + fill(v.Rules[rule], "{points}", strconv.Itoa(points))
}

// ChallengeOf returns the question whether a panelist stands by a final answer; facts and history may be empty.
func (d Discussion) ChallengeOf(question, facts, history, answer string) string {
	c := d.Challenge
	return background(c.Question, c.Facts, c.History, question, facts, history) + fill(c.Answer, "{answer}", answer)
}

// background returns the beginning of a request for a vote or a challenge.
func background(questionText, factsText, historyText, question, facts, history string) string {
	text := fill(questionText, "{question}", question)
	if facts != "" {
		text += fill(factsText, "{facts}", facts)
	}
	if history != "" {
		text += fill(historyText, "{history}", history)
	}
	return text
}

// ExpertFor returns the request for one more expert, given the roles and descriptions of those there are.
func (d Discussion) ExpertFor(question string, roles, descriptions []string) (system, user string) {
	p := d.Personas
	known := p.Nobody
	if len(roles) > 0 {
		lines := make([]string, len(roles))
		for i := range roles {
			lines[i] = fill(p.Known, "{role}", roles[i], "{description}", descriptions[i])
		}
		known = strings.Join(lines, "\n")
	}
	return p.Expert.With("{question}", question, "{known}", known)
}

// PlainName returns the name of an agent without a persona, numbered from 1.
func (d Discussion) PlainName(number int) string {
	return fill(d.Personas.Plain, "{number}", strconv.Itoa(number))
}

// Describe returns the description of a personality that was drawn.
func (d Discussion) Describe(gender, work string, traits []string) string {
	return fill(d.Personas.Described, "{gender}", gender, "{work}", work, "{traits}", strings.Join(traits, "; "))
}

// StyleNames returns the names of the styles, sorted.
func (d Discussion) StyleNames() (names []string) {
	for name := range d.Styles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
