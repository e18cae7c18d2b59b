// Package protocol composes debates by name. It knows all forms, reads settings, refuses those that mean nothing to a
// form or contradict each other, and lists the named protocols (protocols.yaml). Hold is the shortest way to hold a
// debate. Programs that hold debates import this package; forms never do.
package protocol

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/internal/strictyaml"
	"github.com/parley-debate/parley/internal/unknown"
)

// Protocol is a form with settings and a name.
type Protocol struct {
	Name    string `yaml:"name"`
	Source  string `yaml:"source"`
	Meaning string `yaml:"meaning"`
	// Answer is the answer rule, if the prompts ask for answers in a certain form.
	Answer          string `yaml:"answer,omitempty"`
	debate.Settings        // in a file beside the fields above, in a record in a field settings

	text []byte // the file that it was read from, in which errors give the line; nil for Protocols
}

//go:embed protocols.yaml
var protocolsFile []byte

// protocols reads the file when somebody asks for a protocol: most commands do not.
var protocols = sync.OnceValue(func() (all []Protocol) {
	list := reflect.New(reflect.SliceOf(fileType()))
	if err := strictyaml.Unmarshal(protocolsFile, list.Interface()); err != nil {
		panic(err) // embedded
	}
	for i := range list.Elem().Len() {
		var p Protocol
		p.enter(list.Elem().Index(i))
		all = append(all, p)
	}
	return all
})

// Usual is the protocol of a debate for which none is named.
const Usual = "society"

// Protocols returns the protocols in the program.
func Protocols() []Protocol { return slices.Clone(protocols()) }

// LoadProtocol returns one of Protocols, or reads one from a path that ends in .yaml or .yml. It refuses unknown and
// contradictory settings and gives their line. Models of the team are looked for next to the file first.
func LoadProtocol(name string) (Protocol, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		text, err := strictyaml.ReadFile(name)
		if err != nil {
			return Protocol{}, fmt.Errorf("protocol: %w", err)
		}
		p, err := ParseProtocol(text)
		if err != nil {
			return Protocol{}, fmt.Errorf("protocol %q: %w", name, err)
		}
		p.lookBeside(filepath.Dir(name))
		return p, nil
	}
	var all []string
	for _, p := range protocols() {
		if p.Name == name {
			return p, nil
		}
		all = append(all, p.Name)
	}
	return Protocol{}, unknown.Listed("protocol", name, all, "parley protocols", "or name a .yaml file")
}

// ParseProtocol reads a protocol from the text of a YAML file, which must give at least the form.
func ParseProtocol(text []byte) (Protocol, error) {
	p := Protocol{Name: "own", text: text}
	file := p.file()
	if err := strictyaml.Unmarshal(text, file.Interface()); err != nil {
		return Protocol{}, err
	}
	p.enter(file.Elem())
	if p.Form == "" {
		return Protocol{}, errors.New("form must be given: the loop that the settings are for, such as society")
	}
	if err := p.CheckNumbers(debate.WrittenIn(text)...); err != nil {
		return Protocol{}, debate.Locate(text, err)
	}
	if _, err := p.Compose(debate.Asking{}); err != nil {
		return Protocol{}, err
	}
	return p, nil
}

// YAML returns the protocol as a file that ParseProtocol reads.
func (p Protocol) YAML() ([]byte, error) {
	return yaml.MarshalWithOptions(p.file().Elem().Interface(), yaml.Indent(2), yaml.IndentSequence(true))
}

// inRecord is a protocol as records have it: with the settings in a field of their own.
type inRecord struct {
	Name     string          `json:"name"`
	Source   string          `json:"source"`
	Meaning  string          `json:"meaning"`
	Answer   string          `json:"answer,omitempty"`
	Settings debate.Settings `json:"settings"`
}

// MarshalJSON implements json.Marshaler, which the embedded settings do too, for themselves alone.
func (p Protocol) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // whoever encodes the record says whether it does
	err := e.Encode(inRecord{p.Name, p.Source, p.Meaning, p.Answer, p.Settings})
	return bytes.TrimSpace(text.Bytes()), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Protocol) UnmarshalJSON(text []byte) error {
	r := inRecord{p.Name, p.Source, p.Meaning, p.Answer, p.Settings}
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	p.Name, p.Source, p.Meaning, p.Answer, p.Settings = r.Name, r.Source, r.Meaning, r.Answer, r.Settings
	return nil
}

// fileType is a struct with the fields of a protocol and, beside them, all settings.
func fileType() reflect.Type {
	var fields []reflect.StructField
	own := reflect.TypeFor[Protocol]()
	for i := range ownFields {
		fields = append(fields, own.Field(i))
	}
	return reflect.StructOf(append(fields, debate.SettingFields()...))
}

