package main

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

// shown are the documents whose commands are checked: all but README, whose commands TestReadme runs.
var shown = []string{"docs/*.md", "docs/guide/*.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
	"examples/*/*.yaml"}

// tried are the commands of the documents that take seconds on the embedded model, in the order in which one needs what
// another has written, each with what is run for it.
var tried = []struct{ shown, run string }{
	{"models", "models"},
	{"data", "data"},
	{"protocols", "protocols"},
	{"protocols --parts", "protocols --parts"},
	{"experiments", "experiments"},
	{"experiments NAME", "experiments du-mmlu"},
	{"experiments --schema", "experiments --schema"},
	{"doctor --model FILE", "doctor --model tiny"},
	{"debate --transcript FILE",
		`debate --max-tokens 16 --transcript DIR/debate.json "Is a tomato a fruit? (A) yes (B) no"`},
	{"show FILE", "show DIR/debate.json"},
	{"compare --task FILE --agents 3 --rounds 2",
		"compare --task DIR/puzzles.json --agents 3 --rounds 2 --out DIR/run"},
	{"compare --dry-run", "compare --dry-run --calibrate 1ms --task DIR/puzzles.json --agents 3 --rounds 2"},
	{"compare --generated 8 --rounds 3 --conditions mad --parallel 4",
		"compare --generated 1 --rounds 3 --conditions mad --parallel 4 --out DIR/narrow"},
	{"status", "status DIR/run"},
	{"report DIRECTORY", "report DIR/run"},
	{"show", "show DIR/run"},
	{"export RUN-DIRECTORY --out PREFIX", "export DIR/run --out DIR/table"},
	{"score", "score DIR/run"},
	{"diff", "diff DIR/run DIR/run"},
	{"similarity", "similarity DIR/run"},
	{"repair DIRECTORY", "repair DIR/run"},
	{"run FILE --small --out DIR", "run lesson --small --out DIR/experiment"},
	{"report DIR", "report DIR/experiment"},
}

// TestDocs runs those commands of the documents that can be run here, and checks command and flags of all others.
func TestDocs(t *testing.T) {
	commands := documented(t)
	for command, place := range commands {
		checkCommand(t, place, command)
	}
	if len(commands) < 40 {
		t.Errorf("%d commands were found in the documents, want at least 40", len(commands))
	}
	for _, c := range tried {
		if commands[c.shown] == "" {
			t.Errorf("no document shows `parley %s`: take it from the list", c.shown)
		}
	}
	parleytest.NeedsLlama(t)
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	if err := parleytest.WriteTask(filepath.Join(dir, "puzzles.json"), 2); err != nil {
		t.Fatal(err)
	}
	for _, c := range tried {
		t.Run(c.shown, func(t *testing.T) { runLine(t, strings.ReplaceAll(c.run, "DIR", dir)) })
	}
}

var (
	inline   = regexp.MustCompile("`(?:bin/)?parley (\\w[^`]*)`")
	indented = regexp.MustCompile(`(?m)^(?:    |#   )(?:bin/)?parley (.*)$`)
	fenced   = regexp.MustCompile("(?s)\n```sh\n(.*?)```\n")
	inFence  = regexp.MustCompile(`(?m)\bparley (\w.*)$`)
	beyond   = regexp.MustCompile(`(?s) (?:#|&|\||>|<).*`) // a comment, and what a shell does with a command
)

// documented are all commands that the documents show, without comments and redirections, and where.
func documented(t *testing.T) map[string]string {
	t.Helper()
	commands := make(map[string]string)
	for _, pattern := range shown {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: files that the documents are compared with: got %v, %v, want some", pattern, files, err)
		}
		for _, file := range files {
			text := datatest.Read(t, file)
			found := append(inline.FindAllSubmatch(text, -1), indented.FindAllSubmatch(text, -1)...)
			for _, block := range fenced.FindAllSubmatch(text, -1) {
				found = append(found, inFence.FindAllSubmatch(block[1], -1)...)
			}
			for _, m := range found {
				command := beyond.ReplaceAllString(string(m[1]), "")
				commands[strings.Join(strings.Fields(command), " ")] = file
			}
		}
	}
	return commands
}

// checkCommand looks a command up and parses its flags.
func checkCommand(t *testing.T, file, line string) {
	t.Helper()
	root := cli.New()
	cmd, rest, err := root.Find(arguments(line))
	if err == nil && cmd == root && len(rest) > 0 {
		err = errors.New("unknown command")
	}
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if errors.As(err, new(*pflag.ValueRequiredError)) {
		err = nil // a text that names the last flag without a value, as in "--set of parley run"
	}
	if err != nil && !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("%s shows parley %s, which is refused: %v, want no error", file, line, err)
	}
}

// arguments splits a line at blanks, but for what stands in quotes.
func arguments(line string) (args []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}
