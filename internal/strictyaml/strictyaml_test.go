package strictyaml_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-debate/parley/internal/datatest"
	"github.com/parley-debate/parley/internal/strictyaml"
)

// hostile returns small texts that become large when they are decoded.
func hostile() map[string]string {
	var laughs, wide strings.Builder
	laughs.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 9; i++ {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i, i,
			strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	wide.WriteString("a: &a [" + strings.Repeat("x, ", 500) + "]\nb: [" + strings.Repeat("*a, ", 500) + "]\n")
	nested := ""
	for i := range 900 {
		nested += strings.Repeat(" ", i) + "a:\n"
	}
	return map[string]string{
		"billion laughs":   laughs.String(),
		"wide":             wide.String(),
		"brackets":         "a: " + strings.Repeat("[", 100_000),
		"braces":           "a: " + strings.Repeat("{a: ", 30_000),
		"both":             "a: " + strings.Repeat("[{a: ", 20_000),
		"entries":          strings.Repeat("- ", 50_000),
		"keys":             strings.Repeat("? ", 50_000),
		"tags":             strings.Repeat("!!a ", 50_000),
		"anchors":          strings.Repeat("&a ", 50_000),
		"indentation":      nested[:min(len(nested), strictyaml.MostBytes)],
		"itself":           "a: &a [*a]\n",
		"merged itself":    "a: &a\n  <<: *a\n",
		"merged":           "a0: &a0 {x: 1}\n" + merges(),
		"nothing named so": "a: *b\n",
		"large":            strings.Repeat("a", strictyaml.MostBytes+1),
		"quotes":           strings.Repeat(`"`, 200_000),
		"lines":            strings.Repeat("\n", 200_000) + "a: [",
		"colons":           strings.Repeat(": ", 100_000),
		"comments":         strings.Repeat("#", 200_000) + "\na: *b",
		"documents":        strings.Repeat("---\n", 50_000),
	}
}

func merges() string {
	var b strings.Builder
	for i := 1; i < 20; i++ {
		fmt.Fprintf(&b, "a%d: &a%d {l: *a%d, r: *a%d}\n", i, i, i-1, i-1)
	}
	return b.String()
}

// TestHostile: such texts are refused or decoded in little time and memory.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			var value any
			took, allocated, err := measured(func() error { return strictyaml.Unmarshal([]byte(text), &value) })
			if err == nil && name != "documents" && name != "indentation" {
				t.Error("it was read without an error, want one")
			}
			if took > 5*time.Second || allocated > 1<<30 {
				t.Errorf("%d bytes took %v and %d MB (%v), want at most 5 s and 1,024 MB", len(text), took,
					allocated>>20, err)
			}
		})
	}
}

// measured calls f and returns how long it took and how much it allocated.
func measured(f func() error) (took time.Duration, allocated uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	err = f()
	took = time.Since(started)
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc, err
}

// TestUnmarshal: ordinary files with anchors are decoded; an unknown key is refused with its line.
func TestUnmarshal(t *testing.T) {
	type file struct {
		Name   string
		Common []string
		Again  []string
	}
	var f file
	if err := strictyaml.Unmarshal([]byte("name: x\ncommon: &c [a, b]\nagain: *c\n"), &f); err != nil ||
		len(f.Again) != 2 {
		t.Errorf("an alias stands for the list of its anchor, 2 entries: got %+v, %v", f, err)
	}
	err := strictyaml.Unmarshal([]byte("name: x\nnane: y\n"), &f)
	if err == nil || !strings.Contains(err.Error(), "[2:1]") {
		t.Errorf("an unknown key got the error %v, want one at [2:1]", err)
	}
	var nested shapes
	if err := strictyaml.Unmarshal([]byte("inner: {of: &a []}\nof: &a [{of: *a}]\n"), &nested); err == nil {
		t.Errorf("an anchor that is used twice, the second time around itself: %+v", nested)
	}
	if err := strictyaml.Unmarshal([]byte("name: x\nagain: *c\n"), &f); err == nil ||
		!strings.Contains(err.Error(), "[2:8]") {
		t.Errorf("an unknown anchor got the error %v, want one at [2:8]", err)
	}
}

