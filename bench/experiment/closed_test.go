package experiment

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/protocol"
)

// closed are the places of a file that take one of a list of words: %s stands for the word, on the line that an
// error has to name.
func closed() map[string]string {
	const conditions = "conditions: [{protocol: society}]\n"
	published := head + conditions + "published:\n  - {model: m, from: Table 1, %s}\n"
	places := map[string]string{
		"family":               "name: x\ntasks:\n  - {name: p, file: a.json, family: %s}\n" + conditions,
		"rule":                 "name: x\ntasks:\n  - {name: p, generated: 2, rule: %s}\n" + conditions,
		"wording of a task":    "name: x\ntasks:\n  - {name: p, generated: 2, prompts: {society: %s}}\n" + conditions,
		"form of a wording":    "name: x\ntasks:\n  - {name: p, generated: 2, prompts: {%s: tiny}}\n" + conditions,
		"protocol":             head + "conditions:\n  - {protocol: %s}\n",
		"after":                head + "conditions:\n  - {protocol: society, after: %s}\n",
		"reference":            head + conditions + "reference: %s\n",
		"published task":       fmt.Sprintf(published, "task: %s, condition: society, value: 0.5"),
		"published condition":  fmt.Sprintf(published, "task: p, condition: %s, value: 0.5"),
		"published conditions": fmt.Sprintf(published, "task: p, values: {%s: 0.5}"),
		"published measure":    fmt.Sprintf(published, "task: p, condition: society, measure: %s, value: 0.5"),
		"published measure's K": fmt.Sprintf(published,
			"task: p, condition: society, measure: decided-in-turn-%s, value: 0.5"),
	}
	for form, protocol := range ofForms() {
		for _, setting := range wordsOf(form) {
			places[form.Name+" "+setting] = fmt.Sprintf("%sconditions:\n  - protocol: %s\n    set: {%s: %%s}\n", head,
				protocol, setting)
			places[form.Name+" sweep of "+setting] = fmt.Sprintf("%sconditions:\n  - protocol: %s\n    sweep: {%s: "+
				"[%%s]}\n", head, protocol, setting)
		}
		places[form.Name+" setting"] = fmt.Sprintf("%sconditions:\n  - protocol: %s\n    set: {%%s: 1}\n", head,
			protocol)
	}
	return places
}

// ofForms gives each form a protocol of the program.
func ofForms() map[*debate.Form]string {
	forms := make(map[*debate.Form]string)
	for _, form := range protocol.Forms() {
		for _, p := range protocol.Protocols() {
			if p.Form == form.Name {
				forms[&form] = p.Name
				break
			}
		}
	}
	return forms
}

// wordsOf are the settings of a form whose values are words.
func wordsOf(form *debate.Form) (names []string) {
	for _, f := range debate.SettingFields() {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if f.Type.Kind() == reflect.String && slices.Contains(form.Reads, name) {
			names = append(names, name)
		}
	}
	return names
}

// known are all words that some place takes.
func known() map[string]bool {
	words := map[string]bool{"society": true, "p": true, "shuffled": true, "oracle": true, "single": true, "vote": true}
	for _, list := range [][]string{answer.Names(), familyNames(), protocolNames(), trial.ControlNames(),
		debate.SettingNames()} {
		for _, word := range list {
			words[word] = true
		}
	}
	for _, part := range protocol.Parts() {
		words[part.Value] = true
	}
	for _, form := range protocol.Forms() {
		words[form.Name] = true
	}
	return words
}

// TestClosedSets: a word that is none of those known is refused everywhere, and the error marks its line.
func TestClosedSets(t *testing.T) {
	places, known := closed(), known()
	if len(places) < 60 || len(task.Families()) == 0 {
		t.Fatalf("the test looks at 60 places or more and at families of tasks: got %d places, %d families",
			len(places), len(task.Families()))
	}
	names := make([]string, 0, len(places))
	for name := range places {
		names = append(names, name)
	}
	slices.Sort(names)
	check := func(t interface{ Errorf(string, ...any) }, name, word string) {
		text := fmt.Sprintf(places[name], word)
		before, _, _ := strings.Cut(places[name], "%s")
		_, err := Parse([]byte(text))
		if mark := fmt.Sprintf(">%3d | ", strings.Count(before, "\n")+1); err == nil ||
			!strings.Contains(err.Error(), mark) {
			t.Errorf("%s: %v\nwant an error that marks %q in\n%s", name, err, mark, text)
		}
	}
	for _, name := range names {
		check(t, name, "nonsense")
	}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{3,9}(-[a-z]{2,5})?`).Filter(func(w string) bool {
			return !known[w] &&
				w != "null" && w != "true" && w != "false"
		}).Draw(t, "word")
		check(t, rapid.SampledFrom(names).Draw(t, "place"), word)
	})
}
