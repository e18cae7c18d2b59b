package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/report/paper"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestPaper writes the figures and tables of an experiment for a paper: all that the page shows are there, the page
// links to each, and the same report gives the same bytes.
func TestPaper(t *testing.T) {
	dir := trialDirectory(t)
	out := filepath.Join(dir, "figures")
	write := func() map[string]string {
		t.Helper()
		if _, err := Of(dir, "", Options{Figures: out}); err != nil {
			t.Fatal(err)
		}
		return benchtest.BytesOf(t, out)
	}
	files := write()
	page := datatest.Read(t, filepath.Join(dir, "report.html"))
	forms := make(map[string]int)
	for name, content := range files {
		forms[filepath.Ext(name)]++
		if name != paper.List && !strings.Contains(string(page), `href="./figures/`+name+`"`) {
			t.Errorf("the page does not link to %s", name)
		}
		switch filepath.Ext(name) {
		case ".svg":
			checkSVG(t, name, content)
		case ".pdf":
			if !strings.HasPrefix(content, "%PDF-") || !strings.Contains(content, "liberationserif-regular") ||
				!strings.Contains(content, "FontFile2") || len(content) > 40_000 {
				t.Errorf("%s: %.40q, %d bytes, want a PDF that embeds what it draws of Liberation Serif", name, content,
					len(content))
			}
		case ".tex":
			if strings.Contains(content, "includegraphics") {
				checkFloat(t, name, content, files)
				forms["floats"]++
				continue
			}
			label := `\label{tab:` + strings.TrimSuffix(name, ".tex") + "}"
			if !strings.Contains(content, `\toprule`) || !strings.Contains(content, label) {
				t.Errorf("%s has no rules or no label:\n%s", name, content)
			}
			columns := make(map[string]bool)
			for _, part := range strings.Split(content, `\toprule`+"\n")[1:] {
				heads, _, _ := strings.Cut(part, "\n")
				for _, head := range strings.Split(heads, " & ") {
					columns[head] = true
				}
			}
			records, err := csv.NewReader(strings.NewReader(files[strings.TrimSuffix(name, ".tex")+".csv"])).ReadAll()
			if err != nil || len(records[0]) < len(columns) {
				t.Errorf("%s has in CSV a column for each of the %d that are shown: got %q, %v",
					name, len(columns), records[:min(1, len(records))], err)
			}
		}
	}
	shown := strings.Count(string(page), "<figure>")
	if forms[".svg"] != forms[".pdf"] || forms[".svg"] <= shown || forms[".svg"] > 2*shown || shown < 8 {
		t.Errorf("%d figures on the page, %v files; want one or two SVG of each and as many PDF", shown, forms)
	}
	tables := strings.Count(string(page), `<table class="data">`)
	if forms[".tex"]-forms["floats"] != tables || forms["floats"] != shown || forms[".csv"] != tables+1 {
		t.Errorf("%d tables on the page, %v files; want a .tex and a .csv of each, and contents.csv", tables, forms)
	}
	for name, content := range write() {
		if files[name] != content {
			t.Errorf("%s is the same file the second time: it is another", name)
		}
	}
	t.Run("LaTeX", func(t *testing.T) { compile(t, files) })
}

// checkFloat checks that the float of a figure names a drawing that is there, and has its caption and its label.
func checkFloat(t *testing.T, name, content string, files map[string]string) {
	t.Helper()
	stem := strings.TrimSuffix(name, ".tex")
	set := regexp.MustCompile(`\\includegraphics\[width=\\(columnwidth|textwidth)\]\{([^}]*)\}`)
	drawn := set.FindStringSubmatch(content)
	if drawn == nil || files[drawn[2]] == "" || !strings.Contains(content, `\label{fig:`+stem+"}") ||
		!regexp.MustCompile(`\\caption\{\w[^\n]*\.\}`).MatchString(content) {
		t.Errorf("%s: want a drawing of the directory, a caption and a label:\n%s", name, content)
	}
}

// checkSVG checks that a drawing stands on its own: XML without the page's variables and without a placeholder of its
// colours.
func checkSVG(t *testing.T, name, content string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(content))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%s is XML that can be read: got %v, want no error", name, err)
			return
		}
	}
	for _, other := range []string{"var(", "#010101", "#040404", "NaN", "Sans"} {
		if strings.Contains(content, other) {
			t.Errorf("%s is drawn without %q, but has it", name, other)
		}
	}
}

// compile has LaTeX set everything that a report writes for papers.
func compile(t *testing.T, files map[string]string) {
	latex, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex: LaTeX was not asked whether it takes the tables")
	}
	out := t.TempDir()
	var b bytes.Buffer
	b.WriteString("\\documentclass[twocolumn]{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		datatest.Write(t, filepath.Join(out, name), content)
		switch {
		case strings.HasSuffix(name, ".tex"):
			fmt.Fprintf(&b, "\\input{%s}\n\\clearpage\n", name)
		case strings.HasSuffix(name, ".pdf"):
			fmt.Fprintf(&b, "\\noindent\\includegraphics[width=\\columnwidth]{%s}\n\\clearpage\n", name)
		}
	}
	b.WriteString("\\end{document}\n")
	datatest.Write(t, filepath.Join(out, "all.tex"), b.Bytes())
	cmd := exec.CommandContext(t.Context(), latex, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape",
		"all.tex")
	cmd.Dir = out
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("LaTeX takes the paper: got %v, want no error\n%s", err, said[max(0, len(said)-2000):])
	}
	// a float that is wider than its column or page says so as a box that is overfull by more than a hair
	if bytes.Contains(said, []byte("Float too large")) {
		t.Error("a float is higher than a page, want each to fit")
	}
	for _, box := range regexp.MustCompile(`Overfull \\hbox \((\d+)[^\n]*`).FindAllStringSubmatch(string(said), -1) {
		if wide, err := strconv.Atoi(box[1]); err != nil || wide > 2 {
			t.Errorf("a table is at most 2 pt too wide for a page: got %s", box[0])
		}
	}
}
