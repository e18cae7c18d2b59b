package report

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestInABrowser opens a page in Chromium, where it checks its own filters, its table and how it shows debates by every
// protocol.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	browser := findBrowser(t)
	path := filepath.Join(t.TempDir(), "report.html")
	run := everyProtocol(t, small(t, 3, 3))
	run.Outcomes[0].Transcript.Rounds[0][0].Reply.Text = hostile + strings.Repeat("x", 1<<20)
	if err := os.WriteFile(path, []byte(written(t, run, Options{Published: []Published{{"mad", 0.7}}})),
		0o600); err != nil {
		t.Fatal(err)
	}
	checkInBrowser(t, browser, path)
}

// TestExperimentInABrowser does so with the page of an experiment: tasks, repeats, and a pool of more agents than stand
// beside each other.
func TestExperimentInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	browser := findBrowser(t)
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
	page, log := open(t, browser, "file://"+path+"#test",
		append([]string{"--dump-dom"}, flags...)...)
	check := regexp.MustCompile(`<html[^>]* data-check="([^"]*)"`).FindStringSubmatch(page)
	if len(check) != 2 || check[1] != "passed" {
		t.Errorf("the page says %q: %.500s", check, page)
	}
	if strings.Contains(page, "<title>owned") {
		t.Error("a text ran as a script")
	}
	for line := range strings.Lines(log) {
		if strings.Contains(line, "CONSOLE") {
			t.Error(line)
		}
	}
	picture := filepath.Join(t.TempDir(), "page.png")
	open(t, browser, "file://"+path, "--window-size=1200,900", "--screenshot="+picture)
	drawn, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(drawn)); err != nil || len(drawn) < 20_000 {
		t.Errorf("a picture of %d bytes, %v", len(drawn), err)
	}
}

func findBrowser(t *testing.T) string {
	t.Helper()
	path, err := browserPath()
	if err != nil {
		t.Skip("neither chromium nor google-chrome is installed")
	}
	return path
}

func browserPath() (path string, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

// open runs the browser without network on an address, and returns what it prints.
func open(t *testing.T, browser, address string, flags ...string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, append(flags, "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-background-networking",
		"--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir="+t.TempDir(), "--enable-logging=stderr",
		"--virtual-time-budget=60000", address)...)
	var out, log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	return out.String(), log.String()
}

// TestFailuresInABrowser does so where no debate could be held, and where some could.
func TestFailuresInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	browser := findBrowser(t)
	for _, every := range []int{1, 3} {
		path := filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(path, []byte(written(t, failing(t, small(t, 3, 3), every), Options{})),
			0o600); err != nil {
			t.Fatal(err)
		}
		checkInBrowser(t, browser, path)
	}
}

// TestAccessibility has axe-core look at a page for what hinders people, in both schemes of colours. It runs where
// axe-core lies in a directory of NODE_PATH (npm install axe-core).
func TestAccessibility(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	browser := findBrowser(t)
	var axe []byte
	for _, directory := range filepath.SplitList(os.Getenv("NODE_PATH")) {
		if text, err := os.ReadFile(filepath.Join(directory, "axe-core", "axe.min.js")); err == nil {
			axe = text
		}
	}
	if axe == nil {
		t.Skip("axe-core is in no directory of NODE_PATH")
	}
	const audit = `axe.run().then(found => { document.documentElement.dataset.axe = found.passes.length + " passed; " +
		found.violations.map(v => v.impact + " " + v.id + ": " + v.nodes.map(n => n.target).join(", ")).join("; "); })`
	page := written(t, failing(t, small(t, 3, 3), 3), Options{Published: []Published{{"mad", 0.7}}})
	page = strings.Replace(page, "</body>", "<script>"+string(axe)+"</script><script>"+audit+"</script></body>", 1)
	for _, scheme := range []string{"light", "dark"} {
		if scheme == "dark" {
			page = strings.ReplaceAll(page, "@media (prefers-color-scheme: dark)", "@media all")
		}
		path := filepath.Join(t.TempDir(), "report.html")
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		shown, _ := open(t, browser, "file://"+path, "--dump-dom")
		says := regexp.MustCompile(`<html[^>]* data-axe="([^"]*)"`).FindStringSubmatch(shown)
		if len(says) != 2 || !regexp.MustCompile(`^[1-9][0-9]+ passed; $`).MatchString(says[1]) {
			t.Errorf("%s: %q", scheme, says)
		}
	}
}
