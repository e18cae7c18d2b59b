package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/datatest"
)

// many is a run of at least so many debates on as many questions as that takes, whose replies are of the length of
// those of small models: about 60 words, drawn from 5,000.
func many(t *testing.T, debates int) rundir.Run {
	t.Helper()
	held := small(t, 3, 2)
	random := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 5000)
	for i := range words {
		for range 2 + random.IntN(8) {
			words[i] += string(rune('a' + random.IntN(26)))
		}
	}
	said := make(map[string]string)
	say := func(text, question string) string {
		if said[question+text] == "" {
			var b strings.Builder
			for range 60 {
				b.WriteString(words[min(random.IntN(5000), random.IntN(5000))] + " ")
			}
			said[question+text] = b.String() + text
		}
		return said[question+text]
	}
	var outcomes []trial.Outcome
	for n := 0; len(outcomes) < debates; n++ {
		for _, o := range held.Outcomes {
			o.Question = fmt.Sprintf("%s again %d", o.Question, n)
			o.Transcript.Rounds = cloned(o.Transcript.Rounds)
			for r, turns := range o.Transcript.Rounds {
				for i := range turns {
					reply := &turns[i].Reply
					reply.Key = fmt.Sprint(len(outcomes), r, i)
					reply.Text = say(reply.Text, reply.Key)
					for k, m := range turns[i].Messages {
						turns[i].Messages[k].Content = say(m.Content, reply.Key)
					}
				}
			}
			outcomes = append(outcomes, o)
		}
	}
	run, err := rundir.NewRun(held.Header, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// TestManyParts: a page of many parts has all debates, unpacks any of them, and reads little before it is shown.
func TestManyParts(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and long under the race detector")
	}
	t.Parallel()
	run := many(t, 1000)
	page := written(t, run, Options{})
	data := dataOf(t, page)
	if index := strings.Index(page, "id=\"debates-0\"") - strings.Index(page, "id=\"index\""); len(data.Starts) < 5 ||
		len(data.Debates) != len(run.Outcomes) || index > data.Bytes/10 {
		t.Errorf("5 parts or more hold all %d debates, behind an index of a tenth at most: got %d parts, %d "+
			"debates, an index of %d bytes beside %d",
			len(run.Outcomes), len(data.Starts), len(data.Debates), index, data.Bytes)
	}
	if again := written(t, run, Options{}); again != page {
		t.Errorf("the same run makes the same page again: got another, of %d bytes beside %d", len(again), len(page))
	}
	path := datatest.File(t, "report.html", page)
	checkInBrowser(t, benchtest.Browser(t), path)
}

func cloned(rounds [][]debate.Turn) [][]debate.Turn {
	copied := make([][]debate.Turn, len(rounds))
	for r, turns := range rounds {
		copied[r] = slices.Clone(turns)
		for i := range turns {
			copied[r][i].Messages = slices.Clone(turns[i].Messages)
		}
	}
	return copied
}
