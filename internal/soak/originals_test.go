package soak_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/soak"
)

// original is a program with which a script of tools/differential compares: a commit of a repository, or a package of
// Python with the arguments of pip that install it.
type original struct {
	repository, commit string
	pip                []string
}

var originals = map[string]original{
	"mallm":        {repository: "Multi-Agent-LLMs/mallm", commit: "d9e66bcc99cb6ebac9113061bcfa72d4efd18379"},
	"madc":         {repository: "SG-XM/AAAI2026-MADC", commit: "ada256bb7dccd97c7629f4e382bde6a74444b46b"},
	"knights":      {repository: "haolun-wu/ControlMAD", commit: "a48a474"},
	"mmlu-pro":     {repository: "TIGER-AI-Lab/MMLU-Pro", commit: "f418b116db00b065c2aea046518d8fcf74d39872"},
	"math":         {repository: "hendrycks/math", commit: "985bdc1696e88e8643f081a0ff4719da39f2ae2a"},
	"jinja2":       {pip: []string{"jinja2==3.1.6"}},
	"transformers": {pip: []string{"transformers==5.23.0"}},
	"tokenizers":   {pip: []string{"tokenizers==0.23.3 gguf==0.19.0"}},
	"math-verify":  {pip: []string{"math-verify==0.9.0"}},
	"lm-eval":      {pip: []string{"--no-deps lm-eval==0.4.13", "regex datasets"}},
	"du": {repository: "composable-models/llm_multiagent_debate",
		commit: "9846749350eb917ae5bfaaff4c645fc705b8d3af"},
}

// differential is a script with what it compares with and its arguments, in which {NAME} is the original of that name,
// {out} an empty directory, and {in} the directory of what the script last wrote. Its output is compared with that
// directory, file by file.
type differential struct {
	script    string
	originals []string
	arguments string
	stdout    string // the file that its standard output is, "" if it writes files
	expected  string // the directory of what it wrote, whose files it writes again
}

const (
	ofDebates   = "debate/testdata/differential"
	ofAnswers   = "debate/answer/testdata"
	ofTemplates = "inference/chat/testdata/templates"
)

var differentials = []differential{
	{"mallm.py", []string{"mallm"}, "{mallm} {out}", "", ofDebates},
	{"madc.py", []string{"madc"}, "{madc} {out}", "", ofDebates},
	{"du.py", []string{"du"}, "{du} {out}", "", ofDebates},
	{"knights.py", []string{"knights"}, "--checkout {knights} --out {out}/knights.json", "", ofDebates},
	{"answers.py", []string{"mmlu-pro", "du", "madc", "mallm", "math"},
		"--mmlu-pro {mmlu-pro} --du {du} --madc {madc} --mallm {mallm} --math {math} --out {out}", "", ofAnswers},
	{"symbolic.py", []string{"math-verify"}, "--out {out}/math-verify.json", "", "debate/answer/symbolic/testdata"},
	{"spellings.py", []string{"math-verify"}, "{in}/equality.json {out}/equality.json", "", ofAnswers},
	{"jinja.py", []string{"jinja2"}, "", "expressions.jsonl", "inference/chat/jinja/testdata"},
	{"templates.py", []string{"transformers", "jinja2"}, "{out} {in}", "", ofTemplates},
	{"tools.py", []string{"transformers", "jinja2"}, "{in}", "tools.json", ""},
	{"tokens.py", []string{"tokenizers"}, "{out}", "", "inference/llamacpp/testdata/tokens"},
	{"readings.py", []string{"lm-eval", "math-verify"},
		"{root}/debate/answer/testdata/labels-test.jsonl --out {out}/beside.jsonl", "", ""},
}

// shared are the files of tools/differential that the scripts import.
var shared = []string{"originals.py", "structure.py"}

// TestDifferentialTools: every script of tools/differential is in the list, and in a soak each runs on its original as
// it is checked in, and writes what our tests compare with. Originals are looked for in the directories below
// PARLEY_ORIGINALS that have the names of their repositories, then on GitHub; packages of Python are installed into an
// environment of the test's own. A script whose original cannot be had is skipped with the reason; the end says how
// many ran.
func TestDifferentialTools(t *testing.T) {
	t.Chdir(datatest.Root(t))
	scripts, err := filepath.Glob("tools/differential/*.py")
	if err != nil || len(scripts) != len(differentials)+len(shared) {
		t.Errorf("found %q, %v; want the %d scripts of the list and %q", scripts, err, len(differentials), shared)
	}
	for _, path := range scripts {
		name := filepath.Base(path)
		if !slices.Contains(shared, name) &&
			!slices.ContainsFunc(differentials, func(d differential) bool { return d.script == name }) {
			t.Errorf("%s is not in the list of scripts that a soak runs", path)
		}
	}
	if !soak.On() {
		t.Skip("the originals are run in a soak only")
	}
	count, had := 0, &originalsHad{directory: t.TempDir(), python: "python3", found: make(map[string]string)}
	for _, d := range differentials {
		t.Run(d.script, func(t *testing.T) {
			for _, name := range d.originals {
				had.find(t, name)
			}
			d.run(t, had)
			count++
		})
	}
	if t.Logf("%d of %d scripts ran on their originals", count, len(differentials)); count == 0 {
		t.Error("no script ran: no original could be had")
	}
}

