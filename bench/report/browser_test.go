package report

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/internal/datatest"
)

// TestInABrowser opens a page in Chromium, where it checks its own filters, its table and how it shows debates by every
// protocol.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	t.Parallel()
	browser := benchtest.Browser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	run := everyProtocol(t, small(t, 3, 3))
	run.Outcomes[0].Transcript.Rounds[0][0].Reply.Text = hostile + strings.Repeat("x", 1<<20)
	datatest.Write(t, path, written(t, run, Options{Published: []Published{{"mad", 0.7}}}))
	checkInBrowser(t, browser, path)
}

// TestFormulasInABrowser: LaTeX in replies is drawn, hostile LaTeX does no harm, and only such pages have KaTeX. The
// page's own check looks at both; here a formula of a reply has become MathML.
func TestFormulasInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	t.Parallel()
	browser := benchtest.Browser(t)
	run := small(t, 3, 3)
	if page := written(t, run, Options{}); strings.Contains(page, "Khan Academy") {
		t.Error("a page without formulas has KaTeX, want none")
	}
	first := &run.Outcomes[0].Transcript.Rounds[0][0]
	first.Reply.Text = `Half of it is \(\frac{1}{2}\), so the answer is \boxed{(A)}, not \(\href{javascript:alert(1)}{x}\).`
	first.Answer = answer.Of(`(A)`)
	path := datatest.File(t, "report.html", written(t, run, Options{}))
	checkInBrowser(t, browser, path)
	page, _, err := benchtest.Browse(t.Context(), browser, "file://"+path+"#debate-0", "--dump-dom")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<mfrac>", "<mark><span class=\"math\"", "Permission is hereby granted"} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(page, want) {
				t.Errorf("the page does not have %q", want)
			}
		})
	}
}

// TestExperimentInABrowser does so with the page of an experiment: tasks, repeats, and a pool of more agents than stand
// beside each other.
func TestExperimentInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	t.Parallel()
	browser := benchtest.Browser(t)
	written, err := Of(trialDirectory(t), "", Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkInBrowser(t, browser, written.Page)
	checkInBrowser(t, browser, written.Page, "--window-size=360,800")
}

// checkInBrowser fails if the page's own check does (of its filters, tables and debates, that it asked for
// nothing, and that it is no wider than the window), if anything is in its console, or if nothing can be seen.
func checkInBrowser(t *testing.T, browser, path string, flags ...string) {
	t.Helper()
	picture := filepath.Join(t.TempDir(), "page.png")
	page, log, err := benchtest.Browse(t.Context(), browser, "file://"+path+"#test",
		append([]string{"--dump-dom", "--window-size=1200,900", "--screenshot=" + picture}, flags...)...)
	if err != nil {
		t.Fatal(err)
	}
	check := regexp.MustCompile(`<html[^>]* data-check="([^"]*)"`).FindStringSubmatch(page)
	if len(check) != 2 || check[1] != "passed" {
		t.Errorf("the page's own check says \"passed\": got %q: %.500s", check, page)
	}
	if strings.Contains(page, "<title>owned") {
		t.Error("a text ran as a script, want it shown as a text")
	}
	for line := range strings.Lines(log) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the page writes nothing on the browser's console: got %s", line)
		}
	}
	drawn := datatest.Read(t, picture)
	if _, err := png.Decode(bytes.NewReader(drawn)); err != nil || len(drawn) < 20_000 {
		t.Errorf("a picture of the page is a PNG of 20,000 bytes or more: got %d, %v", len(drawn), err)
	}
}

// TestFailuresInABrowser does so where no debate could be held, and where some could.
func TestFailuresInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	t.Parallel()
	browser := benchtest.Browser(t)
	for _, every := range []int{1, 3} {
		t.Run(fmt.Sprint(every), func(t *testing.T) {
			path := datatest.File(t, "report.html", written(t, failing(t, small(t, 3, 3), every), Options{}))
			checkInBrowser(t, browser, path)
		})
	}
}

// TestAccessibility has axe-core look at the page of each kind for what hinders people, in both schemes of colours. It
// runs where axe-core lies in a directory of NODE_PATH (npm install axe-core).
func TestAccessibility(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	t.Parallel()
	browser := benchtest.Browser(t)
	var axe []byte
	for _, directory := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if text, err := os.ReadFile(filepath.Join(directory, "axe-core", "axe.min.js")); err == nil {
			axe = text
		}
	}
	if axe == nil {
		t.Skip("axe-core is in no directory of NODE_PATH")
	}
	directory := t.TempDir()
	file := func(name string) string { return filepath.Join(directory, name+".html") }
	failed := written(t, failing(t, small(t, 3, 3), 3), Options{Published: []Published{{"mad", 0.7}}})
	datatest.Write(t, file("failures"), failed)
	if _, err := Of(trialDirectory(t), file("experiment"), Options{}); err != nil {
		t.Fatal(err)
	}
	runs := []string{renamed(t, directoryOf(t, 12, 3, 2), "two"), renamed(t, directoryOf(t, 12, 3, 3), "three")}
	if _, err := OfRuns(runs, file("runs"), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"failures", "experiment", "runs"} {
		t.Run(name, func(t *testing.T) {
			page := datatest.Read(t, file(name))
			dark := strings.ReplaceAll(string(page), "@media (prefers-color-scheme: dark)", "@media all")
			for scheme, page := range map[string]string{"light": string(page), "dark": dark} {
				if says := audited(t, browser, page, string(axe)); !noViolation.MatchString(says) {
					t.Errorf("%s, %s: the page has no violation of accessibility: got %q", name, scheme, says)
				}
			}
		})
	}
}

var noViolation = regexp.MustCompile(`^[1-9][0-9]+ passed; $`)

// audited returns how many of axe's rules a page passes, and which it violates and where.
func audited(t *testing.T, browser, page, axe string) string {
	t.Helper()
	const audit = `axe.run().then(found => { document.documentElement.dataset.axe = found.passes.length + " passed; " +
		found.violations.map(v => v.impact + " " + v.id + ": " + v.nodes.map(n => n.target).join(", ")).join("; "); })`
	page = strings.Replace(page, "</body>", "<script>"+axe+"</script><script>"+audit+"</script></body>", 1)
	path := datatest.File(t, "audited.html", page)
	shown, _, err := benchtest.Browse(t.Context(), browser, "file://"+path, "--dump-dom")
	if err != nil {
		t.Fatal(err)
	}
	says := regexp.MustCompile(`<html[^>]* data-axe="([^"]*)"`).FindStringSubmatch(shown)
	if len(says) != 2 {
		return "axe-core did not run"
	}
	return says[1]
}
