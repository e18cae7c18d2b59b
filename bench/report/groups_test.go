package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-debate/parley/inference"
)

const grouped = `
name: grouped
tasks:
  - name: reading
    family: squad2
    rows:
      - {context: "The mill burned down in 1901.", question: "When did it burn?", answers: ["1901"]}
      - {context: "The mill burned down in 1901.", question: "In which year?", answers: ["in 1901"]}
      - {context: "The mill burned down in 1901.", question: "Why did it burn?", answers: []}
  - {name: made, generated: 2}
controls: false
conditions: [{name: one, protocol: society, set: {agents: 1, rounds: 1}}]
`

// TestGroupsOfQuestions: everybody answers 1901. Of two questions that can be answered one is right, with F1 of 1 and,
// for one of two words, 2/3; the one that cannot be answered is wrong. A task without groups is in no table of them.
func TestGroupsOfQuestions(t *testing.T) {
	dir := t.TempDir()
	e, tasks := experimentIn(t, dir, grouped)
	for _, questions := range tasks {
		same := inference.NewScript(func(inference.Request) string { return "The answer is 1901" })
		heldBy(t, same, e, questions, filepath.Join(dir, questions.Name))
	}
	if _, err := Of(dir, "", Options{}); err != nil {
		t.Fatal(err)
	}
	records := contrastRecords(t, filepath.Join(dir, "report-groups.csv"))[1:]
	if len(records) != 2 {
		t.Fatalf("2 groups are told: got %v", records)
	}
	for i, want := range []map[string]string{
		{"task": "reading", "condition": "one", "group": "answerable", "n": "2", "accuracy": "0.5",
			"partial": "0.8333333333333333"},
		{"task": "reading", "group": "unanswerable", "n": "1", "questions": "1", "accuracy": "0", "partial": "0"},
	} {
		t.Run(want["group"], func(t *testing.T) {
			for field, value := range want {
				if records[i][field] != value {
					t.Errorf("%s is %q, want %q: %v", field, records[i][field], value, records[i])
				}
			}
		})
	}
	markdown, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil || strings.Count(string(markdown), "Groups of questions") != 1 ||
		!strings.Contains(string(markdown), "| one | unanswerable | 1 | 1 | 0.000 |") {
		t.Errorf("groups have one table, with a line for each: %v, got\n%s", err, markdown)
	}
	if _, err := Of(filepath.Join(dir, "made"), "", Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "made", "report-groups.csv")); !os.IsNotExist(err) {
		t.Errorf("without groups there is no file of them: got %v, want no such file", err)
	}
}
