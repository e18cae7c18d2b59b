// Package throughput measures how fast debates run.
//
// Lifecycle: a Workload has token ids in the shape of one source's experiment; Measure runs it several times on our
// engine and, taking turns with it, on a server that others wrote; a Report collects the Measurements as a table, JSON
// and a drawing.
package throughput

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-debate/parley/internal/strictyaml"
	"github.com/parley-debate/parley/internal/unknown"
)

//go:embed workloads/*.yaml
var files embed.FS

// Workload says how many requests there are, how long they are and what they share. Their tokens are random numbers by
// a seed, since hardly anything else matters to an engine; those of a recorded run are the run's.
type Workload struct {
	Name   string `yaml:"name"`
	Title  string `yaml:"title"`
	Kind   string `yaml:"kind"`   // independent, resample, sweep, debate or experiment
	Layout string `yaml:"layout"` // of a debate's prompts: exact or shared
	Full   Sizes  `yaml:"full"`
	Small  Sizes  `yaml:"small"` // a small version
	Hash   string `yaml:"-"`     // SHA-256 of the file, hex; "" where there is none

	// Prompts says that its rate counts the tokens of prompts, as llama-bench's pp does, and not those delivered.
	Prompts bool `yaml:"-"`

	recorded [][][]Request // of a recorded run: its debates, their calls, and the requests of each
}

// Sizes are counts, and lengths in tokens. Those that a kind does not use are zero.
type Sizes struct {
	Requests  int `yaml:"requests" json:"requests,omitempty"` // prompts that differ
	Questions int `yaml:"questions" json:"questions,omitempty"`
	Seeds     int `yaml:"seeds" json:"seeds,omitempty"`
	Agents    int `yaml:"agents" json:"agents,omitempty"`
	Rounds    int `yaml:"rounds" json:"rounds,omitempty"` // the first included, in which all answer alone
	Steps     int `yaml:"steps" json:"steps,omitempty"`   // of a sweep, whose prompts have 1 to Steps solutions
	Orders    int `yaml:"orders" json:"orders,omitempty"` // of the solutions
	Samples   int `yaml:"samples" json:"samples,omitempty"`
	Prefix    int `yaml:"prefix" json:"prefix,omitempty"`     // in front of each prompt, the same in all
	Prompt    int `yaml:"prompt" json:"prompt"`               // few-shot examples and question
	Solution  int `yaml:"solution" json:"solution,omitempty"` // a given text
	Closing   int `yaml:"closing" json:"closing,omitempty"`   // the instruction after the texts
	Reply     int `yaml:"reply" json:"reply"`                 // a generated text, always of this length
}

// Workloads are those that come with the program, in the order of their names.
func Workloads() []Workload {
	entries, err := files.ReadDir("workloads")
	if err != nil {
		panic(err)
	}
	var all []Workload
	for _, e := range entries {
		text, err := files.ReadFile("workloads/" + e.Name())
		if err != nil {
			panic(err)
		}
		w, err := parse(text)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", e.Name(), err))
		}
		all = append(all, w)
	}
	return all
}

// llamaBench are llama-bench's tests: pp512 computes a prompt of 512 tokens, tg128 generates 128 tokens behind one.
var llamaBench = regexp.MustCompile(`^(pp|tg)([1-9][0-9]{0,5})$`)

// FindWorkloads finds workloads: names, those of llama-bench's tests included, or "all".
func FindWorkloads(names ...string) ([]Workload, error) {
	all := Workloads()
	if slices.Equal(names, []string{"all"}) {
		return all, nil
	}
	var found []Workload
	var known []string
	for _, w := range all {
		known = append(known, w.Name)
	}
	for _, name := range names {
		if test := llamaBench.FindStringSubmatch(name); test != nil {
			n, _ := strconv.Atoi(test[2])
			w := Workload{Name: name, Title: "llama-bench's test: a prompt", Kind: "independent", Prompts: true,
				Full: Sizes{Requests: 1, Prompt: n, Reply: 1}}
			if test[1] == "tg" {
				w.Title, w.Prompts = "llama-bench's test: a reply", false
				w.Full = Sizes{Requests: 1, Prompt: 1, Reply: n}
			}
			w.Small = w.Full
			found = append(found, w)
			continue
		}
		i := slices.Index(known, name)
		if i < 0 {
			return nil, unknown.Name("workload", name, known, "all, and llama-bench's tests, such as pp512 and tg128")
		}
		found = append(found, all[i])
	}
	return found, nil
}

// longest is the largest size of a shape: more tokens or requests than any machine has time for.
const longest = 1_000_000

// Shape is a workload of somebody's own, whose text is a list of sizes such as "prefix=1000,prompt=200,samples=400,
// reply=250". Which sizes there are says what kind it is: with agents it is a debate, with steps a sweep, and otherwise
// prompts with samples of each; layout=shared chooses the layout of a debate.
func Shape(text string) (Workload, error) {
	w := Workload{Name: text, Title: "a shape of your own", Kind: "independent", Layout: "exact"}
	sizes := map[string]*int{"requests": &w.Full.Requests, "questions": &w.Full.Questions, "agents": &w.Full.Agents,
		"rounds": &w.Full.Rounds, "steps": &w.Full.Steps, "orders": &w.Full.Orders, "samples": &w.Full.Samples,
		"prefix": &w.Full.Prefix, "prompt": &w.Full.Prompt, "solution": &w.Full.Solution, "closing": &w.Full.Closing,
		"reply": &w.Full.Reply}
	names := slices.Sorted(maps.Keys(sizes))
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "layout" && (value == "exact" || value == "shared") {
			w.Layout = value
			continue
		}
		size := sizes[name]
		if size == nil {
			return w, unknown.Name("size", name, append(names, "layout"), "with =N, or layout=exact or shared")
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > longest {
			return w, fmt.Errorf("shape %s: %s=%s: must be a whole number, from 1 to %d", text, name, value, longest)
		}
		if *size != 0 {
			return w, fmt.Errorf("shape %s: %s is there twice", text, name)
		}
		*size = n
	}
	needs := []string{"prompt", "reply"}
	uses := []string{"prefix", "requests", "samples"}
	switch s := &w.Full; {
	case s.Agents > 0:
		w.Kind, uses = "debate", []string{"questions", "agents", "rounds", "closing"}
	case s.Steps > 0:
		w.Kind, needs = "sweep", append(needs, "solution")
		uses = []string{"steps", "orders", "samples", "solution", "closing"}
	}
	for _, name := range names {
		switch needed := slices.Contains(needs, name); {
		case needed && *sizes[name] == 0:
			return w, fmt.Errorf("shape %s: %s=N is missing", text, name)
		case !needed && *sizes[name] > 0 && !slices.Contains(uses, name):
			return w, fmt.Errorf("shape %s: %s means nothing beside the others: a debate has agents and no steps, "+
				"a sweep has steps, and both have no prefix", text, name)
		}
	}
	for _, one := range []string{"requests", "questions", "rounds", "orders", "samples"} { // there is at least one
		if *sizes[one] == 0 && slices.Contains(uses, one) {
			*sizes[one] = 1
		}
	}
	w.Small = w.Full
	return w, nil
}

func parse(text []byte) (Workload, error) {
	var w Workload
	if err := strictyaml.Unmarshal(text, &w); err != nil {
		return w, err
	}
	if kinds[w.Kind] == nil {
		return w, fmt.Errorf("workload %q: no kind %q", w.Name, w.Kind)
	}
	sum := sha256.Sum256(text)
	w.Hash = hex.EncodeToString(sum[:])
	return w, nil
}
