package main

import (
	"archive/zip"
	"bytes"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/report"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/cmd/parley/internal/parleytest"
	"github.com/parley-debate/parley/inference"
)

// TestNoOutputHasUnmeasuredP: of runs too few of whose replies could be read, nothing that commands print or write has
// a p-value, but for records, which say so beside it; nothing is called equivalent, and no text for people tells of a
// difference, of noise or of what to use.
func TestNoOutputHasUnmeasuredP(t *testing.T) {
	questions, conditions := benchtest.Setup(t, 3, 2)
	conditions = slices.DeleteFunc(conditions, func(c trial.Condition) bool {
		return !slices.Contains([]string{"single", "vote", "self-consistency", "mad", "isolated"}, c.Name)
	})
	t.Chdir(t.TempDir())
	asked := []string{"vote - single", "(mad, vote) - single"}
	for name, repeats := range map[string]int{"once": 1, "repeated": 2} {
		for at, run := range []string{"-run", "-other"} {
			engine := inference.NewScript(func(r inference.Request) string {
				for i, q := range questions.Questions {
					if strings.Contains(r.Messages[0].Content, q.Text) && i%4 != at && r.Sampling.Seed%3 != 0 {
						return "The answer is " + q.Target
					}
				}
				return "I do not know"
			})
			if err := benchtest.RecordIn(t, name+run, bench.Options{Task: questions, Conditions: conditions,
				Engine: engine, Run: spec.Run{Repeats: repeats,
					Tests: spec.Tests{Equivalence: 0.05, Contrasts: asked}}}); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(name, func(t *testing.T) { testUnmeasured(t, name+"-run", name+"-other") })
	}
}

func testUnmeasured(t *testing.T, run, other string) {
	c := benchtest.ReadRun(t, run).Comparison
	var all []string
	show := func(p *analysis.Paired) {
		if p == nil {
			return
		}
		if !p.Unmeasured {
			t.Fatalf("a comparison was measured, want it marked as unmeasured: %+v", p)
		}
		for _, p := range []float64{p.P, p.Holm, p.FalseDiscovery} {
			if digits := strconv.FormatFloat(p, 'g', -1, 64); len(digits) > 8 { // else other numbers may be the same
				all = append(all, regexp.QuoteMeta(digits), regexp.QuoteMeta(wording.Probability(p)))
			}
		}
	}
	for _, r := range c.Rows {
		show(r.Paired)
	}
	for _, k := range c.Contrasts {
		show(k.Paired)
	}
	if len(all) < 6 {
		t.Fatalf("%d p-values were found, want at least 6", len(all))
	}
	values := regexp.MustCompile(`(?:^|[^0-9.+-])(?:` + strings.Join(all, "|") + `|equivalent \(.*|[0-9]\*\*\*)(?:$|[^0-9])`)
	outputs := map[string]string{"terminal": c.Document().String(), "details": report.Details(c).String()}
	for _, line := range []string{"diff RUN OTHER", "diff RUN OTHER --json", "show RUN", "status RUN", "runs .",
		"report RUN --out one.html", "report RUN --figures one", "report RUN OTHER --out both.html",
		"export RUN --out csv", "export RUN --out parquet --format parquet", "export RUN --out hub --format hub",
		"export RUN --out every --format every-eval-ever", "export RUN --out object --format ro-crate",
		"export RUN --out log --format inspect", "stats log.single.eval log.vote.eval --details",
		"stats log.single.eval log.vote.eval --json --answer reader"} {
		line = run + "/" + line
		args := strings.Fields(strings.NewReplacer(run+"/", "", "RUN", run, "OTHER", other).Replace(line))
		_, outputs[line], _ = parleytest.Ran(args...)
	}
	for path, text := range contentsBelow(t, ".") {
		if outside := strings.HasPrefix(path, run+"/") || strings.HasPrefix(path, other+"/"); !outside {
			outputs[path] = text
		}
	}
	claims := regexp.MustCompile(`right on the same questions|no answer differs|\(noise\)|differences are marked|` +
		`told apart|is (?:better|worse) than|nothing is shown|points below|Beaten by|router keeps|` +
		`within [0-9.]+ points|(?:[+]|&#43;)0\.000|not measured[ │|]+[+-][0-9]`)
	for _, name := range []string{"terminal", "details", run + "/show RUN", run + "/report RUN --out one.html",
		run + "/report RUN OTHER --out both.html", run + "/stats log.single.eval log.vote.eval --details", "one.html",
		"both.html", run + "/status RUN", run + "/diff RUN OTHER"} {
		if outputs[name] == "" {
			t.Errorf("%s printed nothing, want its tables", name)
		}
		for _, at := range claims.FindAllStringIndex(outputs[name], -1) {
			t.Errorf("%s claims what was not measured, want no claim: %q", name, outputs[name][max(0,
				at[0]-200):min(len(outputs[name]), at[1]+100)])
		}
	}
	differs := outputs[run+"/diff RUN OTHER --json"]
	if strings.Count(differs, `"p":`) != strings.Count(differs, `"unmeasured":true`) ||
		!strings.Contains(outputs[run+"/diff RUN OTHER"], "vote: no p, as the answers were not measured") {
		t.Errorf("runs that were not measured are compared: %s", differs)
	}
	for name, text := range outputs {
		switch filepath.Ext(name) {
		case ".eval":
			text = unzipped(t, text)
		case ".pdf", ".svg", ".parquet":
			continue // pictures have no p, and tables of debates neither
		}
		if text == "" {
			t.Errorf("%s is empty, want its contents", name)
		}
		for _, at := range values.FindAllStringIndex(text, -1) {
			around := text[max(0, at[0]-300):min(len(text), at[1]+300)]
			if !regexp.MustCompile(`unmeasured\\*": ?true`).MatchString(around) {
				t.Errorf("%s has the value %q, want it marked as unmeasured: %q", name, text[at[0]:at[1]], around)
				break
			}
		}
	}
}

// unzipped are the contents of an archive, one behind the other.
func unzipped(t *testing.T, archive string) (text string) {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader([]byte(archive)), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		text += string(all) + "\n"
	}
	return text
}
