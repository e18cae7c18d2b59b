// Package samples reads what evaluation harnesses recorded of each sample: its score, and what else of it is known. It
// makes a run of it, so that the systems that were evaluated get the tables, intervals and tests of ours.
//
// Lifecycle: Read makes Samples of files, each in one of Formats; Samples.Run matches the questions of the systems and
// makes a run. Nothing is asked, and no score is changed unless an answer rule reads the replies again.
package samples

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parley-debate/parley/bench/importer"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/task/rowfile"
	"github.com/parley-debate/parley/internal/bounds"
)

// Bounds on what is read: logs are hostile until parsed.
const (
	maxFileBytes = 512 << 20
	maxTextBytes = 1 << 30         // of all replies and questions that are kept
	maxSamples   = rowfile.MaxRows // in all files
	maxNameBytes = 200             // of a system: exported files are named by it
)

// Format is the way in which one harness records samples.
type Format struct {
	Name, Source, Meaning string

	is   func(head head) bool
	read func(content []byte, s *source) error
}

// Formats lists the formats that can be read. A file is recognised by its content.
func Formats() []Format {
	return []Format{
		{"inspect", "inspect_ai", "a log, .eval or JSON", isInspect, readInspect},
		{"promptfoo", "promptfoo", "the results that --output writes as JSON", isPromptfoo, readPromptfoo},
		{"every-eval-ever", "Every Eval Ever", "JSON lines of instances", isEveryEvalEver, readEveryEvalEver},
		{"lm-eval", "lm-evaluation-harness", "JSON lines that --log_samples writes", isHarness, readHarness},
		{"mallm", "MALLM", "discussions, as parley import reads them", isMALLM, readDebates("mallm")},
		{"debate-or-vote", "debate-or-vote, DAR", "rounds of debates by number, likewise", isVoted,
			readDebates("debate-or-vote")},
		{"rows", "anybody", "CSV, TSV, JSON lines or Parquet with the columns question and score, and if known " +
			"system, repeat, tokens, cluster, answer, target, reply and choices", isRows, readRows},
	}
}

// Sample is one question as one system answered it once.
type Sample struct {
	Place    string // in its file, and of which
	System   string
	Question string // its id
	Text     string // of the question; "" if unknown
	Digest   string // what tells the question from others where the id does not: a hash, or the text; "" if unknown
	Repeat   int    // from 0; -1 if the log does not count, so that they are counted in its order
	Score    float64
	Scored   bool   // else Why says why there is no score
	Why      string // the sample's error
	Tokens   int    // generated; -1 if unknown
	Cluster  string
	Answer   string // as the harness read it; "" if unknown
	Target   string
	Options  []string // of the question; nil if there are none, or if they stand in its text
	Reply    string
}

// source is a file while it is read.
type source struct {
	path    string
	hash    string // SHA-256 of its content, hex
	system  string // as the user calls it; "" is as the log does
	options Options

	measures []string // all that the file has, in its order
	measure  string   // the one that is read
	task     string
	notes    []string
	samples  []Sample
}

// BestRange bounds the score of a perfect sample.
var BestRange = bounds.From(1e-6, 1e9)

// Options say how files are read.
type Options struct {
	Measure string  // the score that is read, where there are several; "" is the first
	Cluster string  // the field of a sample's metadata, document or variables whose values are clusters
	Best    float64 // the score of a perfect sample; 0 is 1
}

// Samples are what was read from files.
type Samples struct {
	Measure string // the score that was read
	Task    string
	Files   []rundir.LogFile
	Formats []string // of the files
	Notes   []string // what is to be known of them
	All     []Sample
}