// TestReadFile: reading is bounded, also for files that report no size.
func TestReadFile(t *testing.T) {
	path := datatest.File(t, "large.yaml", make([]byte, strictyaml.MostBytes+1))
	for _, name := range []string{path, "/dev/zero"} {
		t.Run(name, func(t *testing.T) {
			if _, err := strictyaml.ReadFile(name); err == nil || !strings.Contains(err.Error(), "has more than") {
				t.Errorf(`%s: %v, want an error with "has more than"`, name, err)
			}
		})
	}
	if _, err := strictyaml.ReadFile(filepath.Join(t.TempDir(), "none.yaml")); !os.IsNotExist(err) {
		t.Errorf("%v, want os.IsNotExist(err)", err)
	}
}

// shapes has a field of each shape that the decoder distinguishes.
type shapes struct {
	Name  string
	N     int
	X     *float64
	On    bool
	List  []string
	Of    []shapes
	Inner *shapes
	Named map[string]int
}

// TestTags: a tag of no known meaning is refused with its place; the library's decoder panics on some.
func TestTags(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\nlist: !00000 00":  `[2:7] the tag "!00000" has no meaning here`,
		"name: !local x":            `the tag "!local"`,
		"list: !!seq 2":             "[1:",
		"inner: !!map 3":            "",
		"named: {a: !!binary 3}":    "",
		"of: !!set {a: 1}":          "",
		"x: !!null {}":              "",
		"list: [!!omap 1, !!seq 2]": "",
	} {
		t.Run(text, func(t *testing.T) {
			var s shapes
			if err := strictyaml.Unmarshal([]byte(text), &s); err == nil && want != "" ||
				err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
	var s shapes
	if err := strictyaml.Unmarshal([]byte("name: !!str 12"), &s); err != nil || s.Name != "12" {
		t.Errorf("what is tagged as a text is one, digits too: got %q, %v, want 12", s.Name, err)
	}
}

// FuzzUnmarshal: any input stays within bounds of time and memory.
func FuzzUnmarshal(f *testing.F) {
	for _, text := range hostile() {
		if len(text) < 10_000 {
			f.Add([]byte(text))
		}
	}
	f.Add([]byte("name: x\ncommon: &c {a: 1}\nagain:\n  <<: *c\n  b: |\n    text\n"))
	f.Add([]byte("name: \nlist: !00000 00"))
	f.Add([]byte("name: !!str 1\nlist: !!seq 2\ninner: !!map {name: !!int x}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var value map[string]any
		var typed shapes
		took, allocated, err := measured(func() error {
			return errors.Join(strictyaml.Unmarshal(text, &value), strictyaml.Unmarshal(text, &typed))
		})
		if took > 5*time.Second || allocated > 1<<30 {
			t.Errorf("%d bytes took %v and %d MB (%v), want at most 5 s and 1,024 MB", len(text), took, allocated>>20,
				err)
		}
	})
}

// TestKinds: a value of the wrong kind is refused in words that have no types of Go.
func TestKinds(t *testing.T) {
	type settings struct {
		Agents int      `yaml:"agents"`
		Share  float64  `yaml:"share"`
		Full   bool     `yaml:"full"`
		Name   string   `yaml:"name"`
		List   []string `yaml:"list"`
		Level  *int     `yaml:"level"`
	}
	for text, want := range map[string]string{
		"agents: many":       "[1:9] must be a whole number, not text\n>  1 | agents: many",
		"share: [1]":         "must be a number, not a list",
		"full: 3":            "must be true or false, not a whole number",
		"name: {a: 1}":       "must be text, not names with values",
		"list: 3":            "sequence is expected",
		"share: 1\nlevel: x": "[2:8] must be a whole number, not text",
	} {
		t.Run(text, func(t *testing.T) {
			var to settings
			if err := strictyaml.Unmarshal([]byte(text), &to); err == nil || !strings.Contains(err.Error(), want) ||
				strings.Contains(err.Error(), "Go") {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
}
