package browser

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"

	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/internal/escape"
)

// packer collects the data of one page.
type packer struct {
	Data
	places  map[string]int // index of each text in Texts
	bytes   int            // length of all Texts
	replies int            // number of replies
	blind   bool           // which answers of the current debate are right is not known: no score is shown
}

// Run is a run whose debates are shown.
type Run struct {
	rundir.Run
	Part string // what the run is called where debates are filtered by it; "" is the task
}

// Pack makes the data of the page, of at most about most bytes. If there is more, it leaves out the messages as sent,
// and if that is not enough, the debates on the last questions of each task; leftOut tells the reader. Tables and
// figures always count all debates.
func Pack(studies []Run, most int) (p Data, leftOut string) {
	k := newPacker(studies)
	for _, s := range studies {
		k.messages(s.Outcomes)
	}
	questions := -1 // of each task: all
	if size := k.bytes + k.replies*PerTurn; size > most {
		leftOut = fmt.Sprintf("The debates of this report take %s, and a page holds at most %s, so the messages as "+
			"sent are left out. They are in the run directory; parley show --messages prints them.",
			humanize.Bytes(uint64(size)), humanize.Bytes(uint64(most)))
		k = newPacker(studies)
		k.Sent = nil
		if questions = fitting(studies, most); questions >= 0 {
			k.Rows = nil
			leftOut += fmt.Sprintf(" Only the debates on the first %s of each task are shown below; tables and "+
				"figures cover all of them. parley show prints any debate.", wording.Count(questions, "question"))
		}
	}
	for i, s := range studies {
		k.debates(i, s, questions)
	}
	return k.Data, leftOut
}

func newPacker(studies []Run) *packer {
	k := &packer{places: make(map[string]int), Data: Data{Sent: make(map[string][]int), Texts: []string{},
		Debates: []Debate{}}}
	for i, s := range studies {
		k.Tasks = append(k.Tasks, cmp.Or(s.Part, s.Header.Task))
		for _, r := range s.Comparison.Rows {
			k.condition(r.Condition)
			k.Rows = append(k.Rows, Count{i, r.Condition, r.N + r.Failed, r.Right, r.Unparsed, r.Failed})
		}
	}
	return k
}

// debates adds the debates of a run on its first questions; -1 is all questions.
func (k *packer) debates(task int, s Run, questions int) {
	places, marked := make(map[string]int), s.Marked()
	for _, o := range s.Table().Debates() {
		if indexIn(places, o.Question) < questions || questions < 0 {
			k.blind = !marked || o.Target == ""
			d := k.debate(o)
			d.Task = task
			k.Debates = append(k.Debates, d)
		}
	}
}

// PerTurn is about the number of bytes that a turn takes in the data besides its text.
const PerTurn = 150

// fitting is for how many questions of each task the debates fit into so many bytes, -1 if all do.
func fitting(studies []Run, most int) int {
	var sizes []int // bytes of the debates by the place of their question in its task, over all tasks
	total, held := 0, make(map[string]bool)
	for _, s := range studies {
		places := make(map[string]int)
		for _, o := range s.Outcomes {
			at := indexIn(places, o.Question)
			if at == len(sizes) {
				sizes = append(sizes, 0)
			}
			for call := range o.Transcript.Calls() {
				if sizes[at] += PerTurn; !held[call.Reply.Text] {
					sizes[at], held[call.Reply.Text] = sizes[at]+len(call.Reply.Text), true
				}
			}
		}
	}
	for n, size := range sizes {
		if total += size; total > most {
			return max(1, n)
		}
	}
	return -1
}

// indexIn numbers texts in the order in which they are first met.
func indexIn(places map[string]int, text string) int {
	if _, known := places[text]; !known {
		places[text] = len(places)
	}
	return places[text]
}

// text is the index of a text in Texts, which it enters.
func (k *packer) text(text string) int {
	i, known := k.places[text]
	if !known {
		i = len(k.Texts)
		k.places[text] = i
		k.Texts = append(k.Texts, escape.Text(text))
		k.bytes += len(k.Texts[i])
	}
	return i
}

// messages enters the messages that were sent.
func (k *packer) messages(outcomes []trial.Outcome) {
	for _, o := range outcomes {
		for _, turns := range o.Transcript.Stages() {
			k.sentIn(turns)
		}
	}
}

func (k *packer) sentIn(turns []debate.Turn) {
	for _, turn := range turns {
		k.sentIn(turn.Before)
		k.sentIn(turn.After)
		k.sentIn(turn.Probes)
		k.text(turn.Reply.Text)
		k.replies++
		if k.Sent[turn.Reply.Key] != nil || turn.Reply.Key == "" {
			continue
		}
		sent := []int{}
		for _, m := range turn.Messages {
			sent = append(sent, k.speaker(m.Role), k.text(m.Content))
		}
		k.Sent[turn.Reply.Key] = sent
	}
}

func (k *packer) speaker(role string) int {
	if i := slices.Index(k.Speakers, role); i >= 0 {
		return i
	}
	k.Speakers = append(k.Speakers, role)
	return len(k.Speakers) - 1
}

func (k *packer) condition(name string) int {
	if i := slices.Index(k.Conditions, name); i >= 0 {
		return i
	}
	k.Conditions = append(k.Conditions, name)
	return len(k.Conditions) - 1
}
