package report

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html"

	"github.com/parley-debate/parley/bench"
	"github.com/parley-debate/parley/bench/analysis"
	"github.com/parley-debate/parley/bench/benchtest"
	"github.com/parley-debate/parley/bench/report/browser"
	"github.com/parley-debate/parley/bench/rundir"
	"github.com/parley-debate/parley/bench/spec"
	"github.com/parley-debate/parley/bench/table"
	"github.com/parley-debate/parley/bench/task"
	"github.com/parley-debate/parley/bench/trial"
	"github.com/parley-debate/parley/bench/wording"
	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/debatetest"
	"github.com/parley-debate/parley/debate/protocol"
	"github.com/parley-debate/parley/debate/society"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/escape"
)

// hostile is said by agents: none of it may become anything but text.
var hostile = "</script><script>document.title='owned'</script> \"double\" 'single' <img " +
	"src=\"http://example.com/x.png\" onerror=alert(1)> \u2028\u2029 -->]]> {{.Title}} "

// crowd is an engine whose agents answer rightly by chance, wrongly with hostile texts or not at all, and rightly when
// they hear it.
func crowd(t task.Task) *inference.Script {
	return inference.NewScript(func(r inference.Request) string {
		if strings.Contains(fmt.Sprint(r.Messages), knights) {
			return fmt.Sprintf(`{"players": {"Ann": "knight", "Bo": "%s"}, "role": "knave", "order": ["Bo", "Ann"]}`,
				[]string{"knave", "knight"}[r.Agent%2])
		}
		for _, q := range t.Questions {
			last := r.Messages[len(r.Messages)-1].Content
			switch {
			case !strings.Contains(r.Messages[0].Content, q.Text):
				continue
			case r.Sampling.Seed%3 == 0 || (len(r.Messages) > 1 && strings.Contains(last, "is "+q.Target)):
				return "The answer is " + q.Target
			case r.Sampling.Seed%2 == 0:
				return hostile + "The answer is (Z)"
			}
			return "I do not know"
		}
		return "[DISAGREE] The answer is (B)"
	})
}

// knights is a question of the games of Wu et al.
const knights = "Player name: Ann\nPlayer name: Bo"

// small is a run of a few questions, written and read again.
func small(t *testing.T, agents, rounds int) rundir.Run {
	t.Helper()
	run, err := rundir.ReadRun(directory(t, agents, rounds))
	if err != nil || !run.Finished {
		t.Fatalf("a small run is read, finished: got finished %t, %v", run.Finished, err)
	}
	return run
}

// directory holds a run of a few questions.
func directory(t testing.TB, agents, rounds int) string {
	t.Helper()
	return directoryOf(t, 12, agents, rounds)
}

// directoryOf is a run of count questions, under the conditions that are named, or all.
func directoryOf(t testing.TB, count, agents, rounds int, names ...string) string {
	t.Helper()
	return copyOf(t, fmt.Sprint(count, agents, rounds, names), func(path string) {
		holdRun(t, path, count, agents, rounds, names)
	})
}

// holdRun writes the run directory.
func holdRun(t testing.TB, path string, count, agents, rounds int, names []string) {
	t.Helper()
	questions, err := task.Generate(3, count, 1)
	if err != nil {
		t.Fatal(err)
	}
	set := debatetest.Load(t, "tiny")
	base := society.Society{Agents: agents, Rounds: rounds, Prompts: set,
		Asking:   debate.Asking{Seeds: debate.Seeds{Run: 1}},
		Exchange: society.Exchange{Order: society.Order{Name: "fixed", Reading: "code"}}}
	conditions, err := trial.Conditions(base)
	if err != nil {
		t.Fatal(err)
	}
	conditions = slices.DeleteFunc(conditions, func(c trial.Condition) bool { // puzzles have no options to be scored
		return strings.HasPrefix(c.Name, "likelihood")
	})
	if names != nil {
		if conditions, err = trial.Select(conditions, names); err != nil {
			t.Fatal(err)
		}
	}
	engine := crowd(questions)
	d := benchtest.OpenDirectory(t, path)
	if err := d.Begin(benchtest.Header(bench.Options{Engine: engine, Task: questions, Conditions: conditions},
		base)); err != nil {
		t.Fatal(err)
	}
	c, err := bench.Compare(t.Context(), bench.Options{Task: questions, Conditions: conditions, Engine: engine,
		Observe: func(o trial.Outcome) error {
			return errors.Join(generations(d, o), d.Outcome(o))
		}})
	if err := errors.Join(err, d.Finish(c), d.Close()); err != nil {
		t.Fatal(err)
	}
}

