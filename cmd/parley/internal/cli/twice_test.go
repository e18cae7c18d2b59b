package cli

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFlagsGivenTwice goes over all flags of all commands: given twice, each keeps both values or is refused by its
// name. None takes the last without a word.
func TestFlagsGivenTwice(t *testing.T) {
	lists, singles := 0, 0
	eachCommand(New(), func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			switch {
			case f.Name == "help" || f.Name == "version":
				return
			case grows(f):
				lists++
				before := len(f.Value.String())
				for _, value := range []string{"first=1", "second=2"} {
					if err := f.Value.Set(value); err != nil {
						t.Fatalf("%s --%s, given again, is refused: %v, want no error", c.CommandPath(), f.Name, err)
					}
				}
				if text := f.Value.String(); !strings.Contains(text, "first=1") || !strings.Contains(text, "second=2") {
					t.Errorf("%s --%s: %s after %d letters, want both values", c.CommandPath(), f.Name, text, before)
				}
				return
			}
			singles++
			err := checkTwice(c, slices.Concat(path, []string{"--" + f.Name + "=2", "--" + f.Name + "=3"}))
			if err == nil || !strings.Contains(err.Error(), "--"+f.Name+` is given twice, as "2" and as "3"`) {
				t.Errorf("%s refuses --%s 2 --%[2]s 3, with both values: got %[3]v", c.CommandPath(), f.Name, err)
			}
			if f.Shorthand == "" {
				return
			}
			words := slices.Concat(path, []string{"-" + f.Shorthand + "2", "--" + f.Name + "=3"})
			if err := checkTwice(c, words); err == nil {
				t.Errorf("%s -%s --%s: the last of two is taken, want an error", c.CommandPath(), f.Shorthand, f.Name)
			}
		})
	})
	completed := strings.Fields("__complete compare --task a --task b --se")
	if code := Run(completed, nil, io.Discard, io.Discard); code != 0 {
		t.Errorf("the completion of a line that has a flag twice ended with status %d, want 0", code)
	}
	if lists < 10 || singles < 100 {
		t.Errorf("%d lists and %d single values, want at least 10 and at least 100", lists, singles)
	}
	for line, says := range map[string]string{
		"compare --generated 2 --out a --out b":                     `--out is given twice, as "a" and as "b"`,
		"compare --task a.csv --json --task b.csv":                  `--task is given twice`,
		"compare --generated 2 -s 1 --seed 1":                       `--seed is given twice`,
		"run madc-table1 --set agents=3 --set agents=5":             `--set agents is given twice, as "3" and as "5"`,
		"run madc-table1 --task math500=a.csv --task math500=b.csv": `--task math500 is given twice`,
		"models --json --json":                                      `--json is given twice`,
		"compare --set team=a --set team=b --generated 1":           `--set team is given twice`,
	} {
		var out bytes.Buffer
		if code := Run(strings.Fields(line), nil, &out, &out); code == 0 ||
			!strings.Contains(out.String(), says) {
			t.Errorf("%s ended with status %d, want an error that says %q: %s", line, code, says, out.String())
		}
	}
}

func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		eachCommand(below, visit)
	}
}