// ownFields is how many fields of a Protocol come before its settings.
const ownFields = 4

// file returns a pointer to a struct of fileType with the protocol.
func (p Protocol) file() reflect.Value {
	file, own := reflect.New(fileType()), reflect.ValueOf(p)
	for i := range ownFields {
		file.Elem().Field(i).Set(own.Field(i))
	}
	p.Settings.Fill(file.Elem())
	return file
}

// enter sets the protocol to what a struct of fileType has.
func (p *Protocol) enter(file reflect.Value) {
	own := reflect.ValueOf(p).Elem()
	for i := range ownFields {
		own.Field(i).Set(file.Field(i))
	}
	p.Settings.Enter(file)
}

// Compose makes the debate.
func (p Protocol) Compose(ask debate.Asking) (debate.Debate, error) {
	d, err := Compose(p.Settings, ask)
	if err != nil {
		return nil, debate.Locate(p.text, err)
	}
	return named{d, p}, nil
}

// Equal reports whether two protocols have the same name, answer rule and settings.
func (p Protocol) Equal(other Protocol) bool {
	return p.Name == other.Name && p.Answer == other.Answer && p.Settings.Equal(other.Settings)
}

// Human has a person reply for an agent.
func (p *Protocol) Human(agent int) error {
	if agent < 0 || agent >= debate.MaxSize {
		return fmt.Errorf("agent %d: agents are numbered from 0 to %d", agent, debate.MaxSize-1)
	}
	// Copied, since all callers share the team of a protocol in the program.
	team := make([]debate.Member, max(len(p.Team()), agent+1))
	copy(team, p.Team())
	team[agent].Human = true
	p.Settings = p.With("team", team)
	return nil
}

// truthForms are the forms in which Truth offers a right answer to an answer rule: a bare "A" is no answer by a rule
// that reads "(A)".
var truthForms = []string{"%s", "(%s)", "answer is (%s)", `\boxed{%s}`, "Final Solution: %s"}

// Truth reads a right answer that somebody has written down, by the answer rule that reads replies: as it is, or in a
// form that the rule looks for. It refuses a text that the rule reads in no form, since no reply could ever equal it.
func (p Protocol) Truth(question, text, rule string) (answer.Answer, error) {
	_, options := reader.KindOfQuestion(question)
	about := answer.Question{Text: question, Options: options}
	extract, err := reader.RuleFor(rule, about)
	if err != nil {
		return answer.Unparsed, err
	}
	example := answer.Example(rule)
	if read := p.FormOf().Answers.Truth; read != nil {
		if own, like, ok := read(question); ok {
			extract, example = own, like
		}
	}
	if answer.IsReader(rule) {
		if a, err := reader.ReadTarget(rule, text, about); err == nil && a.Parsed && a.Text != "" {
			return a, nil
		}
	}
	for _, form := range truthForms {
		if a := extract(fmt.Sprintf(form, text)); a.Parsed && strings.TrimSpace(text) != "" {
			return answer.Of(a.Text), nil
		}
	}
	return answer.Unparsed, fmt.Errorf("the truth %.80q can be no answer by the rule %s, whose answers look like %s",
		text, rule, example)
}

// Roles returns what the agents are called. It is nil if they are numbered.
func (p Protocol) Roles() []string {
	d, err := p.Compose(debate.Asking{})
	if err != nil {
		return nil
	}
	return rolesOf(d)
}

// named is a debate whose transcript has the name and the settings of its protocol.
type named struct {
	debate.Debate
	protocol Protocol
}

// Run implements Debate.
func (n named) Run(ctx context.Context, speaker debate.Speaker, c debate.Case) (debate.Transcript, error) {
	t, err := n.Debate.Run(ctx, speaker, c)
	t.Protocol, t.Settings = n.protocol.Name, &n.protocol.Settings
	return t, err
}

// RoleNames implements debate.Named.
func (n named) RoleNames() []string { return rolesOf(n.Debate) }

// Echo implements debate.Echoing.
func (n named) Echo() string { return debate.EchoOf(n.Debate) }

// How is how the debate asks, if its form says: see debate.HowOf.
func (n named) How() debate.Asking {
	a, _ := debate.HowOf(n.Debate)
	return a
}

// Copies implements debate.Copying.
func (n named) Copies() bool { return debate.CopiesOf(n.Debate) }

// ShowingAnswers implements debate.Terse.
func (n named) ShowingAnswers() debate.Debate { return debate.ShowingAnswers(n.Debate) }

// Borrows implements debate.Borrowing.
func (n named) Borrows() bool { return debate.BorrowsOf(n.Debate) }
