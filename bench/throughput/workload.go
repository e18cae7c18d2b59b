// Package throughput measures how fast debates run.
//
// Lifecycle: a Workload has token ids in the shape of one source's experiment; Measure kinds it several times on our
// engine and, taking turns with it, on a server that others wrote; a Report collects the Measurements as a table, JSON
// and a drawing.
package throughput

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/parley-debate/parley/internal/strictyaml"
	"github.com/parley-debate/parley/internal/unknown"
)

//go:embed workloads/*.yaml
var files embed.FS

// Workload says how many requests there are, how long they are and what they share. Their tokens are random numbers by
// a seed, since nothing else matters to an engine.
type Workload struct {
	Name   string `yaml:"name"`
	Title  string `yaml:"title"`
	Kind   string `yaml:"kind"`   // independent, resample, sweep, debate or experiment
	Layout string `yaml:"layout"` // of a debate's prompts: exact or shared
	Full   Sizes  `yaml:"full"`
	Small  Sizes  `yaml:"small"` // a small version
	Hash   string `yaml:"-"`     // SHA-256 of the file, hex
}

// Sizes are counts, and lengths in tokens. Those that a kind does not use are zero.
type Sizes struct {
	Requests  int `yaml:"requests" json:"requests,omitempty"`
	Questions int `yaml:"questions" json:"questions,omitempty"`
	Seeds     int `yaml:"seeds" json:"seeds,omitempty"`
	Agents    int `yaml:"agents" json:"agents,omitempty"`
	Rounds    int `yaml:"rounds" json:"rounds,omitempty"` // the first included, in which all answer alone
	Steps     int `yaml:"steps" json:"steps,omitempty"`   // of a sweep, whose prompts have 1 to Steps solutions
	Orders    int `yaml:"orders" json:"orders,omitempty"` // of the solutions
	Samples   int `yaml:"samples" json:"samples,omitempty"`
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

// FindWorkloads finds workloads: names, or "all".
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
		i := slices.Index(known, name)
		if i < 0 {
			return nil, unknown.Name("workload", name, known, "and all")
		}
		found = append(found, all[i])
	}
	return found, nil
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
