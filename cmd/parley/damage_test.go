package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/exit"
)

// TestDamagedRunIsOneCode: whatever command meets a damaged journal says so with one code and the way out of it, and
// changes nothing.
func TestDamagedRunIsOneCode(t *testing.T) {
	warmCache(t)
	out := filepath.Join(t.TempDir(), "run")
	compare := []string{"compare", "--generated", "2", "--rounds", "2", "--conditions", "mad", "--json", "--out"}
	if code, text := exits(t, append(compare, out)...); code != 0 {
		t.Fatalf("%v, want code = 0", text)
	}
	path := filepath.Join(out, "generations.jsonl.zst")
	journal, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	journal[len(journal)/2] ^= 4
	if err := os.WriteFile(path, journal, 0o644); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	for _, args := range [][]string{
		{"show", out}, {"report", out}, {"status", out}, {"export", out, "--out", elsewhere}, {"score", out},
		{"diff", out, out}, {"replay", out, "a"}, {"similarity", out},
		append(compare, out), append(compare, out, "--dry-run"),
	} {
		if code, text := exits(t, args...); code != exit.CodeDamaged || !strings.Contains(text, "damaged at byte ") ||
			!strings.Contains(text, "parley repair") {
			t.Errorf("%v: exit %d: %s, want %v, \"damaged at byte \" in it and \"parley repair\" in it",
				args, code, text, exit.CodeDamaged)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, journal) {
		t.Error("the journal was changed:", err)
	}
	if code, text := exits(t, append(compare, out, "--fork", elsewhere)...); code != 0 {
		t.Errorf("a fork: exit %d: %s, want 0", code, text)
	}
	for _, args := range [][]string{{"repair", out}, {"repair", out, "--json"}, append(compare, out), {"report", out}} {
		t.Run(fmt.Sprint(args), func(t *testing.T) {
			if code, text := exits(t, args...); code != 0 {
				t.Errorf("%v: exit %d: %s, want 0", args, code, text)
			}
		})
	}
	if code, text := exits(t, "repair", t.TempDir()); code != exit.CodeInput || !strings.Contains(text,
		"is not a run directory") {
		t.Errorf("exit %d: %s, want %v and \"is not a run directory\" in it", code, text, exit.CodeInput)
	}
}

// exits is what a command exits with, and what it says of errors.
func exits(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = parley(args, nil, &out, &err)
	return code, err.String()
}

// TestForgedTranscript: a file that says what no debate leaves is refused, and what is empty in it is no crash.
func TestForgedTranscript(t *testing.T) {
	for text, want := range map[string]string{
		`{"rounds":[[{"agent":20000000}]]}`: "agent 20000000: there are roles or turns for " +
			"1 at most",
		`{"rounds":[[{"agent":-5}]]}`:                             "agent -5",
		`{"rounds":[null,[]]}`:                                    "",
		`{"rounds":[[{}]],"voting":[[]]}`:                         "",
		`{"case":"x"}`:                                            "it has no rounds",
		`{"rounds":[[` + strings.Repeat("{},", 200_000) + `{}]]}`: "a record has 200002 objects",
	} {
		t.Run(text, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "transcript.json")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"show", path}, {"show", path, "--messages"},
				{"show", path, "--decide", "first"}} {
				if code, stderr := exits(t, args...); want == "" && code != 0 ||
					want != "" && (code != exit.CodeInput || !strings.Contains(stderr, want)) {
					t.Errorf("%v of %.60s: exit %d: %s", args, text, code, stderr)
				}
			}
		})
	}
}

// FuzzShow shows anything that can be read as a transcript.
func FuzzShow(f *testing.F) {
	for _, text := range []string{
		`{"rounds":[[{"agent":0,"reply":{"text":"(A)"},"answer":{"text":"(A)","parsed":true},"heard":[1]},{"agent":1}]],"roles":["judge","x"],"phases":["final"]}`,
		`{"rounds":[null,[]],"voting":[[]]}`, `{"rounds":[[{"before":[{"agent":2}]}]],"decision":{"votes":[{"agents":[-1]}],"tally":{"scores":[1]}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "transcript.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{{"--width", "80"}, {"--messages"}, {"--decide", "trajectory"}} {
			args := append([]string{"show", path}, more...)
			if code, stderr := exits(t, args...); code != 0 && code != exit.CodeInput {
				t.Errorf("%v: exit %d: %s", args, code, stderr)
			}
		}
	})
}
