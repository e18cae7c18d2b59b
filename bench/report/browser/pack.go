package browser

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/klauspost/compress/gzip"

	"github.com/parley-debate/parley/bench/outcome"
	"github.com/parley-debate/parley/bench/report/formula"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/internal/escape"
)

// Packed is the data of a page: JSON, compressed by gzip, in base64.
type Packed struct {
	Index    string
	Parts    []string // each a Part
	Messages []string // of each part; nil if messages are left out
	Formulas bool     // a text may have a formula
}

// Run is a run whose debates are shown.
type Run struct {
	rundir.Run
	Part string // what the run is called where debates are filtered by it; "" is the task
}

// Pack makes the data of the page, of at most about most bytes. If there is more, it leaves out the messages as sent,
// and if that is not enough, the debates on the last questions of each task; leftOut tells the reader. Tables and
// figures always count all debates.
func Pack(studies []Run, most int) (p Packed, leftOut string, err error) {
	k, err := pack(studies, -1)
	if err != nil {
		return p, "", err
	}
	if size := length(k.parts) + length(k.messages); size > most {
		leftOut = fmt.Sprintf("The debates of this report take %s, and a page holds at most %s, so the messages as "+
			"sent are left out. They are in the run directory; parley show --messages prints them.",
			humanize.Bytes(uint64(size)), humanize.Bytes(uint64(most)))
		if questions := k.fitting(most); questions >= 0 {
			if k, err = pack(studies, questions); err != nil {
				return p, "", err
			}
			k.Rows = nil
			leftOut += fmt.Sprintf(" Only the debates on the first %s of each task are shown below; tables and "+
				"figures cover all of them. parley show prints any debate.", wording.Count(questions, "question"))
		}
		k.messages = nil
	}
	k.Index.Messages = k.messages != nil
	index, err := encoded(k.Index)
	return Packed{index, k.parts, k.messages, k.formulas}, leftOut, err
}

// length is the number of bytes of parts, which the bound on a page is about.
func length(parts []string) (n int) {
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// encoded is JSON as the page holds it. In what its scripts decode, hidden characters are shown as codes.
func encoded(v any) (string, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(escape.JSON(text)); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// packer collects the data of one page.
type packer struct {
	Index
	blind bool // which answers of the current debate are right is not known: no score is shown

	part     Part              // the current one
	held     []*outcome.Debate // those of the current part
	places   map[string]int    // of each text of the current part
	bytes    int               // length of its texts and turns
	parts    []string
	messages []string
	formulas bool // in texts so far
}

// fullPart is how many bytes of debates, before they are compressed, fill a part: few enough to be read at once when
// one of them is shown, enough for their likeness to tell when they are compressed.
const fullPart = 256_000

// perTurn is about the number of bytes that a turn takes besides its texts.
const perTurn = 150

// pack packs the debates on the first questions of each task; -1 is all.
func pack(studies []Run, questions int) (*packer, error) {
	k := &packer{Index: Index{Questions: []Question{}, Debates: []Entry{}, Starts: []int{}}}
	k.begin()
	for i, s := range studies {
		k.Tasks = append(k.Tasks, cmp.Or(s.Part, s.Header.Task))
		for _, r := range s.Comparison.Rows {
			k.condition(r.Condition)
			k.Rows = append(k.Rows, Count{i, r.Condition, r.N + r.Failed, r.Right, r.Unparsed, r.Failed})
		}
	}
	for i, s := range studies {
		if err := k.debates(i, s, questions); err != nil {
			return nil, err
		}
	}
	return k, k.end()
}

// begin begins a part.
func (k *packer) begin() {
	k.part = Part{Texts: []string{}, Debates: []Debate{}}
	k.held, k.places, k.bytes = nil, make(map[string]int), 0
}

// end ends the current part, unless nothing is in it.
func (k *packer) end() error {
	if len(k.held) == 0 {
		return nil
	}
	part, err := encoded(k.part)
	if err != nil {
		return err
	}
	messages := k.sent()
	sent, err := encoded(messages)
	if err != nil {
		return err
	}
	k.formulas = k.formulas || slices.ContainsFunc(k.part.Texts, formula.In) ||
		slices.ContainsFunc(messages.Texts, formula.In)
	k.Starts = append(k.Starts, len(k.Debates)-len(k.held))
	k.parts, k.messages = append(k.parts, part), append(k.messages, sent)
	k.begin()
	return nil
}

// debates adds the debates of a run on its first questions; -1 is all questions.
func (k *packer) debates(task int, s Run, questions int) error {
	places, marked, first := make(map[string]int), s.Marked(), len(k.Questions)
	for _, o := range s.Table().Debates() {
		place := indexIn(places, o.Question)
		if place >= questions && questions >= 0 {
			continue
		}
		if first+place == len(k.Questions) {
			k.Questions = append(k.Questions, Question{Task: task, Name: o.Question})
		}
		k.blind = !marked || o.Target == ""
		d := k.debate(o)
		d.Question = first + place
		if q := &k.Questions[d.Question]; q.Asks == "" {
			q.Asks = asked(o.Transcript)
		}
		k.Debates, k.part.Debates, k.held = append(k.Debates, d.Entry), append(k.part.Debates, d), append(k.held, o)
		if k.bytes >= fullPart {
			if err := k.end(); err != nil {
				return err
			}
		}
	}
	shorten(k.Questions[first:])
	return nil
}

// fitting is for how many questions of each task the debates fit into so many bytes without messages, -1 if all do. The
// debates of a part are taken to be of equal length.
func (k *packer) fitting(most int) int {
	sizes := make([]int, len(k.Questions)) // bytes by the place of their question in its task, over all tasks
	first := make([]int, len(k.Tasks))     // question of each task
	for i, q := range slices.Backward(k.Questions) {
		first[q.Task] = i
	}
	for i, part := range k.parts {
		debates := k.Debates[k.Starts[i]:]
		if i+1 < len(k.Starts) {
			debates = debates[:k.Starts[i+1]-k.Starts[i]]
		}
		for _, d := range debates {
			sizes[d.Question-first[k.Questions[d.Question].Task]] += len(part) / len(debates)
		}
	}
	total := 0
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

// text is the index of a text in the current part, which it enters.
func (k *packer) text(text string) int {
	i := indexIn(k.places, text)
	if i == len(k.part.Texts) {
		k.part.Texts = append(k.part.Texts, text)
		k.bytes += len(text)
	}
	return i
}

// sent has the messages of the current part. Its debates are complete, so that texts that are new are of messages.
func (k *packer) sent() Messages {
	sent := Messages{Texts: []string{}, Sent: make(map[string][]int)}
	for _, o := range k.held {
		for call := range o.Transcript.Calls() {
			key := call.Reply.Key
			if sent.Sent[key] != nil || key == "" {
				continue
			}
			places := []int{}
			for _, m := range call.Messages {
				place := indexIn(k.places, m.Content)
				if place == len(k.part.Texts)+len(sent.Texts) {
					sent.Texts = append(sent.Texts, m.Content)
				}
				if !slices.Contains(sent.Speakers, m.Role) {
					sent.Speakers = append(sent.Speakers, m.Role)
				}
				places = append(places, slices.Index(sent.Speakers, m.Role), place)
			}
			sent.Sent[key] = places
		}
	}
	return sent
}

// condition returns the number of a condition, which debates have in the place of its name.
func (k *packer) condition(name string) int {
	if i := slices.Index(k.Conditions, name); i >= 0 {
		return i
	}
	k.Conditions = append(k.Conditions, name)
	return len(k.Conditions) - 1
}
