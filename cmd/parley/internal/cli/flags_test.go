package cli_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/engine"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/inference/machine"
	"github.com/parley-debate/parley/internal/bounds"
	"github.com/parley-debate/parley/internal/datatest"
)

// ranged is the value of a flag that knows what it can be.
type ranged interface{ Range() bounds.Range }

// bare are the types of flags that pflag makes of numbers, without a range.
var bare = []string{"int", "int64", "uint", "uint64", "float32", "float64", "duration", "count"}

// written is what somebody may type for a number.
func written() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"NaN", "Inf", "-Inf", "+Inf", "-1", "0", "-0", "1", "1e9", "1e400", "-1e400",
			"1e-50",
			"99999999999999999999", "18446744073709551615", "x", "", " 1", "1 ", "0x10", "1_000", "3.5", "1,2", "1s",
			"-5s",
			"true"}),
		rapid.Map(rapid.Int(), strconv.Itoa), rapid.Map(rapid.IntRange(0, 100), strconv.Itoa),
		rapid.Map(rapid.Float64(), func(f float64) string { return fmt.Sprint(f) }), rapid.Map(rapid.Float64Range(0, 1),
			func(f float64) string { return fmt.Sprint(f) }),
	)
}

// TestEveryNumber: whatever is typed for any numeric flag of any command is refused with exit code 2, its name and its
// range, or taken as it is. A new flag without a range fails.
func TestEveryNumber(t *testing.T) {
	tried := 0
	fewer(t, "40")
	parleytest.EachCommand(cli.New(), func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		c.Flags().VisitAll(func(f *pflag.Flag) {
			in, ok := f.Value.(ranged)
			if !ok && slices.Contains(bare, f.Value.Type()) {
				t.Errorf("%s --%s is a %s without a range, want one of number.go", c.CommandPath(), f.Name,
					f.Value.Type())
			}
			if !ok {
				return
			}
			tried++
			if !strings.Contains(f.Usage+in.Range().String(), in.Range().String()) {
				t.Errorf("%s --%s: the help lacks its range, want %s", c.CommandPath(), f.Name, in.Range())
			}
			t.Run(strings.Join(append(path, f.Name), " "), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { tryNumber(t, path, f.Name, written().Draw(t, "value")) })
			})
		})
	})
	if tried < 50 {
		t.Errorf("%d flags were tried, want at least 50", tried)
	}
}

// tryNumber gives one flag a value.
func tryNumber(t *rapid.T, path []string, name, text string) {
	c, _, err := cli.New().Find(path)
	if err != nil {
		t.Fatal(err)
	}
	in := c.Flag(name).Value.(ranged).Range()
	if c.ParseFlags([]string{"--" + name + "=" + text}) != nil {
		code, _, stderr := parleytest.Ran(append(slices.Clone(path), "--"+name+"="+text)...)
		if code != exit.CodeUsage || !strings.Contains(stderr, "--"+name) || !strings.Contains(stderr, in.String()) {
			t.Errorf("exit %d, want %s: %s", code, in, stderr)
		}
		return
	}
	for _, word := range strings.Split(c.Flag(name).Value.String(), ",") {
		got, err := strconv.ParseFloat(word, 64)
		if d, timed := time.ParseDuration(word); timed == nil && err != nil {
			got, err = d.Seconds(), nil
		}
		if err != nil || !in.Has(got) {
			t.Errorf("%s is taken as %s, want it refused, as not %s", text, word, in)
		}
		if want, err := strconv.ParseFloat(text, 64); err == nil &&
			math.Abs(got-want) > 1e-6*math.Abs(want)+math.SmallestNonzeroFloat32 {
			t.Errorf("%s is taken as %s, want the number that is written", text, word)
		}
	}
}

// TestEverySetting: the same for the numbers among the settings of protocols, as flags of their own and by --set. Where
// a value is taken, the command goes on to the model, which is not there.
func TestEverySetting(t *testing.T) {
	fewer(t, "40")
	for _, name := range debate.SettingNames() {
		in, number := debate.RangeOf(name)
		if !number {
			continue
		}
		flags := []string{"--set=" + name + "="}
		if debate, _, err := cli.New().Find([]string{"debate"}); err == nil && debate.Flag(name) != nil {
			flags = append(flags, "--"+name+"=")
		}
		for _, flag := range flags {
			t.Run(flag, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					text := written().Draw(t, "value")
					code, _, stderr := parleytest.Ran("debate", flag+text, "--model", "nowhere.gguf", "Q")
					value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
					// as YAML writes numbers too
					if n, other := strconv.ParseInt(text, 0, 64); err != nil && other == nil {
						value, err = float64(n), nil
					}
					switch {
					case code == exit.CodeInput && err == nil && in.Has(value), code == exit.CodeUsage &&
						strings.Contains(stderr,
							"means nothing to form"):
					case code != exit.CodeUsage || !strings.Contains(stderr, strings.TrimSuffix(flag, "=")) &&
						!strings.Contains(stderr,
							name):
						t.Errorf("%q for %s ended with status %d, want %d and the flag or the setting named: %s", text,
							flag, code, exit.CodeUsage, stderr)
					case (err != nil || !in.Has(value)) && !strings.Contains(stderr, in.String()):
						t.Errorf("%s is refused without its range, want %s said: %s", text, in, stderr)
					}
				})
			})
		}
	}
}

