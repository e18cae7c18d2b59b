package cli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"

	"github.com/parley-debate/parley/cmd/parley/internal/cli"
	"github.com/parley-debate/parley/cmd/parley/internal/exit"
	"github.com/parley-debate/parley/cmd/parley/internal/terminal/terminaltest"
)

// fileName makes a text one that a file can have.
func fileName(s string) string {
	return strings.NewReplacer("/", "_", "\x00", "_", "http:", "").Replace(s)
}

// try runs a command line whose outputs nobody may obey; with --json its standard output is lines of JSON.
func try(t *rapid.T, args ...string) (code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = cli.Run(args, strings.NewReader(""), &stdout, &stderr)
	if code == exit.CodeInternal {
		t.Errorf("%q ends with the status of a fault in the program, which no input may: %s", args, stderr.String())
	}
	for _, output := range []string{stdout.String(), stderr.String()} {
		if bad := terminaltest.Obeyed(output); bad != "" {
			t.Errorf("%q: a terminal obeys %q in %q, want none", args, bad, output)
		}
	}
	for d := json.NewDecoder(&stdout); slices.Contains(args, "--json") && d.More(); {
		var value any
		if err := d.Decode(&value); err != nil {
			t.Errorf("%q printed no JSON: %v, want no error", args, err)
			break
		}
	}
	return code
}

// fewer has rapid try a slow property less often, unless a flag says how often.
func fewer(t *testing.T, checks string) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	if before != f.DefValue {
		return
	}
	if err := f.Value.Set(checks); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Value.Set(before) })
}

// TestNothingIsObeyed sends controls through every command that can show a reply, a name of a file or an error.
func TestNothingIsObeyed(t *testing.T) {
	t.Chdir(t.TempDir()) // where runs without --out begin
	fewer(t, "10")
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "orders")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		reply, name := terminaltest.Orders(t, "reply")+" The answer is 4 (A)", terminaltest.Orders(t, "name")
		log, out := filepath.Join(dir, fileName(name)+".json"), filepath.Join(dir, fileName(terminaltest.Orders(t,
			"out")))
		chat := []map[string]string{{"role": "user", "content": name + "?"}, {"role": "assistant", "content": reply}}
		text, err := json.Marshal(map[string]any{"Which is it? " + name + " (A) yes (B) no": []any{[]any{chat, chat},
			"#### 4"}})
		if err != nil {
			t.Fatal(err)
		}
		transcript, err := json.Marshal(map[string]any{"protocol": name, "case": name, "roles": []string{name},
			"rounds": [][]map[string]any{{
				{"reply": map[string]string{"text": reply}, "answer": map[string]any{"text": name, "parsed": true}},
				{"agent": 1,
					"error": reply},
			}}, "decision": map[string]any{"answer": map[string]any{"text": name, "parsed": true}, "reason": reply,
				"rule": name}})
		if err != nil {
			t.Fatal(err)
		}
		shown := filepath.Join(dir, "shown"+fileName(name))
		task := filepath.Join(dir, "task"+fileName(name)+".json")
		row, _ := json.Marshal(map[string]any{"examples": []map[string]string{{"input": "Is it? " + reply +
			"\nOptions:\n(A) yes\n(B) no", "target": "(A)"}, {"input": name, "target": reply}}})
		for path, content := range map[string][]byte{log: text, shown: transcript, task: row, filepath.Join(dir,
			fileName(name)+".yaml"): []byte("form: society\norder: \"" + name + "\"\n")} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Skip("no such name here:", err)
			}
		}
		if code := try(t, "import", "--from", "du", log, "--out", out); code != 0 {
			t.Fatalf("import: exit %d, want 0", code)
		}
		try(t, "import", "--from", "du", log, "--out", out+"2", "--json")
		for _, args := range [][]string{
			{"show", shown}, {"show", shown, "--messages"}, {"show", shown, "--decide", "majority"}, {"show", out},
			{"show",
				out, "--case", name}, {"show", out, "--messages"},
			{"status", out}, {"status", out, "--json"}, {"report", out}, {"report", out, "--title", name, "--out",
				filepath.Join(dir, "r"+fileName(name)+".html")}, {"score", out, "--list"},
			{"score", out, "--json"}, {"score", out, "--answer", name}, {"diff", out, out, "--list"}, {"diff", out, out,
				"--json"}, {"diff", out, out, "--conditions", name},
			{"export", out, "--out", filepath.Join(dir, fileName(name))}, {"export", out, "--out", filepath.Join(dir,
				fileName(name)), "--json"}, {"replay", out, name}, {"similarity", out, "--model", name},
			{"data", task}, {"data", task, "--json"}, {"data", dir + "/" + name},
			{"models", dir + "/" + fileName(name)},
			{"models", dir, "--json"},
			{"debate", "--protocol", filepath.Join(dir, fileName(name)+".yaml"), "Q"},
			{"debate", "--protocol", name, "Q"},
			{"debate", "--set", name, "Q"}, {"debate", "--set", name + "=1", "Q"},
			{"debate", "--order", name, "Q"}, {"debate", "--model", name, "Q"}, {"debate", "--" + name, "Q"}, {"debate",
				"--agents", name, "Q"}, {"compare", "--task", task}, {"compare", "--repeats", name},
			{"compare", "--generated", "1", "--model", name}, {"run", name}, {"run", filepath.Join(dir,
				fileName(name)+".yaml")}, {"experiments", name},
			{"experiments", filepath.Join(dir, fileName(name)+".yaml")},
			{name}, {"help", name}, {"bench", name}, {"export", name, "--out", "x", "--format", name},
		} {
			try(t, args...)
		}
	})
}

// TestCompletionIsWhole: scripts for shells hold nothing that the console has to show as a code.
func TestCompletionIsWhole(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		t.Run(shell, func(t *testing.T) {
			var direct, stdout, stderr bytes.Buffer
			if code := cli.Run([]string{"completion", shell}, nil, &stdout, &stderr); code != 0 {
				t.Fatalf("exit %d: %s, want 0", code, stderr.String())
			}
			root := cli.New()
			write := map[string]func(*cobra.Command) error{
				"bash":       func(c *cobra.Command) error { return c.GenBashCompletionV2(&direct, true) },
				"zsh":        func(c *cobra.Command) error { return c.GenZshCompletion(&direct) },
				"fish":       func(c *cobra.Command) error { return c.GenFishCompletion(&direct, true) },
				"powershell": func(c *cobra.Command) error { return c.GenPowerShellCompletionWithDesc(&direct) },
			}[shell]
			if err := write(root); err != nil || !bytes.Equal(direct.Bytes(), stdout.Bytes()) || direct.Len() < 1000 {
				t.Errorf("the completion of %s has %d bytes (%v), %d through the console, want the same, at least 1000",
					shell, direct.Len(), err, stdout.Len())
			}
		})
	}
	var stdout bytes.Buffer
	if code := cli.Run([]string{"__complete", "statu"}, nil, &stdout, &bytes.Buffer{}); code != 0 ||
		!strings.HasPrefix(stdout.String(), "status\t") {
		t.Errorf("exit %d: %s, want 0 and %q at its beginning", code, stdout.String(), "status\t")
	}
}
