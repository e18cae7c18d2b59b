package protocol

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/parley-debate/parley/debate"
	"github.com/parley-debate/parley/debate/answer"
	"github.com/parley-debate/parley/debate/answer/reader"
	"github.com/parley-debate/parley/inference"
	"github.com/parley-debate/parley/internal/datatest"
)

var rewrite = flag.Bool("update", false, "rewrite the stories")

// TestConformance holds debates with scripted replies and compares their whole course with what is written down. Each
// file is a story: what it is about, the protocol, the question (with truth, facts and a wrong answer where a rule
// looks at them), who says what in the order in which it is asked, and all that came of it.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/conformance/*.txt")
	if err != nil || len(files) < 230 {
		t.Fatalf("%d stories, %v; want at least 230 and no error", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { conform(t, file) })
	}
}

func conform(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, f := range archive.Files {
		parts[f.Name] = strings.TrimSpace(string(f.Data))
	}
	if len(archive.Comment) < 20 {
		t.Errorf("a story has %d bytes on what it is about, want at least 20", len(archive.Comment))
	}
	p, err := ParseProtocol([]byte(parts["protocol"]))
	if err != nil {
		t.Fatal(err)
	}
	if p.Answer == "" {
		p.Answer = "choice"
	}
	extract, err := reader.Rule(p.Answer)
	if err != nil {
		t.Fatal(err)
	}
	c := debate.Case{ID: "story", Question: parts["question"], Extract: extract, Facts: parts["facts"],
		Wrong: parts["wrong"], Relist: reader.RelistBy(p.Answer, answer.Question{Text: parts["question"]})}
	if parts["truth"] != "" {
		if c.Truth, err = p.Truth(c.Question, parts["truth"], p.Answer); err != nil {
			t.Fatal(err)
		}
	}
	if parts["donor"] != "" {
		c.Donor = &debate.Case{ID: "donor", Question: parts["donor"], Extract: extract}
	}
	if parts["prior"] != "" {
		c.Prior = before(c, parts["prior"])
	}
	actors := newParts(t, parts["replies"])
	d, err := p.Compose(debate.Asking{Seeds: debate.Seeds{Run: 1}, Sampling: inference.Sampling{Temperature: 1}})
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := d.Run(t.Context(), actors, c)
	var got strings.Builder
	if err != nil {
		fmt.Fprintln(&got, "error:", err)
	} else if err := transcript.Story(&got); err != nil {
		t.Fatal(err)
	}
	actors.rest()
	if *rewrite {
		const course = "what came of it"
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == course })
		archive.Files = append(archive.Files, txtar.File{Name: course, Data: []byte(got.String())})
		datatest.Write(t, file, txtar.Format(archive))
		return
	}
	if diff := cmp.Diff(parts["what came of it"], strings.TrimSpace(got.String())); diff != "" {
		t.Errorf("%s\n(rewrite with -update, and review the change)", diff)
	}
}

// before is a debate of one round, in which agents said a line each.
func before(c debate.Case, text string) *debate.Transcript {
	var turns []debate.Turn
	for line := range strings.SplitSeq(text, "\n") {
		t := debate.Turn{Agent: len(turns), Messages: debate.Conversation("", c.Question)}
		t.Reply, t.Answer = inference.Reply{Text: line, Tokens: len(strings.Fields(line))}, c.Extract(line)
		turns = append(turns, t)
	}
	return &debate.Transcript{Case: c.ID, Rounds: [][]debate.Turn{turns}}
}

// storyParts is a speaker with a script: lines "0: text", in the order in which agent 0 is asked. "0! text" is an error
// instead of a reply. A request for scores is answered by "0: (A) 0.8 | (B) 0.2". In texts \n is a line break.
type storyParts struct {
	t     *testing.T
	lines map[int][]string
}

func newParts(t *testing.T, text string) *storyParts {
	p := &storyParts{t: t, lines: make(map[int][]string)}
	for line := range strings.SplitSeq(text, "\n") {
		at := strings.IndexAny(line, ":!")
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		agent, err := strconv.Atoi(line[:max(0, at)])
		if err != nil {
			t.Fatalf("the script's line %q has no agent before its colon, want a number", line)
		}
		p.lines[agent] = append(p.lines[agent], line[at:])
	}
	return p
}

// Generate implements Speaker.
func (p *storyParts) Generate(_ context.Context, requests []inference.Request) ([]inference.Reply, error) {
	var replies []inference.Reply
	for _, r := range requests {
		lines := p.lines[r.Agent]
		if len(lines) == 0 {
			return nil, fmt.Errorf("agent %d has no more lines, and is asked %q", r.Agent,
				r.Messages[len(r.Messages)-1].Content)
		}
		p.lines[r.Agent] = lines[1:]
		text := strings.ReplaceAll(strings.TrimSpace(lines[0][1:]), `\n`, "\n")
		reply := inference.Reply{Text: text, Key: "play", Tokens: len(strings.Fields(text)),
			LogProb: -0.1 * float64(len(strings.Fields(text)))}
		if r.Confidences { // a word is a token, and as sure as it is long
			for _, word := range strings.Fields(text) {
				reply.Confidences = append(reply.Confidences, float64(len(word)))
			}
		}
		switch {
		case lines[0][0] == '!':
			reply = inference.Reply{Err: errors.New(text)}
		case r.Continuations != nil:
			reply.LogProbs = p.scores(text, r.Continuations)
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

func (p *storyParts) scores(text string, of []string) []float64 {
	scores := make([]float64, len(of))
	for i := range scores {
		scores[i] = -100
	}
	for pair := range strings.SplitSeq(text, "|") {
		at := strings.LastIndexByte(strings.TrimSpace(pair), ' ')
		name, value := strings.TrimSpace(pair)[:max(0, at)], strings.TrimSpace(strings.TrimSpace(pair)[max(0, at):])
		probability, err := strconv.ParseFloat(value, 64)
		if err != nil {
			p.t.Errorf("the scores %q are not read: %v, want names with a number each", text, err)
		}
		for i, c := range of {
			if c == name {
				scores[i] = math.Log(probability)
			}
		}
	}
	return scores
}

// rest fails where the script has lines that nobody asked for.
func (p *storyParts) rest() {
	for agent, lines := range p.lines {
		if len(lines) > 0 {
			p.t.Errorf("agent %d was not asked for %q, want all its lines said", agent, lines)
		}
	}
}