// TestThreads: a user who says nothing gets a thread for each core.
func TestThreads(t *testing.T) {
	parleytest.WarmCache(t)
	tests := engine.DefaultThreads
	defer func() { engine.DefaultThreads = tests }()
	engine.DefaultThreads = parleytest.PerCore
	code, _,
		stderr := parleytest.Ran(strings.Fields("compare --generated 2 --agents 2 --rounds 1 --conditions single " +
		"--max-tokens 1 --out " + filepath.Join(t.TempDir(), "run"))...)
	if want := fmt.Sprintf("plan     %s, ", english.Plural(machine.Threads(), "thread", "")); code != 0 ||
		!strings.Contains(stderr, want) {
		t.Errorf("exit %d, without %q: %s", code, want, stderr)
	}
}

// TestNotAlone: flags that say more about another one are refused without it.
func TestNotAlone(t *testing.T) {
	for _, line := range []string{
		"demo --stop-every 3", "compare --generated 1 --calibrate 2s", "compare --task x.json --objects 5",
		"bench w1 --peer-in-flight 2", "bench w1 --peer-expert", "run madc-table1 --stop-every 3",
	} {
		t.Run(line, func(t *testing.T) {
			if code, _, stderr := parleytest.Ran(strings.Fields(line)...); code != exit.CodeUsage ||
				!strings.Contains(stderr,
					"has no effect without --") {
				t.Errorf("%s: exit %d: %s, want %v and \"has no effect without --\" in it",
					line, code, stderr, exit.CodeUsage)
			}
		})
	}
}

// TestLetters: what is no text is refused with its place, wherever it comes from; a byte order mark is no part of it.
func TestLetters(t *testing.T) {
	file := func(text string) string {
		return datatest.File(t, "file.yaml", text)
	}
	const bad, wide = "caf\xe9", "\xff\xfeq\x00"
	for _, c := range []struct {
		arguments   []string
		stdin, want string
	}{
		{[]string{"debate", "--model", "nowhere.gguf", "-"}, bad, "byte 4 is 0xe9"},
		{[]string{"debate", "--model", "nowhere.gguf", "-"}, wide, "UTF-16"},
		{[]string{"debate", "--model", "nowhere.gguf", "-"}, "\ufeff \n", "the question is empty"},
		{[]string{"debate", "--model", "nowhere.gguf", bad}, "", "byte 4 is 0xe9"},
		{[]string{"debate", "--protocol", "challenged", "--set", "challenge=wrong", "--wrong", bad, "q"}, "",
			"byte 4 is 0xe9"},
		{[]string{"debate", "--protocol", "challenged", "--set", "challenge=facts", "--facts", file(bad), "q"}, "",
			"byte 4 is 0xe9"},
		{[]string{"debate", "--protocol", file("form: " + bad), "q"}, "", "byte 10 is 0xe9"},
		{[]string{"debate", "--prompts", file(wide), "q"}, "", "UTF-16"},
		{[]string{"debate", "--set", "team=[{persona: " + bad + "}]", "q"}, "", "0xe9"},
		{[]string{"run", file("name: " + bad)}, "", "byte 10 is 0xe9"},
		{[]string{"experiments", file(wide)}, "", "UTF-16"},
		{[]string{"data", file("x"), "--columns", file("question: " + bad)}, "", "byte 14 is 0xe9"},
		{[]string{"serve", "--api-key-file", file(bad)}, "", "byte 4 is 0xe9"},
		{[]string{"batch", "--in", file(wide), "--out", "-"}, "", "UTF-16"},
		{[]string{"import", "--from", "agora", file(bad), "--out", filepath.Join(t.TempDir(), "o")}, "", "0xe9"},
	} {
		t.Run(fmt.Sprintf("%v %.60s", c.arguments, c.stdin), func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := cli.Run(c.arguments, strings.NewReader(c.stdin), &stdout, &stderr); code == 0 ||
				code == exit.CodeInternal ||
				!strings.Contains(stderr.String()+stdout.String(), c.want) {
				t.Errorf("%q: exit %d: %s%s, want %q", c.arguments, code, stderr.String(), stdout.String(), c.want)
			}
		})
	}
}

// TestRecordsWhatItIsTold: the header of a run has the numbers of its flags.
func TestRecordsWhatItIsTold(t *testing.T) {
	parleytest.WarmCache(t)
	out := filepath.Join(t.TempDir(), "run")
	line := "compare --generated 2 --objects 5 --conditions single --repeats 3 --agents 2 --rounds 4 --temperature " +
		"0.7 --top-k 41 --top-p 0.9 --min-p 0.05 " +
		"--repeat-penalty 1.1 --max-tokens 17 --seed 18446744073709551615 --threads 2 --context 5120 --stop-when " +
		"single --stop-every 1 --out " + out
	if code, _, stderr := parleytest.Ran(strings.Fields(line)...); code != 0 {
		t.Fatalf("%v, want code = 0", stderr)
	}
	r := benchtest.ReadRun(t, out)
	h := r.Header
	got := fmt.Sprint(h.Repeats, h.Agents, h.Rounds, h.Sampling.Temperature, h.Sampling.TopK, h.Sampling.TopP,
		h.Sampling.MinP, h.Sampling.RepeatPenalty, h.MaxTokens, h.Seed, h.Threads, h.Cells, h.Stop.Every)
	if want := "3 2 4 0.7 41 0.9 0.05 1.1 17 18446744073709551615 2 5120 1"; got != want || !strings.Contains(h.Task,
		"5_objects") {
		t.Errorf("got %s, want %s; task %s", got, want, h.Task)
	}
}
