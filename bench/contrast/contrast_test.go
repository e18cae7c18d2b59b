package contrast

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var conditions = []string{"mad", "vote", "mad/agents=3", "mad/agents=5", "mad/agents=7", "madc/agents=3",
	"madc/agents=5",
	"a/team=x/y", "b/team=x/y", "c/agents=3/rounds=1", "c/agents=3/rounds=2"}

// TestRead: a contrast is read from its text; stars stand for all values for which both of its conditions exist.
func TestRead(t *testing.T) {
	one := func(name, first, second string) Contrast {
		return Contrast{Name: name, First: []string{first},
			Second: []string{second}}
	}
	for text, want := range map[string][]Contrast{
		"vote - mad":          {one("vote - mad", "vote", "mad")},
		" vote  -  ( mad ) ":  {one("vote - mad", "vote", "mad")},
		"madc/agents=3 - mad": {one("madc/agents=3 - mad", "madc/agents=3", "mad")},
		"a/team=* - b/team=*": {one("a/team=x/y - b/team=x/y", "a/team=x/y", "b/team=x/y")},
		"(vote, mad) - mad/agents=3": {{Name: "(vote, mad) - mad/agents=3",
			First: []string{"vote", "mad"}, Second: []string{"mad/agents=3"}}},
		"vote - mad by  tokens": {{Name: "vote - mad by tokens", First: []string{"vote"}, Second: []string{"mad"},
			Measure: "tokens"}},
		"vote - mad within 0.05": {{Name: "vote - mad", First: []string{"vote"}, Second: []string{"mad"},
			Margin: 0.05}},
		"vote - mad by tokens within 200": {{Name: "vote - mad by tokens", First: []string{"vote"},
			Second: []string{"mad"}, Measure: "tokens", Margin: 200}},
		"(vote) - mad/agents=* by f1": {{Name: "vote - mad/agents=3 by f1", First: []string{"vote"},
			Second: []string{"mad/agents=3"}, Measure: "f1"}, {Name: "vote - mad/agents=5 by f1",
			First: []string{"vote"}, Second: []string{"mad/agents=5"}, Measure: "f1"},
			{Name: "vote - mad/agents=7 by f1", First: []string{"vote"}, Second: []string{"mad/agents=7"},
				Measure: "f1"}},
		"vote - c/agents=3/rounds=*": {one("vote - c/agents=3/rounds=1", "vote", "c/agents=3/rounds=1"),
			one("vote - c/agents=3/rounds=2", "vote", "c/agents=3/rounds=2")},
		"mad/agents=* - madc/agents=*": {one("mad/agents=3 - madc/agents=3", "mad/agents=3", "madc/agents=3"),
			one("mad/agents=5 - madc/agents=5", "mad/agents=5", "madc/agents=5")}, // none at 7
		"(mad/agents=*) - vote": {{Name: "(mad/agents=*) - vote",
			First: []string{"mad/agents=3", "mad/agents=5", "mad/agents=7"}, Second: []string{"vote"}}},
		"(madc/agents=*) - ( mad/agents=* ) by tokens within 9": {{ // 7 is of one side only
			Name: "(madc/agents=*) - (mad/agents=*) by tokens", Measure: "tokens", Margin: 9,
			First: []string{"madc/agents=3", "madc/agents=5"}, Second: []string{"mad/agents=3", "mad/agents=5"}}},
		"vote - (b/team=*)": {{Name: "vote - (b/team=*)", First: []string{"vote"}, Second: []string{"b/team=x/y"}}},
		"(mad, c/agents=3/rounds=*) - (a/team=*)": {{Name: "(mad, c/agents=3/rounds=*) - (a/team=*)",
			First: []string{"mad", "c/agents=3/rounds=1", "c/agents=3/rounds=2"}, Second: []string{"a/team=x/y"}}},
	} {
		t.Run(text, func(t *testing.T) {
			got, err := Read([]string{text}, conditions)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: is read, %v (-want +got):\n%s", text, err, diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "a contrast is written A - B",
		"vote":                                "a contrast is written A - B",
		"vote-mad":                            "a contrast is written A - B",
		"vote - mad - madc":                   "a contrast is written A - B",
		"vote - madd":                         `no condition "madd" (did you mean mad?); there are mad, vote, mad/agents=3`,
		"vote, mad - mad":                     "a group is written in parentheses",
		"(vote - mad)":                        "a group is written in parentheses",
		"(vote,) - mad":                       `"" is not the name of a condition`,
		"((vote) - mad":                       "is not the name of a condition|a group is written",
		"vote - mad on task":                  `"mad on task" is not the name`,
		"vote - mad by token":                 `no measure of a debate "token" (did you mean tokens?)`,
		"vote - mad within":                   `"mad within" is not the name`,
		"vote - mad within x":                 `within "x": a margin is a number above 0, such as within 0.05`,
		"vote - mad within 0":                 `within "0": a margin is a number above 0`,
		"vote - mad within NaN":               `within "NaN": a margin is a number above 0`,
		"vote - mad within 5":                 "within 5: must be from 0.001 to 1",
		"vote - mad by calls within Inf":      `within "Inf": a margin is a number above 0`,
		"vote - mad by agreement within 2":    "within 2: must be from 0.001 to 1",
		"vote - mad within 0.05 by agreement": `within "0.05 by agreement": a margin is a number above 0`,
		"vote - vote":                         "it names vote twice",
		"(vote, vote) - mad":                  "it names vote twice",
		"mad/rounds=* - mad":                  "no value of its stars",
		"* - mad":                             "no value of its stars",
		"mad/agents=* - vote/x=*":             "no value of its stars",
		"(mad/rounds=*) - mad":                "no value of its stars",
		"(*) - mad":                           "no value of its stars",
		"(mad, mad/rounds=*) - vote":          "no value of its stars",
		"(madc/agents=*) - (a/agents=*)":      "no value of its stars",
		"(madc/agents=*) - mad/agents=*":      "stars in a group, which stand for the mean over their values",
		"(mad/agents=*, mad/agents=3) - vote": "it names mad/agents=3 twice",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := Read([]string{text}, conditions)
			matches := false
			for w := range strings.SplitSeq(want, "|") {
				matches = matches || err != nil && strings.Contains(err.Error(), w)
			}
			if !matches {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		})
	}
	if _, err := Read([]string{"vote - mad", "vote  - mad"}, conditions); err == nil {
		t.Error("the same contrast was read twice, want an error")
	}
	if _, err := Read([]string{"vote - mad", "vote - mad within 0.1"}, conditions); err == nil {
		t.Error("a contrast was read twice, with two margins, want an error")
	}
	many := make([]string, most+2)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	var texts []string
	for _, name := range many[1:] {
		texts = append(texts, name+" - x")
	}
	if _, err := Read(texts, many); err == nil || !strings.Contains(err.Error(), "more than 500") {
		t.Errorf("%d contrasts are refused as \"more than 500\": got %v", len(texts), err)
	}
}

// TestSides: both sides are written as they are in the name, with a group's stars and without the measure.
func TestSides(t *testing.T) {
	for text, want := range map[string][2]string{
		"vote - mad by tokens within 5":            {"vote", "mad"},
		"(vote,mad) - mad/agents=3":                {"(vote, mad)", "mad/agents=3"},
		"(madc/agents=*) - (mad/agents=*) by f1":   {"(madc/agents=*)", "(mad/agents=*)"},
		"c/agents=3/rounds=* - vote":               {"c/agents=3/rounds=1", "vote"},
		"(mad/agents=*, vote) - (madc/agents=3)  ": {"(mad/agents=*, vote)", "madc/agents=3"},
	} {
		t.Run(text, func(t *testing.T) {
			read, err := Read([]string{text}, conditions)
			if err != nil {
				t.Fatal(err)
			}
			if first, second := read[0].Sides(); first != want[0] || second != want[1] {
				t.Errorf("%q and %q, want %q", first, second, want)
			}
		})
	}
}

// TestOnTasks: what follows "on" are the tasks that a contrast is computed on.
func TestOnTasks(t *testing.T) {
	for text, want := range map[string][]string{"a - b": nil, "a - b on x": {"x"}, "a - b on x,  y": {"x", "y"},
		"a - b on ": {""}} {
		t.Run(text, func(t *testing.T) {
			if got, tasks := OnTasks(text); got != "a - b" || !cmp.Equal(tasks, want) {
				t.Errorf("%s: %q on %q, want \"a - b\" and %v", text, got, tasks, want)
			}
		})
	}
}

// TestMarginIn: a run's margin is one of accuracies, and a contrast's own comes before it.
func TestMarginIn(t *testing.T) {
	for name, c := range map[string]struct {
		of   Contrast
		want float64
	}{
		"the run's":               {Contrast{}, 0.1},
		"its own":                 {Contrast{Margin: 0.02}, 0.02},
		"of another measure":      {Contrast{Measure: "tokens"}, 0},
		"its own of that measure": {Contrast{Measure: "tokens", Margin: 50}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.of.MarginIn(0.1); got != c.want {
				t.Errorf("the margin of %+v, 0.1 if it has none, is %g: got %g", c.of, c.want, got)
			}
		})
	}
}