// generations journals what a script was sent, as a real engine does on its own.
func generations(d *rundir.Directory, o trial.Outcome) (err error) {
	for _, round := range o.Transcript.Rounds {
		for _, turn := range round {
			if turn.Reply.Key == "" { // nobody was asked
				continue
			}
			err = errors.Join(err, d.Generation(inference.Generation{Agent: turn.Agent, Messages: turn.Messages,
				Reply: turn.Reply}))
		}
	}
	return err
}

// everyProtocol adds a debate by every protocol there is to a run, as conditions of their own.
func everyProtocol(t *testing.T, run rundir.Run) rundir.Run {
	t.Helper()
	questions, err := task.Generate(3, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	q, engine := questions.Questions[0], crowd(questions)
	for _, known := range protocol.Protocols() {
		p, err := protocol.LoadProtocol(known.Name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Compose(debate.Asking{Seeds: debate.Seeds{Run: 1}})
		if err != nil {
			t.Fatal(err)
		}
		question, target := q.Text, q.Target
		if p.Form == "knights" {
			question, target = knights, "Ann: knight, Bo: knave"
		}
		truth := answer.Of(target)
		transcript, err := d.Run(t.Context(), engine.Join(0),
			debate.Case{ID: q.ID, Question: question, Extract: answer.Choice, Truth: truth, Wrong: "(Z)",
				Facts: "none", Relist: questions.Relist(q)})
		if err != nil {
			t.Fatalf("%s can be held: got %v, want no error", p.Name, err)
		}
		rename(slices.Concat(transcript.Rounds, transcript.Voting)...)
		o := trial.Outcome{Question: q.ID, Condition: "protocol " + p.Name, Target: target,
			Score: task.ScoreOf(transcript.Decision.Answer, truth), Transcript: transcript}
		run.Outcomes = append(run.Outcomes, o)
	}
	return run
}

// rename makes the keys of a second script differ from those of the first.
func rename(rounds ...[]debate.Turn) {
	for _, turns := range rounds {
		for i := range turns {
			turns[i].Reply.Key += " of protocols"
			rename(turns[i].Before, turns[i].Probes)
		}
	}
}

func written(t *testing.T, run rundir.Run, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, run, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// walk visits all elements of a page.
func walk(n *html.Node, visit func(*html.Node)) {
	if n.Type == html.ElementNode {
		visit(n)
	}
	for child := range n.ChildNodes() {
		walk(child, visit)
	}
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func parsed(t *testing.T, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestNothingIsLoaded: the page has no address but those of its own parts, and no element that loads something.
func TestNothingIsLoaded(t *testing.T) {
	scripts := 0
	walk(parsed(t, written(t, small(t, 3, 2), Options{})), func(n *html.Node) {
		for _, a := range n.Attr {
			if slices.Contains([]string{"src", "href", "action", "formaction", "poster", "data", "srcset",
				"background"}, a.Key) && !strings.HasPrefix(a.Val, "#") {
				t.Errorf("a page loads nothing from elsewhere: got <%s %s=%q>", n.Data, a.Key, a.Val)
			}
			if strings.HasPrefix(a.Key, "on") {
				t.Errorf("a page has no handlers of events in its tags: got <%s %s>", n.Data, a.Key)
			}
		}
		switch n.Data {
		case "link", "iframe", "object", "embed", "img", "image", "base":
			t.Errorf("a page loads nothing from elsewhere: got <%s>", n.Data)
		case "script":
			scripts++
		case "style":
			if css := text(n); strings.Contains(css, "url(") || strings.Contains(css, "@import") {
				t.Errorf("a page's style loads nothing from elsewhere: got %s", css)
			}
		}
	})
	if scripts != 4 {
		t.Errorf("%d scripts, want the index, the debates, the messages and the page's own", scripts)
	}
}

// unpackedPage is what the scripts of a page unpack: its index, its debates with their entries, and texts by their
// number in each part, those of messages behind those of replies.
type unpackedPage struct {
	browser.Index
	Debates []browser.Debate
	Texts   [][]string
	Sent    []browser.Messages
	JSON    string // as it was decoded
	Bytes   int    // of parts, as the page has them
}

// reply is the text of a turn of a debate.
func (p unpackedPage) reply(debate int, turn browser.Turn) string {
	part := 0
	for part+1 < len(p.Starts) && p.Starts[part+1] <= debate {
		part++
	}
	return p.Texts[part][turn.Text]
}

// dataOf reads the debates out of a page as its scripts do.
func dataOf(t *testing.T, page string) (p unpackedPage) {
	t.Helper()
	scripts := make(map[string]string)
	walk(parsed(t, page), func(n *html.Node) {
		if id, ok := attribute(n, "id"); ok && n.Data == "script" {
			scripts[id] = text(n)
		}
	})
	unpack := func(id string, to any) {
		packed, err := base64.StdEncoding.DecodeString(scripts[id])
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatalf("the data %s of the page are read: got %v, want no error", id, err)
		}
		text, err := io.ReadAll(r)
		if err := errors.Join(err, json.Unmarshal(text, to)); err != nil {
			t.Fatal(err)
		}
		p.JSON += string(text)
	}
	unpack("index", &p.Index)
	for i := range p.Starts {
		id := fmt.Sprintf("debates-%d", i)
		var part browser.Part
		unpack(id, &part)
		p.Debates, p.Texts, p.Bytes = append(p.Debates, part.Debates...), append(p.Texts, part.Texts),
			p.Bytes+len(scripts[id])
		if p.Messages {
			id := fmt.Sprintf("sent-%d", i)
			var sent browser.Messages
			unpack(id, &sent)
			p.Sent, p.Bytes = append(p.Sent, sent), p.Bytes+len(scripts[id])
			p.Texts[i] = append(p.Texts[i], sent.Texts...)
		}
	}
	for i := range p.Debates {
		p.Debates[i].Entry = p.Index.Debates[i]
	}
	return p
}

// TestTable compares every number of the table with the comparison's.
func TestTable(t *testing.T) {
	run := small(t, 3, 2)
	rows := tables(parsed(t, written(t, run, Options{})))[0]
	delete(rows, "constant guess")
	want := make(map[string][]string)
	for _, r := range run.Comparison.Rows {
		difference, interval, p := "|", "|", "|"
		if r.DuplicateOf != "" {
			continue // its row is that of the other
		}
		if a := r.Above; a != nil {
			difference = fmt.Sprintf("%v|%+.3f", a.Difference, a.Difference)
			interval = fmt.Sprintf("%v|%+.3f to %+.3f", a.Interval.Low, a.Interval.Low, a.Interval.High)
		}
		if r.Same != nil {
			difference = "|the same"
		}
		if r.Paired != nil {
			difference = fmt.Sprintf("%v|%+.3f", r.Paired.Difference, r.Paired.Difference)
			interval = fmt.Sprintf("%v|%+.3f to %+.3f", r.Paired.Interval.Low, r.Paired.Interval.Low,
				r.Paired.Interval.High)
			p = fmt.Sprintf("%v|%.3f", r.Paired.Holm, r.Paired.Holm)
			if r.Paired.Holm < 0.0005 {
				p = fmt.Sprintf("%v|<0.001", r.Paired.Holm)
			}
			if r.Paired.Unmeasured {
				p, interval = "|–", fmt.Sprintf("%v|–", r.Paired.Interval.Low)
				difference = fmt.Sprintf("%v|not measured", r.Paired.Difference)
			}
		}
		unparsed := float64(r.UnparsedReplies) / float64(r.Answers)
		want[r.Condition] = []string{
			fmt.Sprintf("%d|%d", r.N, r.N), fmt.Sprintf("%v|%.3f", r.Accuracy, r.Accuracy),
			fmt.Sprintf("%v|%.3f – %.3f", r.Interval.Low, r.Interval.Low, r.Interval.High),
			difference, interval, p, fmt.Sprintf("%v|%.1f %%", unparsed, 100*unparsed),
			fmt.Sprintf("%d|%s", r.Replies, wording.Comma(r.Replies)),
			fmt.Sprintf("%d|%s", r.Tokens, wording.Comma(r.Tokens)),
		}
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("the table has the comparison's numbers (-want +got):\n%s", diff)
	}
}

// tables are those of a page: cells of each row, sorting value and text, by what is in its head.
func tables(root *html.Node) (all []map[string][]string) {
	walk(root, func(n *html.Node) {
		if class, _ := attribute(n, "class"); n.Data != "table" || class != "data" {
			return
		}
		rows := make(map[string][]string)
		walk(n, func(row *html.Node) {
			head, cells := "", []string(nil)
			walk(row, func(cell *html.Node) {
				value, _ := attribute(cell, "data-value")
				switch {
				case row.Data == "tr" && cell.Data == "th":
					head = value
				case row.Data == "tr" && cell.Data == "td":
					cells = append(cells, value+"|"+strings.TrimSpace(text(cell)))
				}
			})
			if cells != nil {
				rows[head] = cells
			}
		})
		all = append(all, rows)
	})
	return all
}

// TestCopies: Markdown has a line a row, and the CSV reads back to the comparison's numbers.
func TestCopies(t *testing.T) {
	run := small(t, 3, 2)
	c := run.Comparison
	made := conditionsTable(study{Run: run})
	md := made.Markdown()
	if lines := strings.Count(md, "\n"); lines != len(c.Rows)+3 ||
		!strings.Contains(md, "| oracle (a bound for vote, no method) |") || !strings.Contains(md, "| mad "+
		"(reference) |") {
		t.Errorf("a Markdown table has %d lines, the oracle as a bound and mad as the reference: got %d:\n%s",
			len(c.Rows)+3, lines, md)
	}
	records, err := csv.NewReader(strings.NewReader(table.CSV("", nil, []table.Table{made}))).ReadAll()
	if err != nil || len(records) != len(c.Rows)+2 {
		t.Fatalf("a CSV file has %d records: got %d, %v", len(c.Rows)+2, len(records), err)
	}
	for i, r := range c.Rows {
		got := make(map[string]string)
		for k, name := range records[0] {
			got[name] = records[i+1][k]
		}
		if accuracy, err := strconv.ParseFloat(got["accuracy"], 64); err != nil || got["condition"] != r.Condition ||
			accuracy != r.Accuracy || got["n"] != strconv.Itoa(r.N) || got["tokens"] != strconv.Itoa(r.Tokens) {
			t.Errorf("a copied line is that of the row: got %v, want %+v", got, r)
		}
	}
}

// TestHostileTexts: what agents say comes back from the page as it was said, a megabyte of it too.
func TestHostileTexts(t *testing.T) {
	run := small(t, 3, 2)
	long := hostile + strings.Repeat("x", 1<<20)
	run.Outcomes = slices.Clone(run.Outcomes) // so that no earlier table of them is taken
	o := &run.Outcomes[0]
	o.Question, o.Transcript.Roles = "<b>question</b>", []string{"<i>agent</i>"}
	o.Transcript.Rounds[0][0].Reply.Text = long
	o.Transcript.Rounds[0][0].Messages = []inference.Message{{Role: "<u>user</u>", Content: hostile}}
	o.Transcript.Rounds[0][0].Reply.Key = "</script>"
	run.Header.Task, run.Comparison.Rows[0].Condition = "<script>alert(1)</script>", "<script>alert(2)</script>"
	page := written(t, run, Options{})
	data := dataOf(t, page)
	first := data.Debates[0]
	if got := data.reply(0, first.Rounds[0][0]); got != escape.Text(long) {
		t.Errorf("%.200q, want %v", got, escape.Text(long))
	}
	sent, question := data.Sent[0].Sent["</script>"], data.Questions[first.Question].Name
	if question != "<b>question</b>" || len(sent) != 2 || data.Sent[0].Speakers[sent[0]] != "<u>user</u>" ||
		data.Texts[0][sent[1]] != escape.Text(hostile) {
		t.Errorf("hostile texts are carried as texts: got %q and %v", question, sent)
	}
	scripts := 0
	walk(parsed(t, page), func(n *html.Node) {
		if packed, _ := attribute(n, "type"); n.Data == "script" && packed == "" {
			scripts++
		}
	})
	if scripts != 1 || strings.ContainsRune(data.JSON, '\u2028') {
		t.Errorf("hostile texts add no script to the one of the page, and no line separator: got %d scripts", scripts)
	}
}

// say is a turn with an answer; "" is one that cannot be read.
func say(agent int, text string, heard ...int) debate.Turn {
	return debate.Turn{Agent: agent, Heard: heard, Answer: answer.Answer{Text: text, Parsed: text != ""}}
}

// TestDebates: flags, and from whom an answer was taken.
func TestDebates(t *testing.T) {
	o := trial.Outcome{Target: "(A)", Transcript: debate.Transcript{Rounds: [][]debate.Turn{
		{say(0, "(B)"), say(1, "(A)"), say(2, "")},
		{say(0, "(A)", 2, 1), say(1, "(C)", 2, 0), say(2, "(B)", 1, 0)},
	}}}
	o.Truth = answer.Of("(A)")
	got := packedOf(t, o)
	second := got.Rounds[1]
	if !got.Changed || !got.Disagreed || *second[0].Was != "(B)" || *second[2].Was != "" {
		t.Errorf("an agent that goes over has its answer of before, (B): got %+v", got)
	}
	// Agent 1 heard nobody who said (C); agent 2 takes (B) from agent 0 as it stood before the round, not as it is now.
	if diff := cmp.Diff([][]int{{1}, nil, {0}}, [][]int{second[0].From, second[1].From, second[2].From}); diff != "" {
		t.Errorf("answers are taken from these agents (-want +got):\n%s", diff)
	}
	if !got.Won || !got.Lost {
		t.Errorf("one agent is won and one is lost: got won %t, lost %t", got.Won, got.Lost)
	}
	if got.Rounds[0][2].Score != "unparsed" || second[0].Score != "right" || second[1].Score != "wrong" {
		t.Errorf("answers are right, wrong or unread, each by itself: got %q, %+v", got.Rounds[0][2].Score, second)
	}
	o.Target, o.Truth, o.Score = `\frac12`, answer.Unparsed, task.Right
	o.Transcript.Decision.Answer = answer.Of("7")
	math := rundir.Run{Header: rundir.Header{Run: spec.Run{AnswerRule: "math"}}}
	o.Transcript.Rounds[1][0] = say(0, `\frac{1}{2}`)
	if got := packedOf(t, math.Whole(o)); got.Rounds[1][0].Score != "right" || got.Vote != task.Wrong {
		t.Errorf("a target that is written another way is right for the answer, and the vote wrong: got %+v", got)
	}
}

// TestCentre: the given answer of a centre counts as its own; what it then hears are solutions of a pool, even where
// their numbers are those of agents.
func TestCentre(t *testing.T) {
	given, turned := say(0, "(B)"), say(0, "(A)", 0, 3)
	given.Kind = debate.KindGiven
	given.Before = []debate.Turn{say(0, "(A)"), say(1, "(B)")}
	o := trial.Outcome{Target: "(A)", Transcript: debate.Transcript{Rounds: [][]debate.Turn{{given}, {turned}}}}
	o.Truth = answer.Of("(A)")
	got := packedOf(t, o)
	if last := got.Rounds[1][0]; !got.Pool || !got.Won || *last.Was != "(B)" || last.From != nil ||
		got.Rounds[0][0].Score != "wrong" {
		t.Errorf("the centre of a pool was won over from (B), which was wrong: got %+v", got)
	}
	figures, faults := figuresOf(study{Run: rundir.Run{Outcomes: []trial.Outcome{o},
		Comparison: analysis.Comparison{Rows: []analysis.Row{{N: 1}}}}})
	if faults != nil || len(figures) != 1 {
		t.Errorf("nobody has answered twice here, so that there is 1 figure: got %d, %v", len(figures), faults)
	}
}

// TestRounds: an answer that is lost, one that is won, and the vote on them.
func TestRounds(t *testing.T) {
	o := trial.Outcome{Target: "(A)", Transcript: debate.Transcript{Rounds: [][]debate.Turn{
		{say(0, "(B)"), say(1, "(A)"), say(2, "")},
		{say(0, "(A)"), say(1, "(C)"), say(2, "(B)")},
	}}}
	rounds := analysis.RoundsOf(rundir.Run{Outcomes: []trial.Outcome{o}}.Table().Under(""))
	if r := rounds[1]; r.Right != 1 || r.N != 1 || r.Lost != 1 || r.Won != 1 || r.Compared != 3 {
		t.Errorf("in the second round 1 debate is right, 1 agent is lost and 1 won, of 3: got %+v", r)
	}
}

// TestTooMuchText leaves messages out, then debates on the last questions, and says so.
func TestTooMuchText(t *testing.T) {
	run := small(t, 3, 2)
	random := make([]byte, 300_000) // which nothing compresses
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	run.Outcomes[0].Transcript.Rounds[0][0].Messages = []inference.Message{{Role: "user",
		Content: base64.StdEncoding.EncodeToString(random)}}
	whole := dataOf(t, written(t, run, Options{}))
	for _, texts := range whole.Texts {
		for i, text := range texts {
			if slices.Contains(texts[:i], text) {
				t.Errorf("a text is there once: %.60q is there twice", text)
			}
		}
	}
	for _, limit := range []struct {
		bytes, debates int
		says           string
	}{
		{whole.Bytes, len(whole.Debates), ""},
		{whole.Bytes - 1, len(whole.Debates), "the messages as sent are left out"},
		{1000, len(run.Comparison.Rows), "Only the debates on the first 1 question of each task"},
	} {
		t.Run(fmt.Sprintf("%v %v", limit.bytes, limit.debates), func(t *testing.T) {
			page := written(t, run, Options{MaxData: limit.bytes})
			cut := dataOf(t, page)
			if limit.says == "" {
				if len(cut.Sent) != len(whole.Sent) || strings.Contains(page, "are left out. They") {
					t.Errorf("%d bytes are enough for all %d messages: got %d",
						limit.bytes, len(whole.Sent), len(cut.Sent))
				}
				return
			}
			if cut.Messages || len(cut.Debates) != limit.debates || !strings.Contains(page, limit.says) {
				t.Errorf("%d bytes are enough for %d debates without messages, and the page says %q: got %d of "+
					"%d debates, messages %t",
					limit.bytes, limit.debates, limit.says, len(cut.Debates), len(whole.Debates), cut.Messages)
			}
		})
	}
}

func TestFigures(t *testing.T) {
	run := small(t, 3, 3)
	figures, faults := figuresOf(study{Run: run, Published: []Published{{"mad", 0.5}, {"elsewhere", 0.2}}})
	if faults != nil || len(figures) != 4 {
		t.Fatalf("4 figures are expected: got %d, %v", len(figures), faults)
	}
	if !strings.Contains(figures[0].Caption, "not in this run: elsewhere") {
		t.Errorf("the caption says what the run lacks, \"not in this run: elsewhere\": got %s", figures[0].Caption)
	}
	for _, f := range figures {
		if svg := string(f.SVG); !strings.HasPrefix(svg, "<svg viewBox=") || !strings.Contains(svg, "var(--right)") ||
			strings.Contains(svg, "#") || strings.Contains(svg, "NaN") {
			t.Errorf("%s: a figure has colours by their meaning alone, and all its numbers: got %.300s", f.Title, svg)
		}
	}
	alone := small(t, 1, 1)
	if figures, faults = figuresOf(study{Run: alone}); faults != nil || len(figures) != 1 {
		t.Errorf("a run without debates has 1 figure: got %d, %v", len(figures), faults)
	}
}

func TestReadPublished(t *testing.T) {
	want := []Published{{"mad", 0.5}, {"single", 0.25}}
	for _, text := range []string{"condition,accuracy\nmad,0.5\nsingle,0.25\n",
		"accuracy,source,condition\n0.5,x,mad\n0.25,y,single\n",
		`[{"condition":"mad","accuracy":0.5},{"condition":"single","accuracy":0.25}]`} {
		t.Run(text, func(t *testing.T) {
			if got, err := ReadPublished([]byte(text)); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s: read %v, %v, want %v", text, got, err, want)
			}
		})
	}
	for _, text := range []string{"", "mad,0.5\n", "condition,accuracy\nmad,50\n", "condition,accuracy\nmad,NaN\n",
		"condition,accuracy\nmad,high\n", "[{]"} {
		t.Run(fmt.Sprintf("%.60s", text), func(t *testing.T) {
			if got, err := ReadPublished([]byte(text)); err == nil {
				t.Errorf("%q was read as %v, want an error", text, got)
			}
		})
	}
}

// TestUnfinishedRun counts what is there, which is the result if all is.
func TestUnfinishedRun(t *testing.T) {
	path := directory(t, 2, 2)
	run, err := rundir.ReadRun(path)
	if err := errors.Join(err, os.Remove(filepath.Join(path, "result.json"))); err != nil {
		t.Fatal(err)
	}
	counted, err := rundir.ReadRun(path)
	if err != nil || counted.Finished {
		t.Fatalf("a run that was cut short is read as unfinished: got finished %t, %v", counted.Finished, err)
	}
	if diff := cmp.Diff(run.Comparison.Rows, counted.Comparison.Rows); diff != "" ||
		!cmp.Equal(run.Comparison.Guess, counted.Comparison.Guess) {
		t.Errorf("an unfinished run is counted as far as it is: guess %v, want %v; rows (-want +got):\n%s",
			counted.Comparison.Guess, run.Comparison.Guess, diff)
	}
	if page := written(t, run, Options{}); strings.Contains(page, "has not ended") {
		t.Error("a run that has ended is said not to have")
	}
	run.Finished = false
	if page := written(t, run, Options{}); !strings.Contains(page, "has not ended") {
		t.Error("a run that has not ended is not said so")
	}
	run.Outcomes, run.Comparison = nil, analysis.Comparison{}
	written(t, run, Options{})
}

// packedOf is a debate as the page has it.
func packedOf(t *testing.T, o trial.Outcome) browser.Debate {
	t.Helper()
	return dataOf(t, written(t, rundir.Run{Outcomes: []trial.Outcome{o}}, Options{})).Debates[0]
}
