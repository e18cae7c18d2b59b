package task

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/debate/answer"
)

// besides is a generated reply with what another program read from it, as tools/differential/readings.py writes it.
type besides struct {
	labelled
	Task   string  // the other program's filter
	Theirs *string // nil if it found nothing
}

// TestBeside compares our readers with lm-eval's filters and math-verify on generated replies, which PARLEY_BESIDE
// names. Each difference has a reason; the log counts them, and shows five of each.
func TestBeside(t *testing.T) {
	path := os.Getenv("PARLEY_BESIDE")
	if path == "" {
		t.Skip("PARLEY_BESIDE names no file of tools/differential/readings.py")
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts, shown := map[string]map[string]int{}, map[string]int{}
	s := bufio.NewScanner(f)
	for s.Buffer(nil, 1<<20); s.Scan(); {
		var r besides
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		ours, why := r.difference(t)
		if counts[r.Task] == nil {
			counts[r.Task] = map[string]int{}
		}
		counts[r.Task][why]++
		if why == "" {
			t.Errorf("%s: %s, theirs %s: no reason", r.ID, ours, r.found())
		}
		if shown[r.Task+why]++; why != same && shown[r.Task+why] <= 5 {
			t.Logf("%s: %s (%s), theirs %s: %s\n%.600q", r.ID, ours, ours.How, r.found(), why, *r.Reply)
		}
	}
	if len(counts) == 0 {
		t.Fatalf("the file has replies that are read beside: got none in %s", path)
	}
	t.Log(tableOfReasons(counts))
}

func tableOfReasons(counts map[string]map[string]int) string {
	var b bytes.Buffer
	for _, task := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintln(&b, task)
		for _, why := range slices.Sorted(maps.Keys(counts[task])) {
			fmt.Fprintf(&b, "%6d  %s\n", counts[task][why], why)
		}
	}
	return b.String()
}

const same = "the same"

// invented is where a model goes on with another problem.
var invented = regexp.MustCompile(`\n\s*(Question|Problem|Q|Answer)\b`)

// difference returns our reading and why theirs is another.
func (r besides) difference(t *testing.T) (answer.Answer, string) {
	r.Label = r.spellings(r.Theirs)
	o, ours := r.judge(r.reader(t, r.Options), *r.Reply)
	switch {
	case o == agreed:
		return ours, same
	case r.Kind == answer.KindQuantity && ours.Parsed && r.percent(ours):
		return ours, "theirs leaves out the percent sign"
	case !ours.Parsed:
		return ours, map[answer.How]string{
			answer.Cut:      "the reply is cut before it states an answer; theirs takes what it finds",
			answer.Looped:   "the reply loops before it states an answer; theirs takes what it finds",
			answer.NoOption: "what is stated is none of the options; theirs takes what it finds, or its letter",
			answer.Nothing:  "no answer is stated, or the options are restated; theirs takes what it finds",
		}[ours.How]
	case r.Theirs == nil && ours.How == answer.Explicit:
		return ours, "it is stated in other words than theirs looks for"
	case r.Theirs == nil:
		return ours, "it is not stated, but only one thing can be meant; theirs finds nothing"
	case r.Kind == answer.KindWords:
		return ours, "theirs is the whole line that the answer stands in, or the first"
	case invented.MatchString(*r.Reply):
		return ours, "theirs reads on in a problem that the model made up"
	case ours.How == answer.Fallback:
		return ours, "it is not stated, and what can be meant is not what theirs finds"
	case ours.How == answer.Explicit:
		return ours, "theirs is the last or first that its pattern finds, not what is stated"
	}
	return ours, ""
}

// percent reports whether theirs is ours without its percent sign.
func (r besides) percent(ours answer.Answer) bool {
	return slices.ContainsFunc(r.spellings(r.Theirs), func(theirs string) bool {
		return r.says(ours.Text)(theirs + "%")
	})
}

func (r besides) found() string {
	if r.Theirs == nil {
		return "nothing"
	}
	return fmt.Sprintf("%q", *r.Theirs)
}

// readBeside returns what lm-eval's filters and math-verify read from the labelled replies, by their ids; nil is for
// nothing. tools/differential/readings.py wrote it.
func readBeside(t *testing.T) (theirs map[string]*string) {
	t.Helper()
	text, err := os.ReadFile("../../debate/answer/testdata/labels-beside.json")
	if err == nil {
		err = json.Unmarshal(text, &theirs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return theirs
}

// spellings returns the ways in which what another program found can be spelt; none if it found nothing.
func (r labelled) spellings(theirs *string) []string {
	if theirs == nil {
		return nil
	}
	bare := strings.Trim(*theirs, "($.) ")
	switch {
	case r.Kind == answer.KindNumber || r.Kind == answer.KindQuantity:
		bare = strings.NewReplacer("$", "", ",", "").Replace(bare)
	case r.Kind == answer.KindWords && strings.Contains(strings.ToLower(*theirs), "unanswerable"):
		bare = answer.NoSpan
	}
	return []string{*theirs, bare}
}

// readByOthers are the labelled replies of larger models that lm-eval's filters or math-verify read as labelled and we
// do not, with what stands in our way. TestReadByOthers keeps the list whole.
var readByOthers = map[string]string{
	"large/trick/33":      "begins with yes and ends with what means no",
	"large/trick/53":      "looks for an emoji for long, and denies it in passing",
	"large/trick/70":      "says \"no teams whose names do not end\", which denies twice",
	"large/tokenbias/55":  "two sums in the last line, the first of them of the same unit",
	"large/ghosts/11":     "a display of LaTeX that nothing closes",
	"large/convcot/16":    "cut within the reasoning, where another question is answered; they find nothing either",
	"large/theoremqa/21":  "an answer, and then \"This answer is wrong.\" and \"correct\" in turns to the end",
	"large/benchpress/36": "advice that says yes or no by its TL;DR only",
}

// TestReadByOthers: what another program reads as labelled, we do as well, or the reply is listed with its reason.
func TestReadByOthers(t *testing.T) {
	if os.Getenv("PARLEY_LOGS") == "" {
		t.Skip("PARLEY_LOGS names no directory that tools/labels/logs.py fills")
	}
	theirs, compared := readBeside(t), 0
	for _, set := range sets {
		if !strings.HasPrefix(set, "large") || isKept(set) {
			continue
		}
		for _, r := range readLabels(t, set) {
			found, there := theirs[r.ID]
			reply, options, here := r.text(t)
			if !there || !here {
				continue
			}
			compared++
			ours, _ := r.judge(r.reader(t, options), reply)
			only := ours != agreed && r.outcome(r.spellings(found)...) == agreed
			if why, listed := readByOthers[r.ID]; only != listed {
				t.Errorf("%s: a reply that theirs alone reads as labelled is listed with a reason: got theirs "+
					"alone %t, listed as %q", r.ID, only, why)
			}
		}
	}
	if compared < 1500 {
		t.Errorf("%d replies compared, want all but those answered in words", compared)
	}
}