// Read reads files, each with the name of its system before it and "=", if the log's name for it is not wanted.
func Read(arguments []string, options Options) (Samples, error) {
	s, text := Samples{}, 0
	var tasks []string
	for _, argument := range arguments {
		f, format, err := readOne(argument, options)
		if err != nil {
			return s, err
		}
		switch {
		case s.Measure == "":
			s.Measure = f.measure
		case s.Measure != f.measure:
			return s, fmt.Errorf("%q has the score %s, the files before it %s: name one that all have with --measure; "+
				"this one has %s", f.path, f.measure, s.Measure, strings.Join(f.measures, ", "))
		}
		s.Files = append(s.Files, rundir.LogFile{Path: f.path, Hash: f.hash})
		s.Formats = append(s.Formats, format)
		for _, one := range f.samples {
			one.Place += " of " + f.path
			s.All = append(s.All, one)
			if text += len(one.Text) + len(one.Reply); text > maxTextBytes || len(s.All) > maxSamples {
				return s, fmt.Errorf("more than %d samples in all, or more than %d bytes of questions and replies",
					maxSamples, maxTextBytes)
			}
		}
		s.Notes, tasks = append(s.Notes, f.notes...), append(tasks, f.task)
	}
	s.Task = strings.Join(slices.Compact(slices.DeleteFunc(tasks, func(t string) bool { return t == "" })), ", ")
	return s, nil
}

// readOne reads a file by the format that it has.
func readOne(argument string, options Options) (*source, string, error) {
	f := &source{path: argument, options: options}
	if name, path, named := strings.Cut(argument, "="); named && !strings.ContainsAny(name, `/\.`) {
		f.system, f.path = name, path
	}
	content, err := importer.ReadFile(f.path, maxFileBytes)
	if err != nil {
		return f, "", fmt.Errorf("%s: %w", f.path, err)
	}
	sum := sha256.Sum256(content)
	f.hash = hex.EncodeToString(sum[:])
	if len(bytes.TrimSpace(content)) == 0 {
		return f, "", fmt.Errorf("%q is empty", f.path)
	}
	head := headOf(content)
	for _, format := range Formats() {
		if !format.is(head) {
			continue
		}
		if err := format.read(content, f); err != nil {
			return f, "", fmt.Errorf("%q, read as %s: %w", f.path, format.Name, err)
		}
		if len(f.samples) == 0 {
			return f, "", fmt.Errorf("%q, read as %s: has no samples", f.path, format.Name)
		}
		return f, format.Name, nil
	}
	return f, "", fmt.Errorf("%q is in none of the formats that are read: %s", f.path, strings.Join(names(), ", "))
}

func names() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// choose settles which of a file's scores is read. The filter of a metric need not be named where there is one.
func (f *source) choose(measures []string) error {
	f.measures = measures
	switch want := f.options.Measure; {
	case len(measures) == 0:
		return fmt.Errorf("no sample has a score")
	case want == "":
		f.measure = measures[0]
		if len(measures) > 1 {
			f.notes = append(f.notes, fmt.Sprintf("%s: read is the score %s; --measure also takes %s",
				filepath.Base(f.path), f.measure, strings.Join(measures[1:], ", ")))
		}
	case slices.Contains(measures, want):
		f.measure = want
	default:
		filtered := slices.DeleteFunc(slices.Clone(measures), func(m string) bool {
			return !strings.HasPrefix(m, want+",")
		})
		if len(filtered) != 1 {
			return fmt.Errorf("has no score %s; there are %s", want, strings.Join(measures, ", "))
		}
		f.measure = filtered[0]
	}
	return nil
}

// add enters a sample with its score as the harness has it.
func (f *source) add(s Sample, score any) error {
	if s.System = plainName(s.System); f.system != "" {
		s.System = f.system
	}
	if len(s.System) > maxNameBytes {
		return fmt.Errorf("%s: the system's name takes %d bytes, at most %d are read: name it, as in NAME=FILE",
			s.Place, len(s.System), maxNameBytes)
	}
	if s.Why == "" {
		value, err := number(score)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.Place, f.measure, err)
		}
		if best := f.options.Best; best > 0 {
			value /= best
		}
		if value < 0 || value > 1 || math.IsNaN(value) {
			return fmt.Errorf("%s: the score %s is %v, and scores are from 0 to 1: --best says what a perfect sample "+
				"gets", s.Place, f.measure, score)
		}
		s.Score, s.Scored = value, true
	}
	if len(f.samples) >= maxSamples {
		return fmt.Errorf("has more than %d samples", maxSamples)
	}
	f.samples = append(f.samples, s)
	return nil
}

// plainName is a system's name as tables and contrasts can have it.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" ,*()=;\"'\t\n\r", r) {
			return '_'
		}
		return r
	}, strings.TrimSpace(name))
}
