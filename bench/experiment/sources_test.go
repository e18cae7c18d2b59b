package experiment

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSources: the register names experiments that exist, each experiment of a source stands in it, every published
// number belongs to one of its items, every table and figure that a source prints is in it, and nothing is left out
// without a reason. Package report looks for what experiments make.
func TestSources(t *testing.T) {
	registered := map[string][]string{} // the items of each experiment
	for _, s := range Sources() {
		if len(s.Items) == 0 {
			t.Errorf("%s has no items", s.Name)
		}
		for _, i := range s.Items {
			if state := i.state(); state != "made" && i.Missing == "" && !i.Illustration ||
				i.Illustration && (i.Missing != "" || len(i.Made) > 0) {
				t.Errorf("%s, %s is %s: it needs a reason, and an illustration needs nothing", s.Name, i.Names, state)
			}
			for name, outputs := range i.Made {
				registered[name] = append(registered[name], i.Names...)
				if len(outputs) == 0 {
					t.Errorf("%s, %s: what does the report of %s show of it?", s.Name, i.Names, name)
				}
			}
		}
		checkPrinted(t, s)
	}
	for _, e := range List() {
		items, ok := registered[e.Name]
		if !ok {
			t.Errorf("%s is in no source's list: add it to sources.yaml", e.Name)
		}
		for _, p := range e.Published {
			if !slices.Contains(items, p.From) {
				t.Errorf("%s: a number from %q, which sources.yaml does not list for it", e.Name, p.From)
			}
		}
		delete(registered, e.Name)
	}
	for name := range registered {
		t.Errorf("there is no experiment %s", name)
	}
}

// sourcesWhole are the sources whose tables and figures are all listed.
var sourcesWhole = []string{"MADC", "agents-lab", "Wu et al.", "Liang et al.", "MALLM"}

// checkPrinted: the items of a source have all of its tables and figures, and no others.
func checkPrinted(t *testing.T, s Source) {
	t.Helper()
	if s.Prints == nil {
		if slices.Contains(sourcesWhole, s.Name) {
			t.Errorf("%s does not say how many tables and figures it prints", s.Name)
		}
		return
	}
	printed := namesOf(*s.Prints)
	for _, i := range s.Items {
		for _, name := range i.Names {
			numbered := strings.HasPrefix(name, "Table ") || strings.HasPrefix(name, "Figure ")
			if numbered && !slices.Contains(namesOf(*s.Prints), name) {
				t.Errorf("%s prints no %s", s.Name, name)
			}
			printed = slices.DeleteFunc(printed, func(p string) bool { return p == name })
		}
	}
	if len(printed) > 0 {
		t.Errorf("%s: no item has %s", s.Name, strings.Join(printed, ", "))
	}
}

// TestSourcesPage: each source is a heading of the page, and each item a row of its table.
func TestSourcesPage(t *testing.T) {
	var page bytes.Buffer
	if err := WriteSources(&page); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, s := range Sources() {
		heading := fmt.Sprintf("\n## %s: %s\n", capital(s.Name), s.Title)
		if !strings.Contains(page.String(), heading) {
			t.Errorf("the page of sources has the heading %q: there is none", heading)
		}
		rows += len(s.Items)
	}
	made := strings.Count(page.String(), "| made") // and its tables' heads and rules are lines as well
	if lines := strings.Count(page.String(), "\n| ") - 2*len(Sources()); lines != rows || made < 10 {
		t.Errorf("the page has %d rows, one for each item, and 10 or more are made: got %d, %d made",
			rows, lines, made)
	}
}

// namesOf are those of the tables and figures that a source prints.
func namesOf(p Prints) (names []string) {
	for i := range p.Tables {
		names = append(names, fmt.Sprintf("Table %d", i+1))
	}
	for i := range p.Figures {
		names = append(names, fmt.Sprintf("Figure %d", i+1))
	}
	return names
}

// TestNotesSayWhere: what a note calls not found was looked for, in places that it names, and nothing is merely "not at
// hand".
func TestNotesSayWhere(t *testing.T) {
	looked := 0
	check := func(where, text string) {
		if strings.Contains(text, "at hand") {
			t.Errorf("%s: say where it was looked for: %s", where, text)
		}
	}
	for _, e := range List() {
		for _, note := range e.Notes {
			check(e.Name, note)
			if !strings.Contains(note, "not found") && !strings.Contains(note, "neither was found") {
				continue
			}
			if looked++; !strings.Contains(note, "looked for") {
				t.Errorf("%s: say where it was looked for: %s", e.Name, note)
			}
		}
	}
	for _, s := range Sources() {
		for _, i := range s.Items {
			check(s.Name, i.Missing)
		}
	}
	if looked < 6 {
		t.Errorf("6 notes or more say where something was looked for that was not found: got %d", looked)
	}
}

// TestNotesDoNotGuess: no note guesses where its source can be read, and the data sets are those that MALLM's
// section 4.2 names for its challenges, with another model for the wrong answers.
func TestNotesDoNotGuess(t *testing.T) {
	for _, e := range List() {
		for _, note := range e.Notes {
			if strings.Contains(strings.ToLower(note), "guess") {
				t.Errorf("%s: a note tells what is known, without \"guess\": got %s", e.Name, note)
			}
		}
	}
	e := loaded(t, "mallm-challenge")
	var families []string
	for _, task := range e.Tasks {
		families = append(families, task.Family)
	}
	if diff := cmp.Diff([]string{"mmlu", "mmlu-pro", "strategyqa", "squad2"}, families); diff != "" {
		t.Errorf("the challenges have the data sets of the source (-want +got):\n%s", diff)
	}
	points := pointsOf(t, e)
	for _, p := range points {
		team := p.Protocol.Settings.Team()
		if other := len(team) == 4 && team[3].Model == "challenger"; other != (p.Condition == "wrong") {
			t.Errorf("%s: the challenger is the fourth of the team in wrong alone: got %+v", p.Condition, team)
		}
	}
}
