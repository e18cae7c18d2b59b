package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/internal/datatest"
)

const guideDirectory = "../../docs/guide"

// TestGuide runs every page of the guide in an empty directory of its own: its indented commands as one shell script,
// then its blocks of Python and its notebook where their modules are installed.
func TestGuide(t *testing.T) {
	t.Parallel()
	parleytest.WarmCache(t)
	for _, page := range guidePages(t) {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			shellIn(t, dir, page.shell)
			for i, code := range page.python {
				t.Run("python", func(t *testing.T) {
					needsModules(t, code)
					script := datatest.File(t, "block.py", code)
					if out, err := pythonIn(dir, script).CombinedOutput(); err != nil {
						t.Errorf("block %d of the page failed: %v, want no error:\n%s", i, err, out)
					}
				})
			}
			if page.name == "python.md" {
				t.Run("notebook", func(t *testing.T) { runNotebook(t, dir, "../../examples/notebook/rounds.ipynb") })
			}
		})
	}
}

// TestGuideFiles: pages are short and in the index, those of tasks have commands, and what they show is small and said
// to be of the embedded model.
func TestGuideFiles(t *testing.T) {
	pages, index := guidePages(t), ""
	for _, p := range pages {
		if p.name == "README.md" {
			index = p.text
		}
	}
	for _, p := range pages {
		if n := strings.Count(p.text, "\n"); n > 90 {
			t.Errorf("%s has %d lines, want at most 90, two screens", p.name, n)
		}
		if p.name == "README.md" {
			continue
		}
		if !strings.Contains(index, "]("+p.name+")") {
			t.Errorf("the index lacks %s, want a link", p.name)
		}
		if !strings.Contains(p.shell, "parley ") {
			t.Errorf("%s has no command of parley's to run", p.name)
		}
		if strings.Contains(p.text, "\n![") && !strings.Contains(p.text, "run of the embedded model") {
			t.Errorf("%s does not say that its pictures are of a run of the embedded model", p.name)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(guideDirectory, "*.png"))
	if err != nil || len(pictures) == 0 {
		t.Fatalf("pictures of the guide: got %v, %v, want some", pictures, err)
	}
	for _, file := range pictures {
		if info, err := os.Stat(file); err != nil || info.Size() >= 150_000 {
			t.Errorf("%s cannot be read (%v) or is too large, want less than 150,000 bytes", file, err)
		}
	}
}

// guidePage is a page of the guide with what can be run of it.
type guidePage struct {
	name, text string
	shell      string   // all blocks that four blanks indent, without these
	python     []string // blocks between ```python and ```
}

func guidePages(t *testing.T) (pages []guidePage) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(guideDirectory, "*.md"))
	if err != nil || len(files) < 10 {
		t.Fatalf("pages of the guide: got %d, %v, want at least 10", len(files), err)
	}
	for _, file := range files {
		text := datatest.Read(t, file)
		pages = append(pages, parsePage(filepath.Base(file), string(text)))
	}
	return pages
}

func parsePage(name, text string) guidePage {
	p, fence := guidePage{name: name, text: text}, ""
	for line := range strings.Lines(text) {
		if language, ok := strings.CutPrefix(line, "```"); ok {
			if fence = strings.TrimSpace(language); fence == "python" {
				p.python = append(p.python, "")
			}
			continue
		}
		command, indented := strings.CutPrefix(line, "    ")
		switch {
		case fence == "python":
			p.python[len(p.python)-1] += line
		case fence == "" && indented:
			p.shell += command
		case fence == "" && strings.TrimSpace(line) == "":
			p.shell += "\n"
		}
	}
	return p
}

// shellIn runs a script of somebody whose home is the directory.
func shellIn(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-eu")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(script)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+filepath.Join(dir, "share"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the page's script failed: %v, want no error:\n%s", err, out)
	}
}

// pythonIn is Python with our module, in a directory.
func pythonIn(dir string, arguments ...string) *exec.Cmd {
	module, err := filepath.Abs("../../python")
	if err != nil {
		panic(err) // only a working directory that is gone
	}
	cmd := exec.Command("python3", arguments...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MPLBACKEND=Agg", "MPLCONFIGDIR="+dir, "PYTHONPATH="+module)
	return cmd
}

var imported = regexp.MustCompile(`(?m)^import ([\w.]+)`)

// needsModules skips where Python lacks a module that the code imports.
func needsModules(t *testing.T, code string) {
	t.Helper()
	for _, m := range imported.FindAllStringSubmatch(code, -1) {
		if err := pythonIn(t.TempDir(), "-c", "import "+m[1]).Run(); err != nil {
			t.Skipf("Python cannot import %s: %v", m[1], err)
		}
	}
}

// cells runs the code of a notebook, and prints the accuracies that it has found.
const cells = `import json, sys
names = {}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
print(json.dumps({f"{c} {r}": mean for (c, r), mean in names["accuracy"]["mean"].items()}))
`

// runNotebook compares the accuracies of a notebook with those that the exported CSV has, and looks at its picture.
func runNotebook(t *testing.T, dir, notebook string) {
	needsModules(t, "import pandas\nimport pyarrow\nimport matplotlib\nimport parley_debate")
	path, err := filepath.Abs(notebook)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := pythonIn(dir, "-c", cells, path)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the notebook failed: %v, want no error:\n%s", err, stderr.String())
	}
	var got map[string]float64
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("the notebook's figures are no JSON: %v, want no error: %s", err, out)
	}
	want := agentAccuracies(t, filepath.Join(dir, "table.replies.csv"))
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%v, want %v", got, want)
	}
	for name, accuracy := range want {
		if math.Abs(got[name]-accuracy) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got[name], accuracy)
		}
	}
	picture, err := os.Open(filepath.Join(dir, "rounds.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	if _, err := png.Decode(picture); err != nil {
		t.Error(err)
	}
}

// agentAccuracies are the shares of right replies by "condition round". All questions have equally many agents.
func agentAccuracies(t *testing.T, file string) map[string]float64 {
	t.Helper()
	text := datatest.Read(t, file)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := make(map[string]int)
	for i, name := range rows[0] {
		column[name] = i
	}
	right, all := make(map[string]float64), make(map[string]float64)
	for _, row := range rows[1:] {
		if row[column["kind"]] != "" {
			continue
		}
		name := row[column["condition"]] + " " + row[column["round"]]
		if all[name]++; row[column["right"]] == "true" {
			right[name]++
		}
	}
	for name, n := range all {
		all[name] = right[name] / n
	}
	return all
}