// originalsHad are the originals that were found so far.
type originalsHad struct {
	directory string            // for all of them
	python    string            // the interpreter that has the packages of Python
	found     map[string]string // the working copies by their names; for packages, something
}

// must takes the values of a call that may fail.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// find looks for an original; the test is skipped if it cannot be had.
func (had *originalsHad) find(t *testing.T, name string) {
	t.Helper()
	if had.found[name] != "" {
		return
	}
	o := originals[name]
	if o.pip != nil {
		had.install(t, o.pip)
		had.found[name] = had.python
		return
	}
	clone := filepath.Base(o.repository)
	for _, root := range filepath.SplitList(os.Getenv("PARLEY_ORIGINALS")) {
		if at := filepath.Join(root, clone); ran(t, "git", "-C", at, "cat-file", "-e", o.commit+"^{commit}") == nil {
			had.found[name] = had.checkOut(t, at, o)
			return
		}
	}
	at := filepath.Join(had.directory, "clone-"+clone)
	if err := ran(t, "git", "clone", "-q", "--no-checkout", "https://github.com/"+o.repository, at); err != nil {
		t.Skipf("%s cannot be had: %v; PARLEY_ORIGINALS may name a directory that has a clone", o.repository, err)
	}
	had.found[name] = had.checkOut(t, at, o)
}

// checkOut returns a working copy of a clone's commit. Files that the clone lacks, as a partial one may, are left out.
func (had *originalsHad) checkOut(t *testing.T, clone string, o original) string {
	t.Helper()
	at := filepath.Join(had.directory, filepath.Base(o.repository))
	for _, args := range [][]string{{"clone", "-q", "--no-checkout", clone, at}, {"-C", at, "reset", "-q", o.commit}} {
		if err := ran(t, "git", args...); err != nil {
			t.Skipf("%s at %s: %v", o.repository, o.commit, err)
		}
	}
	_ = ran(t, "git", "-C", at, "checkout-index", "-a", "-q") // what it lacks is not what the scripts read
	return at
}

// install installs a package of Python.
func (had *originalsHad) install(t *testing.T, requirements []string) {
	t.Helper()
	environment := filepath.Join(had.directory, "python")
	python := filepath.Join(environment, "bin", "python")
	if had.python != python {
		if err := ran(t, "python3", "-m", "venv", environment); err != nil {
			t.Skipf("python3 makes no environment: %v", err)
		}
		had.python = python
	}
	for _, requirement := range requirements {
		args := append([]string{"-m", "pip", "install", "-q"}, strings.Fields(requirement)...)
		if err := ran(t, python, args...); err != nil {
			t.Skipf("pip install %s: %v", requirement, err)
		}
	}
}

// ran runs a program for five minutes at most, without asking for a password.
func ran(t *testing.T, program string, args ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0")
	output, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, lastLine(output))
	}
	return err
}

// run runs the script and compares what it writes.
func (d differential) run(t *testing.T, had *originalsHad) {
	t.Helper()
	out, root := t.TempDir(), must(filepath.Abs("."))(t)
	pairs := []string{"{out}", out, "{root}", root, "{in}", filepath.Join(root, ofTemplates)}
	for _, name := range d.originals {
		pairs = append(pairs, "{"+name+"}", had.found[name])
	}
	args := append([]string{filepath.Join("tools", "differential", d.script)},
		strings.Fields(strings.NewReplacer(pairs...).Replace(d.arguments))...)
	cmd := exec.CommandContext(t.Context(), had.python, args...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil { // by then the original is there
		t.Fatalf("%s failed: %v, want no error:\n%s", strings.Join(args, " "), err, stderr.String())
	}
	if d.stdout != "" {
		datatest.Write(t, filepath.Join(out, d.stdout), stdout.Bytes())
	}
	written := must(os.ReadDir(out))(t)
	if len(written) == 0 {
		t.Fatal("the released code wrote nothing, want its results")
	}
	for _, file := range written {
		text := must(os.ReadFile(filepath.Join(out, file.Name())))(t)
		if len(text) == 0 {
			t.Errorf("the released code wrote nothing to %s, want its results", file.Name())
		}
		if d.expected == "" {
			continue
		}
		if held := must(os.ReadFile(filepath.Join(d.expected, file.Name())))(t); !bytes.Equal(text, held) {
			t.Errorf("%s is not what %s has: write it again with %s and look at the difference", file.Name(),
				d.expected, d.script)
		}
	}
}

// lastLine is the last line of what a program printed.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}
